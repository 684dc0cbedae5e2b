#include "gate.h"

#include <pthread.h>
#include <stdlib.h>

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    int is_open;
};

struct gate *gate_new(void)
{
    struct gate *g = calloc(1, sizeof *g);
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->opened, NULL);
    return g;
}

void gate_free(struct gate *g)
{
    pthread_cond_destroy(&g->opened);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

void gate_open(struct gate *g)
{
#ifndef FIXED
    pthread_cond_broadcast(&g->opened); /* bug */
#endif
    pthread_mutex_lock(&g->lock);
    g->is_open = 1;
#ifdef FIXED
    pthread_cond_broadcast(&g->opened);
#endif
    pthread_mutex_unlock(&g->lock);
}

void gate_shut(struct gate *g)
{
    pthread_mutex_lock(&g->lock);
    g->is_open = 0;
    pthread_mutex_unlock(&g->lock);
}

void gate_pass(struct gate *g)
{
    pthread_mutex_lock(&g->lock);
    while (!g->is_open)
        pthread_cond_wait(&g->opened, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

int gate_is_open(const struct gate *g)
{
    pthread_mutex_lock((pthread_mutex_t *)&g->lock);
    int is = g->is_open;
    pthread_mutex_unlock((pthread_mutex_t *)&g->lock);
    return is;
}
