/* feed.c: events to objects and their recent history. See feed.h.
 *
 * Everything is bounded by what is live: freed memory leaves the tables, a run
 * starts with empty ones (stamps and generations make that free of charge).
 * Sizes: a memory event carries its size in `size` (255 = more), one that was
 * no scheduling point in `arg`.
 */
#include "observe/feed/feed.h"
#include "observe/feed/feed_lock.h"
#include "observe/feed/feed_what.h"

#include <stdlib.h>
#include <string.h>

#include "base/huge.h"
#include "event/effect.h"

enum { SMALLEST = 256, LARGE = 4096 }; /* entries of tables; those of a large one are not kept */

/* A new one is zeroed, the rest of one that grows is not. */
static void *allocate(void *old, size_t had, size_t n, size_t size)
{
    void *p = hd_huge_grow(old, had * size, n * size);
    if (!old)
        hd_vec_zero(p, n * size);
    return p;
}

static void make_tables(struct hd_feed *f)
{
    f->n_slots = f->cap_pages = f->cap_objects = f->cap_lasts = SMALLEST;
    f->slot = allocate(NULL, 0, f->n_slots, sizeof *f->slot);
    f->page = allocate(NULL, 0, f->cap_pages, sizeof *f->page);
    f->object = allocate(NULL, 0, f->cap_objects, sizeof *f->object);
    f->last = allocate(NULL, 0, f->cap_lasts, sizeof *f->last);
}

static void free_tables(struct hd_feed *f)
{
    free(f->slot);
    free(f->page);
    free(f->object);
    free(f->last);
}

void hd_feed_init(struct hd_feed *f, struct hd_set *set, u32 history)
{
    *f = (struct hd_feed){.set = set, .history = HD_MIN(history, 255u)};
    make_tables(f);
    hd_feed_begin(f);
}

void hd_feed_release(struct hd_feed *f)
{
    for (u32 t = 0; t < f->cap_threads; t++)
        hd_vec_release(&f->thread[t].held);
    free(f->thread);
    free_tables(f);
    *f = (struct hd_feed){0};
}

static void forget_objects(struct hd_feed *f)
{
    if (!++f->stamp) { /* once in 4 billion times */
        memset(f->slot, 0, f->n_slots * sizeof *f->slot);
        f->stamp = 1;
    }
    f->free_object = f->free_last = 0;
    f->n_objects = f->n_lasts = f->n_pages = 1;
    memset(f->recent, 0, sizeof f->recent);
}

void hd_feed_gap(struct hd_feed *f, bool is_all)
{
    for (u32 t = 0; t < f->n_threads; t++) {
        struct hd_feed_thread *th = &f->thread[t];
        for (size_t i = 0; i < th->held.n; i++)
            f->object[th->held.at[i].obj].holder = HD_NO_THREAD;
        th->wait.now = 0;
        th->locks_changed = f->now;
        hd_vec_clear(&th->held);
    }
    if (is_all)
        forget_objects(f);
}

void hd_feed_rest(struct hd_feed *f)
{
    if (HD_MAX(f->cap_pages, HD_MAX(f->cap_objects, f->cap_lasts)) <= LARGE)
        return;
    hd_feed_gap(f, true);
    free_tables(f);
    make_tables(f);
}

void hd_feed_begin(struct hd_feed *f)
{
    f->now = 0;
    hd_feed_gap(f, true);
    for (u32 t = 0; t < f->n_threads; t++)
        f->thread[t].time = 0;
    f->n_threads = 0;
}

static struct hd_feed_thread *thread(struct hd_feed *f, u16 tid)
{
    if (HD_UNLIKELY(tid >= f->cap_threads)) {
        u32 cap = HD_MAX(tid + 1u, HD_MAX(16u, 2 * f->cap_threads));
        f->thread = allocate(f->thread, f->cap_threads, cap, sizeof *f->thread);
        memset(f->thread + f->cap_threads, 0, (cap - f->cap_threads) * sizeof *f->thread);
        f->cap_threads = cap;
    }
    f->n_threads = HD_MAX(f->n_threads, tid + 1u);
    return &f->thread[tid];
}

