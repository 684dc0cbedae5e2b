/* A ring for one producer and one consumer that remember the other's index and look again only when they must; relaxed indices, fences
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>

#include "threads.h"

enum { SIZE = 2, ITEMS = 5 };
static int slot[SIZE];
static _Atomic unsigned head, tail;
static unsigned seen_head, seen_tail; /* the producer's, the consumer's */

static void *producer(void *arg)
{
    for (unsigned t = 0; t < ITEMS; t++) {
        while (t - seen_head == SIZE) {
            seen_head = atomic_load_explicit(&head, memory_order_relaxed);
            atomic_thread_fence(memory_order_acquire);
            sched_yield();
        }
        slot[t % SIZE] = (int)t + 1;
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&tail, t + 1, memory_order_relaxed);
    }
    return arg;
}

static int sum;

static void *consumer(void *arg)
{
    for (unsigned h = 0; h < ITEMS; h++) {
        while (seen_tail == h) {
            seen_tail = atomic_load_explicit(&tail, memory_order_relaxed);
            atomic_thread_fence(memory_order_acquire);
            sched_yield();
        }
        sum += slot[h % SIZE];
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&head, h + 1, memory_order_relaxed);
    }
    return arg;
}

int main(void)
{
    run_both(producer, consumer);
    return sum != 15;
}
