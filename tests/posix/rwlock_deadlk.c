/* rwlock: EDEADLK where the caller itself holds it for writing
 * text:   rdlock or wrlock by the thread that holds the write lock may fail with
 *         EDEADLK, which glibc does; the timed forms too
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
    struct timespec t = in_ms(CLOCK_REALTIME, 5);
    OK(pthread_rwlock_wrlock(&l));
    IS(pthread_rwlock_wrlock(&l), EDEADLK);
    IS(pthread_rwlock_rdlock(&l), EDEADLK);
    IS(pthread_rwlock_timedwrlock(&l, &t), EDEADLK);
    IS(pthread_rwlock_timedrdlock(&l, &t), EDEADLK);
    IS(pthread_rwlock_tryrdlock(&l), EBUSY);
    IS(pthread_rwlock_trywrlock(&l), EBUSY);
    OK(pthread_rwlock_unlock(&l));
    OK(pthread_rwlock_destroy(&l));
    return 0;
}
