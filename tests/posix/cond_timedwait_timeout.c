/* pthread_cond_timedwait: ETIMEDOUT after the time, with the mutex held again
 * text:   the call returns ETIMEDOUT not before the absolute time, on CLOCK_REALTIME by
 *         default, and the caller owns the mutex on every return
 * expect: exit 0
 */
#include "check.h"

static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *waiter(void *arg)
{
    OK(pthread_mutex_lock(&m));
    struct timespec t = in_ms(CLOCK_REALTIME, 20);
    long long begin = now_ns(CLOCK_REALTIME);
    int r;
    while ((r = pthread_cond_timedwait(&c, &m, &t)) == 0)
        ;
    IS(r, ETIMEDOUT);
    TRUE(now_ns(CLOCK_REALTIME) - begin >= 19000000);
    IS(pthread_mutex_lock(&m), EDEADLK); /* held */
    OK(pthread_mutex_unlock(&m));
    return NULL;
}

int main(void)
{
    pthread_t a = start(waiter, NULL), b = start(waiter, NULL);
    join(a);
    join(b);
    return 0;
}
