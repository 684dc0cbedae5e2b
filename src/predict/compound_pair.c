/* compound_pair.c: local pairs: two accesses [a, b] of one thread within the
 * window, between which it touches neither location (Maple, 3.6.1).
 *
 * So a is the latest access to its location, and b's location was last touched
 * before: going back from b over locations, most recent first, until b's own,
 * meets exactly the pairs. Locations are kept in a ring in that order.
 *
 * Deviation: a loop meets the same pairs in every round, and a large program
 * more than anybody could test. Nearest pairs are read first (locations touched
 * in between), and of accesses of one access_class only some.
 */
#include "predict/predict.h"

#include <string.h>

enum {
    NEW = 4,          /* pairs of two access_class that count as new */
    ENOUGH = 16,      /* pairs of two access_class, more at higher levels; beyond, see
                         hd_is_sampled */
    ENTRIES = 4,      /* locations per access, on average at most */
    PAIRS = 1u << 15, /* farther pairs are read only if there are fewer near ones */
    MET_BITS = 15,
    BACKOFF = 4, /* walks left out: at most 2^BACKOFF - 1 in a row */
};

/* May be the first / the second event of a dependency. */
enum { SOURCE = 1, SINK = 2 };

static const struct hd_access_node *node(const struct hd_predict *p, u32 id)
{
    return &p->history.node.at[id];
}

static const struct hd_does *does(const struct hd_predict *p, u32 id)
{
    return hd_history_does(&p->history, id);
}

static u32 roles(const struct hd_predict *p, const struct hd_access_node *n, bool is_last)
{
    const struct hd_history_object *x = &p->history.object[n->object];
    bool may_change = !is_last && (u32)x->generation == n->generation && x->n > 1;
    const struct hd_access_more *more = &p->history.more.at[n->more];
    return (more->n_succ || may_change ? SOURCE : 0) | (more->n_pred || may_change ? SINK : 0);
}

static void leave_ring(struct hd_recent *r, u32 i)
{
    r[r[i].prev].next = r[i].next;
    r[r[i].next].prev = r[i].prev;
}

static void enter_ring(struct hd_recent *r, u32 i)
{
    r[i].prev = 0;
    r[i].next = r[0].next;
    r[r[0].next].prev = i;
    r[0].next = i;
}

/* What was there of the location is no longer the latest: it is in no ring. */
static void touch(struct hd_compound *c, u32 chain)
{
    struct hd_recent *r = &c->recent[chain];
    if (r->stamp == c->stamp && r->next != chain)
        leave_ring(c->recent, chain);
    r->stamp = c->stamp;
    r->next = r->prev = chain;
}

/* Locks held at b that the thread has held since `time`. */
static u32 kept_since(const struct hd_predict *p, const u32 *since, u32 time)
{
    u32 n = p->order.locksets.set.at[since[0]].n, bits = 0;
    for (u32 i = 0; i < n; i++)
        bits |= (u32)(since[1 + i] <= time) << i;
    return bits;
}

/* Value of a pair: distance << 32 | locks kept; of several instances, the
 * nearest and freest. */
static void add_pair(struct hd_map *m, u32 a, u32 b, u32 kept, u32 distance)
{
    u64 *value = hd_map_ref(m, (u64)a << 32 | b, (u64)distance << 32 | kept);
    distance = HD_MIN(distance, (u32)(*value >> 32));
    *value = (u64)distance << 32 | ((u32)*value & kept);
}

/* Enough pairs of these access_class at this nearness? Then only some more. */
static bool is_wanted(struct hd_predict *p, u32 a, u32 b, u32 time, bool *is_new)
{
    bool is_one = node(p, a)->generation == node(p, b)->generation;
    const struct hd_access_link *link = p->history.link.at;
    u64 key = (u64)link[a].access_class << 32 | link[b].access_class << 1 | is_one;
    struct hd_met *m = &p->compound.met[key * 0x9e3779b97f4a7c15ull >> (64 - MET_BITS)];
    if (m->access_class != key || m->stamp != p->compound.met_stamp)
        *m = (struct hd_met){.access_class = key, .stamp = p->compound.met_stamp};
    u32 n = m->n++;
    *is_new |= n < NEW;
    return n < (u32)ENOUGH << 3 * p->compound.level || hd_is_sampled(time);
}

