/* A bounded buffer in which everybody sleeps
 * cause:    one condition variable for full and empty, signal instead of broadcast
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   lost-wakeup
 * budget:   1000 runs
 * strategy: random,pos,pct
 * pair:     A before B fails
 * preemptions: 0
 */
#include <pthread.h>

#define CAPACITY 1
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int used;

static void *producer(void *arg)
{
    pthread_mutex_lock(&m);
    while (used == CAPACITY)
        pthread_cond_wait(&changed, &m); /* A */
    used++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *consumer(void *arg)
{
    pthread_mutex_lock(&m);
    while (used == 0)
        pthread_cond_wait(&changed, &m);
    used--;
    pthread_cond_signal(&changed); /* B */
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, i % 2 ? consumer : producer, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