/* ---- objects ------------------------------------------------------------------ */

static struct hd_feed_slot *find_slot(const struct hd_feed *f, u64 number)
{
    u32 mask = f->n_slots - 1, i = (u32)(number * 0x9e3779b97f4a7c15ull >> 32) & mask;
    while (f->slot[i].stamp == f->stamp && f->page[f->slot[i].page].number != number)
        i = (i + 1) & mask;
    return &f->slot[i];
}

static HD_COLD void grow(struct hd_feed *f)
{
    free(f->slot);
    f->slot = allocate(NULL, 0, f->n_slots *= 2, sizeof *f->slot);
    for (u32 i = 1; i < f->n_pages; i++)
        *find_slot(f, f->page[i].number) = (struct hd_feed_slot){i, f->stamp};
}

u32 hd_feed_find_page(const struct hd_feed *f, u64 number)
{
    const struct hd_feed_slot *s = find_slot(f, number);
    return s->stamp == f->stamp ? s->page : 0;
}

static HD_NOINLINE u32 make_page(struct hd_feed *f, u64 number)
{
    u32 page = hd_feed_find_page(f, number);
    if (page)
        return page;
    if (f->n_pages == f->cap_pages)
        f->page = allocate(f->page, f->n_pages, f->cap_pages *= 2, sizeof *f->page);
    page = f->n_pages++;
    f->page[page] = (struct hd_feed_page){.number = number};
    if (HD_UNLIKELY(f->n_pages >= f->n_slots / 4 * 3))
        grow(f);
    else
        *find_slot(f, number) = (struct hd_feed_slot){page, f->stamp};
    return page;
}

/* Where the objects of a granule begin; until the next page is made. */
static u32 *granule_at(struct hd_feed *f, u64 granule)
{
    u64 number = granule / HD_FEED_PAGE;
    u32 *page = &f->recent[(number ^ number >> 8) % HD_FEED_RECENT];
    if (HD_UNLIKELY(f->page[*page].number != number || !*page))
        *page = make_page(f, number);
    return &f->page[*page].first[granule % HD_FEED_PAGE];
}

static u32 new_object(struct hd_feed *f, u32 *first, u8 mask, bool is_sync)
{
    u32 id = f->free_object;
    if (id)
        f->free_object = f->object[id].next;
    else if ((id = f->n_objects++) == f->cap_objects)
        f->object = allocate(f->object, id, f->cap_objects *= 2, sizeof *f->object);
    f->object[id] = (struct hd_feed_object){
        .generation = ++f->generations, .next = *first, .holder = HD_NO_THREAD, .mask = mask,
        .is_sync = is_sync};
    *first = id;
    return id;
}

static u32 new_last(struct hd_feed *f)
{
    u32 id = f->free_last;
    if (id)
        f->free_last = f->last[id].next;
    else if ((id = f->n_lasts++) == f->cap_lasts)
        f->last = allocate(f->last, id, f->cap_lasts *= 2, sizeof *f->last);
    return id;
}

/* The bytes of object `from` outside of `mask` become an object of their own. */
static HD_COLD void split(struct hd_feed *f, u32 *first, u32 from, u8 mask)
{
    u32 to = new_object(f, first, f->object[from].mask & (u8)~mask, false);
    struct hd_feed_object *o = &f->object[from], *half = &f->object[to];
    o->mask &= mask;
    half->n = o->n;
    for (u32 i = o->first, copy, before = 0; i; i = f->last[i].next, before = copy) {
        copy = new_last(f);
        f->last[copy] = f->last[i];
        f->last[copy].next = 0;
        *(before ? &f->last[before].next : &half->first) = copy;
        if (o->recent == i)
            half->recent = copy;
        if (o->writer == i)
            half->writer = copy;
    }
    if (f->split)
        f->split(f->self, from, to);
}

