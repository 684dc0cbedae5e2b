/* A counter that goes on without the lock it did not get
 * cause:    failure of trylock is ignored
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   exit
 * budget:   300 runs
 * strategy: random,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int hits;

static void *worker(void *arg)
{
    int got = pthread_mutex_trylock(&m) == 0;
    int seen = hits; /* A */
    hits = seen + 1; /* B */
    if (got)
        pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return hits == 2 ? 0 : 1;
}
