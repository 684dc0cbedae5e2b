/* compound.c: idioms 2-6 from local pairs and idiom 1's edges, when the run is
 * over (Maple, OOPSLA 2012, 3.6.2). [a, b] a local pair, a -> s and q -> b, s and
 * q of one other thread:
 *
 *   one location    s == q: 2    s before q: 3
 *   two             s before q: 4, unless a lock kept from a to b is held at s or q
 *                   [q, s] a local pair: 5, unless a lock is kept in both pairs
 *                   a -> s, b -> d and [s, d] a local pair: 6
 *
 * Nearest pairs first, because there can be too many (cfg.budget). Idiom 5 also
 * as a deadlock: [a, b] takes b's lock with a's held, [q, s] the other way round,
 * at a time, with no lock in common that keeps them apart.
 */
#include "predict/predict.h"

#include "base/stop.h"

enum {
    ENDS = 64, /* edges of one access that are tried */
    SAME = 2,  /* of these, to accesses of one access_class; more at higher levels */
    LEVELS = 3,
    SMALL = 1u << 16, /* accesses of a run that is worth a second look */
    LARGE = 4096,     /* entries of tables that are not kept for the next run */
};

static const struct hd_access_node *node(const struct hd_predict *p, u32 id)
{
    return &p->history.node.at[id];
}

static const struct hd_does *does(const struct hd_predict *p, u32 id)
{
    return hd_history_does(&p->history, id);
}

void hd_compound_clear(struct hd_predict *p)
{
    hd_map_clear(&p->compound.pair);
    hd_map_clear(&p->compound.nest);
}

void hd_compound_rest(struct hd_predict *p)
{
    struct hd_compound *c = &p->compound;
    if (HD_MAX(c->cap_recent, c->pair.cap + c->nest.cap) <= LARGE)
        return;
    hd_map_release(&c->pair);
    hd_map_release(&c->nest);
    free(c->recent);
    free(c->met); /* its entries are those of one run */
    c->recent = NULL;
    c->met = NULL;
    c->cap_recent = 0;
}

void hd_compound_release(struct hd_predict *p)
{
    hd_map_release(&p->compound.pair);
    hd_map_release(&p->compound.nest);
    free(p->compound.met);
    free(p->compound.recent);
    p->compound = (struct hd_compound){0};
}

/* ---- combinations ---------------------------------------------------------------- */

static struct hd_key key_of(const struct hd_predict *p, u8 sub, const u32 *n)
{
    struct hd_key k = {.metric = HD_METRIC_iroot, .sub = sub, .n = sub == 2 ? 3 : 4};
    for (u32 i = 0; i < k.n; i++)
        k.site[i] = does(p, n[i])->site;
    return k;
}

/* Idiom 5 has two names for one thing: the edge with smaller sites goes first. */
static void crossed(const struct hd_predict *p, u32 n[4])
{
    const u64 *site = p->set.site;
    u64 a = site[does(p, n[0])->site], b = site[does(p, n[2])->site];
    u64 c = site[does(p, n[1])->site], d = site[does(p, n[3])->site];
    if (b < a || (b == a && d < c)) {
        u32 was[2] = {n[0], n[1]};
        n[0] = n[2];
        n[1] = n[3];
        n[2] = was[0];
        n[3] = was[1];
    }
}

static bool is_kept_out(const struct hd_predict *p, u32 b, u32 kept, u32 other)
{
    return hd_lockset_common(&p->order.locksets, does(p, b)->lockset,
                             does(p, other)->lockset).a & kept;
}

static void predict(struct hd_predict *p, u8 sub, const u32 *n)
{
    struct hd_key k = key_of(p, sub, n);
    hd_predict_add(p, &k, n, false);
}

