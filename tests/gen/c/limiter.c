#include "limiter.h"

#include <stdatomic.h>

int limiter_init(limiter_t *l, int count)
{
    l->left = count;
    return 0;
}

void limiter_fini(limiter_t *l) { l->left = 0; }

bool limiter_allow(limiter_t *l)
{
    _Atomic int *left = (_Atomic int *)&l->left;
#ifdef FIXED
    int was = atomic_load(left);
    while (was > 0)
        if (atomic_compare_exchange_weak(left, &was, was - 1))
            return true;
    return false;
#else
    if (atomic_load(left) <= 0) /* bug */
        return false;
    atomic_fetch_sub(left, 1);
    return true;
#endif
}

void limiter_refill(limiter_t *l, int by) { atomic_fetch_add((_Atomic int *)&l->left, by); }

int limiter_left(const limiter_t *l) { return atomic_load((_Atomic int *)&l->left); }
