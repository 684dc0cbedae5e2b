/* Threads that take turns, and a signal that wakes the one whose turn it is not
 * cause:    signal instead of broadcast, while each waiter waits for a turn of its own
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   lost-wakeup
 * budget:   1000 runs
 * strategy: random,pos,pct
 * pair:     A before B fails
 * preemptions: 0
 */
#include <pthread.h>

#define THREADS 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t next = PTHREAD_COND_INITIALIZER;
static int turn;

static void *player(void *arg)
{
    int mine = (int)(long)arg;
    pthread_mutex_lock(&m);
    while (turn != mine)
        pthread_cond_wait(&next, &m); /* A */
    turn++;
    pthread_cond_signal(&next); /* B */
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, player, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
