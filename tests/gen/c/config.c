#include "config.h"

#include <pthread.h>
#include <stdlib.h>

struct config {
    pthread_rwlock_t lock;
    int width, height;
};

struct config *config_new(void)
{
    struct config *c = calloc(1, sizeof *c);
    pthread_rwlock_init(&c->lock, NULL);
    return c;
}

void config_free(struct config *c)
{
    pthread_rwlock_destroy(&c->lock);
    free(c);
}

void config_set(struct config *c, int width, int height)
{
    pthread_rwlock_wrlock(&c->lock);
    c->width = width;
    c->height = height;
    pthread_rwlock_unlock(&c->lock);
}

void config_get(const struct config *c, int *width, int *height)
{
    pthread_rwlock_t *lock = (pthread_rwlock_t *)&c->lock;
    pthread_rwlock_rdlock(lock);
    *width = c->width;
#ifndef FIXED
    pthread_rwlock_unlock(lock); /* bug */
    pthread_rwlock_rdlock(lock);
#endif
    *height = c->height;
    pthread_rwlock_unlock(lock);
}
