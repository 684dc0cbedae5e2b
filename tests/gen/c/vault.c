#include "vault.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct vault {
    pthread_mutex_t lock;
    int coins;
};

struct vault *vault_new(int coins)
{
    struct vault *v = calloc(1, sizeof *v);
    pthread_mutex_init(&v->lock, NULL);
    v->coins = coins & 15;
    return v;
}

void vault_free(struct vault *v)
{
    pthread_mutex_destroy(&v->lock);
    free(v);
}

int vault_put(struct vault *v, int coins)
{
    pthread_mutex_lock(&v->lock);
    v->coins += coins & 15;
    int now = v->coins;
    pthread_mutex_unlock(&v->lock);
    return now;
}

int vault_move(struct vault *from, struct vault *to, int coins)
{
    struct vault *first = from, *second = to;
    int moved = 0;
    if (from == to)
        return 0;
#ifdef FIXED
    if ((uintptr_t)from > (uintptr_t)to) {
        first = to;
        second = from;
    }
#endif
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock); /* bug */
    if (from->coins >= (coins & 15)) {
        moved = coins & 15;
        from->coins -= moved;
        to->coins += moved;
    }
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
    return moved;
}

int vault_coins(const struct vault *v)
{
    pthread_mutex_lock((pthread_mutex_t *)&v->lock);
    int n = v->coins;
    pthread_mutex_unlock((pthread_mutex_t *)&v->lock);
    return n;
}
