/* sa_mask and the signal itself are blocked while the handler runs
 * text:   the mask is the thread's, plus sa_mask, plus the signal unless SA_NODEFER; it is
 *         restored on return
 * expect: exit 0
 */
#include "check.h"

static volatile sig_atomic_t depth, max_depth, calls, usr2_depth;

static void on_usr2(int s) { usr2_depth = depth; }

static void on_usr1(int s)
{
    sigset_t mask;
    depth++;
    calls++;
    if (depth > max_depth)
        max_depth = depth;
    OK(pthread_sigmask(SIG_SETMASK, NULL, &mask));
    IS(sigismember(&mask, SIGUSR2), 1);
    if (calls == 1) {
        OK(raise(SIGUSR1)); /* nested with SA_NODEFER, after return otherwise */
        OK(raise(SIGUSR2)); /* after return */
    }
    depth--;
}

int main(void)
{
    struct sigaction sa = {.sa_handler = on_usr1};
    sigset_t mask;
    OK(sigaction(SIGUSR2, &(struct sigaction){.sa_handler = on_usr2}, NULL));
    sigaddset(&sa.sa_mask, SIGUSR2);
    for (int nodefer = 0; nodefer < 2; nodefer++) {
        sa.sa_flags = nodefer ? SA_NODEFER : 0;
        OK(sigaction(SIGUSR1, &sa, NULL));
        calls = max_depth = depth = 0;
        usr2_depth = -1;
        OK(raise(SIGUSR1));
        IS(calls, 2);
        IS(max_depth, nodefer ? 2 : 1);
        IS(usr2_depth, 0);
        OK(pthread_sigmask(SIG_SETMASK, NULL, &mask));
        IS(sigismember(&mask, SIGUSR1), 0);
        IS(sigismember(&mask, SIGUSR2), 0);
    }
    return 0;
}
