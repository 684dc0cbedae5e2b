/* Threads queue in a CLH lock
 * cause:    none: each spins on its predecessor's node with acquire, the predecessor releases it
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { _Atomic int is_locked; };
static struct node first;
static _Atomic(struct node *) tail = &first;
static int shared;

static void *worker(void *arg)
{
    struct node *mine = calloc(1, sizeof *mine);
    for (int i = 0; i < 3; i++) {
        atomic_store_explicit(&mine->is_locked, 1, memory_order_relaxed);
        struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
        while (atomic_load_explicit(&before->is_locked, memory_order_acquire))
            sched_yield();
        shared++;
        struct node *own = mine;
        mine = before; /* nobody else looks at it any more */
        atomic_store_explicit(&own->is_locked, 0, memory_order_release);
    }
    if (mine != &first)
        free(mine);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(shared == 9);
    struct node *last = atomic_load(&tail);
    if (last != &first)
        free(last);
    return 0;
}
