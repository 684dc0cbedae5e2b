/* A deleted key's destructor is not called at thread end
 * text:   delete does not call destructors, and afterwards none is called for the key
 * expect: exit 0
 */
#include "check.h"

static pthread_key_t key;
static int calls;
static pthread_barrier_t set, deleted;

static void destroy(void *value) { calls++; }

static void *user(void *arg)
{
    OK(pthread_setspecific(key, &calls));
    pthread_barrier_wait(&set);
    pthread_barrier_wait(&deleted);
    return NULL;
}

int main(void)
{
    OK(pthread_barrier_init(&set, NULL, 2));
    OK(pthread_barrier_init(&deleted, NULL, 2));
    OK(pthread_key_create(&key, destroy));
    pthread_t t = start(user, NULL);
    pthread_barrier_wait(&set);
    OK(pthread_key_delete(key));
    pthread_barrier_wait(&deleted);
    join(t);
    IS(calls, 0);
    return 0;
}
