/* rwlock: a thread may hold several read locks
 * text:   a thread may hold n read locks and must unlock n times; a writer gets it after that
 * expect: exit 0
 */
#include "check.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int readers_done;

static void *writer(void *arg)
{
    OK(pthread_rwlock_wrlock(&l));
    IS(readers_done, 1);
    OK(pthread_rwlock_unlock(&l));
    return NULL;
}

static void *cannot_write(void *arg)
{
    IS(pthread_rwlock_trywrlock(&l), EBUSY);
    return NULL;
}

int main(void)
{
    OK(pthread_rwlock_rdlock(&l));
    pthread_t t = start(writer, NULL);
    OK(pthread_rwlock_rdlock(&l)); /* readers are preferred by default */
    OK(pthread_rwlock_tryrdlock(&l));
    for (int i = 0; i < 3; i++) {
        join(start(cannot_write, NULL));
        if (i == 2)
            readers_done = 1;
        OK(pthread_rwlock_unlock(&l));
    }
    join(t);
    return 0;
}
