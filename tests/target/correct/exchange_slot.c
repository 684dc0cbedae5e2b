/* Pairs of threads swap values through one slot
 * cause:    none: the slot is empty, offered or answered; each step is a compare-exchange
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct offer {
    int gives, gets;
    _Atomic int is_answered;
};
static _Atomic(struct offer *) slot;

static int swap(int mine)
{
    struct offer o = {.gives = mine};
    for (;;) {
        struct offer *other = atomic_load(&slot);
        if (!other) {
            if (!atomic_compare_exchange_strong(&slot, &other, &o))
                continue;
            while (!atomic_load(&o.is_answered))
                sched_yield();
            return o.gets;
        }
        if (atomic_compare_exchange_strong(&slot, &other, NULL)) {
            int theirs = other->gives;
            other->gets = mine;
            atomic_store(&other->is_answered, 1);
            return theirs;
        }
    }
}

static _Atomic int sum;
static void *worker(void *arg)
{
    int mine = (int)(long)arg, got = swap(mine);
    assert(got != mine);
    sum += got;
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, worker, (void *)(i + 1));
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert(sum == 10);
    return 0;
}
