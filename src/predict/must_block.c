/* must_block.c: heap blocks come into being. Until the thread that allocated a
 * block has written anywhere else, or released, posted, created anything, nobody
 * else can have the block's address: what it did to the block by then comes
 * before whatever others do to it.
 *
 *   T1  p = alloc  p->x = 1  | g = p        p->y = 2
 *   T2                                 g->x    g->y      x is ordered, y is not
 *
 * A block is *private* until then. Several private blocks of a thread may point
 * at each other; they cease to be private together.
 */
#include "predict/must.h"

enum { PAGE = 10, MANY_PAGES = 64 };

struct hd_block {
    u64 start, size; /* size 0: free */
    u32 epoch;       /* of its thread, when it ceased to be private; 0 = nothing to know */
    u32 clock;
    u32 next_free;
    u16 tid;
    bool is_private, is_touched;
};

/* Blocks by the pages they lie in. */
struct link {
    u32 block, next; /* 0 = end */
};

struct hd_blocks {
    HD_VEC(struct hd_block) block; /* [0] unused */
    HD_VEC(struct link) link;      /* [0] unused */
    u32 free_block, free_link;
    HD_VEC(u32) large;             /* of more than MANY_PAGES pages */
    HD_VEC(u32) published;         /* since the last hd_must_block_forget */
    struct hd_map page;            /* number -> first link */
};

static struct hd_blocks *blocks(struct hd_must *o)
{
    if (!o->blocks) {
        o->blocks = calloc(1, sizeof *o->blocks);
        HD_ASSERT(o->blocks);
        hd_must_block_clear(o);
    }
    return o->blocks;
}

void hd_must_block_clear(struct hd_must *o)
{
    struct hd_blocks *b = o->blocks;
    for (u32 t = 0; t < o->cap_threads; t++)
        hd_vec_clear(&o->thread[t].private);
    if (!b)
        return;
    hd_vec_clear(&b->block);
    hd_vec_clear(&b->link);
    *hd_vec_add(&b->block) = (struct hd_block){0};
    *hd_vec_add(&b->link) = (struct link){0};
    b->free_block = b->free_link = 0;
    hd_vec_clear(&b->large);
    hd_vec_clear(&b->published);
    hd_map_clear(&b->page);
}

void hd_must_block_release(struct hd_must *o)
{
    struct hd_blocks *b = o->blocks;
    for (u32 t = 0; t < o->cap_threads; t++)
        hd_vec_release(&o->thread[t].private);
    if (!b)
        return;
    hd_vec_release(&b->block);
    hd_vec_release(&b->link);
    hd_vec_release(&b->large);
    hd_vec_release(&b->published);
    hd_map_release(&b->page);
    free(b);
    o->blocks = NULL;
}

/* Only those that were published since the last time have a clock. */
void hd_must_block_forget(struct hd_must *o)
{
    struct hd_blocks *b = o->blocks;
    if (!b)
        return;
    for (size_t i = 0; i < b->published.n; i++)
        b->block.at[b->published.at[i]].clock = 0;
    hd_vec_clear(&b->published);
}

/* ---- which block ------------------------------------------------------------------ */

static bool holds(const struct hd_blocks *b, u32 id, u64 addr)
{
    return addr - b->block.at[id].start < b->block.at[id].size;
}

static u32 find(const struct hd_blocks *b, u64 addr)
{
    for (u64 i = hd_map_get_or(&b->page, addr >> PAGE, 0); i; i = b->link.at[i].next)
        if (holds(b, b->link.at[i].block, addr))
            return b->link.at[i].block;
    for (size_t i = 0; i < b->large.n; i++)
        if (holds(b, b->large.at[i], addr))
            return b->large.at[i];
    return 0;
}

static bool is_large(const struct hd_block *x)
{
    return (x->start + x->size - 1) >> PAGE >= (x->start >> PAGE) + MANY_PAGES;
}

static void enter(struct hd_blocks *b, u32 id)
{
    const struct hd_block *x = &b->block.at[id];
    if (is_large(x)) {
        *hd_vec_add(&b->large) = id;
        return;
    }
    for (u64 page = x->start >> PAGE; page <= (x->start + x->size - 1) >> PAGE; page++) {
        u32 at = b->free_link;
        if (at)
            b->free_link = b->link.at[at].next;
        else {
            at = (u32)b->link.n;
            hd_vec_add(&b->link);
        }
        u64 *first = hd_map_ref(&b->page, page, 0);
        b->link.at[at] = (struct link){id, (u32)*first};
        *first = at;
    }
}

static void leave_page(struct hd_blocks *b, u32 id, u64 page)
{
    u64 *first = hd_map_ref(&b->page, page, 0);
    for (u32 i = (u32)*first, before = 0; i; before = i, i = b->link.at[i].next) {
        if (b->link.at[i].block != id)
            continue;
        if (before)
            b->link.at[before].next = b->link.at[i].next;
        else
            *first = b->link.at[i].next;
        b->link.at[i].next = b->free_link;
        b->free_link = i;
        break;
    }
    if (!*first)
        hd_map_del(&b->page, page);
}

