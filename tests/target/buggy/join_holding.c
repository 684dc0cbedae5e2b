/* A join that holds what the other thread needs to end
 * cause:    deadlock of a mutex and a join
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   deadlock
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 0
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int finished;

static void *worker(void *arg)
{
    pthread_mutex_lock(&m); /* B */
    finished = 1;
    pthread_mutex_unlock(&m);
    return arg;
}

/* its own work: natively it hides the bug */
static void work(void)
{
    for (volatile int i = 0; i < 100000; i++)
        ;
}

static void *reaper(void *arg)
{
    work();
    pthread_mutex_lock(&m); /* A */
    pthread_join(*(pthread_t *)arg, NULL);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t w, r;
    pthread_create(&w, NULL, worker, NULL);
    pthread_create(&r, NULL, reaper, &w);
    pthread_join(r, NULL);
    return finished ? 0 : 1;
}
