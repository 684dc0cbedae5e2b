/* Both threads free an object whose references were counted all along
 * cause: the count is decreased and looked at in two steps
 * build: gcc -g -O1 -fsanitize=thread
 * expect: heap
 * warm: 30000 references taken and given back by each of two threads
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifndef WARM
#define WARM 30000
#endif

struct object {
    atomic_long references;
};

static void put_last(struct object *o)
{
    atomic_fetch_sub(&o->references, 1); /* BUG */
    if (atomic_load(&o->references) == 0)
        free(o);
}

static void *user(void *arg)
{
    struct object *o = arg;
    for (long i = 0; i < WARM; i++) {
        atomic_fetch_add(&o->references, 1);
        atomic_fetch_sub(&o->references, 1);
    }
    put_last(o);
    return NULL;
}

int main(void)
{
    pthread_t t;
    struct object *o = calloc(1, sizeof *o);
    atomic_store(&o->references, 2);
    pthread_create(&t, NULL, user, o);
    user(o);
    pthread_join(t, NULL);
    return 0;
}
