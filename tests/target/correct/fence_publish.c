/* Data published by fences around relaxed accesses
 * cause:    none: release fence before the store, acquire fence after the load
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 * tsan:     skip, gcc's TSan does not know fences
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static int data;
static _Atomic int is_ready;

static void *reader(void *arg)
{
    while (!atomic_load_explicit(&is_ready, memory_order_relaxed))
        sched_yield();
    atomic_thread_fence(memory_order_acquire);
    assert(data == 42);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, reader, NULL);
    data = 42;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&is_ready, 1, memory_order_relaxed);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
