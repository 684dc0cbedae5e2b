/*
 * A pool like that of thrift's ThreadManager: main adds five tasks for each worker to a bounded queue and
 * waits while it is full. Whether it is full is asked under the lock, which is then given back and
 * taken again to wait: if the workers empty the queue in between, nobody wakes main any more.
 *   thread_manager [WORKERS [TASKS]]
 * build: gcc -g -O1 -pthread -fsanitize=thread
 * expect: deadlock
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { FULL = 4, MOST = 16 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_task = PTHREAD_COND_INITIALIZER, has_room = PTHREAD_COND_INITIALIZER;
static int queued, done, is_over;

static bool is_full(void)
{
    pthread_mutex_lock(&mutex);
    bool is = queued >= FULL;
    pthread_mutex_unlock(&mutex);
    return is;
}

static void add(void)
{
    if (is_full()) {
        pthread_mutex_lock(&mutex);
        pthread_cond_wait(&has_room, &mutex); /* the bug: not asked again */
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_lock(&mutex);
    queued++;
    pthread_cond_signal(&has_task);
    pthread_mutex_unlock(&mutex);
}

static void *worker(void *arg)
{
    pthread_mutex_lock(&mutex);
    for (;;) {
        while (!queued && !is_over)
            pthread_cond_wait(&has_task, &mutex);
        if (!queued)
            break;
        queued--;
        pthread_cond_signal(&has_room);
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
        done++;
    }
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[MOST];
    int workers = argc > 1 ? atoi(argv[1]) : 2, tasks = argc > 2 ? atoi(argv[2]) : 5;
    if (workers < 1 || workers > MOST)
        return 64;
    for (int i = 0; i < workers; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < workers * tasks; i++)
        add();
    pthread_mutex_lock(&mutex);
    is_over = 1;
    pthread_cond_broadcast(&has_task);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < workers; i++)
        pthread_join(t[i], NULL);
    return done == workers * tasks ? 0 : 1;
}
