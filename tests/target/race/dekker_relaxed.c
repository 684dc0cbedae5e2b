/* Two relaxed flags keep the threads apart, but do not order what is between
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    memory-order
 */
#include <sched.h>
#include <stdatomic.h>

#include "threads.h"

static atomic_int turn;
static int data[2], out;

static void *first(void *arg)
{
    data[0] = 4; /* R1 */
    atomic_store_explicit(&turn, 1, memory_order_relaxed);
    return arg;
}

static void *second(void *arg)
{
    int expected = 1;
    while (!atomic_compare_exchange_strong_explicit(&turn, &expected, 2, memory_order_relaxed, memory_order_relaxed)) {
        expected = 1;
        sched_yield();
    }
    out = data[0]; /* R2 */
    return arg;
}

int main(void)
{
    run_both(first, second);
    printf("%d\n", out);
    return 0;
}
