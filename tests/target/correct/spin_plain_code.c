/* A flag polled by code without instrumentation
 * cause:    none: an atomic flag with acquire and release
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * runs:     28, what is not seen is stopped or noticed by time
 * races:    none
 * tsan:     skip, it does not see the poll
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int value;

__attribute__((no_sanitize("thread"), noinline)) static void await(void)
{
    while (!*(volatile int *)&flag)
        __builtin_ia32_pause();
}

static void *poller(void *arg)
{
    await();
    atomic_load_explicit(&flag, memory_order_acquire);
    assert(value == 5);
    return arg;
}

static void *setter(void *arg)
{
    value = 5;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, poller, NULL);
    pthread_create(&t[1], NULL, poller, NULL);
    pthread_create(&t[2], NULL, setter, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
