/* A thread cancelled with a lock in its hand
 * cause:    cancellation point in a critical section without a cleanup handler
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   deadlock
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails; or A before C: B is no step of its own but part of C's
 * preemptions: 0
 */
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t never;
static int passes;

static void *worker(void *arg)
{
    pthread_mutex_lock(&m); /* C */
    passes++;
    pthread_testcancel(); /* B */
    pthread_mutex_unlock(&m);
    sem_wait(&never);
    return arg;
}

/* its own work: natively it hides the bug */
static void work(void)
{
    for (volatile int i = 0; i < 100000; i++)
        ;
}

static void *killer(void *arg)
{
    pthread_t victim = *(pthread_t *)arg;
    work();
    pthread_cancel(victim); /* A */
    pthread_join(victim, NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t w, k;
    sem_init(&never, 0, 0);
    pthread_create(&w, NULL, worker, NULL);
    pthread_create(&k, NULL, killer, &w);
    pthread_join(k, NULL);
    return 0;
}
