/* How often a thread looked is left in memory: it varies with the schedule, not with the race
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * class:    same
 * races:    R1-R2
 */
#include "threads.h"
#include <sched.h>
#include <stdatomic.h>

static int hint = 1, seen;
static atomic_int go, looks;

static void *waiter(void *arg)
{
    seen = hint; /* R1 */
    while (!atomic_load(&go)) {
        atomic_fetch_add(&looks, 1);
        sched_yield();
    }
    return arg;
}

static void *setter(void *arg)
{
    hint = 1; /* R2 */
    for (int i = 0; i < 8; i++) {
        atomic_fetch_add(&looks, 100);
        sched_yield();
    }
    atomic_store(&go, 1);
    return arg;
}

int main(void)
{
    run_both(waiter, setter);
    return 0;
}
