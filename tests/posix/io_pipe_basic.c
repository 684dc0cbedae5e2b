/* Pipes: end of file, EPIPE, EAGAIN, EBADF
 * text:   a read with no writer left gives 0; a non-blocking one on an empty pipe with writers is
 *         EAGAIN; reading the write end is EBADF
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>

int main(void)
{
    int p[2];
    char c[8];
    OK(pipe2(p, O_NONBLOCK | O_CLOEXEC));
    IS(fcntl(p[0], F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    FAILS(read(p[0], c, 1), EAGAIN);
    FAILS(read(p[1], c, 1), EBADF);
    FAILS(write(p[0], c, 1), EBADF);
    IS(write(p[1], "abc", 3), 3);
    IS(read(p[0], c, 8), 3);
    IS(read(p[0], c, 0), 0);
    ssize_t n;
    while ((n = write(p[1], c, 1)) == 1)
        ;
    IS(errno, EAGAIN);
    OK(close(p[1]));
    while ((n = read(p[0], c, 8)) > 0)
        ;
    IS(n, 0);
    OK(close(p[0]));
    FAILS(read(p[0], c, 1), EBADF);
    FAILS(close(p[0]), EBADF);
    FAILS(pipe2(p, 0x1234567), EINVAL);
    return 0;
}
