/* A thread pool that is shut down with work in its queue
 * cause:    none: stop is part of the predicate; the queue is drained first
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>

#define WORKERS 2
#define JOBS 6
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int queue[JOBS], head, tail, is_stopping;
static int result[JOBS]; /* result[i] belongs to whoever took job i */

static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    for (;;) {
        while (head == tail && !is_stopping)
            pthread_cond_wait(&changed, &m);
        if (head == tail)
            break;
        int job = queue[head++];
        pthread_mutex_unlock(&m);
        result[job] = job * job;
        pthread_mutex_lock(&m);
    }
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < JOBS; i++) {
        pthread_mutex_lock(&m);
        queue[tail++] = i;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&m);
    }
    pthread_mutex_lock(&m);
    is_stopping = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < JOBS; i++)
        assert(result[i] == i * i);
    return 0;
}
