/* The slot before the first one of a stack
 * cause:    heap underflow: two takers saw the last item, the second one goes below the block
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

static atomic_int top = 1;
static volatile int *items;

static void *take(void *arg)
{
    if (atomic_load(&top) > 0) { /* A */
        int i = atomic_fetch_sub(&top, 1) - 1; /* B */
        items[i] = 0;
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    int *p = malloc(4 * sizeof *p);
    items = p;
    pthread_create(&a, NULL, take, NULL);
    pthread_create(&b, NULL, take, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(p);
    return 0;
}
