#include "account.h"

#include <pthread.h>
#include <stdlib.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

struct account *account_open(int balance)
{
    struct account *a = calloc(1, sizeof *a);
    pthread_mutex_init(&a->lock, NULL);
    a->balance = balance;
    return a;
}

void account_close(struct account *a)
{
    pthread_mutex_destroy(&a->lock);
    free(a);
}

int account_move(struct account *from, struct account *to, int amount)
{
    int e = -1;
    if (from == to)
        return 0;
#ifdef FIXED
    struct account *first = from < to ? from : to, *second = from < to ? to : from;
#else
    struct account *first = from, *second = to; /* bug */
#endif
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    if (from->balance >= amount) {
        from->balance -= amount;
        to->balance += amount;
        e = 0;
    }
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
    return e;
}

int account_balance(const struct account *a)
{
    pthread_mutex_lock((pthread_mutex_t *)&a->lock);
    int n = a->balance;
    pthread_mutex_unlock((pthread_mutex_t *)&a->lock);
    return n;
}
