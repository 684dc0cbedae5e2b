/* A lock-free stack that hands one node to two threads
 * cause:    ABA: compare-and-swap of a head that went away and came back
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   3000 runs
 * strategy: pct,pos,random
 * pair:     A before B fails
 * preemptions: 1
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* 0 -> 1 -> 2; -1 ends the stack */
static atomic_int head = 0;
static atomic_int next[3] = {1, 2, -1};
static atomic_int owners[3];

static int pop(void)
{
    int h = atomic_load(&head), n;
    do {
        if (h < 0)
            return -1;
        n = atomic_load(&next[h]);
    } while (!atomic_compare_exchange_strong(&head, &h, n)); /* B */
    return h;
}

static void push(int node)
{
    int h = atomic_load(&head);
    do
        atomic_store(&next[node], h);
    while (!atomic_compare_exchange_strong(&head, &h, node)); /* A */
}

static void *taker(void *arg)
{
    int a = pop();
    if (a >= 0)
        owners[a]++;
    return arg;
}

static void *swapper(void *arg)
{
    int a = pop(), b = pop();
    if (b >= 0)
        owners[b]++;
    if (a >= 0)
        push(a);
    return arg;
}

int main(void)
{
    pthread_t t, s;
    pthread_create(&t, NULL, taker, NULL);
    pthread_create(&s, NULL, swapper, NULL);
    pthread_join(t, NULL);
    pthread_join(s, NULL);
    for (int i; (i = pop()) >= 0;)
        assert(++owners[i] == 1);
    return 0;
}
