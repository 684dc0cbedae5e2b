/* A compressor whose queue is gone before its last consumer is
 * cause:    shut-down waits for the results, not for the threads that made them
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   signal
 * budget:   500 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 0
 */
#include <pthread.h>

#define BLOCKS 3
struct queue {
    int left; /* blocks still to be taken */
};
static struct queue blocks = {BLOCKS};
static struct queue *volatile queue = &blocks;
static pthread_mutex_t queue_m = PTHREAD_MUTEX_INITIALIZER, done_m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_done = PTHREAD_COND_INITIALIZER;
static int done;

static int take(void)
{
    pthread_mutex_lock(&queue_m);
    int block = queue->left; /* B */
    if (block)
        queue->left = block - 1;
    pthread_mutex_unlock(&queue_m);
    return block;
}

static void *consumer(void *arg)
{
    while (take()) {
        pthread_mutex_lock(&done_m);
        if (++done == BLOCKS)
            pthread_cond_signal(&all_done);
        pthread_mutex_unlock(&done_m);
    }
    return arg;
}

static void *writer(void *arg)
{
    pthread_mutex_lock(&done_m);
    while (done < BLOCKS)
        pthread_cond_wait(&all_done, &done_m);
    pthread_mutex_unlock(&done_m);
    return arg;
}

int main(void)
{
    pthread_t c[2], w;
    for (int i = 0; i < 2; i++)
        pthread_create(&c[i], NULL, consumer, NULL);
    pthread_create(&w, NULL, writer, NULL);
    pthread_join(w, NULL);
    queue = NULL; /* A */
    for (int i = 0; i < 2; i++)
        pthread_join(c[i], NULL);
    return 0;
}
