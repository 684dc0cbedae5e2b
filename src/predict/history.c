/* history.c: accesses. See history.h; what is pending of them: history_pending.c; repeats:
 * history_repeat.c; condensing: history_node.c; what can follow: history_edge.c.
 *
 * Paper: Maple (OOPSLA 2012), 3.5. It keeps one bit "first" and one "last" per lock; here each is
 * split in two (any access, write), because a dependency from a write to a read survives later
 * reads of the writer, and one from a read to a write survives earlier reads of the writer's thread.
 */
#include "predict/history.h"

#include "base/vec.h"

#include <string.h>

#define LARGE ((size_t)1 << 20) /* bytes that are not kept for the next run */

/* ---- lifecycle ---------------------------------------------------------------- */

static void clear(struct hd_history *h)
{
    hd_vec_clear(&h->node);
    hd_vec_clear(&h->link);
    hd_vec_clear(&h->more);
    hd_vec_clear(&h->pending);
    hd_vec_clear(&h->edge);
    hd_vec_clear(&h->chain);
    *hd_vec_add(&h->node) = (struct hd_access_node){0};
    *hd_vec_add(&h->link) = (struct hd_access_link){0};
    *hd_vec_add(&h->more) = (struct hd_access_more){0};
    *hd_vec_add(&h->pending) = (struct hd_unjudged){0};
    *hd_vec_add(&h->edge) = (struct hd_edge){0};
    *hd_vec_add(&h->chain) = (struct hd_access_chain){0};
    h->free_chain = h->free_pending = 0;
    hd_vec_clear(&h->access_class);
    *hd_vec_add(&h->access_class) = (struct hd_access_class){0};
    hd_map_clear(&h->class_number);
    h->met_stamp++;
    if (h->n_objects)
        memset(h->object, 0, h->n_objects * sizeof *h->object);
    h->n_objects = 0;
    hd_vec_clear(&h->open);
    hd_history_cut_trails(h);
    for (u32 t = 0; t < h->n_threads; t++)
        hd_vec_clear(&h->thread[t].touched);
}

void hd_history_init(struct hd_history *h, struct hd_must *o, const struct hd_feed *f)
{
    *h = (struct hd_history){.order = o, .feed = f};
    h->met = calloc(HD_MET_SLOTS, sizeof *h->met);
    h->newest = calloc(HD_MET_SLOTS, sizeof *h->newest);
    h->repeat = calloc(HD_REPEAT_SLOTS, sizeof *h->repeat);
    HD_ASSERT(h->met && h->newest && h->repeat);
    clear(h);
}

/* All that grows with a run. */
static void release_run(struct hd_history *h)
{
    for (u32 t = 0; t < h->cap_threads; t++) {
        hd_vec_release(&h->thread[t].trail);
        hd_vec_release(&h->thread[t].since);
        hd_vec_release(&h->thread[t].touched);
        hd_map_release(&h->thread[t].nth);
    }
    free(h->thread);
    free(h->object);
    h->thread = NULL;
    h->object = NULL;
    h->n_threads = h->cap_threads = h->n_objects = h->cap_objects = 0;
    hd_vec_release(&h->node);
    hd_vec_release(&h->link);
    hd_vec_release(&h->more);
    hd_vec_release(&h->pending);
    hd_vec_release(&h->edge);
    hd_vec_release(&h->chain);
    hd_vec_release(&h->open);
    hd_vec_release(&h->access_class);
    hd_map_release(&h->class_number);
}

void hd_history_rest(struct hd_history *h)
{
    if (hd_history_bytes(h) < LARGE)
        return;
    release_run(h);
    clear(h);
}

void hd_history_release(struct hd_history *h)
{
    release_run(h);
    free(h->met);
    free(h->newest);
    free(h->repeat);
    *h = (struct hd_history){0};
}

void hd_history_begin(struct hd_history *h)
{
    clear(h);
    for (u32 t = 0; t < h->n_threads; t++) {
        hd_map_clear(&h->thread[t].nth);
        h->thread[t].create_site = h->thread[t].create_nth = 0;
    }
    h->n_threads = 0;
    h->is_over = false;
    h->gaps = 0;
    h->count = (struct hd_history_count){0};
}

struct hd_history_thread *hd_history_thread(struct hd_history *h, u32 tid)
{
    if (HD_UNLIKELY(tid >= h->cap_threads))
        h->thread = hd_vec_room_zeroed(h->thread, &h->cap_threads, tid, sizeof *h->thread);
    h->n_threads = HD_MAX(h->n_threads, tid + 1);
    return &h->thread[tid];
}

