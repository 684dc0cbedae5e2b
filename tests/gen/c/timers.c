#include "timers.h"

#include <pthread.h>
#include <stdlib.h>

struct timer {
    struct timer *next;
    unsigned due;
    int number;
};

struct timers {
    pthread_mutex_t lock;
    struct timer *list;
    unsigned now;
    int last;
};

struct timers *timers_new(void)
{
    struct timers *t = calloc(1, sizeof *t);
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

void timers_free(struct timers *t)
{
    for (struct timer *one = t->list, *next; one; one = next) {
        next = one->next;
        free(one);
    }
    pthread_mutex_destroy(&t->lock);
    free(t);
}

int timers_add(struct timers *t, unsigned due)
{
    struct timer *one = calloc(1, sizeof *one);
    pthread_mutex_lock(&t->lock);
    one->due = t->now + due;
    one->number = ++t->last;
    one->next = t->list;
    t->list = one;
    int number = one->number;
    pthread_mutex_unlock(&t->lock);
    return number;
}

static int drop(struct timers *t, struct timer *which)
{
    for (struct timer **at = &t->list; *at; at = &(*at)->next)
        if (*at == which) {
            *at = which->next;
            free(which);
            return 1;
        }
    return 0;
}

int timers_cancel(struct timers *t, int number)
{
    int e = -1;
    pthread_mutex_lock(&t->lock);
    for (struct timer *one = t->list; one && e; one = one->next)
        if (one->number == number) {
            drop(t, one);
            e = 0;
            break;
        }
    pthread_mutex_unlock(&t->lock);
    return e;
}

int timers_tick(struct timers *t)
{
    int n = 0;
    pthread_mutex_lock(&t->lock);
    t->now++;
    for (struct timer *one = t->list, *next; one; one = next) {
        next = one->next;
        if (one->due > t->now)
            continue;
#ifndef FIXED
        pthread_mutex_unlock(&t->lock); /* bug: its handler would run here */
        pthread_mutex_lock(&t->lock);
        if (one->due <= t->now)
#endif
            n += drop(t, one);
    }
    pthread_mutex_unlock(&t->lock);
    return n;
}

int timers_pending(const struct timers *t)
{
    int n = 0;
    pthread_mutex_lock((pthread_mutex_t *)&t->lock);
    for (struct timer *one = t->list; one; one = one->next)
        n++;
    pthread_mutex_unlock((pthread_mutex_t *)&t->lock);
    return n;
}
