/* race_object.c: see race_object.h. */
#include "observe/race/race_object.h"

#define SPACES                                                                                     \
    (HD_ORDERS(MUTEX) | HD_ORDERS(RWLOCK) | HD_ORDERS(COND) | HD_ORDERS(BARRIER) | HD_ORDERS(SEM))

void hd_race_objects_begin(struct hd_race_objects *o)
{
    hd_map_clear(&o->first);
    hd_vec_clear(&o->use);
    *hd_vec_add(&o->use) = (struct hd_race_use){0};
}

void hd_race_objects_release(struct hd_race_objects *o)
{
    hd_map_release(&o->first);
    hd_vec_release(&o->use);
}

static bool is_descriptor(const struct hd_event *e)
{
    return e->kind == HD_EV_IO && (s64)e->obj >= 0;
}

bool hd_race_is_end(const struct hd_event *e)
{
    if (is_descriptor(e))
        return e->size == HD_IO_CLOSES;
    return SPACES >> hd_space_of(e->kind) & 1 && hd_effects(e) & HD_ENDS;
}

bool hd_race_is_use(const struct hd_event *e)
{
    if (is_descriptor(e))
        return e->size != HD_IO_CLOSES;
    return SPACES >> hd_space_of(e->kind) & 1 && !hd_may(e->kind, HD_ENDS | HD_BEGINS | HD_IDLE);
}

static u64 key_of(const struct hd_event *e) { return e->obj ^ (u64)hd_space_of(e->kind) << 56; }

void hd_race_object_used(struct hd_race_objects *o, const struct hd_event *e, u32 now, u32 time)
{
    u64 *first = hd_map_ref(&o->first, key_of(e), 0);
    u32 i = (u32)*first;
    while (i && o->use.at[i].tid != e->tid)
        i = o->use.at[i].next;
    if (!i) {
        *hd_vec_add(&o->use) = (struct hd_race_use){.next = (u32)*first, .tid = e->tid};
        *first = i = (u32)o->use.n - 1;
    }
    o->use.at[i].site = e->site;
    o->use.at[i].now = now;
    o->use.at[i].time = time;
}

const struct hd_race_use *hd_race_object_next(const struct hd_race_objects *o,
                                              const struct hd_event *e,
                                              const struct hd_order *order, u32 *i)
{
    *i = *i ? o->use.at[*i].next : (u32)hd_map_get_or(&o->first, key_of(e), 0);
    for (; *i; *i = o->use.at[*i].next) {
        const struct hd_race_use *u = &o->use.at[*i];
        if (u->tid != e->tid && !hd_order_is_before(order, u->tid, u->time, e->tid))
            return u;
    }
    return NULL;
}

void hd_race_object_forget(struct hd_race_objects *o, const struct hd_event *e)
{
    hd_map_del(&o->first, key_of(e));
}
