#include "deps.h"

#include <pthread.h>
#include <stdlib.h>

struct deps {
    pthread_rwlock_t lock;
    bool edge[DEPS_TASKS][DEPS_TASKS];
};

deps_t *deps_create(void)
{
    deps_t *d = calloc(1, sizeof *d);
    if (d)
        pthread_rwlock_init(&d->lock, NULL);
    return d;
}

void deps_destroy(deps_t *d)
{
    pthread_rwlock_destroy(&d->lock);
    free(d);
}

static bool reaches(const deps_t *d, unsigned from, unsigned to, unsigned depth)
{
    if (d->edge[from][to])
        return true;
    if (depth == DEPS_TASKS)
        return false;
    for (unsigned i = 0; i < DEPS_TASKS; i++)
        if (d->edge[from][i] && reaches(d, i, to, depth + 1))
            return true;
    return false;
}

deps_status deps_add(deps_t *d, unsigned task, unsigned on)
{
    if (task >= DEPS_TASKS || on >= DEPS_TASKS)
        return DEPS_NO_TASK;
    if (task == on)
        return DEPS_CIRCLE;
#ifdef FIXED
    pthread_rwlock_wrlock(&d->lock);
#else
    pthread_rwlock_rdlock(&d->lock);
#endif
    bool circle = reaches(d, on, task, 0);
#ifndef FIXED
    pthread_rwlock_unlock(&d->lock); /* bug */
    pthread_rwlock_wrlock(&d->lock);
#endif
    if (!circle)
        d->edge[task][on] = true;
    pthread_rwlock_unlock(&d->lock);
    return circle ? DEPS_CIRCLE : DEPS_OK;
}

void deps_drop(deps_t *d, unsigned task, unsigned on)
{
    if (task >= DEPS_TASKS || on >= DEPS_TASKS)
        return;
    pthread_rwlock_wrlock(&d->lock);
    d->edge[task][on] = false;
    pthread_rwlock_unlock(&d->lock);
}

bool deps_waits(deps_t *d, unsigned task, unsigned on)
{
    if (task >= DEPS_TASKS || on >= DEPS_TASKS)
        return false;
    pthread_rwlock_rdlock(&d->lock);
    bool yes = reaches(d, task, on, 0);
    pthread_rwlock_unlock(&d->lock);
    return yes;
}
