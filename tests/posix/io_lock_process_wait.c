/* F_SETLKW and lockf wait for another process
 * text:   the call waits until the other process unlocks or ends
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>

int main(void)
{
    char c;
    int p[2], fd = open("lockwait.tmp", O_RDWR | O_CREAT, 0600);
    TRUE(fd >= 0);
    for (int i = 0; i < 2; i++) {
        OK(pipe(p));
        pid_t child = fork();
        if (child == 0) {
            struct flock l = {.l_type = F_WRLCK};
            OK(fcntl(fd, F_SETLK, &l));
            IS(write(p[1], "x", 1), 1);
            usleep(3000);
            _exit(0); /* releases it */
        }
        IS(read(p[0], &c, 1), 1);
        struct flock l = {.l_type = F_WRLCK};
        OK(i ? lockf(fd, F_LOCK, 0) : fcntl(fd, F_SETLKW, &l));
        IS(reap(child), 0);
        OK(lockf(fd, F_ULOCK, 0));
        OK(close(p[0]));
        OK(close(p[1]));
    }
    OK(unlink("lockwait.tmp"));
    return 0;
}
