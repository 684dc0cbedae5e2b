/* A seqlock whose data is plain: the reader copies while the writer writes
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

static atomic_uint seq;
static int low, high;

static void *writer(void *arg)
{
    for (int i = 1; i < 3; i++) {
        atomic_fetch_add(&seq, 1);
        low = i;   /* R1 */
        high = -i;
        atomic_fetch_add(&seq, 1);
    }
    return arg;
}

static void *reader(void *arg)
{
    int a, b;
    unsigned s;
    do {
        while ((s = atomic_load(&seq)) & 1)
            sched_yield();
        a = low; /* R2 */
        b = high;
    } while (atomic_load(&seq) != s);
    if (a + b)
        abort();
    return arg;
}

int main(void)
{
    run_both(writer, reader);
    return 0;
}
