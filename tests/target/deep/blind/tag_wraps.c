/* A block is given to two owners: the tag of the free list wrapped
 * cause:    ABA with reuse: six bits of a version are not enough for three threads
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 100,000 walks each of random and burst fails, 3 of pos; at DEPTH 32 none of 30,000 of
 *           random, 5 of pos and 5 of burst (odds.sh)
 * shape:    three threads; within one pop of one of them the others change the head sixty-four
 *           times, with the same block on top again and another one below
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef DEPTH
#define DEPTH 64 /* versions */
#endif
enum { NODES = 4, ROUNDS = 9, NONE = 15 };
static atomic_int head; /* version * 16 + block */
static atomic_int next[NODES] = {1, 2, 3, NONE};
static atomic_int owner[NODES];
static atomic_int is_shared;

static int with(int old, int node) { return (old / 16 + 1) % DEPTH * 16 + node; }

static int pop(void)
{
    int h = atomic_load(&head), n;
    do {
        if (h % 16 == NONE)
            return NONE;
        n = atomic_load(&next[h % 16]);
    } while (!atomic_compare_exchange_strong(&head, &h, with(h, n)));
    return h % 16;
}

static void push(int node)
{
    int h = atomic_load(&head);
    do
        atomic_store(&next[node], h % 16);
    while (!atomic_compare_exchange_strong(&head, &h, with(h, node)));
}

static void *worker(void *arg)
{
    int self = (int)(long)arg;
    for (int i = 0; i < ROUNDS; i++) {
        int a = pop(), b = pop();
        if (a != NONE && atomic_exchange(&owner[a], self))
            is_shared = 1;
        if (b != NONE && atomic_exchange(&owner[b], self))
            is_shared = 1;
        if (a != NONE) {
            atomic_store(&owner[a], 0);
            push(a);
        }
        if (b != NONE) {
            atomic_store(&owner[b], 0);
            push(b);
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(!is_shared);
    return 0;
}
