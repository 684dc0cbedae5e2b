/* waitpid: EINTR without SA_RESTART, the child stays waitable
 * text:   the call may be interrupted by a handler; afterwards it can be repeated
 * expect: exit 0
 */
#include "check.h"

static volatile sig_atomic_t n;
static void handler(int s) { n++; }

int main(void)
{
    int p[2], status, interrupted = 0;
    OK(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler}, NULL));
    OK(pipe(p));
    pid_t me = getpid(), child = fork();
    if (child == 0) {
        char c;
        for (int i = 0; i < 20; i++) { /* until the parent was in waitpid for sure */
            kill(me, SIGUSR1);
            usleep(500);
        }
        close(p[1]);
        (void)!read(p[0], &c, 1);
        _exit(5);
    }
    close(p[1]);
    pid_t r;
    while ((r = waitpid(child, &status, 0)) < 0) {
        IS(errno, EINTR);
        interrupted++;
    }
    IS(r, child);
    IS(WEXITSTATUS(status), 5);
    TRUE(n >= 1);
    TRUE(interrupted <= n);
    FAILS(waitpid(child, &status, 0), ECHILD);
    return 0;
}
