#include "lazy.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct lazy {
    pthread_mutex_t lock;
    int *_Atomic value;
    int *old;
    atomic_int made;
};

struct lazy *lazy_new(void)
{
    struct lazy *l = calloc(1, sizeof *l);
    pthread_mutex_init(&l->lock, NULL);
    return l;
}

void lazy_free(struct lazy *l)
{
    free(l->old);
    free(l->value);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

const void *lazy_get(struct lazy *l)
{
    if (atomic_load(&l->value))
        return l->value;
    pthread_mutex_lock(&l->lock);
#ifdef FIXED
    if (!l->value)
#endif
    { /* bug: not looked at again */
        int *value = malloc(sizeof *value);
        *value = 42;
        l->old = l->value;
        l->made++;
        atomic_store(&l->value, value);
    }
    pthread_mutex_unlock(&l->lock);
    return l->value;
}

int lazy_made(const struct lazy *l) { return l->made; }
