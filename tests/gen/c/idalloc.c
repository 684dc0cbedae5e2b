#include "idalloc.h"

#include <pthread.h>
#include <stdlib.h>

struct ids {
    pthread_mutex_t lock;
    unsigned max;
    char taken[8];
};

int ids_create(ids_t **out, unsigned max)
{
    ids_t *ids = calloc(1, sizeof *ids);
    pthread_mutex_init(&ids->lock, NULL);
    ids->max = max < 8 ? max : 8;
    *out = ids;
    return 0;
}

void ids_destroy(ids_t *ids)
{
    pthread_mutex_destroy(&ids->lock);
    free(ids);
}

int ids_take(ids_t *ids)
{
    unsigned id = 0;
    pthread_mutex_lock(&ids->lock);
    while (id < ids->max && ids->taken[id])
        id++;
#ifndef FIXED
    pthread_mutex_unlock(&ids->lock); /* bug */
    pthread_mutex_lock(&ids->lock);
#endif
    if (id < ids->max)
        ids->taken[id] = 1;
    pthread_mutex_unlock(&ids->lock);
    return id < ids->max ? (int)id : -1;
}

int ids_give(ids_t *ids, int id)
{
    int e = -1;
    pthread_mutex_lock(&ids->lock);
    if (id >= 0 && (unsigned)id < ids->max && ids->taken[id]) {
        ids->taken[id] = 0;
        e = 0;
    }
    pthread_mutex_unlock(&ids->lock);
    return e;
}

int ids_is_taken(const ids_t *ids, int id)
{
    ids_t *w = (ids_t *)ids;
    pthread_mutex_lock(&w->lock);
    int is = id >= 0 && (unsigned)id < ids->max && ids->taken[id];
    pthread_mutex_unlock(&w->lock);
    return is;
}
