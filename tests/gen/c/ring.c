#include "ring.h"

#include <pthread.h>
#include <stdlib.h>

struct ring {
    pthread_mutex_t lock;
    int room, count, first;
    int slot[];
};

struct ring *ring_new(int room)
{
    struct ring *r = calloc(1, sizeof *r + sizeof(int) * (size_t)room);
    pthread_mutex_init(&r->lock, NULL);
    r->room = room;
    return r;
}

void ring_free(struct ring *r)
{
    pthread_mutex_destroy(&r->lock);
    free(r);
}

int ring_put(struct ring *r, int value)
{
    pthread_mutex_lock(&r->lock);
    int is_full = r->count == r->room;
#ifndef FIXED
    pthread_mutex_unlock(&r->lock); /* bug */
    if (is_full)
        return -1;
    pthread_mutex_lock(&r->lock); /* bug */
#else
    if (is_full) {
        pthread_mutex_unlock(&r->lock);
        return -1;
    }
#endif
    r->slot[(r->first + r->count++) % r->room] = value;
    pthread_mutex_unlock(&r->lock);
    return 0;
}

int ring_get(struct ring *r, int *value)
{
    int e = -1;
    pthread_mutex_lock(&r->lock);
    if (r->count) {
        *value = r->slot[r->first];
        r->first = (r->first + 1) % r->room;
        r->count--;
        e = 0;
    }
    pthread_mutex_unlock(&r->lock);
    return e;
}

int ring_count(const struct ring *r)
{
    struct ring *w = (struct ring *)r;
    pthread_mutex_lock(&w->lock);
    int n = r->count;
    pthread_mutex_unlock(&w->lock);
    return n;
}
