/* fcntl record locks: between processes, EAGAIN, who holds it
 * text:   locks belong to a process; F_SETLK fails with EAGAIN or EACCES if another process holds
 *         a conflicting one; F_GETLK tells who; F_SETLKW waits
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>

int main(void)
{
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 10}, who;
    int go[2], back[2];
    char c;
    int fd = open("lock.tmp", O_RDWR | O_CREAT, 0600);
    TRUE(fd >= 0);
    OK(pipe(go));
    OK(pipe(back));
    OK(fcntl(fd, F_SETLK, &l));
    OK(fcntl(fd, F_SETLK, &l)); /* the own lock is no conflict */
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        who = l;
        OK(fcntl(fd, F_GETLK, &who));
        IS(who.l_type, F_WRLCK);
        IS(who.l_pid, parent);
        IS(fcntl(fd, F_SETLK, &l), -1);
        TRUE(errno == EAGAIN || errno == EACCES);
        l.l_start = 10; /* another range */
        OK(fcntl(fd, F_SETLK, &l));
        l.l_start = 0;
        IS(write(back[1], "x", 1), 1);
        OK(fcntl(fd, F_SETLKW, &l)); /* after the parent unlocks */
        _exit(0);
    }
    IS(read(back[0], &c, 1), 1);
    l.l_type = F_UNLCK;
    OK(fcntl(fd, F_SETLK, &l));
    IS(reap(child), 0);
    l.l_type = 99;
    FAILS(fcntl(fd, F_SETLK, &l), EINVAL);
    OK(unlink("lock.tmp"));
    return 0;
}