void hd_history_cut_trails(struct hd_history *h)
{
    for (u32 t = 0; t < h->n_threads; t++) {
        hd_vec_clear(&h->thread[t].trail);
        hd_vec_clear(&h->thread[t].since);
    }
    for (size_t i = 0; i < h->open.n; i++) /* others have none */
        for (u32 k = 0; k < 2; k++)
            if (h->chain.at[h->open.at[i]].pending[k])
                h->pending.at[h->chain.at[h->open.at[i]].pending[k]].trail = 0;
    h->n_trail = 0;
}

size_t hd_history_bytes(const struct hd_history *h)
{
    return h->node.n * (sizeof *h->node.at + sizeof *h->link.at) + h->more.n * sizeof *h->more.at +
           h->pending.n * sizeof *h->pending.at + h->edge.n * sizeof *h->edge.at +
           h->chain.n * sizeof *h->chain.at + h->n_trail * sizeof(struct hd_trail_entry);
}

/* ---- ends -------------------------------------------------------------------- */

/* The object is gone; its number is about to mean another one. */
static void retire(struct hd_history *h, u32 obj)
{
    struct hd_history_object *x = &h->object[obj];
    for (u32 i = x->first; i; i = h->chain.at[i].next) {
        hd_history_judge_chain(h, i);
        hd_history_drop_cold(h, i);
    }
    for (u32 i = x->first, next; i; i = next) {
        next = h->chain.at[i].next;
        h->chain.at[i].generation = 0;
        h->chain.at[i].next = h->free_chain;
        h->free_chain = i;
    }
    *x = (struct hd_history_object){0};
}

void hd_history_end_thread(struct hd_history *h, u32 tid)
{
    struct hd_history_thread *th = hd_history_thread(h, tid);
    for (size_t i = 0; i < th->touched.n; i++) {
        const struct hd_access_chain *p = &h->chain.at[th->touched.at[i]];
        if (p->generation && p->tid == tid)
            hd_history_judge_chain(h, th->touched.at[i]);
    }
    hd_vec_release(&th->touched);
}

void hd_history_end(struct hd_history *h)
{
    for (u32 i = 1; i < h->chain.n; i++)
        if (h->chain.at[i].generation)
            hd_history_judge_chain(h, i);
    hd_vec_clear(&h->open);
}

void hd_history_gap(struct hd_history *h)
{
    h->gaps++;
    for (size_t i = 0; i < h->open.n; i++)
        if (h->chain.at[h->open.at[i]].generation)
            hd_history_judge_chain(h, h->open.at[i]);
    hd_vec_clear(&h->open);
}

void hd_history_forget(struct hd_history *h)
{
    hd_history_end(h);
    clear(h);
}

/* ---- pasts -------------------------------------------------------------------- */

static struct hd_history_object *object(struct hd_history *h, u32 obj)
{
    if (HD_UNLIKELY(obj >= h->cap_objects))
        h->object = hd_vec_room_zeroed(h->object, &h->cap_objects, obj, sizeof *h->object);
    h->n_objects = HD_MAX(h->n_objects, obj + 1);
    struct hd_history_object *x = &h->object[obj];
    if (HD_UNLIKELY(x->generation != h->feed->object[obj].generation)) {
        retire(h, obj);
        x->generation = h->feed->object[obj].generation;
    }
    return x;
}

/* What is no longer this thread's leaves a full list. Half of the room is free after that look
 * at all of it, else each new one would cost one. */
static void remember(struct hd_history *h, u32 tid, u32 chain)
{
    struct hd_history_thread *th = hd_history_thread(h, tid);
    if (th->touched.n == th->touched.cap && th->touched.n) {
        size_t n = 0;
        for (size_t i = 0; i < th->touched.n; i++) {
            const struct hd_access_chain *p = &h->chain.at[th->touched.at[i]];
            if (p->generation && p->tid == tid && th->touched.at[i] != chain)
                th->touched.at[n++] = th->touched.at[i];
        }
        th->touched.n = n;
        hd_vec_reserve(&th->touched, 2 * n);
    }
    *hd_vec_add(&th->touched) = chain;
}

static u32 new_chain(struct hd_history *h, u32 obj, u16 tid)
{
    if (h->object[obj].n == 1)
        hd_history_warm(h, h->object[obj].first);
    u32 id = h->free_chain ? h->free_chain : (u32)h->chain.n;
    if (id < h->chain.n)
        h->free_chain = h->chain.at[id].next;
    else
        hd_vec_add(&h->chain);
    struct hd_history_object *x = &h->object[obj];
    h->chain.at[id] = (struct hd_access_chain){
        .generation = (u32)x->generation, .next = x->first, .tid = tid};
    x->first = id;
    x->n++;
    remember(h, tid, id);
    return id;
}

