/* Asymmetric fences: readers order by the compiler alone, the writer calls membarrier()
 * build:    gcc -g -O1 -fsanitize=thread -Wno-tsan
 * args:
 * races:    none
 */
#include <linux/membarrier.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "threads.h"

struct box {
    int value;
};
static _Atomic(struct box *) shared, hazard;

static void heavy(void)
{
    atomic_thread_fence(memory_order_seq_cst);
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

static void *reader(void *arg)
{
    for (int i = 0; i < 3; i++) {
        struct box *b = atomic_load_explicit(&shared, memory_order_relaxed), *again;
        for (;;) {
            atomic_store_explicit(&hazard, b, memory_order_relaxed);
            atomic_signal_fence(memory_order_seq_cst);
            again = atomic_load_explicit(&shared, memory_order_acquire);
            if (again == b)
                break;
            b = again;
        }
        if (b->value < 1)
            abort();
        atomic_store_explicit(&hazard, NULL, memory_order_release);
    }
    return arg;
}

static void *writer(void *arg)
{
    for (int i = 2; i < 4; i++) {
        struct box *b = malloc(sizeof *b);
        b->value = i;
        struct box *old = atomic_exchange_explicit(&shared, b, memory_order_acq_rel);
        heavy();
        while (atomic_load_explicit(&hazard, memory_order_acquire) == old)
            sched_yield();
        old->value = 0;
        free(old);
    }
    return arg;
}

int main(void)
{
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    struct box *b = malloc(sizeof *b);
    b->value = 1;
    atomic_store(&shared, b);
    run_both(reader, writer);
    free(atomic_load(&shared));
    return 0;
}
