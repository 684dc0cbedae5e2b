/* map_two.c: memory-access patterns over two variables (9-17).
 *
 * All nine are two conflicts between the same two threads in opposite
 * directions, (ax -> bx) on x and (by -> ay) on y, with ax first. The kinds of
 * the two conflicts and the order of the other three steps give the number:
 *
 *   order          x:WW y:WW   x:WR y:RW   x:RW y:WR
 *   ax bx by ay        9          12          14
 *   ax by bx ay       10          13          15
 *   ax by ay bx       11          17          16
 *
 * Bound, where the paper enumerates all quadruples of steps: the last
 * HD_MAPCOV_PAIRS different conflicts of the run (threads, object, sites, kinds) are
 * combined, each remembered by its first and its latest moment. Nothing is shown
 * that did not happen; of what happened only within other moments, some is missed.
 */
#include "observe/map.h"

#include <string.h>

enum { NESTED, CROSSED, LATE, ORDERS };

static const u8 number[3][ORDERS] = {
    [HD_MAPCOV_WW] = {9, 10, 11}, [HD_MAPCOV_WR] = {12, 13, 17}, [HD_MAPCOV_RW] = {14, 15, 16}};

/* Kind on y that goes with a kind on x. */
static const u8 partner[3] = {
    [HD_MAPCOV_WW] = HD_MAPCOV_WW, [HD_MAPCOV_WR] = HD_MAPCOV_RW, [HD_MAPCOV_RW] = HD_MAPCOV_WR};

static u32 list_of(u16 a, u16 b) { return (a * 5u + b) % HD_MAPCOV_LISTS; }

void hd_mapcov_two_begin(struct hd_mapcov_two *m)
{
    m->n = m->next = 0;
    memset(m->list, 0, sizeof m->list);
    memset(m->chain, 0, sizeof m->chain);
}

static void show(struct hd_observing *io, const struct hd_mapcov_pair *x,
                 const struct hd_mapcov_pair *y, u32 order)
{
    struct hd_key k = {.metric = HD_METRIC_map, .sub = number[x->kind][order], .n = 4};
    u64 tag = hd_memo_tag(HD_METRIC_map, k.sub, x->id, y->id);
    if (hd_memo_has(&io->memo, tag))
        return;
    u32 ax = x->site_a, bx = x->site_b, by = y->site_a, ay = y->site_b;
    u32 site[ORDERS][4] = {{ax, bx, by, ay}, {ax, by, bx, ay}, {ax, by, ay, bx}};
    memcpy(k.site, site[order], sizeof k.site);
    hd_observe_add(io, &k);
    hd_memo_put(&io->memo, tag);
}

/* Orders in which x and y, on the two variables, have happened, x first; the
 * one of them that is new ends now. Each is a choice of moments:
 *   NESTED   first ax, first bx, latest by, ay now
 *   CROSSED  first ax, first or latest by, latest bx, ay now
 *   LATE     first ax, latest by, latest ay, bx now */
static u32 orders(const struct hd_mapcov_pair *x, const struct hd_mapcov_pair *y, bool is_y_new)
{
    if (!is_y_new)
        return x->a_first < y->a_last && y->b_last < x->b_last ? 1u << LATE : 0;
    u32 by = y->a_first > x->a_first ? y->a_first : y->a_last, found = 0;
    if (x->b_first < y->a_last)
        found |= 1u << NESTED;
    if (x->a_first < by && by < x->b_last && x->b_last < y->b_last)
        found |= 1u << CROSSED;
    return found;
}

/* The new one has just happened; the old one is between the same threads, the
 * other way. */
static void combine(struct hd_observing *io, const struct hd_mapcov_pair *new,
                    const struct hd_mapcov_pair *old)
{
    if (new->generation == old->generation || new->kind != partner[old->kind])
        return;
    for (u32 is_y_new = 0; is_y_new < 2; is_y_new++) {
        const struct hd_mapcov_pair *x = is_y_new ? old : new, *y = is_y_new ? new : old;
        u32 found = orders(x, y, is_y_new);
        for (u32 i = 0; i < ORDERS; i++)
            if (found >> i & 1)
                show(io, x, y, i);
    }
}

static bool is_same(const struct hd_mapcov_pair *p, const struct hd_mapcov_pair *q)
{
    return p->generation == q->generation && p->site_a == q->site_a && p->site_b == q->site_b &&
           p->kind == q->kind && p->a == q->a && p->b == q->b;
}

static u32 chain_of(const struct hd_mapcov_pair *p)
{
    u64 h = (p->generation ^ (u64)p->site_a << 40 ^ (u64)p->site_b << 20) * 0x9e3779b97f4a7c15ull;
    return (u32)(h >> 32 ^ p->a * 7u ^ p->b * 3u ^ p->kind) % HD_MAPCOV_CHAINS;
}

