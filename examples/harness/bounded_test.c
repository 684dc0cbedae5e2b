/* bounded_test.c: a bounded queue whose operations wait: put while it is full, take while it is empty.
 * Orders in which a call waits for ever give nothing to compare with; calls that could all wait for ever
 * are not tested.
 *
 *     gcc -g -fsanitize=thread -Iinclude examples/harness/bounded_test.c -o bounded_test
 *     heddle test -- ./bounded_test                 nothing is found
 *
 * -DWRONG: who was woken does not look again, so take returns what another take has taken.
 * -DLOST: put wakes without the lock before it has put, so a take sleeps beside a full queue.
 */
#include <heddle/heddle.h>

#define ROOM 2
#ifdef WRONG
#define UNTIL if
#else
#define UNTIL while
#endif

struct bounded {
    pthread_mutex_t lock;
    pthread_cond_t is_less, is_more;
    int n, item[ROOM];
};

static struct bounded *bounded_new(void)
{
    struct bounded *b = calloc(1, sizeof *b);
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->is_less, NULL);
    pthread_cond_init(&b->is_more, NULL);
    return b;
}

static void bounded_free(struct bounded *b)
{
    pthread_cond_destroy(&b->is_more);
    pthread_cond_destroy(&b->is_less);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

/* How many there are now. */
static int bounded_put(struct bounded *b, int v)
{
#ifdef LOST
    pthread_cond_signal(&b->is_more);
#endif
    pthread_mutex_lock(&b->lock);
    UNTIL (b->n == ROOM)
        pthread_cond_wait(&b->is_less, &b->lock);
    b->item[b->n++ % ROOM] = v;
    int n = b->n;
#ifndef LOST
    pthread_cond_signal(&b->is_more);
#endif
    pthread_mutex_unlock(&b->lock);
    return n;
}

static int bounded_take(struct bounded *b)
{
    pthread_mutex_lock(&b->lock);
    UNTIL (b->n == 0)
        pthread_cond_wait(&b->is_more, &b->lock);
    int v = b->item[0];
    b->item[0] = b->item[1];
    b->n--;
    pthread_cond_signal(&b->is_less);
    pthread_mutex_unlock(&b->lock);
    return v;
}

HEDDLE_OBJECT(struct bounded *b, bounded_new(), bounded_free(b));
HEDDLE_OP(put, int, (int v), bounded_put(b, v));
HEDDLE_OP(take, int, (), bounded_take(b));
HEDDLE_LINEARIZABLE();
