/* A thread that waits for a volatile flag
 * cause:    none: old-fashioned, but right where stores are not reordered; data goes through a lock
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    19-35 (a volatile flag, read and written without order)
 * tsan:     skip, a volatile flag is a data race by the letter
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_ready;
static int value;

static void *waiter(void *arg)
{
    while (!is_ready)
        sched_yield();
    pthread_mutex_lock(&m);
    assert(value == 42);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, waiter, NULL);
    pthread_mutex_lock(&m);
    value = 42;
    pthread_mutex_unlock(&m);
    is_ready = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
