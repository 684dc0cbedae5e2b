/* pthread_mutex_timedlock: a bad time is EINVAL only where it would have to wait
 * text:   the time need not be checked if the lock can be had at once; otherwise
 *         nanoseconds below 0 or from 1000 million on are EINVAL
 * expect: exit 0
 */
#include "check.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static const struct timespec low = {.tv_sec = 1, .tv_nsec = -1};
static const struct timespec high = {.tv_sec = 1, .tv_nsec = 1000000000};

static void *waiter(void *arg)
{
    IS(pthread_mutex_timedlock(&m, &low), EINVAL);
    IS(pthread_mutex_timedlock(&m, &high), EINVAL);
    return NULL;
}

int main(void)
{
    OK(pthread_mutex_timedlock(&m, &high));
    join(start(waiter, NULL));
    OK(pthread_mutex_unlock(&m));
    OK(pthread_mutex_timedlock(&m, &low));
    OK(pthread_mutex_unlock(&m));
    return 0;
}
