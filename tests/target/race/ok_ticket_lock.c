/* A ticket lock
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <sched.h>
#include <stdatomic.h>

static int n;
static _Atomic unsigned next, serving;

static void *one(void *arg)
{
    unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
        sched_yield();
    n++;
    atomic_store_explicit(&serving, mine + 1, memory_order_release);
    return arg;
}

int main(void)
{
    run_both(one, one);
    printf("%d\n", n);
    return 0;
}
