/* Readers count themselves in and out; the writer publishes, waits until it saw none, and frees
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic current;
static atomic_int readers;

static void *reader(void *arg)
{
    atomic_fetch_add(&readers, 1);
    int seen = *atomic_load(&current);
    atomic_fetch_sub(&readers, 1);
    return seen > 2 ? arg : NULL;
}

static void *writer(void *arg)
{
    int *fresh = malloc(sizeof *fresh), *old;
    *fresh = 2;
    old = atomic_exchange(&current, fresh);
    while (atomic_load(&readers))
        sched_yield();
    free(old);
    return arg;
}

int main(void)
{
    int *first = malloc(sizeof *first);
    *first = 1;
    atomic_store(&current, first);
    run_both(reader, writer);
    free(current);
    return 0;
}
