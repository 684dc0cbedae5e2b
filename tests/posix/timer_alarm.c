/* alarm: returns what was left, 0 cancels, a new one replaces the old
 * text:   the result is the seconds until the alarm that was set before; only one can be set
 * expect: exit 0
 */
#include "check.h"

static volatile sig_atomic_t n;
static void handler(int s) { n++; }

int main(void)
{
    OK(sigaction(SIGALRM, &(struct sigaction){.sa_handler = handler}, NULL));
    IS(alarm(100), 0);
    unsigned left = alarm(50);
    TRUE(left >= 99 && left <= 100);
    left = alarm(0);
    TRUE(left >= 49 && left <= 50);
    IS(alarm(0), 0);
    long long begin = now_ns(CLOCK_MONOTONIC);
    IS(alarm(1), 0);
    FAILS(pause(), EINTR);
    IS(n, 1);
    TRUE(now_ns(CLOCK_MONOTONIC) - begin >= 990000000);
    pid_t child = fork();
    if (child == 0) { /* alarms are not inherited */
        IS(alarm(0), 0);
        _exit(0);
    }
    IS(reap(child), 0);
    return 0;
}