/* a -> s, q -> b; s and q of one thread. */
static void there_and_back(struct hd_predict *p, u32 a, u32 b, u32 kept, u32 s, u32 q)
{
    u32 n[4] = {a, s, q, b}, three[3] = {a, s, b}, n5[4] = {a, s, q, b};
    bool is_one = node(p, a)->generation == node(p, b)->generation;
    bool can_pass = node(p, s)->first.time < hd_history_last(&p->history, node(p, q))->time;
    u8 sub = is_one ? 3 : 4;
    struct hd_key k;
    if (is_one && s == q && HD_PREDICT_HAS(p, 2) && !is_kept_out(p, b, kept, s))
        predict(p, 2, three);
    if (can_pass && HD_PREDICT_HAS(p, sub)) {
        k = key_of(p, sub, n);
        if (hd_predict_is_open(p, &k) && !is_kept_out(p, b, kept, s) &&
            !is_kept_out(p, b, kept, q))
            hd_predict_add(p, &k, n, false);
    }
    if (is_one || !HD_PREDICT_HAS(p, 5))
        return;
    const u64 *back = hd_map_get(&p->compound.pair, (u64)q << 32 | s);
    if (!back)
        return;
    struct hd_common c = hd_lockset_common(&p->order.locksets, does(p, b)->lockset,
                                           does(p, s)->lockset);
    /* the bits of the two sets pair up in order */
    for (u32 x = c.a, y = c.b; x; x &= x - 1, y &= y - 1)
        if ((x & -x & kept) && (y & -y & (u32)*back))
            return;
    crossed(p, n5);
    predict(p, 5, n5);
}

/* Nodes at the far ends of a's edges, a few of each access_class: the others would
 * say the same. */
struct ends {
    u32 n;
    u32 at[ENDS];
};

static void gather(struct hd_predict *p, u32 a, bool is_succ, struct ends *out)
{
    const struct hd_edge *edge = p->history.edge.at;
    u32 stamp = ++p->compound.taken;
    out->n = 0;
    const struct hd_access_more *more = &p->history.more.at[node(p, a)->more];
    for (u32 e = is_succ ? more->succ : more->pred; e && out->n < ENDS;
         e = is_succ ? edge[e].next_succ : edge[e].next_pred) {
        u32 end = is_succ ? edge[e].to : edge[e].from;
        struct hd_access_class *s = &p->history.access_class.at[p->history.link.at[end].access_class];
        if (s->stamp != stamp) {
            s->stamp = stamp;
            s->count = 0;
        }
        if (s->count++ < (u32)SAME << 2 * p->compound.level)
            out->at[out->n++] = end;
    }
}

static void same_way(struct hd_predict *p, u32 a, u32 c, u32 s, u32 d)
{
    u32 n[4] = {a, s, c, d};
    struct hd_key k = key_of(p, 6, n);
    if (hd_predict_is_open(p, &k) && hd_map_has(&p->compound.pair, (u64)s << 32 | d))
        hd_predict_add(p, &k, n, false);
}

static void combine(struct hd_predict *p, u32 a, u32 b, u32 kept)
{
    struct ends after_a, other;
    bool want_back = p->cfg.idioms & (1u << 2 | 1u << 3 | 1u << 4 | 1u << 5);
    bool want_6 = HD_PREDICT_HAS(p, 6) && node(p, a)->generation != node(p, b)->generation;
    gather(p, a, true, &after_a);
    if (!after_a.n)
        return;
    for (u32 way = 0; way < 2; way++) {
        if (way ? !want_6 : !want_back)
            continue;
        gather(p, b, way, &other);
        for (u32 i = 0; i < after_a.n; i++) {
            u16 tid = does(p, after_a.at[i])->tid;
            for (u32 k = 0; k < other.n; k++) {
                if (does(p, other.at[k])->tid != tid)
                    continue;
                p->count.combinations++;
                if (way)
                    same_way(p, a, b, after_a.at[i], other.at[k]);
                else
                    there_and_back(p, a, b, kept, after_a.at[i], other.at[k]);
            }
        }
    }
}

/* ---- deadlocks ------------------------------------------------------------------- */

