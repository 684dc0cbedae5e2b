/* Detached threads that say when they are done
 * cause:    none: the counter under the lock is the last thing of main's they touch
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>

#define THREADS 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static int running = THREADS, sum;

static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    sum += (int)(long)arg;
    if (--running == 0)
        pthread_cond_signal(&idle);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    for (long i = 1; i <= THREADS; i++) {
        pthread_t t;
        if (pthread_create(&t, i == 1 ? NULL : &detached, worker, (void *)i))
            return 1;
        if (i == 1)
            pthread_detach(t);
    }
    pthread_attr_destroy(&detached);
    pthread_mutex_lock(&m);
    while (running)
        pthread_cond_wait(&idle, &m);
    assert(sum == 6);
    pthread_mutex_unlock(&m);
    return 0;
}
