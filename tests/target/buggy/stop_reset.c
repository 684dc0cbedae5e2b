/* A request to stop that the worker itself takes back
 * cause:    stop flag reset by the worker after it was set
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   hang
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 0
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int stop;

static void *worker(void *arg)
{
    atomic_store(&stop, 0); /* B */
    while (!atomic_load(&stop))
        sched_yield();
    return arg;
}

/* its own work: natively it hides the bug */
static void work(void)
{
    for (volatile int i = 0; i < 100000; i++)
        ;
}

static void *controller(void *arg)
{
    work();
    atomic_store(&stop, 1); /* A */
    return arg;
}

int main(void)
{
    pthread_t w, c;
    pthread_create(&w, NULL, worker, NULL);
    pthread_create(&c, NULL, controller, NULL);
    pthread_join(c, NULL);
    pthread_join(w, NULL);
    return 0;
}
