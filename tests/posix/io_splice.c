/* splice and tee between pipes and files
 * text:   tee copies without taking, splice moves; both need a pipe: EINVAL
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>

int main(void)
{
    int a[2], b[2];
    char buf[8] = "";
    OK(pipe(a));
    OK(pipe(b));
    IS(write(a[1], "data", 4), 4);
    IS(tee(a[0], b[1], 100, 0), 4);
    IS(read(b[0], buf, 8), 4);
    IS(splice(a[0], NULL, b[1], NULL, 100, 0), 4);
    IS(read(b[0], buf, 8), 4);
    OK(memcmp(buf, "data", 4));
    FAILS(splice(a[0], NULL, b[1], NULL, 1, SPLICE_F_NONBLOCK), EAGAIN);
    int fd = open("splice.tmp", O_RDWR | O_CREAT | O_TRUNC, 0600);
    IS(write(fd, "file", 4), 4);
    FAILS(tee(fd, b[1], 4, 0), EINVAL);
    loff_t at = 1;
    IS(splice(fd, &at, b[1], NULL, 2, 0), 2);
    IS(at, 3);
    IS(read(b[0], buf, 8), 2);
    OK(memcmp(buf, "il", 2));
    OK(close(a[1]));
    IS(splice(a[0], NULL, b[1], NULL, 1, 0), 0);
    OK(unlink("splice.tmp"));
    return 0;
}
