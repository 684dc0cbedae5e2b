/* A task done by its owner and by a thief
 * cause:    work-stealing queue: the owner takes the last task without competing for it
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   1500 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define TASKS 3
static atomic_int top, bottom = TASKS; /* tasks are top .. bottom-1 */
static atomic_int done[TASKS];

static void *owner(void *arg)
{
    for (;;) {
        int b = atomic_load(&bottom) - 1;
        atomic_store(&bottom, b);
        if (atomic_load(&top) > b) { /* A */
            atomic_store(&bottom, b + 1);
            return arg;
        }
        done[b]++;
    }
}

static void *thief(void *arg)
{
    int t = atomic_load(&top);
    if (t < atomic_load(&bottom) && atomic_compare_exchange_strong(&top, &t, t + 1)) /* B */
        done[t]++;
    return arg;
}

int main(void)
{
    pthread_t o, t;
    pthread_create(&o, NULL, owner, NULL);
    pthread_create(&t, NULL, thief, NULL);
    pthread_join(o, NULL);
    pthread_join(t, NULL);
    for (int i = 0; i < TASKS; i++)
        assert(done[i] == 1);
    return 0;
}
