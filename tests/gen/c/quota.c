#include "quota.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

struct quota {
    uint64_t limit;
    _Atomic uint64_t used;
};

struct quota *quota_new(uint32_t limit)
{
    struct quota *q = malloc(sizeof *q);
    if (q) {
        q->limit = limit;
        atomic_init(&q->used, 0);
    }
    return q;
}

void quota_delete(struct quota *q)
{
    free(q);
}

int quota_charge(struct quota *q, uint32_t blocks)
{
#ifdef FIXED
    uint64_t used = atomic_load(&q->used);
    do {
        if (used + blocks > q->limit)
            return -EDQUOT;
    } while (!atomic_compare_exchange_weak(&q->used, &used, used + blocks));
    return 0;
#else
    if (atomic_fetch_add(&q->used, blocks) + blocks <= q->limit)
        return 0;
    atomic_fetch_sub(&q->used, blocks); /* bug: it was there for others to see */
    return -EDQUOT;
#endif
}

uint32_t quota_release(struct quota *q, uint32_t blocks)
{
    uint64_t used = atomic_load(&q->used), n;
    do
        n = used < blocks ? used : blocks;
    while (!atomic_compare_exchange_weak(&q->used, &used, used - n));
    return (uint32_t)n;
}

uint32_t quota_used(const struct quota *q)
{
    return (uint32_t)atomic_load(&q->used);
}