static u32 chain_of(struct hd_history *h, u32 obj, u16 tid)
{
    struct hd_history_object *x = object(h, obj);
    if (HD_LIKELY(x->first && h->chain.at[x->first].tid == tid))
        return x->first;
    for (u32 i = x->first, before = 0; i; before = i, i = h->chain.at[i].next) {
        if (h->chain.at[i].tid != tid)
            continue;
        h->chain.at[before].next = h->chain.at[i].next;
        h->chain.at[i].next = x->first;
        return x->first = i;
    }
    return new_chain(h, obj, tid);
}

/* ---- accesses ----------------------------------------------------------------- */

static const u8 access_of[HD_DOES_COUNT] = {
    [HD_DOES_READ] = HD_ACC_READ,   [HD_DOES_WRITE] = HD_ACC_WRITE, [HD_DOES_RMW] = HD_ACC_UPDATE,
    [HD_DOES_ACQ] = HD_ACC_ACQ,     [HD_DOES_REL] = HD_ACC_REL,     [HD_DOES_WOKEN] = HD_ACC_WOKEN,
    [HD_DOES_WAKE] = HD_ACC_WAKE,
};

static u32 since(struct hd_history_thread *ht, const struct hd_must_thread *th)
{
    if (HD_LIKELY(ht->since.n && ht->since_changed == th->locks_seen))
        return ht->since_at;
    ht->since_at = (u32)ht->since.n;
    ht->since_changed = th->locks_seen;
    *hd_vec_add(&ht->since) = th->lockset;
    for (size_t i = 0; i < th->held.n; i++)
        *hd_vec_add(&ht->since) = th->held.at[i].from;
    return ht->since_at;
}

static void add_to_trail(struct hd_history *h, u16 tid, struct hd_trail_entry e)
{
    *hd_vec_add(&hd_history_thread(h, tid)->trail) = e;
    h->n_trail++;
}

/* What it does as far as that is known at once. */
static struct hd_does does_now(const struct hd_history *h, const struct hd_seen *s, const struct hd_access_chain *p)
{
    const struct hd_must_thread *th = &h->order->thread[s->tid];
    u8 kind = access_of[s->what];
    bool is_lock = kind == HD_ACC_ACQ || kind == HD_ACC_REL;
    return (struct hd_does){
        .site = s->site,
        .lockset = th->lockset,
        .first_any = hd_must_taken_since(th, p->any_time),
        .first_write = hd_must_taken_since(th, p->write_time),
        .last_any = UINT32_MAX,
        .last_write = UINT32_MAX,
        .extra = is_lock ? p->acq_site : 0,
        .tid = s->tid,
        .kind = kind,
        .is_shared = is_lock && s->flag}; /* atomic or not is all the same */
}

/* The access waits to be judged. */
static void enter(struct hd_history *h, const struct hd_seen *s, u32 obj, const struct hd_does *does,
                  struct hd_instance at, bool is_cold)
{
    u32 chain = h->object[obj].first, clock = hd_must_clock(h->order, s->tid);
    struct hd_unjudged *x = hd_history_pend(h, chain, hd_access_list(does->kind), is_cold);
    const struct hd_access_chain *p = &h->chain.at[chain];
    x->does = *does;
    x->node = (struct hd_access_node){
        .generation = p->generation,
        .epoch = *hd_must_epoch(h->order, s->tid),
        .clock = clock,
        .next_any = HD_EPOCH_NEVER,
        .next_write = HD_EPOCH_NEVER,
        .prev_any = hd_must_clock_then(h->order, s->tid, p->any_time, p->any_clock),
        .prev_write = hd_must_clock_then(h->order, s->tid, p->write_time, p->write_clock),
        .object = obj,
        .chain = chain,
        .stretch = h->gaps & INT32_MAX,
        .first = at,
        .addr = s->ev->obj};
    if (h->has_edges && !is_cold) {
        struct hd_history_thread *ht = hd_history_thread(h, s->tid);
        add_to_trail(h, s->tid, (struct hd_trail_entry){0, at.time, since(ht, &h->order->thread[s->tid])});
        x->trail = (u32)ht->trail.n;
    }
}

