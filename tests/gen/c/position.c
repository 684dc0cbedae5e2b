#include "position.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct position {
    pthread_mutex_t lock; /* of those who move it */
    atomic_uint moved;    /* odd while it is being moved */
    atomic_int x, y;
};

struct position *pos_new(void)
{
    struct position *p = calloc(1, sizeof *p);
    pthread_mutex_init(&p->lock, NULL);
    return p;
}

void pos_free(struct position *p)
{
    pthread_mutex_destroy(&p->lock);
    free(p);
}

void pos_move(struct position *p, int by)
{
    pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->moved, 1);
    atomic_fetch_add(&p->x, by);
    atomic_fetch_add(&p->y, by);
    atomic_fetch_add(&p->moved, 1);
    pthread_mutex_unlock(&p->lock);
}

void pos_get(const struct position *p, int *x, int *y)
{
    unsigned before, after;
    do {
        before = atomic_load(&p->moved);
        *x = atomic_load(&p->x);
#ifdef FIXED
        *y = atomic_load(&p->y);
        after = atomic_load(&p->moved);
#else
        after = atomic_load(&p->moved);
        *y = atomic_load(&p->y); /* bug */
#endif
    } while (before != after || before & 1);
}
