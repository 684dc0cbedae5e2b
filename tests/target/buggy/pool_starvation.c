/* A pool whose workers all wait for a task in the queue
 * cause:    pool starvation: tasks wait for tasks of the same pool
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   deadlock
 * budget:   500 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>
#include <semaphore.h>

#define WORKERS 2
typedef void task(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static task *queue[8];
static int head, tail;
static sem_t queued, started, parts, finished;

static void submit(task *t)
{
    pthread_mutex_lock(&m);
    queue[tail++] = t;
    pthread_mutex_unlock(&m);
    sem_post(&queued);
}

static void part(void)
{
    sem_post(&parts);
}

static void whole(void)
{
    sem_post(&started);
    submit(part); /* B */
    sem_wait(&parts);
    sem_post(&finished);
}

static void *worker(void *arg)
{
    for (;;) {
        sem_wait(&queued);
        pthread_mutex_lock(&m);
        task *t = queue[head++];
        pthread_mutex_unlock(&m);
        if (!t)
            return arg;
        t();
    }
}

int main(void)
{
    pthread_t t[WORKERS];
    sem_init(&queued, 0, 0);
    sem_init(&started, 0, 0);
    sem_init(&parts, 0, 0);
    sem_init(&finished, 0, 0);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    submit(whole);
    sem_wait(&started);
    submit(whole); /* A */
    sem_wait(&finished);
    sem_wait(&finished);
    for (int i = 0; i < WORKERS; i++)
        submit(NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
