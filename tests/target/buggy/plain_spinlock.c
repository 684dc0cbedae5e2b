/* A spin lock that two threads hold
 * cause:    hand-written spin lock of plain accesses: test and set are two steps
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   300 runs
 * strategy: random,pos
 * pair:     A before B fails
 * preemptions: 2
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static volatile int is_locked;
static atomic_int inside;

static void *worker(void *arg)
{
    while (is_locked) /* A */
        sched_yield();
    is_locked = 1; /* B */
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
    is_locked = 0;
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
