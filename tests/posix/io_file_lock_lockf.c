/* lockf: sections from the current offset, F_TEST, EAGAIN
 * text:   F_TEST fails with EACCES or EAGAIN if another process locked the section; F_TLOCK as well
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>

int main(void)
{
    int fd = open("lockf.tmp", O_RDWR | O_CREAT, 0600);
    TRUE(fd >= 0);
    OK(lockf(fd, F_LOCK, 10));
    OK(lockf(fd, F_TEST, 10)); /* own */
    pid_t child = fork();
    if (child == 0) {
        IS(lockf(fd, F_TEST, 10), -1);
        TRUE(errno == EAGAIN || errno == EACCES);
        IS(lockf(fd, F_TLOCK, 10), -1);
        TRUE(errno == EAGAIN || errno == EACCES);
        IS(lseek(fd, 10, SEEK_SET), 10);
        OK(lockf(fd, F_TLOCK, 10));
        _exit(0);
    }
    IS(reap(child), 0);
    OK(lseek(fd, 0, SEEK_SET));
    OK(lockf(fd, F_ULOCK, 10));
    FAILS(lockf(fd, 99, 10), EINVAL);
    FAILS(lockf(-1, F_LOCK, 10), EBADF);
    OK(unlink("lockf.tmp"));
    return 0;
}
