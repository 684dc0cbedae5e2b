/* A spin lock of __sync_lock_test_and_set, and a lock in one bit of a word that holds other bits
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdlib.h>

#include "threads.h"

static int lock;
static unsigned long word = 0xf0;
static int a, b;

static void *worker(void *arg)
{
    for (int i = 0; i < 2; i++) {
        while (__sync_lock_test_and_set(&lock, 1))
            sched_yield();
        a++;
        __sync_lock_release(&lock);
        while (__sync_fetch_and_or(&word, 1) & 1)
            sched_yield();
        b++;
        __sync_fetch_and_and(&word, ~1ul);
    }
    return arg;
}

int main(void)
{
    run_both(worker, worker);
    return a != 4 || b != 4 || word != 0xf0;
}
