/* lock_orders.c: see lock_orders.h. */
#include "detect/lock_orders.h"

void hd_lock_orders_release(struct hd_lock_orders *l)
{
    hd_vec_release(&l->all);
    hd_map_release(&l->number);
}

static u64 mix(u64 h, u64 x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

/* A circle has no first thread. */
static u64 hash_of(const struct hd_lock_order_seen *s)
{
    u64 sum = s->n;
    for (u32 i = 0; i < s->n; i++) {
        const struct hd_lock_order_step *next = &s->at[(i + 1) % s->n];
        sum += mix(mix(mix(mix(1, s->at[i].take), s->at[i].want), next->take), next->want);
    }
    return sum;
}

void hd_lock_orders_add(struct hd_lock_orders *l, const struct hd_lock_order_seen *s, u32 fixed)
{
    u64 *number = hd_map_ref(&l->number, hash_of(s), 0);
    if (!*number) {
        if (l->all.n >= HD_LOCK_ORDERS_MOST) {
            hd_map_del(&l->number, hash_of(s));
            return;
        }
        struct hd_lock_circle *c = hd_vec_add(&l->all);
        *c = (struct hd_lock_circle){.is = *s};
        for (u32 i = 0; i < s->n; i++)
            if (!(fixed >> i & 1))
                c->is.at[i].lock = 0;
        *number = l->all.n;
    }
    l->all.at[*number - 1].times++;
}
