/* Barriers by hand: one word with a sense that turns, and a dissemination barrier of flags
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

#define N 3
static atomic_int left = N, sense;
static atomic_int flags[2][N];
static int cell[N], sum[N];

static void central(int *my)
{
    *my = !*my;
    if (atomic_fetch_sub_explicit(&left, 1, memory_order_acq_rel) == 1) {
        atomic_store_explicit(&left, N, memory_order_relaxed);
        atomic_store_explicit(&sense, *my, memory_order_release);
    } else {
        while (atomic_load_explicit(&sense, memory_order_acquire) != *my)
            sched_yield();
    }
}

/* Round r: tell the thread 2^r further, wait for the one 2^r before. */
static void dissemination(int me)
{
    for (int r = 0; r < 2; r++) {
        atomic_fetch_add_explicit(&flags[r][(me + (1 << r)) % N], 1, memory_order_release);
        while (!atomic_load_explicit(&flags[r][me], memory_order_acquire))
            sched_yield();
    }
}

static void *work(void *arg)
{
    int me = (int)(long)arg, my = 0;
    cell[me] = me + 1;
    central(&my);
    for (int i = 0; i < N; i++)
        sum[me] += cell[i];
    central(&my);
    cell[me] = 10;
    dissemination(me);
    for (int i = 0; i < N; i++)
        sum[me] += cell[i];
    return NULL;
}

int main(void)
{
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < N; i++)
        if (sum[i] != 36)
            abort();
    return 0;
}
