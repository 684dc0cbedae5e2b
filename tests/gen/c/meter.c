#include "meter.h"

#include <pthread.h>

struct inside {
    pthread_mutex_t lock;
    int n, sum, least, most;
};
_Static_assert(sizeof(struct inside) <= sizeof(meter), "room");

void meter_init(meter *m)
{
    struct inside *i = (struct inside *)m;
    *i = (struct inside){.n = 0};
    pthread_mutex_init(&i->lock, NULL);
}

void meter_add(meter *m, int value)
{
    struct inside *i = (struct inside *)m;
    pthread_mutex_lock(&i->lock);
    i->least = !i->n || value < i->least ? value : i->least;
    i->most = !i->n || value > i->most ? value : i->most;
    i->sum += value;
    i->n++;
    pthread_mutex_unlock(&i->lock);
}

struct meter_state meter_read(meter *m)
{
    struct inside *i = (struct inside *)m;
    struct meter_state s;
    pthread_mutex_lock(&i->lock);
    int n = i->n;
#ifndef FIXED
    pthread_mutex_unlock(&i->lock); /* bug */
    pthread_mutex_lock(&i->lock);
#endif
    s.least = i->least;
    s.most = i->most;
    s.average = n ? (double)i->sum / n : 0;
    pthread_mutex_unlock(&i->lock);
    return s;
}

void meter_fini(meter *m)
{
    struct inside *i = (struct inside *)m;
    pthread_mutex_destroy(&i->lock);
}
