/* A barrier that forgets an early arrival of the next round
 * cause:    hand-written barrier: opened for the next round before the count is reset
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   hang
 * budget:   500 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define THREADS 2
#define ROUNDS 2
static atomic_int arrived, round_no;

static void barrier_wait(void)
{
    int mine = atomic_load(&round_no);
    if (atomic_fetch_add(&arrived, 1) + 1 == THREADS) { /* A */
        atomic_fetch_add(&round_no, 1);
        atomic_store(&arrived, 0); /* B */
        return;
    }
    while (atomic_load(&round_no) == mine)
        sched_yield();
}

static void *worker(void *arg)
{
    for (int i = 0; i < ROUNDS; i++)
        barrier_wait();
    return arg;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
