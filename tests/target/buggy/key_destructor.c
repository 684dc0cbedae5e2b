/* A destructor of thread-specific data that outlives its registry
 * cause:    pthread key destructor uses what was torn down while the thread lived
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   signal
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>

struct registry {
    int live;
};
static struct registry all;
static struct registry *volatile registry = &all;
static pthread_key_t key;

static void unregister(void *arg)
{
    registry->live--; /* B */
}

static void *worker(void *arg)
{
    struct registry *r = registry;
    if (r) {
        r->live++;
        pthread_setspecific(key, arg);
    }
    return NULL;
}

static void *shut_down(void *arg)
{
    registry = NULL; /* A */
    return arg;
}

int main(void)
{
    pthread_t w, s;
    int tag;
    pthread_key_create(&key, unregister);
    pthread_create(&w, NULL, worker, &tag);
    pthread_create(&s, NULL, shut_down, NULL);
    pthread_join(w, NULL);
    pthread_join(s, NULL);
    return 0;
}
