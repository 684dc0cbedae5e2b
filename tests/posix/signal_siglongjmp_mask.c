/* sigsetjmp saves the mask if asked, siglongjmp restores it
 * text:   with a non-zero second argument the mask is restored, otherwise it is left
 * expect: exit 0
 */
#include "check.h"
#include <setjmp.h>

static sigjmp_buf back;

static void handler(int s) { siglongjmp(back, s); }

static int is_blocked(int s)
{
    sigset_t set;
    OK(pthread_sigmask(SIG_SETMASK, NULL, &set));
    return sigismember(&set, s);
}

int main(void)
{
    volatile int save;
    OK(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler}, NULL));
    for (save = 1; save >= 0; save--) {
        int r = sigsetjmp(back, save);
        if (r == 0) {
            IS(is_blocked(SIGUSR1), 0);
            raise(SIGUSR1);
            _exit(9);
        }
        IS(r, SIGUSR1);
        IS(is_blocked(SIGUSR1), !save); /* not restored: still blocked from the handler */
    }
    return 0;
}
