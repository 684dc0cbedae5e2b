/* A relaxed flag that changes under the lock of a condition: the lock orders, not the flag
 * build:    gcc -g -O2 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int ready;
static int data[3];

static void *writer(void *arg)
{
    for (int i = 0; i < 3; i++) {
        data[i] = i + 4;
        pthread_mutex_lock(&m);
        atomic_store_explicit(&ready, i + 1, memory_order_relaxed);
        pthread_mutex_unlock(&m);
        pthread_cond_signal(&c);
    }
    return arg;
}

static void *reader(void *arg)
{
    for (int i = 0; i < 3; i++) {
        if (atomic_load_explicit(&ready, memory_order_relaxed) < i)
            sched_yield();
        pthread_mutex_lock(&m);
        while (atomic_load_explicit(&ready, memory_order_relaxed) <= i)
            pthread_cond_wait(&c, &m);
        pthread_mutex_unlock(&m);
        if (data[i] != i + 4)
            abort();
    }
    return arg;
}

int main(void)
{
    run_both(writer, reader);
    return 0;
}
