/* A record that is copied while it is taken away
 * cause:    use after free by the copy of a whole structure
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

struct record { long field[24]; };
static struct record *_Atomic current;
static volatile long seen;

static void *reader(void *arg)
{
    struct record *r = atomic_load(&current); /* A */
    if (r) {
        struct record copy = *r;
        seen = copy.field[3];
    }
    return arg;
}

static void *remover(void *arg)
{
    free(atomic_exchange(&current, NULL)); /* B */
    return arg;
}

int main(void)
{
    pthread_t a, b;
    atomic_store(&current, calloc(1, sizeof(struct record)));
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, remover, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
