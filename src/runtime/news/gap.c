/* gap.c: see gap.h. */
#include "runtime/news/gap.h"

#include "event/effect.h"

/* ---- what is kept ------------------------------------------------------------------------- */

/* The last entry of the lock, by its holder or by anybody (HD_NO_THREAD); n_held: none. */
static u32 find_held(const struct hd_gap *g, u64 obj, u16 tid)
{
    for (u32 i = g->n_held; i--;)
        if (g->held[i].obj == obj && (tid == HD_NO_THREAD || g->held[i].tid == tid))
            return i;
    return g->n_held;
}

static void remove_held(struct hd_gap *g, u32 at)
{
    g->n_held--;
    for (; at < g->n_held; at++)
        g->held[at] = g->held[at + 1];
}

void hd_gap_follow(struct hd_gap *g, const struct hd_event *ev)
{
    u32 effects = hd_effects(ev), at;
    enum hd_space space = hd_space_of(ev->kind);
    if (space != HD_SPACE_MUTEX && space != HD_SPACE_RWLOCK)
        return;
    if (effects & HD_TAKES && g->n_held < HD_GAP_HELD)
        g->held[g->n_held++] = *ev;
    else if (effects & HD_GIVES && (at = find_held(g, ev->obj, ev->tid)) < g->n_held)
        remove_held(g, at);
    while (effects & (HD_BEGINS | HD_ENDS) && (at = find_held(g, ev->obj, HD_NO_THREAD)) < g->n_held)
        remove_held(g, at);
}

static void note_freed(struct hd_gap *g, u64 addr, u32 size)
{
    u32 at = (u32)(addr * 0x9e3779b97f4a7c15ull >> 40) & (HD_GAP_FREED - 1);
    for (; g->freed[at].addr && g->freed[at].addr != addr; at = (at + 1) & (HD_GAP_FREED - 1))
        ;
    g->n_freed += !g->freed[at].addr;
    g->freed[at].addr = addr;
    g->freed[at].size = size > g->freed[at].size ? size : g->freed[at].size;
}

static bool is_too_much(const struct hd_gap *g) { return g->n_freed >= HD_GAP_FREED / 2; }

void hd_gap_leave_out(struct hd_gap *g, const struct hd_event *ev)
{
    g->left_out++;
    g->step = ev->step;
    if (HD_LIKELY(ev->kind <= HD_EV_WRITE)) /* a plain access: nothing to know of it */
        return;
    u32 effects = hd_effects(ev), t = ev->tid % HD_MAX_THREADS;
    enum hd_space space = hd_space_of(ev->kind);
    if (space == HD_SPACE_THREAD || ev->kind == HD_EV_BENIGN) {
        if (g->n_kept < HD_GAP_KEPT)
            g->kept[g->n_kept++] = *ev;
        return;
    }
    hd_gap_follow(g, ev);
    if (ev->kind == HD_EV_FREE && !is_too_much(g) && ev->obj)
        note_freed(g, ev->obj, ev->arg);
    if (space == HD_SPACE_MUTEX || space == HD_SPACE_RWLOCK || space == HD_SPACE_MEMORY ||
        space == HD_SPACE_FENCE)
        return; /* locks and atomics alone order nothing for the predictor */
    if (effects & HD_RELEASES)
        hd_bit_set(g->releases, t);
    if (effects & HD_ACQUIRES)
        hd_bit_set(g->acquires, t);
}

/* ---- reporting it ------------------------------------------------------------------------- */

static void report_freed(struct hd_gap *g, void (*put)(const struct hd_event *ev), bool is_reported)
{
    for (u32 i = 0; g->n_freed && i < HD_GAP_FREED; i++) {
        if (!g->freed[i].addr)
            continue;
        struct hd_event ev = {.step = g->step, .kind = HD_EV_FREE, .obj = g->freed[i].addr,
                              .arg = g->freed[i].size};
        g->freed[i].addr = g->freed[i].size = 0;
        if (is_reported)
            put(&ev);
    }
    g->n_freed = 0;
}

static void report_order(struct hd_gap *g, void (*put)(const struct hd_event *ev))
{
    struct hd_event ev = {.step = g->step, .kind = HD_EV_HB_RELEASE, .obj = (u64)g};
    HD_BITS_EACH(t, g->releases, HD_BITS_WORDS(HD_MAX_THREADS)) {
        ev.tid = (u16)t;
        put(&ev);
    }
    ev.kind = HD_EV_HB_ACQUIRE;
    HD_BITS_EACH(t, g->acquires, HD_BITS_WORDS(HD_MAX_THREADS)) {
        ev.tid = (u16)t;
        put(&ev);
    }
    for (u32 i = 0; i < HD_BITS_WORDS(HD_MAX_THREADS); i++)
        g->releases[i] = g->acquires[i] = 0;
}

void hd_gap_report(struct hd_gap *g, void (*put)(const struct hd_event *ev))
{
    if (!g->left_out)
        return;
    struct hd_event gap = {.step = g->step, .kind = HD_EV_GAP, .obj = g->left_out,
                           .arg = is_too_much(g)};
    g->left_out = 0;
    put(&gap);
    for (u32 i = 0; i < g->n_kept; i++)
        put(&g->kept[i]);
    g->n_kept = 0;
    report_freed(g, put, !gap.arg);
    report_order(g, put);
    for (u32 i = 0; i < g->n_held; i++)
        put(&g->held[i]);
}

void hd_gap_check(struct hd_gap *g)
{
    g->n_held = g->n_held < HD_GAP_HELD ? g->n_held : HD_GAP_HELD;
    g->n_kept = g->n_kept < HD_GAP_KEPT ? g->n_kept : HD_GAP_KEPT;
}
