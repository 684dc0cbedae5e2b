/* Two threads add to one atomic counter: 2 steps a round of both
 * args:     rounds
 * races:    none
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_long counter;
static long rounds;

static void *count(void *arg)
{
    for (long i = 0; i < rounds; i++)
        atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    rounds = argc > 1 ? atol(argv[1]) : 1000;
    pthread_create(&a, 0, count, 0);
    pthread_create(&b, 0, count, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return counter != 2 * rounds;
}
