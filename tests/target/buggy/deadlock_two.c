/* Two accounts locked in two orders
 * cause:    deadlock of two mutexes
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   deadlock
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>

static pthread_mutex_t from = PTHREAD_MUTEX_INITIALIZER, to = PTHREAD_MUTEX_INITIALIZER;

static void *transfer(void *arg)
{
    pthread_mutex_lock(&from);
    pthread_mutex_lock(&to); /* B */
    pthread_mutex_unlock(&to);
    pthread_mutex_unlock(&from);
    return arg;
}

static void *refund(void *arg)
{
    pthread_mutex_lock(&to); /* A */
    pthread_mutex_lock(&from);
    pthread_mutex_unlock(&from);
    pthread_mutex_unlock(&to);
    return arg;
}

int main(void)
{
    pthread_t t, r;
    pthread_create(&t, NULL, transfer, NULL);
    pthread_create(&r, NULL, refund, NULL);
    pthread_join(t, NULL);
    pthread_join(r, NULL);
    return 0;
}
