/* A thread's own list that grew between counting and copying
 * cause:    heap overflow by a site that touches only the thread's own memory
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

static atomic_int members = 3;

__attribute__((noinline)) static void fill(volatile int *list, int n)
{
    for (int i = 0; i < n; i++)
        list[i] = i;
}

static void *copier(void *arg)
{
    size_t n = (size_t)atomic_load(&members); /* A */
    int *list = malloc(n * sizeof *list);
    fill(list, atomic_load(&members));
    free(list);
    return arg;
}

static void *joiner(void *arg)
{
    atomic_fetch_add(&members, 1); /* B */
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, copier, NULL);
    pthread_create(&b, NULL, joiner, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
