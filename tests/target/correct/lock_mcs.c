/* An MCS lock and a CLH lock
 * cause:    none: each waits for its neighbour in the queue
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct mcs {
    _Alignas(64) _Atomic(struct mcs *) next;
    atomic_bool waits;
};
static _Atomic(struct mcs *) mcs_tail;

static void mcs_lock(struct mcs *me)
{
    atomic_store(&me->next, NULL);
    atomic_store(&me->waits, true);
    struct mcs *before = atomic_exchange(&mcs_tail, me);
    if (!before)
        return;
    atomic_store(&before->next, me);
    while (atomic_load(&me->waits))
        ;
}

static void mcs_unlock(struct mcs *me)
{
    struct mcs *expected = me;
    if (!atomic_load(&me->next)) {
        if (atomic_compare_exchange_strong(&mcs_tail, &expected, NULL))
            return;
        while (!atomic_load(&me->next))
            ;
    }
    atomic_store(&atomic_load(&me->next)->waits, false);
}

struct clh {
    _Alignas(64) atomic_bool taken;
};
static struct clh node[4];
static _Atomic(struct clh *) clh_tail = &node[3];

static int a, b;

static void *worker(void *arg)
{
    struct mcs me;
    struct clh *mine = &node[(long)arg];
    for (int i = 0; i < 3; i++) {
        mcs_lock(&me);
        a++;
        mcs_unlock(&me);
        atomic_store(&mine->taken, true);
        struct clh *before = atomic_exchange(&clh_tail, mine);
        while (atomic_load(&before->taken))
            ;
        b++;
        atomic_store(&mine->taken, false);
        mine = before;
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(a == 9 && b == 9);
    return 0;
}
