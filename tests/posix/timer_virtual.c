/* Timers of processor time: ITIMER_VIRTUAL and CLOCK_PROCESS_CPUTIME_ID
 * text:   they count the time the process runs; SIGVTALRM when it ends; they do not run while it sleeps
 * expect: exit 0
 */
#include "check.h"
#include <sys/time.h>

static volatile sig_atomic_t n;
static void handler(int s) { n++; }

int main(void)
{
    struct itimerval it = {{0, 0}, {0, 20000}}, now;
    OK(sigaction(SIGVTALRM, &(struct sigaction){.sa_handler = handler}, NULL));
    OK(setitimer(ITIMER_VIRTUAL, &it, NULL));
    OK(usleep(50000)); /* asleep */
    OK(getitimer(ITIMER_VIRTUAL, &now));
    IS(n, 0);
    TRUE(now.it_value.tv_usec > 0);
    volatile long work = 0;
    while (!n)
        work++;
    IS(n, 1);
    return 0;
}
