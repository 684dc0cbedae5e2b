/* Work-stealing deque: a thief reads a slot that the owner, once around, fills anew
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 * runs:     100
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

static atomic_long top, bottom;
static int slot[2];
static atomic_int sum;

static void push(int x)
{
    long b = atomic_load(&bottom);
    if (b - atomic_load(&top) >= 2)
        return;
    slot[b & 1] = x; /* R1 */
    atomic_store(&bottom, b + 1);
}

static int steal(void)
{
    long t = atomic_load(&top);
    if (t >= atomic_load(&bottom))
        return 0;
    int x = slot[t & 1]; /* R2 */
    return atomic_compare_exchange_strong(&top, &t, t + 1) ? x : 0;
}

static void *owner(void *arg)
{
    for (int i = 1; i < 5; i++)
        push(i);
    return arg;
}

static void *thief(void *arg)
{
    for (int i = 0; i < 3; i++)
        atomic_fetch_add(&sum, steal());
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, thief, NULL);
    run_both(owner, thief);
    pthread_join(t, NULL);
    return 0;
}
