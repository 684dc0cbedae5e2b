#include "depot.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct depot {
    pthread_mutex_t lock;
    pthread_cond_t more;
    unsigned stock, waiting;
};

struct depot *depot_new(void)
{
    struct depot *d = calloc(1, sizeof *d);
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->more, NULL);
    return d;
}

void depot_free(struct depot *d)
{
    pthread_cond_destroy(&d->more);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

int depot_take(struct depot *d)
{
    pthread_mutex_lock(&d->lock);
    d->waiting++;
    while (!d->stock)
        pthread_cond_wait(&d->more, &d->lock);
    d->waiting--;
    int left = (int)--d->stock;
    pthread_mutex_unlock(&d->lock);
    return left;
}

int depot_take_within(struct depot *d, unsigned ms)
{
    struct timespec until;
    int left = -1, e = 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += ms / 1000 + 1;
    pthread_mutex_lock(&d->lock);
    d->waiting++;
    while (!d->stock && !e)
        e = pthread_cond_timedwait(&d->more, &d->lock, &until);
    d->waiting--;
    if (d->stock)
        left = (int)--d->stock;
    pthread_mutex_unlock(&d->lock);
    return left;
}

void depot_give(struct depot *d, unsigned n)
{
    pthread_mutex_lock(&d->lock);
    d->stock += n & 7;
#ifdef FIXED
    pthread_cond_broadcast(&d->more);
#else
    pthread_cond_signal(&d->more); /* bug */
#endif
    pthread_mutex_unlock(&d->lock);
}

int depot_stock(const struct depot *d)
{
    pthread_mutex_lock((pthread_mutex_t *)&d->lock);
    int n = (int)d->stock - (int)d->waiting;
    pthread_mutex_unlock((pthread_mutex_t *)&d->lock);
    return n;
}
