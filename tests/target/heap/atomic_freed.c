/* A reference count that is read once more after the last one gave it up
 * cause:    use after free by an atomic operation
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   heap
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int users, log;
};
static struct object *object;

static void *user(void *arg)
{
    if (atomic_fetch_sub(&object->users, 1) == 1) { /* A */
        free(object);
        return arg;
    }
    atomic_fetch_add(&object->log, 1); /* B */
    return arg;
}

int main(void)
{
    pthread_t a, b;
    object = calloc(1, sizeof *object);
    object->users = 2;
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, user, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
