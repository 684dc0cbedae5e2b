/* timedlock of an error-checking and a recursive mutex by the owner
 * text:   the owner gets EDEADLK or locks once more, without waiting
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    pthread_mutex_t e = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, r = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    struct timespec past = {1, 0}, bad = {1, 1000000000};
    OK(pthread_mutex_timedlock(&e, &past));
    IS(pthread_mutex_timedlock(&e, &past), EDEADLK);
    IS(pthread_mutex_timedlock(&e, &bad), EDEADLK);
    OK(pthread_mutex_timedlock(&r, &past));
    OK(pthread_mutex_timedlock(&r, &bad));
    OK(pthread_mutex_clocklock(&r, CLOCK_MONOTONIC, &past));
    for (int i = 0; i < 3; i++)
        OK(pthread_mutex_unlock(&r));
    IS(pthread_mutex_unlock(&r), EPERM);
    OK(pthread_mutex_unlock(&e));
    return 0;
}
