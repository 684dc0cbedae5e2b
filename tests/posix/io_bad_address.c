/* System calls with a bad address fail with EFAULT
 * text:   the implementation may detect addresses outside the process: Linux does, with EFAULT
 * expect: exit 0
 */
#include "check.h"
#include <poll.h>
#include <sys/random.h>
#include <sys/uio.h>

int main(void)
{
    void *volatile bad = (void *)16;
    int p[2];
    OK(pipe(p));
    FAILS(write(p[1], bad, 4), EFAULT);
    IS(write(p[1], "abcd", 4), 4);
    FAILS(read(p[0], bad, 4), EFAULT);
    FAILS(poll(bad, 1, 0), EFAULT);
    FAILS(nanosleep(bad, NULL), EFAULT);
    FAILS(writev(p[1], bad, 1), EFAULT);
    FAILS(getrandom(bad, 4, 0), EFAULT);
    return 0;
}
