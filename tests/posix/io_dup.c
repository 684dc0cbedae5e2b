/* dup, dup2, dup3, fcntl: the same open file, errors
 * text:   a duplicate shares the offset; dup2 closes the target first and with equal numbers does
 *         nothing; dup3 with equal ones is EINVAL
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>

int main(void)
{
    char c;
    int fd = open("dup.tmp", O_RDWR | O_CREAT | O_TRUNC, 0600);
    TRUE(fd >= 0);
    IS(write(fd, "abc", 3), 3);
    int other = dup(fd);
    TRUE(other > fd);
    IS(lseek(other, 1, SEEK_SET), 1);
    IS(read(fd, &c, 1), 1);
    IS(c, 'b');
    IS(dup2(fd, fd), fd);
    FAILS(dup3(fd, fd, 0), EINVAL);
    FAILS(dup(-1), EBADF);
    FAILS(dup2(-1, 50), EBADF);
    FAILS(dup2(fd, -1), EBADF);
    IS(dup2(fd, 60), 60);
    IS(dup3(fd, 61, O_CLOEXEC), 61);
    IS(fcntl(61, F_GETFD), FD_CLOEXEC);
    IS(fcntl(60, F_GETFD), 0);
    IS(fcntl(fd, F_DUPFD, 100), 100);
    FAILS(fcntl(fd, F_DUPFD, -1), EINVAL);
    IS(fcntl(fd, F_DUPFD_CLOEXEC, 100), 101);
    FAILS(fcntl(-1, F_GETFL), EBADF);
    IS(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDWR);
    OK(fcntl(fd, F_SETFL, O_APPEND));
    IS(fcntl(other, F_GETFL) & O_APPEND, O_APPEND);
    OK(close(fd));
    IS(read(other, &c, 1), 1);
    OK(unlink("dup.tmp"));
    return 0;
}
