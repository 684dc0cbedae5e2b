/* A stack is fooled again and again, until its nodes are lost
 * cause:    ABA: the head went away and came back, several times, with three threads
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 200,000 walks each of random, pos and burst fails (odds.sh); of random
 *           3 at DEPTH 5
 * shape:    three threads; a stale compare-and-swap has to succeed DEPTH times
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef DEPTH
#define DEPTH 6
#endif
enum { NODES = 4 };
static atomic_int head;
static atomic_int next[NODES] = {1, 2, 3, -1};
static atomic_int stale;

static int pop(void)
{
    int h = atomic_load(&head), n;
    do {
        if (h < 0)
            return -1;
        n = atomic_load(&next[h]);
    } while (!atomic_compare_exchange_strong(&head, &h, n));
    if (atomic_load(&next[h]) != n)
        stale = stale + 1; /* it came back with another one below */
    return h;
}

static void push(int node)
{
    int h = atomic_load(&head);
    do
        atomic_store(&next[node], h);
    while (!atomic_compare_exchange_strong(&head, &h, node));
}

static void *worker(void *arg)
{
    for (int i = 0; i < 2; i++) {
        int a = pop(), b = pop();
        if (a >= 0)
            push(a);
        if (b >= 0)
            push(b);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(stale < DEPTH);
    return 0;
}
