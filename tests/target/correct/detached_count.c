/* Detached threads count themselves out
 * cause:    none: main waits for the count under a lock; threads touch nothing of main's afterwards
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gone = PTHREAD_COND_INITIALIZER;
static int running = 3, work;

static void *worker(void *arg)
{
    pthread_detach(pthread_self());
    pthread_mutex_lock(&lock);
    work++;
    if (--running == 0)
        pthread_cond_signal(&gone);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    for (int i = 0; i < 3; i++)
        pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    while (running)
        pthread_cond_wait(&gone, &lock);
    assert(work == 3);
    pthread_mutex_unlock(&lock);
    return 0;
}
