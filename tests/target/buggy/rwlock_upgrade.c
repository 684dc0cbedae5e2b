/* Two readers that both wait to be the only one
 * cause:    upgrade of a read lock to a write lock by two readers at once
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   deadlock
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers, value;

static void read_lock(void)
{
    pthread_mutex_lock(&m);
    readers++; /* A */
    pthread_mutex_unlock(&m);
}

/* from reader to writer without letting go: returns with m held */
static void upgrade(void)
{
    pthread_mutex_lock(&m);
    while (readers > 1) /* B */
        pthread_cond_wait(&changed, &m);
}

static void write_unlock(void)
{
    readers--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&m);
}

static void *refresh(void *arg)
{
    read_lock();
    upgrade();
    value++;
    write_unlock();
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, refresh, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
