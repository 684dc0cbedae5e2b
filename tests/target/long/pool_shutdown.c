/* A job is lost when the pool is shut down after many jobs
 * cause: the flag to stop is looked at before the queue
 * build: gcc -g -O1 -fsanitize=thread
 * expect: assert
 * warm: 6000 jobs for two workers
 */
#include <assert.h>
#include <pthread.h>
#ifndef WARM
#define WARM 6000
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, room = PTHREAD_COND_INITIALIZER;
static long queued, done, is_stopped;

static void *worker(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!queued && !is_stopped)
            pthread_cond_wait(&work, &lock);
        if (is_stopped) { /* BUG */
            pthread_mutex_unlock(&lock);
            return NULL;
        }
        queued--;
        done++;
        pthread_cond_signal(&room);
        pthread_mutex_unlock(&lock);
    }
}

static void submit(void)
{
    pthread_mutex_lock(&lock);
    while (queued >= 8)
        pthread_cond_wait(&room, &lock);
    queued++;
    pthread_cond_signal(&work);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (long i = 0; i < WARM; i++)
        submit();
    pthread_mutex_lock(&lock);
    while (queued)
        pthread_cond_wait(&room, &lock);
    pthread_mutex_unlock(&lock);
    submit(); /* the last one */
    pthread_mutex_lock(&lock);
    is_stopped = 1;
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(done == WARM + 1);
    return 0;
}
