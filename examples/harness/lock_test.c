/* lock_test.c: operations without a result: set and clear of two flags that must agree, seen by an
 * operation that reads both under two locks. */
#include <heddle/heddle.h>

struct pair {
    pthread_mutex_t lock;
    int a, b;
};

static struct pair *pair_new(void)
{
    struct pair *p = calloc(1, sizeof *p);
    pthread_mutex_init(&p->lock, NULL);
    return p;
}

static void pair_set(struct pair *p, int v)
{
    pthread_mutex_lock(&p->lock);
    p->a = p->b = v;
    pthread_mutex_unlock(&p->lock);
}

static int read_one(struct pair *p, const int *which)
{
    pthread_mutex_lock(&p->lock);
    int v = *which;
    pthread_mutex_unlock(&p->lock);
    return v;
}

HEDDLE_OBJECT(struct pair *p, pair_new(), (pthread_mutex_destroy(&p->lock), free(p)));
HEDDLE_OP(set, void, (int v), pair_set(p, v));
HEDDLE_OP(both, int, (), 10 * read_one(p, &p->a) + read_one(p, &p->b));
HEDDLE_LINEARIZABLE();
