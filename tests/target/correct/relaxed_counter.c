/* Relaxed counters that only the join makes final
 * cause:    none: each increment is atomic; the sum is read after all have ended
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic long count;

static void *worker(void *arg)
{
    for (int i = 0; i < 5; i++)
        atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(atomic_load_explicit(&count, memory_order_relaxed) == 15);
    return 0;
}
