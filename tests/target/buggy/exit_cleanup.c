/* A cleanup handler that gives back to a pool which is gone
 * cause:    thread exit: counted as finished before its cleanup handlers have run
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   signal
 * budget:   1000 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>

struct pool {
    int free_slots;
};
static struct pool slots = {1};
static struct pool *volatile pool = &slots;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int active = 1;

static void give_back(void *arg)
{
    pool->free_slots++; /* B */
}

static void *worker(void *arg)
{
    pthread_cleanup_push(give_back, NULL);
    pool->free_slots--;
    pthread_mutex_lock(&m);
    active--;
    pthread_mutex_unlock(&m);
    pthread_cleanup_pop(1);
    return arg;
}

/* closes the pool if nobody uses it */
static void *closer(void *arg)
{
    pthread_mutex_lock(&m);
    int is_idle = active == 0;
    pthread_mutex_unlock(&m);
    if (is_idle)
        pool = NULL; /* A */
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
