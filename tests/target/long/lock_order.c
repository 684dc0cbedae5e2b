/* Two locks are taken in both orders, once, after a long time in one order
 * cause: the clean-up takes the locks the other way round
 * build: gcc -g -O1 -fsanitize=thread
 * expect: deadlock
 * warm: 15000 rounds of the worker
 */
#include <pthread.h>
#ifndef WARM
#define WARM 15000
#endif

static pthread_mutex_t index_lock = PTHREAD_MUTEX_INITIALIZER, data_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t go = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_going = PTHREAD_COND_INITIALIZER;
static long n, is_late;

static void *worker(void *arg)
{
    for (long i = 0; i < WARM; i++) {
        pthread_mutex_lock(&index_lock);
        pthread_mutex_lock(&data_lock);
        n++;
        pthread_mutex_unlock(&data_lock);
        pthread_mutex_unlock(&index_lock);
    }
    pthread_mutex_lock(&go);
    is_late = 1;
    pthread_cond_signal(&is_going);
    pthread_mutex_unlock(&go);
    pthread_mutex_lock(&index_lock);
    pthread_mutex_lock(&data_lock); /* BUG */
    n--;
    pthread_mutex_unlock(&data_lock);
    pthread_mutex_unlock(&index_lock);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&go);
    while (!is_late)
        pthread_cond_wait(&is_going, &go);
    pthread_mutex_unlock(&go);
    pthread_mutex_lock(&data_lock);
    pthread_mutex_lock(&index_lock);
    n = 0;
    pthread_mutex_unlock(&index_lock);
    pthread_mutex_unlock(&data_lock);
    pthread_join(t, NULL);
    return 0;
}
