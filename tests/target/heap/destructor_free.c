/* A thread's cache that goes away with the thread
 * cause:    use after free: the destructor of a key frees what others still look at
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

static pthread_key_t key;
static int *_Atomic shown;
static volatile int seen;

static void drop(void *p)
{
    atomic_store(&shown, NULL);
    free(p); /* B */
}

static void *worker(void *arg)
{
    int *cache = calloc(4, sizeof *cache);
    pthread_setspecific(key, cache);
    atomic_store(&shown, cache);
    return arg;
}

static void *viewer(void *arg)
{
    int *p = atomic_load(&shown); /* A */
    if (p)
        seen = p[1];
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_key_create(&key, drop);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, viewer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
