/* pthread_cond_timedwait: EINVAL for bad times, past times, EPERM for a foreign mutex
 * text:   nanoseconds out of range are EINVAL; a time in the past is ETIMEDOUT; with an
 *         error-checking mutex the caller does not own it is EPERM
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    struct timespec low = {1, -1}, high = {1, 1000000000}, past = {1, 0};
    OK(pthread_mutex_lock(&m));
    IS(pthread_cond_timedwait(&c, &m, &low), EINVAL);
    IS(pthread_cond_timedwait(&c, &m, &high), EINVAL);
    IS(pthread_cond_timedwait(&c, &m, &past), ETIMEDOUT);
    IS(pthread_mutex_trylock(&m), EBUSY);
    OK(pthread_mutex_unlock(&m));
    IS(pthread_mutex_unlock(&m), EPERM);
    return 0;
}
