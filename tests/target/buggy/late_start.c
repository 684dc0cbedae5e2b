/* A start signal that not all of those it is meant for have come to wait for
 * cause:    broadcast as soon as the first of several waiters is there; no predicate
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   lost-wakeup
 * budget:   500 runs
 * strategy: random,pos,pct
 * pair:     A before B fails
 * preemptions: 0
 */
#include <pthread.h>

#define WORKERS 2
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER, go = PTHREAD_COND_INITIALIZER;
static int waiting;

static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    waiting++;
    pthread_cond_signal(&ready);
    pthread_cond_wait(&go, &m); /* B */
    pthread_mutex_unlock(&m);
    return arg;
}

/* its own work: natively it hides the bug */
static void work(void)
{
    for (volatile int i = 0; i < 1000000; i++)
        ;
}

int main(void)
{
    pthread_t t[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    work();
    pthread_mutex_lock(&m);
    while (!waiting) /* should be: waiting < WORKERS */
        pthread_cond_wait(&ready, &m);
    pthread_cond_broadcast(&go); /* A */
    pthread_mutex_unlock(&m);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
