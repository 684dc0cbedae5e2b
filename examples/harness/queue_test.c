/* queue_test.c: a bounded queue with a wrong fast path: pop looks at the head without the lock
 * if the queue seems to hold more than one item, so two threads get the same one.
 *
 *     gcc -g -fsanitize=thread -Iinclude examples/harness/queue_test.c -o queue_test
 *     heddle test -- ./queue_test
 */
#include <heddle/heddle.h>
#include <stdatomic.h>

struct queue {
    pthread_mutex_t lock;
    atomic_int first, count;
    int room, item[16];
};

static struct queue *queue_new(int room)
{
    struct queue *q = calloc(1, sizeof *q);
    pthread_mutex_init(&q->lock, NULL);
    q->room = room;
    return q;
}

static void queue_free(struct queue *q)
{
    pthread_mutex_destroy(&q->lock);
    free(q);
}

static int queue_push(struct queue *q, int v)
{
    int e = -1;
    pthread_mutex_lock(&q->lock);
    if (q->count < q->room) {
        q->item[(q->first + q->count) % q->room] = v;
        q->count++;
        e = 0;
    }
    pthread_mutex_unlock(&q->lock);
    return e;
}

static int queue_pop(struct queue *q)
{
    int v = -1;
    if (q->count > 1) { /* the fast path: "nobody else can empty it" */
        v = q->item[q->first];
        q->first = (q->first + 1) % q->room;
        q->count--;
        return v;
    }
    pthread_mutex_lock(&q->lock);
    if (q->count) {
        v = q->item[q->first];
        q->first = (q->first + 1) % q->room;
        q->count--;
    }
    pthread_mutex_unlock(&q->lock);
    return v;
}

HEDDLE_OBJECT(struct queue *q, queue_new(4), queue_free(q));
HEDDLE_OP(push, int, (int v), queue_push(q, v));
HEDDLE_OP(pop, int, (), queue_pop(q));
HEDDLE_LINEARIZABLE();
