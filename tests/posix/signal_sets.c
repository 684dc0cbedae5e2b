/* Signal sets: add, delete, member, EINVAL
 * text:   the functions work on the set alone; numbers that are no signal are EINVAL
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    sigset_t set;
    OK(sigemptyset(&set));
    for (int s = 1; s < 32; s++)
        IS(sigismember(&set, s), 0);
    OK(sigaddset(&set, SIGUSR1));
    IS(sigismember(&set, SIGUSR1), 1);
    OK(sigdelset(&set, SIGUSR1));
    IS(sigismember(&set, SIGUSR1), 0);
    OK(sigfillset(&set));
    IS(sigismember(&set, SIGRTMAX), 1);
    FAILS(sigaddset(&set, 0), EINVAL);
    FAILS(sigaddset(&set, 9999), EINVAL);
    FAILS(sigdelset(&set, -1), EINVAL);
    FAILS(sigismember(&set, 9999), EINVAL);
    TRUE(SIGRTMAX - SIGRTMIN + 1 >= 8);
    return 0;
}
