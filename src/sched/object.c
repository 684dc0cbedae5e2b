/* object.c: address -> model of the sync object there, made on first use.
 *
 *   slot[]    open addressing by (type, address): the way in
 *   region[]  chains by address >> 8: hd_sched_forget, called for every free(),
 *             looks at the chains its range touches and is done in a few ns if
 *             there is nothing, which is nearly always
 *
 * The type is part of the key, so memory used again for something else meets
 * a fresh model. Memory comes from env.alloc and is recycled here, since
 * env.alloc never takes anything back. Queues and holds live here too: they
 * are what ties threads to objects.
 */
#include "sched/internal.h"

#define HD_REGION_SHIFT 8
#define HD_FIRST_SLOTS 256

static u32 slot_of(const struct hd_objects *os, u8 type, u64 addr)
{
    return (u32)(((addr ^ (u64)type << 56) * 0x9e3779b97f4a7c15ull) >> 32) & (os->cap - 1);
}

static struct hd_obj **region_of(const struct hd_objects *os, u64 addr)
{
    return &os->region[(u32)((addr >> HD_REGION_SHIFT) * 0x9e3779b97f4a7c15ull >> 40) &
                       (os->regions - 1)];
}

static void *alloc(struct hd_sched *s, size_t bytes)
{
    void *p = s->env.alloc(s->env.self, bytes);
    HD_ASSERT(p);
    return p;
}

void hd_object_init(struct hd_sched *s)
{
    struct hd_objects *os = alloc(s, sizeof *os);
    os->cap = os->regions = HD_FIRST_SLOTS;
    os->slot = alloc(s, os->cap * sizeof *os->slot);
    os->region = alloc(s, os->regions * sizeof *os->region);
    s->objects = os;
}

struct hd_obj *hd_object_find(const struct hd_sched *s, u8 type, u64 addr)
{
    const struct hd_objects *os = s->objects;
    for (u32 i = slot_of(os, type, addr); os->slot[i]; i = (i + 1) & (os->cap - 1))
        if (os->slot[i]->addr == addr && os->slot[i]->type == type)
            return os->slot[i];
    return NULL;
}

static void insert(struct hd_objects *os, struct hd_obj *o)
{
    u32 i = slot_of(os, o->type, o->addr);
    while (os->slot[i])
        i = (i + 1) & (os->cap - 1);
    os->slot[i] = o;
    struct hd_obj **r = region_of(os, o->addr);
    o->peer = *r;
    *r = o;
}

static HD_COLD void grow(struct hd_sched *s)
{
    struct hd_objects *os = s->objects;
    struct hd_obj **old = os->slot;
    u32 n = os->cap;
    os->cap = os->regions = 2 * n;
    os->slot = alloc(s, os->cap * sizeof *os->slot);
    os->region = alloc(s, os->regions * sizeof *os->region);
    for (u32 i = 0; i < n; i++)
        if (old[i])
            insert(os, old[i]);
}

struct hd_obj *hd_object_get(struct hd_sched *s, u8 type, u64 addr, bool *is_new)
{
    struct hd_objects *os = s->objects;
    struct hd_obj *o = hd_object_find(s, type, addr);
    *is_new = !o;
    if (o)
        return o;
    if (2 * (os->n + 1) > os->cap)
        grow(s);
    o = os->free_objs;
    if (o) {
        os->free_objs = o->peer;
        hd_memset(o, 0, sizeof *o);
    } else {
        o = alloc(s, sizeof *o);
    }
    o->addr = addr;
    o->type = type;
    o->own.tid = HD_NO_THREAD;
    os->n++;
    insert(os, o);
    return o;
}

/* Takes o out of both tables. Open addressing without tombstones: entries
 * behind the hole move up if their probe sequence passes it. */
static void take_out(struct hd_objects *os, struct hd_obj *o)
{
    struct hd_obj **r = region_of(os, o->addr);
    while (*r != o)
        r = &(*r)->peer;
    *r = o->peer;
    u32 mask = os->cap - 1, hole = slot_of(os, o->type, o->addr);
    while (os->slot[hole] != o)
        hole = (hole + 1) & mask;
    for (u32 i = (hole + 1) & mask; os->slot[i]; i = (i + 1) & mask) {
        u32 home = slot_of(os, os->slot[i]->type, os->slot[i]->addr);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            os->slot[hole] = os->slot[i];
            hole = i;
        }
    }
    os->slot[hole] = NULL;
    os->n--;
}

void hd_object_drop(struct hd_sched *s, struct hd_obj *o)
{
    switch (o->type) {
    case HD_OBJ_MUTEX: hd_mutex_reset(s, o); break;
    case HD_OBJ_RWLOCK: hd_rwlock_reset(s, o); break;
    default: break;
    }
    if (o->first) { /* somebody is still queued: they see it as new */
        hd_refresh_queue(s, o);
        return;
    }
    take_out(s->objects, o);
    o->peer = s->objects->free_objs;
    s->objects->free_objs = o;
}

