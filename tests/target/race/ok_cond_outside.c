/* The predicate is an atomic that changes outside the lock; the lock is passed before the signal
 * build:    clang -shared-libsan -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int state;
static char text[16];

static void *producer(void *arg)
{
    for (int i = 1; i < 3; i++) {
        while (atomic_load_explicit(&state, memory_order_acquire) & 1)
            sched_yield();
        text[0] = (char)('a' + i);
        atomic_fetch_or_explicit(&state, 1, memory_order_release);
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
        pthread_cond_broadcast(&c);
    }
    return arg;
}

static void *consumer(void *arg)
{
    for (int i = 1; i < 3; i++) {
        pthread_mutex_lock(&m);
        while (!(atomic_load_explicit(&state, memory_order_acquire) & 1))
            pthread_cond_wait(&c, &m);
        pthread_mutex_unlock(&m);
        if (text[0] != 'a' + i)
            abort();
        atomic_fetch_and_explicit(&state, ~1, memory_order_release);
    }
    return arg;
}

int main(void)
{
    run_both(producer, consumer);
    return 0;
}
