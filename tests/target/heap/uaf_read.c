/* A price that is looked up in a catalogue already replaced
 * cause:    use after free, read: the reader keeps the pointer beyond the lock
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   heap
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>
#include <stdlib.h>

struct catalogue {
    int version, price;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct catalogue *now;
static volatile int sum;

static struct catalogue *make(int version)
{
    struct catalogue *c = malloc(sizeof *c);
    *c = (struct catalogue){version, 100 + version};
    return c;
}

static void *reader(void *arg)
{
    pthread_mutex_lock(&m);
    struct catalogue *c = now;
    pthread_mutex_unlock(&m);
    sum += c->price; /* B */
    return arg;
}

static void *replacer(void *arg)
{
    struct catalogue *next = make(2);
    pthread_mutex_lock(&m);
    struct catalogue *old = now;
    now = next;
    pthread_mutex_unlock(&m);
    free(old); /* A */
    return arg;
}

int main(void)
{
    pthread_t r, w;
    now = make(1);
    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&w, NULL, replacer, NULL);
    pthread_join(r, NULL);
    pthread_join(w, NULL);
    free(now);
    return 0;
}
