/* A worker that starts before its configuration is there
 * cause:    order violation at start-up: nothing makes the user wait for the initializer
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   signal
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 0
 */
#include <pthread.h>
#include <stdlib.h>

struct config {
    int width;
};
static struct config defaults = {80};
static struct config *volatile config;

static void *loader(void *arg)
{
    config = &defaults; /* B */
    return arg;
}

/* its own work: natively it hides the bug */
static void work(void)
{
    for (volatile int i = 0; i < 100000; i++)
        ;
}

static void *worker(void *arg)
{
    work();
    struct config *c = config; /* A */
    if (c->width != 80)
        exit(1);
    return arg;
}

int main(void)
{
    pthread_t l, w;
    pthread_create(&l, NULL, loader, NULL);
    pthread_create(&w, NULL, worker, NULL);
    pthread_join(l, NULL);
    pthread_join(w, NULL);
    return 0;
}