/* Goes back from b and writes the pairs down. False: it met nothing new. */
static bool walk(struct hd_predict *p, u32 b, u32 time, u32 own, const u32 *since)
{
    const struct hd_recent *r = p->compound.recent;
    bool is_new = false;
    u32 n = 0, at = time, left = p->count.reach * ENTRIES;
    for (u32 i = r[0].next; i && left-- && time - r[i].time < p->cfg.window; i = r[i].next) {
        bool is_own = i == own && r[i].generation == node(p, b)->generation;
        if (r[i].time != at) { /* parts of one access are one step */
            at = r[i].time;
            if (++n > p->count.reach && !is_own)
                break;
        }
        if (r[i].time != time && is_wanted(p, r[i].node, b, time, &is_new))
            add_pair(&p->compound.pair, r[i].node, b, kept_since(p, since, r[i].time),
                     is_own ? 0 : n);
        if (is_own)
            break;
    }
    return is_new;
}

/* A access_class whose walks bring nothing new walks less and less often. */
static bool is_due(struct hd_access_class *s)
{
    if (s->skip) {
        s->skip--;
        return false;
    }
    return true;
}

static void nest(struct hd_predict *p, struct hd_map *taken, u32 b, u32 time)
{
    const struct hd_lockset *s = &p->order.locksets.set.at[does(p, b)->lockset];
    for (u32 i = 0; i < s->n; i++) {
        const u64 *a = hd_map_get(taken, p->order.locksets.member.at[s->at + i].lock);
        if (a && time - (u32)*a < p->cfg.window)
            add_pair(&p->compound.nest, (u32)(*a >> 32), b, 0, 0);
    }
    hd_map_put(taken, node(p, b)->generation, (u64)b << 32 | time);
}

/* A location that cannot take part leaves the ring all the same: it was touched. */
static void read_entry(struct hd_predict *p, const struct hd_trail_entry *e, const u32 *since,
                       bool is_last)
{
    struct hd_compound *c = &p->compound;
    struct hd_access_node *b = &p->history.node.at[e->node];
    struct hd_recent *r = &c->recent[b->chain];
    bool want_6 = HD_PREDICT_HAS(p, 6);
    u32 role = roles(p, b, is_last);
    struct hd_access_class *s = &p->history.access_class.at[p->history.link.at[e->node].access_class];
    if ((role & SINK || (want_6 && role)) && is_due(s)) {
        bool is_new = walk(p, e->node, e->time, b->chain, since);
        s->level = is_new ? 0 : HD_MIN(s->level + 1, (u32)BACKOFF >> p->compound.level);
        s->skip = (1u << s->level) - 1;
    }
    touch(c, b->chain);
    if (role & SOURCE || (want_6 && role)) {
        r->generation = b->generation;
        r->node = e->node;
        r->time = e->time;
        enter_ring(c->recent, b->chain);
    }
}

static void read_trail(struct hd_predict *p, u32 tid, bool is_last)
{
    struct hd_compound *c = &p->compound;
    const struct hd_history_thread *t = &p->history.thread[tid];
    struct hd_map taken = {0};
    c->stamp++;
    c->recent[0] = (struct hd_recent){0};
    for (size_t i = 0; i < t->trail.n; i++) {
        const struct hd_trail_entry *e = &t->trail.at[i];
        if (!e->node)
            continue;
        if (e->node == HD_TRAIL_REPEAT) {
            touch(c, e->since);
            continue;
        }
        if (does(p, e->node)->kind == HD_ACC_ACQ && !does(p, e->node)->is_shared &&
            HD_PREDICT_HAS(p, 5))
            nest(p, &taken, e->node, e->time);
        read_entry(p, e, t->since.at + e->since, is_last);
    }
    hd_map_release(&taken);
}

static void read_trails(struct hd_predict *p, u32 reach, bool is_last)
{
    p->count.reach = reach;
    for (size_t i = 1; i < p->history.access_class.n; i++)
        p->history.access_class.at[i] = (struct hd_access_class){.does = p->history.access_class.at[i].does};
    p->compound.met_stamp++;
    for (u32 t = 0; t < p->history.n_threads; t++)
        read_trail(p, t, is_last);
}

void hd_compound_read(struct hd_predict *p, bool is_last)
{
    struct hd_compound *c = &p->compound;
    u32 n = (u32)p->history.chain.n;
    if (n > c->cap_recent) {
        c->recent = realloc(c->recent, n * sizeof *c->recent);
        HD_ASSERT(c->recent);
        memset(c->recent + c->cap_recent, 0, (n - c->cap_recent) * sizeof *c->recent);
        c->cap_recent = n;
    }
    if (!c->met)
        c->met = calloc((size_t)1 << MET_BITS, sizeof *c->met);
    HD_ASSERT(c->met);
    /* Near pairs first; farther ones only if there is room for them. */
    u32 reach = 0;
    while (reach < p->cfg.reach && c->pair.n < PAIRS) {
        reach = HD_MIN(reach ? reach * 4 : 2, p->cfg.reach);
        read_trails(p, reach, is_last);
    }
}
