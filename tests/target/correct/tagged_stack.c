/* A lock-free stack with tagged heads
 * cause:    none: the tag changes with every pop and push, so that no head comes back
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define NODES 3
#define NONE 0xffffffffu
/* low half: node, high half: tag */
static _Atomic uint64_t head = 0;
static _Atomic uint32_t next[NODES] = {1, 2, NONE};
static atomic_int owners[NODES];

static uint64_t retag(uint64_t old, uint32_t node)
{
    return ((old >> 32) + 1) << 32 | node;
}

static uint32_t pop(void)
{
    uint64_t h = atomic_load(&head);
    for (;;) {
        uint32_t node = (uint32_t)h;
        if (node == NONE)
            return NONE;
        if (atomic_compare_exchange_weak(&head, &h, retag(h, atomic_load(&next[node]))))
            return node;
    }
}

static void push(uint32_t node)
{
    uint64_t h = atomic_load(&head);
    do
        atomic_store(&next[node], (uint32_t)h);
    while (!atomic_compare_exchange_weak(&head, &h, retag(h, node)));
}

static void *worker(void *arg)
{
    for (int i = 0; i < 2; i++) {
        uint32_t a = pop(), b = pop();
        if (a != NONE)
            assert(atomic_fetch_add(&owners[a], 1) == 0);
        if (b != NONE)
            assert(atomic_fetch_add(&owners[b], 1) == 0);
        if (a != NONE) {
            atomic_fetch_sub(&owners[a], 1);
            push(a);
        }
        if (b != NONE) {
            atomic_fetch_sub(&owners[b], 1);
            push(b);
        }
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    int left = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    while (pop() != NONE)
        left++;
    assert(left == NODES);
    return 0;
}
