/* A worker that writes to a log already closed
 * cause:    order violation at shut-down: nothing makes the closing wait for the worker
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   signal
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 0
 */
#include <pthread.h>

struct sink {
    int lines;
};
static struct sink file;
static struct sink *volatile sink = &file;

static void *worker(void *arg)
{
    sink->lines++; /* B */
    return arg;
}

/* its own work: natively it hides the bug */
static void work(void)
{
    for (volatile int i = 0; i < 100000; i++)
        ;
}

static void *closer(void *arg)
{
    work();
    sink = NULL; /* A */
    return arg;
}

int main(void)
{
    pthread_t w, c;
    pthread_create(&w, NULL, worker, NULL);
    pthread_create(&c, NULL, closer, NULL);
    pthread_join(w, NULL);
    pthread_join(c, NULL);
    return 0;
}
