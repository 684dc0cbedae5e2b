/* A read given up by siglongjmp from an alarm handler
 * text:   leaving a handler by siglongjmp out of a restarted call is allowed; the descriptor stays usable
 * expect: exit 0
 */
#include "check.h"
#include <setjmp.h>
#include <sys/time.h>

static sigjmp_buf back;
static void handler(int s) { siglongjmp(back, 1); }

int main(void)
{
    struct itimerval it = {{0, 0}, {0, 3000}};
    int p[2];
    char c;
    OK(pipe(p));
    OK(sigaction(SIGALRM, &(struct sigaction){.sa_handler = handler, .sa_flags = SA_RESTART}, NULL));
    for (volatile int i = 0; i < 3; i++) {
        if (!sigsetjmp(back, 1)) {
            OK(setitimer(ITIMER_REAL, &it, NULL));
            (void)!read(p[0], &c, 1);
            _exit(3);
        }
    }
    IS(write(p[1], "x", 1), 1);
    IS(read(p[0], &c, 1), 1);
    return 0;
}
