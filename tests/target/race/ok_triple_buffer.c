/* Triple buffer: one atomic exchange swaps the middle buffer, with a bit that says it is new
 * build:    clang -shared-libsan -g -O2 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

static struct frame {
    int number, square;
} frame[3];
static atomic_int middle = 1;

static void *producer(void *arg)
{
    int back = 0;
    for (int i = 1; i < 4; i++) {
        frame[back].number = i;
        frame[back].square = i * i;
        back = atomic_exchange_explicit(&middle, back | 4, memory_order_acq_rel) & 3;
    }
    return arg;
}

static void *consumer(void *arg)
{
    int front = 2, last = 0;
    for (int i = 0; i < 4; i++) {
        if (atomic_load_explicit(&middle, memory_order_relaxed) & 4) {
            front = atomic_exchange_explicit(&middle, front, memory_order_acq_rel) & 3;
            if (frame[front].square != frame[front].number * frame[front].number || frame[front].number <= last)
                abort();
            last = frame[front].number;
        }
        sched_yield();
    }
    return arg;
}

int main(void)
{
    run_both(producer, consumer);
    return 0;
}