static void leave(struct hd_blocks *b, u32 id)
{
    const struct hd_block *x = &b->block.at[id];
    if (is_large(x)) {
        for (size_t i = b->large.n; i--;)
            if (b->large.at[i] == id)
                hd_vec_del_fast(&b->large, i);
        return;
    }
    for (u64 page = x->start >> PAGE; page <= (x->start + x->size - 1) >> PAGE; page++)
        leave_page(b, id, page);
}

/* ---- lifecycle ---------------------------------------------------------------------- */

static void end_private(struct hd_must *o, u16 tid, u32 id)
{
    struct hd_must_thread *th = &o->thread[tid];
    for (size_t i = 0; i < th->private.n; i++) {
        if (th->private.at[i] == id) {
            hd_vec_del_fast(&th->private, i);
            return;
        }
    }
}

static void discard(struct hd_must *o, u32 id)
{
    struct hd_blocks *b = o->blocks;
    struct hd_block *x = &b->block.at[id];
    if (x->is_private)
        end_private(o, x->tid, id);
    leave(b, id);
    *x = (struct hd_block){.next_free = b->free_block};
    b->free_block = id;
}

static void allocated(struct hd_must *o, u16 tid, u64 addr, u64 size)
{
    struct hd_blocks *b = blocks(o);
    u32 id = find(b, addr);
    if (!size)
        return;
    if (id && b->block.at[id].start == addr) { /* grown or shrunk where it was */
        leave(b, id);
        b->block.at[id].size = size;
        enter(b, id);
        return;
    }
    if (id)
        discard(o, id);
    id = b->free_block;
    if (id)
        b->free_block = b->block.at[id].next_free;
    else {
        id = (u32)b->block.n;
        hd_vec_add(&b->block);
    }
    b->block.at[id] = (struct hd_block){.start = addr, .size = size, .tid = tid,
                                        .is_private = true};
    enter(b, id);
    *hd_vec_add(&o->thread[tid].private) = id;
}

/* Everything of this thread's can be known to others from now on. */
static void publish(struct hd_must *o, u16 tid)
{
    u32 clock = hd_must_clock(o, tid); /* may move the threads */
    struct hd_must_thread *th = &o->thread[tid];
    bool is_touched = false;
    for (size_t i = 0; i < th->private.n; i++) {
        struct hd_block *x = &o->blocks->block.at[th->private.at[i]];
        x->is_private = false;
        x->clock = clock;
        *hd_vec_add(&o->blocks->published) = th->private.at[i];
        x->epoch = x->is_touched ? *hd_must_epoch(o, tid) : 0;
        is_touched |= x->is_touched;
    }
    hd_vec_clear(&th->private);
    *hd_must_epoch(o, tid) += is_touched;
}

/* ---- events --------------------------------------------------------------------------- */

/* Another thread has the address without anything seen that could have told it. */
static void lose(struct hd_must *o, u32 id)
{
    struct hd_block *x = &o->blocks->block.at[id];
    end_private(o, x->tid, id);
    x->is_private = false;
}

static void touch(struct hd_must *o, const struct hd_seen *s, u32 id)
{
    struct hd_block *x = &o->blocks->block.at[id];
    if (x->tid == s->tid) {
        x->is_touched = true;
    } else if (x->is_private) {
        lose(o, id);
    } else if (x->epoch > hd_vclock_at(hd_must_known(o, s->tid), x->tid)) {
        hd_must_learn_clock(o, s->tid, x->clock, x->tid, x->epoch);
    }
}

void hd_must_block_before(struct hd_must *o, const struct hd_seen *s)
{
    const struct hd_event *ev = s->ev;
    if (ev->kind == HD_EV_ALLOC) {
        allocated(o, s->tid, ev->obj, ev->arg);
        return;
    }
    if (!o->blocks)
        return;
    u32 id;
    if (HD_WANTS_MEMORY >> s->what & 1) {
        id = find(o->blocks, ev->obj);
        bool is_own = id && o->blocks->block.at[id].is_private &&
                      o->blocks->block.at[id].tid == s->tid;
        if (id)
            touch(o, s, id);
        if (is_own || s->what == HD_DOES_READ)
            return;
    } else if (ev->kind == HD_EV_FREE) {
        while ((id = find(o->blocks, ev->obj)))
            discard(o, id);
        return;
    } else if (s->what == HD_DOES_NOTHING && ev->kind != HD_EV_IO && ev->kind != HD_EV_KILL) {
        return;
    } else if (s->what == HD_DOES_ACQ || s->what == HD_DOES_WOKEN) {
        return;
    }
    if (o->thread[s->tid].private.n)
        publish(o, s->tid);
}