static void drop_granule(struct hd_feed *f, u32 *first)
{
    for (u32 id = *first, next; id; id = next) {
        struct hd_feed_object *o = &f->object[id];
        next = o->next;
        for (u32 i = o->first, after; i; i = after) {
            after = f->last[i].next;
            f->last[i].next = f->free_last;
            f->free_last = i;
        }
        o->generation = 0;
        o->next = f->free_object;
        f->free_object = id;
    }
    *first = 0;
}

/* The granules [from, to] as far as they lie in the page. */
static void drop_in_page(struct hd_feed *f, u32 page, u64 from, u64 to)
{
    u64 base = f->page[page].number * HD_FEED_PAGE;
    for (u32 i = 0; page && i < HD_FEED_PAGE; i++)
        if (base + i >= from && base + i <= to)
            drop_granule(f, &f->page[page].first[i]);
}

static void drop_range(struct hd_feed *f, u64 addr, u64 size)
{
    u64 from = addr >> 3, to = (addr + (size ? size - 1 : 0)) >> 3;
    u64 low = from / HD_FEED_PAGE, high = to / HD_FEED_PAGE;
    if (high - low < f->n_pages) {
        for (u64 number = low; number <= high; number++)
            drop_in_page(f, hd_feed_find_page(f, number), from, to);
        return;
    }
    for (u32 i = 1; i < f->n_pages; i++)
        if (f->page[i].number >= low && f->page[i].number <= high)
            drop_in_page(f, i, from, to);
}

/* A sync object made anew or destroyed has no history. */
static void drop_sync(struct hd_feed *f, u64 addr)
{
    u32 id = hd_feed_sync(f, addr);
    if (!id)
        return;
    struct hd_feed_object *o = &f->object[id];
    o->generation = ++f->generations;
    while (o->first) {
        u32 i = o->first;
        o->first = f->last[i].next;
        f->last[i].next = f->free_last;
        f->free_last = i;
    }
    o->n = 0;
    o->recent = o->writer = 0;
    o->holder = HD_NO_THREAD;
    o->is_recursive = false;
}

u32 hd_feed_sync(const struct hd_feed *f, u64 addr)
{
    const struct hd_feed_page *p = &f->page[hd_feed_find_page(f, (addr >> 3) / HD_FEED_PAGE)];
    u8 mask = (u8)(1u << (addr & 7));
    for (u32 id = p->first[(addr >> 3) % HD_FEED_PAGE]; id; id = f->object[id].next)
        if (f->object[id].is_sync && f->object[id].mask == mask)
            return id;
    return 0;
}

/* ---- what threads last did ------------------------------------------------------ */

static u32 find_last(const struct hd_feed *f, const struct hd_feed_object *o, u16 tid)
{
    if (o->recent && f->last[o->recent].tid == tid)
        return o->recent;
    for (u32 i = o->first; i; i = f->last[i].next)
        if (f->last[i].tid == tid)
            return i;
    return 0;
}

const struct hd_last *hd_feed_last(const struct hd_feed *f, u32 obj, u16 tid)
{
    return &f->last[find_last(f, &f->object[obj], tid)];
}

bool hd_feed_is_untouched(const struct hd_feed *f, u32 obj, u16 tid, u32 from, u32 to)
{
    const struct hd_last *l = hd_feed_last(f, obj, tid);
    for (u32 i = 0; i < HD_COUNT(l->recent); i++)
        if (l->recent[i] > from && l->recent[i] < to)
            return false;
    return l->recent[l->pos] <= from; /* else the ring does not reach back far enough */
}

/* The entry that was touched longest ago makes room; not that of the writer,
 * without which the next reader would not know where its value comes from. */
