/* SRCU: readers count themselves in under one of two indices and out under the same; the writer turns the
 * index twice and waits for the old one each time
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

static atomic_int at, in[2], out[2];
static _Atomic(int *) shared;

static void wait_for(int i)
{
    while (atomic_load(&out[i]) != atomic_load(&in[i]))
        sched_yield();
}

static void synchronize(void)
{
    for (int round = 0; round < 2; round++) {
        int old = atomic_load(&at);
        wait_for(!old);
        atomic_store(&at, !old);
        wait_for(old);
    }
}

static void *reader(void *arg)
{
    for (int i = 0; i < 2; i++) {
        int mine = atomic_load(&at);
        atomic_fetch_add(&in[mine], 1);
        int *p = atomic_load(&shared);
        if (*p <= 0)
            abort();
        atomic_fetch_add(&out[mine], 1);
    }
    return arg;
}

static void *writer(void *arg)
{
    for (int i = 2; i < 4; i++) {
        int *p = malloc(sizeof *p), *old;
        *p = i;
        old = atomic_exchange(&shared, p);
        synchronize();
        *old = -1;
        free(old);
    }
    return arg;
}

int main(void)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    atomic_store(&shared, p);
    run_both(reader, writer);
    free(atomic_load(&shared));
    return 0;
}
