/* A signal that is sent before anybody waits
 * cause:    lost wake-up: condition wait without a predicate
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   lost-wakeup
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 0
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_cond_wait(&go, &m); /* B */
    pthread_mutex_unlock(&m);
    return arg;
}

/* its own work: natively it hides the bug */
static void work(void)
{
    for (volatile int i = 0; i < 100000; i++)
        ;
}

static void *starter(void *arg)
{
    work();
    pthread_mutex_lock(&m);
    pthread_cond_signal(&go); /* A */
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t w, s;
    pthread_create(&w, NULL, waiter, NULL);
    pthread_create(&s, NULL, starter, NULL);
    pthread_join(w, NULL);
    pthread_join(s, NULL);
    return 0;
}
