/* Signals and cancellation of a thread that ended and was not joined
 * text:   the id is valid until the join: pthread_kill returns 0 and nothing happens
 * expect: exit 0
 */
#include "check.h"

static pthread_t ended;
static int saw;

static void destroy(void *arg) { saw = 1; }

static void *user(void *arg)
{
    OK(pthread_setspecific(*(pthread_key_t *)arg, &saw));
    return (void *)8;
}

int main(void)
{
    pthread_key_t key;
    struct sigaction sa = {.sa_handler = SIG_DFL};
    OK(sigaction(SIGUSR1, &sa, NULL));
    OK(pthread_key_create(&key, destroy));
    ended = start(user, &key);
    clockid_t clock;
    struct timespec t;
    /* Wait for the end without a join: its processor time cannot be read any more. */
    while (pthread_getcpuclockid(ended, &clock) == 0 && clock_gettime(clock, &t) == 0)
        sched_yield();
    OK(pthread_kill(ended, SIGUSR1)); /* would end the process if it were delivered */
    OK(pthread_cancel(ended));
    IS((long)join(ended), 8);
    IS(saw, 1);
    return 0;
}
