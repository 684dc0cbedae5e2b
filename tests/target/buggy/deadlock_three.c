/* Three philosophers, each with the left fork in hand
 * cause:    deadlock of three mutexes in a ring
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   deadlock
 * budget:   300 runs
 * strategy: random,pos,pct
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>

#define SEATS 3
static pthread_mutex_t fork_at[SEATS] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
};

static void *philosopher(void *arg)
{
    int seat = (int)(long)arg;
    pthread_mutex_lock(&fork_at[seat]); /* A */
    pthread_mutex_lock(&fork_at[(seat + 1) % SEATS]); /* B */
    pthread_mutex_unlock(&fork_at[(seat + 1) % SEATS]);
    pthread_mutex_unlock(&fork_at[seat]);
    return NULL;
}

int main(void)
{
    pthread_t t[SEATS];
    for (long i = 0; i < SEATS; i++)
        pthread_create(&t[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < SEATS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
