/* Calls that must not be cancellation points
 * text:   locking a mutex, rwlock or spin lock, waiting at a barrier and posting do not act on
 *         a request
 * expect: exit 0
 */
#include "check.h"
#include <semaphore.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t b;
static sem_t s;
static int after;

static void *user(void *arg)
{
    pthread_barrier_wait(&b);
    pthread_barrier_wait(&b); /* the request is pending now */
    OK(pthread_mutex_lock(&m));
    OK(pthread_mutex_unlock(&m));
    OK(pthread_rwlock_wrlock(&l));
    OK(pthread_rwlock_unlock(&l));
    OK(sem_post(&s));
    OK(sem_trywait(&s));
    after = 1;
    pthread_testcancel();
    after = 2;
    return NULL;
}

int main(void)
{
    OK(pthread_barrier_init(&b, NULL, 2));
    OK(sem_init(&s, 0, 0));
    OK(pthread_mutex_lock(&m));
    OK(pthread_rwlock_rdlock(&l));
    pthread_t t = start(user, NULL);
    pthread_barrier_wait(&b);
    OK(pthread_cancel(t));
    pthread_barrier_wait(&b);
    OK(pthread_mutex_unlock(&m));
    OK(pthread_rwlock_unlock(&l));
    TRUE(join(t) == PTHREAD_CANCELED);
    IS(after, 1);
    return 0;
}
