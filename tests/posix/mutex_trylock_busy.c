/* pthread_mutex_trylock: EBUSY while the mutex is held
 * text:   trylock is lock, except that it returns at once with EBUSY if the mutex is
 *         held by any thread, the caller included (unless it is recursive)
 * expect: exit 0
 */
#include "check.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *arg)
{
    IS(pthread_mutex_trylock(&m), EBUSY);
    return NULL;
}

int main(void)
{
    OK(pthread_mutex_trylock(&m));
    IS(pthread_mutex_trylock(&m), EBUSY);
    join(start(other, NULL));
    OK(pthread_mutex_unlock(&m));
    OK(pthread_mutex_trylock(&m));
    OK(pthread_mutex_unlock(&m));
    OK(pthread_mutex_destroy(&m));
    return 0;
}
