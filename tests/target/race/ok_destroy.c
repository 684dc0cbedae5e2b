/* Locks, a condition and a barrier are destroyed as soon as that is allowed
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static int users = 2, is_done;

/* Who leaves last destroys the mutex. */
static void leave(void)
{
    pthread_mutex_lock(&lock);
    int left = --users;
    pthread_mutex_unlock(&lock);
    if (!left)
        pthread_mutex_destroy(&lock);
}

static void *waiter(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!is_done)
        pthread_cond_wait(&cond, &lock);
    pthread_mutex_unlock(&lock);
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        pthread_barrier_destroy(&barrier);
    leave();
    return arg;
}

static void *waker(void *arg)
{
    pthread_mutex_lock(&lock);
    is_done = 1;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&lock);
    pthread_cond_destroy(&cond); /* all who wait have been woken */
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        pthread_barrier_destroy(&barrier);
    leave();
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, waiter, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    waker(NULL);
    pthread_join(t, NULL);
    return 0;
}
