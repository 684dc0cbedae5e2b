#include "latch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct latch {
    pthread_mutex_t lock;
    pthread_cond_t zero;
    atomic_int count;
};

struct latch *latch_create(int count)
{
    struct latch *l = calloc(1, sizeof *l);
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->zero, NULL);
    l->count = count;
    return l;
}

void latch_destroy(struct latch *l)
{
    pthread_cond_destroy(&l->zero);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

void latch_down(struct latch *l)
{
#ifdef FIXED
    pthread_mutex_lock(&l->lock);
    if (l->count > 0 && --l->count == 0)
        pthread_cond_broadcast(&l->zero);
    pthread_mutex_unlock(&l->lock);
#else
    int n = l->count; /* bug */
    if (n > 0)
        l->count = n - 1;
    if (n == 1) {
        pthread_mutex_lock(&l->lock);
        pthread_cond_broadcast(&l->zero);
        pthread_mutex_unlock(&l->lock);
    }
#endif
}

void latch_wait(struct latch *l)
{
    pthread_mutex_lock(&l->lock);
    while (l->count > 0)
        pthread_cond_wait(&l->zero, &l->lock);
    pthread_mutex_unlock(&l->lock);
}
