/* The last entry of a list that was cut short meanwhile
 * cause:    heap overflow behind what realloc left of the block
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

static atomic_int wanted = 4;

__attribute__((noinline)) static void set(volatile int *list, int i) { list[i] = i; }

static void *keeper(void *arg)
{
    int *list = malloc(4 * sizeof *list), last = atomic_load(&wanted) - 1; /* A */
    set(list, last);
    list = realloc(list, (size_t)atomic_load(&wanted) * sizeof *list);
    set(list, last);
    free(list);
    return arg;
}

static void *cutter(void *arg)
{
    atomic_store(&wanted, 3); /* B */
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, keeper, NULL);
    pthread_create(&b, NULL, cutter, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
