/* sleep and nanosleep tell what is left after a handler
 * text:   sleep returns the unslept seconds; nanosleep stores the rest; clock_nanosleep with an absolute
 *         time stores nothing
 * expect: exit 0
 */
#include "check.h"
#include <sys/time.h>

static volatile sig_atomic_t n;
static void handler(int s) { n++; }

int main(void)
{
    struct itimerval it = {{0, 0}, {0, 10000}};
    struct timespec req = {100, 0}, left = {7, 7}, at;
    OK(sigaction(SIGALRM, &(struct sigaction){.sa_handler = handler}, NULL));
    OK(setitimer(ITIMER_REAL, &it, NULL));
    unsigned r = sleep(100);
    TRUE(r >= 99 && r <= 100);
    OK(setitimer(ITIMER_REAL, &it, NULL));
    FAILS(nanosleep(&req, &left), EINTR);
    TRUE(left.tv_sec == 99 && left.tv_nsec >= 0 && left.tv_nsec < 1000000000);
    OK(setitimer(ITIMER_REAL, &it, NULL));
    at = in_ms(CLOCK_MONOTONIC, 100000);
    left = (struct timespec){7, 7};
    IS(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, &left), EINTR);
    TRUE(left.tv_sec == 7 && left.tv_nsec == 7);
    IS(n, 3);
    return 0;
}
