/* A hand-written spin lock and a start flag
 * cause:    none: atomic exchange; every spinning thread waits for one that can run
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int is_locked, go;
static int count;

static void *worker(void *arg)
{
    while (!atomic_load(&go))
        ;
    for (int i = 0; i < 3; i++) {
        while (atomic_exchange(&is_locked, 1))
            while (atomic_load(&is_locked))
                ;
        count++;
        atomic_store(&is_locked, 0);
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    atomic_store(&go, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(count == 6);
    return 0;
}
