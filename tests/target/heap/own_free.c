/* A buffer is sent once more by the thread that has just closed it
 * cause:    use after free, write, by the thread that freed the block, in the same breath
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

static atomic_int is_closing;

__attribute__((noinline)) static void put(volatile int *buffer, int value) { *buffer = value; }

static void *sender(void *arg)
{
    int *buffer = malloc(sizeof *buffer);
    put(buffer, 1);
    if (atomic_load(&is_closing))
        return free(buffer), arg;
    put(buffer, 2); /* A */
    if (atomic_load(&is_closing))
        free(buffer);
    put(buffer, 3);
    return arg;
}

static void *closer(void *arg)
{
    atomic_store(&is_closing, 1); /* B */
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, sender, NULL);
    pthread_create(&b, NULL, closer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
