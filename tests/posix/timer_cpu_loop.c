/* A loop that makes no call until a timer of processor time ends it
 * text:   ITIMER_PROF and timers of CLOCK_PROCESS_CPUTIME_ID send their signal while the process computes
 * expect: exit 0
 */
#include "check.h"
#include <sys/time.h>
#include <time.h>

static volatile sig_atomic_t n;
static void handler(int s) { n++; }

static void compute_until(int times)
{
    volatile long work = 0;
    while (n < times)
        work++;
}

int main(void)
{
    struct itimerval profile = {{0, 0}, {0, 300000}};
    struct itimerspec limit = {{0, 0}, {0, 300000000}};
    struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    timer_t t;
    OK(sigaction(SIGPROF, &(struct sigaction){.sa_handler = handler}, NULL));
    OK(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler}, NULL));
    OK(setitimer(ITIMER_PROF, &profile, NULL));
    compute_until(1);
    OK(timer_create(CLOCK_PROCESS_CPUTIME_ID, &ev, &t));
    OK(timer_settime(t, 0, &limit, NULL));
    compute_until(2);
    OK(timer_delete(t));
    return 0;
}