static HD_COLD u32 oldest(const struct hd_feed *f, const struct hd_feed_object *o)
{
    u32 best = 0;
    for (u32 i = o->first; i; i = f->last[i].next)
        if (i != o->writer && (!best || hd_last_now(&f->last[i]) < hd_last_now(&f->last[best])))
            best = i;
    return best ? best : o->first;
}

static u32 own_last(struct hd_feed *f, u32 obj, u16 tid)
{
    struct hd_feed_object *o = &f->object[obj];
    u32 i = find_last(f, o, tid), next;
    if (HD_LIKELY(i || !f->history))
        return i;
    if (o->n < f->history) {
        i = new_last(f);
        next = o->first;
        o->first = i;
        o->n++;
    } else {
        i = oldest(f, o);
        next = f->last[i].next;
        if (o->recent == i)
            o->recent = 0;
        if (o->writer == i)
            o->writer = 0;
    }
    f->last[i] = (struct hd_last){.tid = tid, .next = next};
    return i;
}

static void enter(struct hd_feed *f, u32 obj, u32 own, bool is_w, bool flag, struct hd_touch touch)
{
    if (!own)
        return;
    struct hd_feed_object *o = &f->object[obj];
    struct hd_last *l = &f->last[own];
    u8 bit = is_w ? HD_LAST_W_FLAG : HD_LAST_R_FLAG;
    *(is_w ? &l->w : &l->r) = touch;
    l->flags = (u8)(flag ? l->flags | bit : l->flags & ~bit);
    if (is_w)
        l->flags &= (u8)~HD_LAST_W_NONE;
    if (f->seen.what != HD_DOES_WAIT && hd_last_touch(l) != touch.now) { /* updates enter twice */
        l->recent[l->pos] = touch.now;
        l->pos = (l->pos + 1) & 3;
    }
    if (touch.now >= hd_last_now(&f->last[o->recent]))
        o->recent = own;
    if (is_w && touch.now >= f->last[o->writer].w.now)
        o->writer = own;
}

static void enter_update(struct hd_feed *f, const struct hd_part *p, struct hd_touch touch)
{
    enter(f, p->obj, p->own, true, true, touch);
    if (p->own && !(hd_effects(f->seen.ev) & HD_WRITES))
        f->last[p->own].flags |= HD_LAST_W_NONE;
}

u32 hd_feed_own(struct hd_feed *f, u32 obj, u16 tid) { return own_last(f, obj, tid); }

void hd_feed_enter_as_write(struct hd_feed *f, u32 obj, u16 tid, bool flag, struct hd_touch touch)
{
    enter(f, obj, own_last(f, obj, tid), true, flag, touch);
}

/* ---- which objects an event is about ---------------------------------------------- */

static void add_part(struct hd_feed *f, u32 obj)
{
    struct hd_seen *s = &f->seen;
    if (HD_LIKELY(s->n < HD_FEED_PARTS))
        s->part[s->n++] = (struct hd_part){obj, own_last(f, obj, s->tid)};
}

static void cover(struct hd_feed *f, u64 granule, u8 mask)
{
    u32 *first = granule_at(f, granule);
    const struct hd_feed_object *o = &f->object[*first];
    if (HD_LIKELY(*first && o->mask == mask && !o->is_sync)) {
        add_part(f, *first);
        return;
    }
    for (u32 id = *first; id && mask; id = f->object[id].next) {
        u8 common = f->object[id].mask & mask;
        if (f->object[id].is_sync || !common)
            continue;
        if (common != f->object[id].mask)
            split(f, first, id, common);
        add_part(f, id);
        mask &= (u8)~common;
    }
    if (mask)
        add_part(f, new_object(f, first, mask, false));
}

/* The mask of `n` bytes of a granule, 1 to 8, from `first` on. */
static u8 bytes_of(u32 first, u32 n) { return (u8)((0xffu >> ((8 - n) & 7)) << first); }

