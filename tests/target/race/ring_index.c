/* A ring whose index is published before the data
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"
#include <sched.h>
#include <stdatomic.h>

enum { N = 4 };
static int slot[N];
static _Atomic int head;

static void *one(void *arg)
{
    for (int i = 0; i < N; i++) {
        atomic_store_explicit(&head, i + 1, memory_order_release);
        slot[i] = i + 1; /* R1 */
    }
    return arg;
}

static void *two(void *arg)
{
    int sum = 0;
    for (int i = 0; i < N; i++) {
        while (atomic_load_explicit(&head, memory_order_acquire) <= i)
            sched_yield();
        sum += slot[i]; /* R2 */
    }
    printf("sum %d\n", sum);
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
