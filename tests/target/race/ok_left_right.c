/* Left-right: readers look at one copy while the writer changes the other, then waits for readers of the old one
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>

#include "threads.h"

static int copy[2][2];
static atomic_int side, version;
static atomic_int readers[2];

static int read_sum(void)
{
    int v = atomic_load(&version);
    atomic_fetch_add(&readers[v], 1);
    int *c = copy[atomic_load(&side)];
    int sum = c[0] + c[1];
    atomic_fetch_sub(&readers[v], 1);
    return sum;
}

static void wait_for(int v)
{
    while (atomic_load(&readers[v]))
        sched_yield();
}

static void write_both(int a, int b)
{
    int s = atomic_load(&side), v = atomic_load(&version);
    copy[!s][0] = a, copy[!s][1] = b;
    atomic_store(&side, !s);
    wait_for(!v);
    atomic_store(&version, !v);
    wait_for(v);
    copy[s][0] = a, copy[s][1] = b;
}

static void *reader(void *arg)
{
    for (int i = 0; i < 3; i++)
        if (read_sum())
            return (void *)1;
    return arg;
}

static void *writer(void *arg)
{
    write_both(1, -1);
    write_both(5, -5);
    return arg;
}

int main(void)
{
    run_both(reader, writer);
    return read_sum();
}
