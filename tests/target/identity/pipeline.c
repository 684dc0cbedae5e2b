/* A pipeline that stands still in many ways, for one reason
 * cause:    the queue's count is changed, and signalled, without its mutex
 * build:    gcc -g -O1 -fsanitize=thread
 * bugs:     1
 * runs:     300
 */
#include <pthread.h>
#include <stdatomic.h>

#define CAPACITY 1
#define ITEMS 3

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    atomic_int count;
};
static struct queue in = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,
                          PTHREAD_COND_INITIALIZER, 0};
static struct queue out = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,
                           PTHREAD_COND_INITIALIZER, 0};

static void push(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (atomic_load(&q->count) == CAPACITY)
        pthread_cond_wait(&q->not_full, &q->lock);
    pthread_mutex_unlock(&q->lock);
    atomic_fetch_add(&q->count, 1); /* bug 1 */
    pthread_cond_signal(&q->not_empty);
}

static void pop(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (atomic_load(&q->count) == 0)
        pthread_cond_wait(&q->not_empty, &q->lock);
    pthread_mutex_unlock(&q->lock);
    atomic_fetch_sub(&q->count, 1);
    pthread_cond_signal(&q->not_full);
}

static void *filter(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        pop(&in);
        push(&out);
    }
    return NULL;
}

static void *sink(void *unused)
{
    for (int i = 0; i < ITEMS; i++)
        pop(&out);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, filter, NULL);
    pthread_create(&t[1], NULL, sink, NULL);
    for (int i = 0; i < ITEMS; i++)
        push(&in);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
}
