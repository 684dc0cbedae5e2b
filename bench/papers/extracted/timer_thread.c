/* Deadlock: a timer thread is told to stop by a signal that nobody waits for yet, and the
 * flag is looked at before the lock is taken.
 * build: gcc -g -O1 -fsanitize=thread
 */
#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static atomic_int is_stopped;

static void *timer(void *arg)
{
    if (!is_stopped) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&wake, &lock);
        pthread_mutex_unlock(&lock);
    }
    work(WORK);
    return arg;
}

static void *stop(void *arg)
{
    is_stopped = 1;
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
    work(WORK);
    return arg;
}

int main(void)
{
    pthread_t a = start(timer), b = start(stop);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
