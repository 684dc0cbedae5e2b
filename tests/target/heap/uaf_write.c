/* An answer that arrives after the question was given up
 * cause:    use after free, write: the requester gives up while the worker is at it
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   heap
 * budget:   300 runs
 * strategy: pct,pos,random
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct request {
    int question, answer;
};

static _Atomic(struct request *) open_request;

static void *worker(void *arg)
{
    struct request *r = atomic_load(&open_request);
    if (!r)
        return arg;
    int q = r->question;
    r->answer = q * 2; /* B */
    return arg;
}

/* Nobody is interested any more. */
static void give_up(void)
{
    struct request *r = atomic_exchange(&open_request, NULL);
    free(r); /* A */
}

int main(void)
{
    pthread_t w;
    struct request *r = malloc(sizeof *r);
    r->question = 21;
    atomic_store(&open_request, r);
    pthread_create(&w, NULL, worker, NULL);
    give_up();
    pthread_join(w, NULL);
    return 0;
}