static bool can_block_each_other(const struct hd_predict *p, u32 b, u32 s)
{
    const struct hd_access_node *x = node(p, b), *y = node(p, s);
    const struct hd_does *i = does(p, b), *j = does(p, s);
    return i->tid != j->tid && !hd_must_knows(&p->order, x->clock, j->tid, y->epoch) &&
           !hd_must_knows(&p->order, y->clock, i->tid, x->epoch) &&
           !hd_lockset_common(&p->order.locksets, i->lockset, j->lockset).a;
}

static void combine_nests(struct hd_predict *p)
{
    HD_VEC(u32) same = {0}; /* a, b, index of the next with the same two locks */
    struct hd_map by_locks = {0};
    u64 key;
    for (size_t i = 0; hd_map_next(&p->compound.nest, &i, &key, NULL);) {
        u32 a = (u32)(key >> 32), b = (u32)key, at = (u32)same.n;
        u32 x = node(p, a)->generation, y = node(p, b)->generation;
        for (u64 k = hd_map_get_or(&by_locks, (u64)y << 32 | x, UINT32_MAX); k != UINT32_MAX;
             k = same.at[k + 2]) {
            HD_ASSERT(k + 2 < same.n);
            u32 n[4] = {a, same.at[k + 1], same.at[k], b};
            if (!can_block_each_other(p, b, n[1]))
                continue;
            crossed(p, n);
            struct hd_key found = key_of(p, 5, n);
            hd_predict_add(p, &found, n, true);
        }
        u64 *first = hd_map_ref(&by_locks, (u64)x << 32 | y, UINT32_MAX);
        hd_vec_reserve(&same, same.n + 3);
        same.at[same.n++] = a;
        same.at[same.n++] = b;
        same.at[same.n++] = (u32)*first;
        *first = at;
    }
    hd_map_release(&by_locks);
    hd_vec_release(&same);
}

/* Pairs by distance: a counting sort into slots of the map. Returns them, the
 * caller frees. */
static u32 *nearest_first(const struct hd_predict *p)
{
    const struct hd_map *m = &p->compound.pair;
    u32 *order = calloc(m->n + 1, sizeof *order);
    u32 *begin = calloc(p->cfg.reach + 2, sizeof *begin);
    u64 key, value;
    HD_ASSERT(order && begin);
    for (size_t i = 0; hd_map_next(m, &i, &key, &value);)
        begin[(value >> 32) + 1]++;
    for (u32 d = 1; d <= p->cfg.reach; d++)
        begin[d] += begin[d - 1];
    for (size_t i = 0; hd_map_next(m, &i, &key, &value);)
        order[begin[value >> 32]++] = (u32)i - 1;
    free(begin);
    return order;
}

static void combine_all(struct hd_predict *p, u64 limit)
{
    const struct hd_map *m = &p->compound.pair;
    u32 *order = nearest_first(p);
    for (size_t i = 0; i < m->n; i++) {
        u32 a = (u32)(m->slot[order[i]].key >> 32), b = (u32)m->slot[order[i]].key;
        if (p->count.combinations > limit || hd_stop_is_due_soon(&p->history.asked)) {
            p->count.capped += m->n - i;
            break;
        }
        combine(p, a, b, (u32)m->slot[order[i]].value);
    }
    free(order);
}

void hd_compound_combine(struct hd_predict *p)
{
    u64 budget = p->cfg.budget / (1 + p->count.in_run_gaps);
    u64 limit = p->count.combinations + budget;
    p->compound.level = 0;
    hd_compound_read(p, true);
    if (HD_PREDICT_HAS(p, 5))
        combine_nests(p);
    combine_all(p, limit);
    /* A small run leaves budget over: look closer. */
    while (p->compound.level + 1 < LEVELS && p->history.n_trail <= SMALL &&
           p->count.combinations < limit - budget / 2 && !hd_stop_is_due()) {
        p->compound.level++;
        hd_compound_read(p, true);
        combine_all(p, limit);
    }
    p->compound.level = 0;
}
