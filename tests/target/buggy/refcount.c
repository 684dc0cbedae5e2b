/* An object that nobody destroys
 * cause:    reference count: atomic load and atomic store are not an atomic decrement
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static struct object {
    atomic_int refs;
    atomic_int is_destroyed;
} object = {2, 0};

static void *drop(void *arg)
{
    struct object *o = arg;
    int left = atomic_load(&o->refs) - 1; /* A */
    atomic_store(&o->refs, left); /* B */
    if (left == 0)
        atomic_store(&o->is_destroyed, 1);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, drop, &object);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(object.is_destroyed);
    return 0;
}
