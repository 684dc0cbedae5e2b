/* A ring that every consumer reads: the producer waits for the slowest of them before it fills a slot anew
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

#define SLOTS 2
#define ALL 5
static long slot[SLOTS];
static atomic_long published, seen[2];

static void *producer(void *arg)
{
    for (long i = 0; i < ALL; i++) {
        for (int c = 0; c < 2; c++)
            while (i - atomic_load_explicit(&seen[c], memory_order_acquire) >= SLOTS)
                sched_yield();
        slot[i % SLOTS] = i;
        atomic_store_explicit(&published, i + 1, memory_order_release);
    }
    return arg;
}

static void *consumer(void *arg)
{
    long me = (long)arg, next = 0;
    while (next < ALL) {
        long until = atomic_load_explicit(&published, memory_order_acquire);
        if (next == until)
            sched_yield();
        for (; next < until; next++)
            if (slot[next % SLOTS] != next)
                abort();
        atomic_store_explicit(&seen[me], next, memory_order_release);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[2], NULL, producer, NULL);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, consumer, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