static void decode_memory(struct hd_feed *f, const struct hd_event *ev)
{
    u32 size = ev->size ? ev->size : ev->arg;
    size = HD_MAX(1u, HD_MIN(size, (u32)HD_FEED_WIDE));
    u32 first = (u32)ev->obj & 7;
    if (HD_LIKELY(first + size <= 8)) {
        cover(f, ev->obj >> 3, bytes_of(first, size));
        return;
    }
    for (u64 at = ev->obj; size;) {
        u32 n = HD_MIN(size, 8 - ((u32)at & 7));
        cover(f, at >> 3, bytes_of((u32)at & 7, n));
        at += n;
        size -= n;
    }
}

static void decode_sync(struct hd_feed *f, u64 addr)
{
    u32 id = hd_feed_sync(f, addr);
    if (HD_UNLIKELY(!id))
        id = new_object(f, granule_at(f, addr >> 3), (u8)(1u << (addr & 7)), true);
    add_part(f, id);
}

/* ---- events ----------------------------------------------------------------------- */

/* Memory that was freed, and sync objects made anew or destroyed, have no history. */
static void decode_lifetime(struct hd_feed *f, const struct hd_event *ev)
{
    enum hd_space space = hd_space_of(ev->kind);
    if (!(hd_effects(ev) & (HD_BEGINS | HD_ENDS)) || space == HD_SPACE_HEAP)
        return;
    if (space == HD_SPACE_MEMORY)
        drop_range(f, ev->obj, ev->arg);
    else
        drop_sync(f, ev->obj);
}

const struct hd_seen *hd_feed_decode(struct hd_feed *f, const struct hd_event *ev)
{
    return hd_feed_decode_at(f, ev, hd_set_site(f->set, ev->site));
}

const struct hd_seen *hd_feed_decode_at(struct hd_feed *f, const struct hd_event *ev, u32 site)
{
    struct hd_seen *s = &f->seen;
    s->ev = ev;
    s->tid = ev->tid;
    s->now = ++f->now;
    s->time = ++thread(f, ev->tid)->time;
    s->site = site;
    s->what = hd_feed_what(ev);
    s->flag = hd_may(ev->kind, HD_ATOMIC | HD_SHARED);
    s->is_nested = false;
    s->n = 0;
    switch (s->what) {
    case HD_DOES_READ: case HD_DOES_WRITE: case HD_DOES_RMW: decode_memory(f, ev); break;
    case HD_DOES_ACQ: decode_sync(f, ev->obj); hd_feed_lock_decode_acquire(f, s); break;
    case HD_DOES_REL: decode_sync(f, ev->obj); hd_feed_lock_decode_release(f, s); break;
    case HD_DOES_WAIT: case HD_DOES_WOKEN: case HD_DOES_WAKE: decode_sync(f, ev->obj); break;
    case HD_DOES_NOTHING: decode_lifetime(f, ev); break;
    default: break;
    }
    return s;
}

void hd_feed_done(struct hd_feed *f)
{
    const struct hd_seen *s = &f->seen;
    struct hd_touch touch = {s->now, s->time, s->site, s->ev->ctx};
    bool is_w = s->what == HD_DOES_WRITE || s->what == HD_DOES_REL || s->what == HD_DOES_WAKE;
    if (!s->is_nested) {
        for (u32 i = 0; i < s->n; i++) {
            enter(f, s->part[i].obj, s->part[i].own, is_w, s->flag, touch);
            if (s->what == HD_DOES_RMW)
                enter_update(f, &s->part[i], touch);
        }
    }
    if (s->what == HD_DOES_ACQ)
        hd_feed_lock_done_acquire(f, s);
    else if (s->what == HD_DOES_REL)
        hd_feed_lock_done_release(f, s);
    else if (s->ev->kind == HD_EV_COND_WAIT && s->what == HD_DOES_WAIT)
        f->thread[s->tid].wait = touch;
}
