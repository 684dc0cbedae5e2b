/* Two threads that keep one lock and try for the other
 * cause:    trylock retried for ever without giving up the lock already held
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   livelock
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg)
{
    pthread_mutex_lock(&left);
    while (pthread_mutex_trylock(&right)) /* B */
        sched_yield();
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(&right); /* A */
    while (pthread_mutex_trylock(&left))
        sched_yield();
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
