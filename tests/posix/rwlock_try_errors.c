/* rwlock: EBUSY of the try forms by who holds it
 * text:   readers share; tryrdlock is EBUSY while a writer holds it, trywrlock while
 *         anybody does
 * expect: exit 0
 */
#include "check.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *while_read(void *arg)
{
    OK(pthread_rwlock_tryrdlock(&l));
    IS(pthread_rwlock_trywrlock(&l), EBUSY);
    OK(pthread_rwlock_unlock(&l));
    return NULL;
}

static void *while_written(void *arg)
{
    IS(pthread_rwlock_tryrdlock(&l), EBUSY);
    IS(pthread_rwlock_trywrlock(&l), EBUSY);
    return NULL;
}

int main(void)
{
    OK(pthread_rwlock_rdlock(&l));
    join(start(while_read, NULL));
    OK(pthread_rwlock_unlock(&l));
    OK(pthread_rwlock_wrlock(&l));
    join(start(while_written, NULL));
    OK(pthread_rwlock_unlock(&l));
    OK(pthread_rwlock_trywrlock(&l));
    OK(pthread_rwlock_unlock(&l));
    OK(pthread_rwlock_destroy(&l));
    return 0;
}
