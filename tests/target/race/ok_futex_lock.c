/* A lock of an atomic and futex calls (Drepper, "Futexes are tricky", mutex 2)
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "threads.h"

static atomic_int word;
static int total;

static void take(void)
{
    int c = 0;
    if (atomic_compare_exchange_strong(&word, &c, 1))
        return;
    if (c != 2)
        c = atomic_exchange(&word, 2);
    while (c) {
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL);
        c = atomic_exchange(&word, 2);
    }
}

static void give(void)
{
    if (atomic_fetch_sub(&word, 1) != 1) {
        atomic_store(&word, 0);
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
    }
}

static void *one(void *arg)
{
    for (int i = 0; i < 2; i++) {
        take();
        total = total + 1;
        give();
    }
    return arg;
}

int main(void)
{
    run_both(one, one);
    return total != 4;
}
