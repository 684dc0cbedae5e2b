/* Barriers: a count of 0 is EINVAL, a count of 1 never waits
 * text:   init with count 0 fails with EINVAL; attributes keep pshared; with count 1
 *         each wait returns the special value at once
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    pthread_barrier_t b;
    pthread_barrierattr_t a;
    int v;
    IS(pthread_barrier_init(&b, NULL, 0), EINVAL);
    OK(pthread_barrierattr_init(&a));
    OK(pthread_barrierattr_getpshared(&a, &v));
    IS(v, PTHREAD_PROCESS_PRIVATE);
    IS(pthread_barrierattr_setpshared(&a, 3), EINVAL);
    OK(pthread_barrierattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
    OK(pthread_barrierattr_getpshared(&a, &v));
    IS(v, PTHREAD_PROCESS_SHARED);
    OK(pthread_barrierattr_destroy(&a));
    OK(pthread_barrier_init(&b, NULL, 1));
    for (int i = 0; i < 3; i++)
        IS(pthread_barrier_wait(&b), PTHREAD_BARRIER_SERIAL_THREAD);
    OK(pthread_barrier_destroy(&b));
    return 0;
}