static void unlist(struct hd_mapcov_two *m, u32 at)
{
    const struct hd_mapcov_pair *p = &m->pair[at];
    *(p->prev ? &m->pair[p->prev - 1].next : &m->list[list_of(p->a, p->b)]) = p->next;
    if (p->next)
        m->pair[p->next - 1].prev = p->prev;
    u8 *link = &m->chain[chain_of(p)];
    while (*link != at + 1)
        link = &m->pair[*link - 1].same;
    *link = p->same;
}

/* Also of a thread that map.c had no room for: T_C must know its site. */
static void note_sites(struct hd_mapcov_sites *sites, const struct hd_mapcov_pair *p, u64 run)
{
    u8 a = p->kind == HD_MAPCOV_RW ? HD_MAPCOV_READS : HD_MAPCOV_WRITES;
    u8 b = p->kind == HD_MAPCOV_WR ? HD_MAPCOV_READS : HD_MAPCOV_WRITES;
    hd_mapcov_sites_does(sites, p->site_a, a);
    hd_mapcov_sites_does(sites, p->site_b, b);
    hd_mapcov_sites_join(sites, p->site_a, p->site_b, p->generation, run + 1);
}

static HD_NOINLINE u32 make_place(struct hd_mapcov_two *m, struct hd_observing *io,
                                  const struct hd_mapcov_pair *p)
{
    u32 at = m->next;
    u8 *list = &m->list[list_of(p->a, p->b)], *chain = &m->chain[chain_of(p)];
    m->next = (m->next + 1) % HD_MAPCOV_PAIRS;
    if (m->n == HD_MAPCOV_PAIRS)
        unlist(m, at);
    else
        m->n++;
    m->pair[at] = *p;
    if (!p->id) {
        note_sites(m->sites, p, io->run);
        m->pair[at].id = hd_mapcov_show_pair(io, p->kind, p->site_a, p->site_b);
    }
    m->pair[at].next = *list;
    m->pair[at].same = *chain;
    if (*list)
        m->pair[*list - 1].prev = (u8)(at + 1);
    *list = *chain = (u8)(at + 1);
    return at;
}

/* One met before keeps its place and its first moment. */
static u32 place(struct hd_mapcov_two *m, struct hd_observing *io, const struct hd_mapcov_pair *p)
{
    for (u32 i = m->chain[chain_of(p)]; i; i = m->pair[i - 1].same) {
        struct hd_mapcov_pair *q = &m->pair[i - 1];
        if (is_same(q, p)) {
            q->a_last = p->a_last;
            q->b_last = p->b_last;
            return i - 1;
        }
    }
    return make_place(m, io, p);
}

void hd_mapcov_two_add(struct hd_mapcov_two *m, struct hd_observing *io, const struct hd_seen *s,
                       u64 generation, u8 kind, u16 tid, u32 now, u32 site, u32 id)
{
    struct hd_mapcov_pair p = {.generation = generation, .id = id,
                               .site_a = site, .site_b = s->site,
                               .a_first = now, .a_last = now, .b_first = s->now, .b_last = s->now,
                               .a = tid, .b = s->tid, .kind = kind};
    u32 at = place(m, io, &p);
    for (u32 i = m->list[list_of(s->tid, tid)]; i; i = m->pair[i - 1].next)
        if (m->pair[i - 1].a == s->tid && m->pair[i - 1].b == tid)
            combine(io, &m->pair[at], &m->pair[i - 1]);
}

/* Of what other threads did, the latest write and the latest touch, if this
 * thread has not been here since. (Every other conflict has been added when its
 * sites first met, by map.c.) A wide access meets another one on many objects,
 * which are one variable: only the first part counts. */
void hd_mapcov_two_event(struct hd_mapcov_two *m, struct hd_observing *io, const struct hd_seen *s)
{
    const struct hd_feed *f = &io->feed;
    const struct hd_feed_object *o = &f->object[s->part[0].obj];
    const struct hd_last *w = &f->last[o->writer], *r = &f->last[o->recent];
    u32 own = hd_last_now(&f->last[s->part[0].own]);
    if (o->recent == s->part[0].own)
        return;
    if (w->w.now > own && s->what != HD_DOES_WRITE)
        hd_mapcov_two_add(m, io, s, o->generation, HD_MAPCOV_WR, w->tid, w->w.now, w->w.site, 0);
    if (s->what == HD_DOES_READ)
        return;
    if (w->w.now > own)
        hd_mapcov_two_add(m, io, s, o->generation, HD_MAPCOV_WW, w->tid, w->w.now, w->w.site, 0);
    if (r->r.now > own)
        hd_mapcov_two_add(m, io, s, o->generation, HD_MAPCOV_RW, r->tid, r->r.now, r->r.site, 0);
}
