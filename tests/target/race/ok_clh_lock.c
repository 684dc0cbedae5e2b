/* CLH queue lock: a thread spins on the node of the one before it, and takes that node over
 * build:    gcc -g -O2 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

struct node {
    atomic_int locked;
};
static _Atomic(struct node *) tail;
static int counter, shadow;

static void *worker(void *arg)
{
    struct node *mine = calloc(1, sizeof *mine);
    for (int i = 0; i < 3; i++) {
        atomic_store_explicit(&mine->locked, 1, memory_order_relaxed);
        struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
        while (atomic_load_explicit(&before->locked, memory_order_acquire))
            sched_yield();
        counter++;
        shadow = counter;
        atomic_store_explicit(&mine->locked, 0, memory_order_release);
        mine = before;
    }
    free(mine);
    return arg;
}

int main(void)
{
    atomic_store(&tail, calloc(1, sizeof(struct node)));
    run_both(worker, worker);
    free(atomic_load(&tail));
    return counter != 6 || shadow != 6;
}
