/* A ring of one producer and one consumer
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
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
        slot[i] = i + 1;
        atomic_store_explicit(&head, i + 1, memory_order_release);
    }
    return arg;
}

static void *two(void *arg)
{
    int sum = 0;
    for (int i = 0; i < N; i++) {
        while (atomic_load_explicit(&head, memory_order_acquire) <= i)
            sched_yield();
        sum += slot[i];
    }
    printf("sum %d\n", sum);
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
