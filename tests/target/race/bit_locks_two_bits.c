/* Two bits of a word are two locks: readers of the list take the wrong one
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <sched.h>
#include <stdatomic.h>

#include "threads.h"

static atomic_uint word;
static int list, out;

static void lock(unsigned bit)
{
    while (atomic_fetch_or_explicit(&word, bit, memory_order_acquire) & bit)
        sched_yield();
}
static void unlock(unsigned bit) { atomic_fetch_and_explicit(&word, ~bit, memory_order_release); }

static void *writer(void *arg)
{
    lock(1);
    list = 3; /* R1 */
    unlock(1);
    return arg;
}

static void *reader(void *arg)
{
    lock(2);
    out = list; /* R2 */
    unlock(2);
    return arg;
}

int main(void)
{
    run_both(writer, reader);
    printf("%d\n", out);
    return 0;
}