static void access(struct hd_history *h, const struct hd_seen *s, u32 obj, struct hd_instance at)
{
    bool is_write = hd_access_list(access_of[s->what]) == HD_WRITERS;
    u32 chain = chain_of(h, obj, s->tid), clock = hd_must_clock(h->order, s->tid);
    u32 epoch = *hd_must_epoch(h->order, s->tid);
    hd_history_settle(h, chain, epoch, is_write);
    struct hd_does does = does_now(h, s, &h->chain.at[chain]);
    bool is_repeat = h->gaps && hd_history_is_repeat(h, chain, &does, epoch, clock, at.time);
    bool is_shared = h->object[obj].n > 1;
    if (is_repeat && h->has_edges)
        add_to_trail(h, s->tid, (struct hd_trail_entry){HD_TRAIL_REPEAT, at.time, chain});
    if (!is_repeat || !is_shared)
        enter(h, s, obj, &does, at, is_repeat);
    struct hd_access_chain *p = &h->chain.at[chain];
    p->any_time = at.time;
    p->any_clock = clock;
    if (is_write) {
        p->write_time = at.time;
        p->write_clock = clock;
    }
    if (does.kind == HD_ACC_ACQ)
        p->acq_site = s->site;
}

/* A wait begins: it is no access, but wakes before it do not count. */
static void wait(struct hd_history *h, const struct hd_seen *s)
{
    u32 clock = hd_must_clock(h->order, s->tid), chain = chain_of(h, s->part[0].obj, s->tid);
    struct hd_access_chain *p = &h->chain.at[chain];
    p->any_time = s->time;
    p->any_clock = clock;
}

void hd_history_event(struct hd_history *h, const struct hd_seen *s)
{
    struct hd_history_thread *ht = hd_history_thread(h, s->tid);
    if (s->what == HD_DOES_WAIT) {
        wait(h, s);
        return;
    }
    if (s->is_nested || !s->ev->site /* nobody's own step */ || s->what == HD_DOES_NOTHING ||
        (s->what == HD_DOES_ORDER && s->ev->kind != HD_EV_CREATE &&
         s->ev->kind != HD_EV_EXIT))
        return;
    u32 nth = (u32)++*hd_map_ref(&ht->nth, (u64)s->site << 32 | s->ev->ctx, 0);
    if (s->what != HD_DOES_ORDER) {
        struct hd_instance at = {s->ev->ctx, h->gaps ? 0 : nth, s->time};
        for (u32 i = 0; i < s->n; i++)
            access(h, s, s->part[i].obj, at);
    } else if (s->ev->kind == HD_EV_EXIT) {
        hd_history_end_thread(h, s->tid);
    } else if (s->ev->obj < HD_MAX_THREADS) {
        struct hd_history_thread *child = hd_history_thread(h, (u32)s->ev->obj);
        child->create_site = s->site;
        child->create_nth = nth;
        child->parent = s->tid;
    }
}

/* ---- objects that turn out to be two ------------------------------------------- */
static void copy_pending(struct hd_history *h, u32 from, u32 to, u32 obj)
{
    for (u32 k = 0; k < 2; k++) {
        u32 had = h->chain.at[from].pending[k];
        if (!had)
            continue;
        struct hd_unjudged *x = hd_history_pend(h, to, k, h->pending.at[had].is_cold);
        *x = h->pending.at[had];
        x->trail = 0;
        x->node.generation = h->chain.at[to].generation;
        x->node.object = obj;
        x->node.chain = to;
    }
}

static void copy_chain(struct hd_history *h, u32 from, u32 obj)
{
    u32 to = new_chain(h, obj, h->chain.at[from].tid), list[64];
    struct hd_access_chain had = h->chain.at[to];
    h->chain.at[to] = h->chain.at[from];
    struct hd_access_chain *p = &h->chain.at[to];
    p->generation = had.generation;
    p->next = had.next;
    for (u32 k = 0; k < 2; k++)
        p->head[k] = p->pending[k] = p->n[k] = 0;
    copy_pending(h, from, to, obj);
    for (u32 k = 0; k < 2; k++) {
        u32 n = 0;
        for (u32 i = h->chain.at[from].head[k]; i && n < HD_COUNT(list); i = h->link.at[i].older)
            if (h->link.at[i].epoch)
                list[n++] = i;
        while (n) {
            struct hd_access_node copy = h->node.at[list[--n]];
            copy.generation = had.generation;
            copy.is_copy = true;
            copy.object = obj;
            copy.chain = to;
            /* only met from now on */
            u32 id = hd_history_add(h, &copy, h->link.at[list[n]].access_class);
            h->link.at[id].older = h->chain.at[to].head[k];
            h->chain.at[to].head[k] = id;
            h->chain.at[to].n[k]++;
            h->object[obj].n_nodes++;
        }
    }
}

void hd_history_split(struct hd_history *h, u32 from, u32 to)
{
    if (from >= h->n_objects || h->object[from].generation != h->feed->object[from].generation)
        return;
    object(h, to);
    for (u32 i = h->object[from].first; i; i = h->chain.at[i].next)
        copy_chain(h, i, to);
}
