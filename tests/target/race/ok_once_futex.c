/* Initialization once by hand: three states, others sleep on the futex
 * build:    gcc -g -O2 -fsanitize=thread
 * args:
 * races:    none
 */
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "threads.h"

static atomic_int state;
static int table[4];

static int *get(void)
{
    int s = atomic_load_explicit(&state, memory_order_acquire);
    while (s != 2) {
        if (s == 0 && atomic_compare_exchange_strong_explicit(&state, &s, 1, memory_order_acquire, memory_order_acquire)) {
            for (int i = 0; i < 4; i++)
                table[i] = i * i;
            atomic_store_explicit(&state, 2, memory_order_release);
            syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, 1 << 30, NULL, NULL, 0);
            break;
        }
        if (s == 1)
            syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
        s = atomic_load_explicit(&state, memory_order_acquire);
    }
    return table;
}

static void *worker(void *arg)
{
    if (get()[3] != 9)
        abort();
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    run_both(worker, worker);
    pthread_join(t, NULL);
    return 0;
}
