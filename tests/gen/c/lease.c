#include "lease.h"

#include <pthread.h>
#include <stdlib.h>

struct lease {
    pthread_mutex_t lock;
    unsigned owner, turns; /* owner + 1; 0 = nobody */
};

struct lease *lease_new(void)
{
    struct lease *l = calloc(1, sizeof *l);
    pthread_mutex_init(&l->lock, NULL);
    return l;
}

void lease_free(struct lease *l)
{
    pthread_mutex_destroy(&l->lock);
    free(l);
}

int lease_take(struct lease *l, unsigned owner)
{
    pthread_mutex_lock(&l->lock);
    int is_free = l->owner == 0;
    if (is_free) {
        l->owner = owner % 8 + 1;
        l->turns = 1;
    }
    pthread_mutex_unlock(&l->lock);
    return is_free;
}

int lease_renew(struct lease *l, unsigned owner, unsigned turns)
{
    int left = 0;
    pthread_mutex_lock(&l->lock);
    int is_owner = l->owner == owner % 8 + 1;
#ifndef FIXED
    pthread_mutex_unlock(&l->lock); /* bug */
    pthread_mutex_lock(&l->lock);
#endif
    if (is_owner) {
        l->turns += turns % 16 + 1;
        left = (int)l->turns;
    }
    pthread_mutex_unlock(&l->lock);
    return left;
}

int lease_give_back(struct lease *l, unsigned owner)
{
    pthread_mutex_lock(&l->lock);
    int was = l->owner == owner % 8 + 1;
    if (was)
        l->owner = l->turns = 0;
    pthread_mutex_unlock(&l->lock);
    return was;
}

int lease_state(const struct lease *l)
{
    pthread_mutex_lock((pthread_mutex_t *)&l->lock);
    int s = (int)(l->owner * 100 + l->turns);
    pthread_mutex_unlock((pthread_mutex_t *)&l->lock);
    return s;
}