void hd_sched_forget(struct hd_sched *s, u64 addr, u64 len)
{
    struct hd_objects *os = s->objects;
    if (!len || !os->n)
        return;
    u64 lo = addr >> HD_REGION_SHIFT, hi = (addr + len - 1) >> HD_REGION_SHIFT;
    bool all = hi - lo >= os->regions;
    for (u64 k = all ? 0 : lo; k <= (all ? os->regions - 1 : hi); k++) {
        struct hd_obj *o = all ? os->region[k] : *region_of(os, k << HD_REGION_SHIFT);
        while (o) {
            struct hd_obj *next = o->peer;
            if (o->addr - addr < len && o->type != HD_OBJ_THREAD)
                hd_object_drop(s, o);
            o = next;
        }
    }
}

u16 hd_sched_owner(const struct hd_sched *s, u64 obj)
{
    const struct hd_obj *o = hd_object_find(s, HD_OBJ_MUTEX, obj);
    if (!o)
        o = hd_object_find(s, HD_OBJ_RWLOCK, obj);
    if (o)
        return o->own.tid;
    o = hd_object_find(s, HD_OBJ_ONCE, obj);
    return o ? o->once.owner : HD_NO_THREAD;
}

/* ---- queues ------------------------------------------------------------------ */

void hd_link_add(struct hd_sched *s, struct hd_link *l, struct hd_obj *o)
{
    l->obj = o;
    l->next = NULL;
    l->prev = o->last;
    *(o->last ? &o->last->next : &o->first) = l;
    o->last = l;
}

void hd_link_remove(struct hd_link *l)
{
    struct hd_obj *o = l->obj;
    if (!o)
        return;
    *(l->prev ? &l->prev->next : &o->first) = l->next;
    *(l->next ? &l->next->prev : &o->last) = l->prev;
    l->obj = NULL;
}

const struct hd_op *hd_link_op(const struct hd_sched *s, const struct hd_link *l)
{
    return l->saved ? &l->saved->op : &s->thread[l->tid].op;
}

/* ---- holds ------------------------------------------------------------------- */

void hd_hold_add(struct hd_sched *s, struct hd_hold *h, struct hd_obj *o, u16 t)
{
    struct hd_sthread *th = &s->thread[t];
    h->obj = o;
    h->tid = t;
    h->count = 1;
    h->prev = NULL;
    h->next = th->held;
    if (th->held)
        th->held->prev = h;
    th->held = h;
    th->n_held++;
}

void hd_hold_remove(struct hd_sched *s, struct hd_hold *h)
{
    struct hd_sthread *th = &s->thread[h->tid];
    *(h->prev ? &h->prev->next : &th->held) = h->next;
    if (h->next)
        h->next->prev = h->prev;
    th->n_held--;
    h->tid = HD_NO_THREAD;
    h->count = 0;
}

const struct hd_hold *hd_hold_find_reader(const struct hd_obj *o, u16 t)
{
    const struct hd_hold *h = o->rw.readers;
    while (h && h->tid != t)
        h = h->next_reader;
    return h;
}

/* One more read lock for t. */
struct hd_hold *hd_hold_reader(struct hd_sched *s, struct hd_obj *o, u16 t)
{
    struct hd_hold *h = (struct hd_hold *)hd_hold_find_reader(o, t);
    if (h) {
        h->count++;
        return h;
    }
    h = s->objects->free_holds;
    if (h)
        s->objects->free_holds = h->next_reader;
    else
        h = alloc(s, sizeof *h);
    hd_hold_add(s, h, o, t);
    h->next_reader = o->rw.readers;
    o->rw.readers = h;
    return h;
}

void hd_hold_drop_reader(struct hd_sched *s, struct hd_obj *o, struct hd_hold *h)
{
    struct hd_hold **p = &o->rw.readers;
    while (*p != h)
        p = &(*p)->next_reader;
    *p = h->next_reader;
    hd_hold_remove(s, h);
    h->next_reader = s->objects->free_holds;
    s->objects->free_holds = h;
}

/* ---- operations put aside ------------------------------------------------------ */

struct hd_saved *hd_saved_push(struct hd_sched *s, u16 t)
{
    struct hd_saved *v = s->objects->free_saved;
    if (v)
        s->objects->free_saved = v->below;
    else
        v = alloc(s, sizeof *v);
    v->below = s->thread[t].saved;
    s->thread[t].saved = v;
    v->link = (struct hd_link){.tid = t, .saved = v};
    return v;
}

void hd_saved_pop(struct hd_sched *s, u16 t)
{
    struct hd_saved *v = s->thread[t].saved;
    hd_link_remove(&v->link);
    s->thread[t].saved = v->below;
    v->below = s->objects->free_saved;
    s->objects->free_saved = v;
}
