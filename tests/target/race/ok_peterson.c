/* Peterson's algorithm on sequentially consistent atomics
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>

#include "threads.h"

static atomic_int wants[2], turn;
static int total;

static void section(int me)
{
    atomic_store(&wants[me], 1);
    atomic_store(&turn, !me);
    while (atomic_load(&wants[!me]) && atomic_load(&turn) == !me)
        sched_yield();
    total = total + 1;
    atomic_store(&wants[me], 0);
}

static void *one(void *arg)
{
    section(0);
    return arg;
}

static void *two(void *arg)
{
    section(1);
    return arg;
}

int main(void)
{
    run_both(one, two);
    return total != 2;
}
