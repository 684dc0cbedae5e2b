#include "pool.h"

#include <pthread.h>
#include <stdlib.h>

struct buffer {
    struct buffer *next, *all;
};

struct pool {
    pthread_mutex_t lock;
    struct buffer *idle, *all;
};

struct pool *pool_new(void)
{
    struct pool *p = calloc(1, sizeof *p);
    pthread_mutex_init(&p->lock, NULL);
    return p;
}

void pool_free(struct pool *p)
{
    for (struct buffer *b = p->all, *next; b; b = next) {
        next = b->all;
        free(b);
    }
    pthread_mutex_destroy(&p->lock);
    free(p);
}

struct buffer *pool_get(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    struct buffer *b = p->idle;
    if (b) {
        p->idle = b->next;
    } else {
        b = calloc(1, sizeof *b);
        b->all = p->all;
        p->all = b;
    }
    pthread_mutex_unlock(&p->lock);
    return b;
}

void pool_put(struct pool *p, struct buffer *b)
{
#ifdef FIXED
    pthread_mutex_lock(&p->lock);
#endif
    b->next = p->idle; /* bug */
    p->idle = b;
#ifdef FIXED
    pthread_mutex_unlock(&p->lock);
#endif
}

int pool_idle(const struct pool *p)
{
    int n = 0;
    pthread_mutex_lock((pthread_mutex_t *)&p->lock);
    for (struct buffer *b = p->idle; b && n < 100; b = b->next)
        n++;
    pthread_mutex_unlock((pthread_mutex_t *)&p->lock);
    return n;
}
