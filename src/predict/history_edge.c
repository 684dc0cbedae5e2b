/* history_edge.c: could access b directly follow access a of another thread?
 *
 * Yes if b is not before a in the order; if under every common lock a is the
 * last and b the first access of its critical section; and if, where a is
 * before b, no third access that is ordered between them takes b's place. (The
 * paper does not look for the third access; without it a thread's second read
 * after a join would seem to follow directly on what was joined.)
 */
#include "predict/history.h"

#include "base/stop.h"

enum {
    EQUAL = 4,     /* nodes of one thread that differ only in the order */
    ENOUGH = 64,   /* edges between two access_class; beyond, see hd_is_sampled */
    HISTORY = 256, /* nodes of one thread on one object, that write and others each */
    GC_FIRST = 32,
    EDGES = 512, /* of one node, each way */
};

/* What counts as last, first and between:
 *   RAW     next write of a's thread, any earlier access of b's
 *   WAR     any next access of a's thread, earlier write of b's
 *   WAW     any, any; LOCKS (unlock -> lock) likewise
 *   WAKES   like RAW; the beginning of b's wait counts as an access
 */
enum rule { NONE, RAW, WAR, WAW, LOCKS, WAKES };

static enum rule rule_of(const struct hd_position *a, const struct hd_position *b)
{
    static const u8 rules[HD_ACC_COUNT][HD_ACC_COUNT] = {
        [HD_ACC_WRITE] = {[HD_ACC_READ] = RAW, [HD_ACC_UPDATE] = RAW, [HD_ACC_WRITE] = WAW},
        [HD_ACC_UPDATE] = {[HD_ACC_READ] = RAW, [HD_ACC_UPDATE] = RAW, [HD_ACC_WRITE] = WAW},
        [HD_ACC_READ] = {[HD_ACC_WRITE] = WAR, [HD_ACC_UPDATE] = WAR},
        [HD_ACC_REL] = {[HD_ACC_ACQ] = LOCKS},
        [HD_ACC_WAKE] = {[HD_ACC_WOKEN] = WAKES},
    };
    enum rule r = rules[a->kind][b->kind];
    return r == LOCKS && a->is_shared && b->is_shared ? NONE : r;
}

static bool is_write(u8 kind)
{
    return kind == HD_ACC_WRITE || kind == HD_ACC_UPDATE;
}

/* Does an access c between them make the dependency end or begin at c? */
static bool does_break(enum rule r, const struct hd_position *c, const struct hd_position *b)
{
    switch (r) {
    case RAW: case WAR: return is_write(c->kind);
    case WAW: return true;
    case LOCKS: return !(b->is_shared && c->is_shared);
    case WAKES: return c->kind == HD_ACC_WAKE;
    default: return false;
    }
}

static bool is_before(const struct hd_history *h, const struct hd_position *a,
                      const struct hd_position *b)
{
    return hd_must_knows(h->order, b->clock, a->tid, a->epoch);
}

static bool is_between(const struct hd_history *h, enum rule r, const struct hd_position *a,
                       const struct hd_position *c, const struct hd_position *b)
{
    return does_break(r, c, b) && is_before(h, a, c) && is_before(h, c, b);
}

/* Pre: a before b. */
static bool is_broken_by_third(const struct hd_history *h, enum rule r,
                               const struct hd_position *a, const struct hd_position *b, u32 obj)
{
    for (u32 i = h->object[obj].first; i; i = h->chain.at[i].next) {
        const struct hd_access_chain *p = &h->chain.at[i];
        if (p->tid == a->tid || p->tid == b->tid)
            continue;
        for (u32 k = 0; k < 2; k++) {
            if (p->pending[k] && is_between(h, r, a, &h->pending.at[p->pending[k]].node.is, b))
                return true;
            for (u32 c = p->head[k]; c; c = h->link.at[c].older)
                if (h->link.at[c].epoch && is_between(h, r, a, &h->node.at[c].is, b))
                    return true;
        }
    }
    return false;
}

/* By what the two do and the locks they do it under, all of which their classes have. */
static bool is_open(const struct hd_history *h, const struct hd_position *a, const struct hd_position *b)
{
    enum rule r = rule_of(a, b);
    if (r == NONE)
        return false;
    struct hd_common c = hd_lockset_common(&h->order->locksets, a->lockset, b->lockset);
    u32 last = r == RAW || r == WAKES ? a->last_write : a->last_any;
    u32 first = r == WAR ? b->first_write : b->first_any;
    return !(c.a & ~last) && !(c.b & ~first);
}

/* Pre: is_open. */
static bool can_follow(const struct hd_history *h, const struct hd_access_node *a,
                       const struct hd_access_node *b)
{
    enum rule r = rule_of(&a->is, &b->is);
    if (is_before(h, &b->is, &a->is))
        return false;
    if (!is_before(h, &a->is, &b->is))
        return true;
    u32 stretch = a->more ? h->more.at[a->more].last_stretch : a->stretch;
    if (stretch < b->stretch) /* it came like that, and nobody knows what was between */
        return false;
    u32 next = r == RAW || r == WAKES ? a->next_write : a->next_any;
    u32 prev = r == WAR ? b->prev_write : b->prev_any;
    return !hd_must_knows(h->order, b->is.clock, a->is.tid, next) &&
           !hd_must_knows(h->order, prev, a->is.tid, a->is.epoch) &&
           !is_broken_by_third(h, r, &a->is, &b->is, a->object);
}

static void add_edge(struct hd_history *h, u32 a, u32 b)
{
    h->edge_found(h->self, a, b);
    if (!h->has_edges)
        return;
    hd_history_more(h, b); /* a's stays where it is then */
    struct hd_access_more *from = hd_history_more(h, a), *to = hd_history_more(h, b);
    if (from->n_succ >= EDGES || to->n_pred >= EDGES)
        return;
    u32 id = (u32)h->edge.n;
    *hd_vec_add(&h->edge) = (struct hd_edge){a, b, from->succ, to->pred};
    from->succ = to->pred = id;
    from->n_succ++;
    to->n_pred++;
    h->count.edges++;
}

/* ---- histories ------------------------------------------------------------------ */

static void drop(struct hd_history *h, u32 id)
{
    const struct hd_access_node *n = &h->node.at[id];
    h->link.at[id].epoch = 0;
    h->chain.at[n->chain].n[hd_access_list(n->is.kind)]--;
    h->object[n->object].n_nodes--;
}

/* The node that *at leads to; those that were dropped leave the history. */
static u32 node_at(struct hd_history *h, u32 *at)
{
    while (*at && !h->link.at[*at].epoch)
        *at = h->link.at[*at].older;
    return *at;
}

static bool is_same_but_order(const struct hd_position *a, const struct hd_position *b)
{
    return a->site == b->site && a->kind == b->kind && a->lockset == b->lockset &&
           a->extra == b->extra && a->first_any == b->first_any && a->last_any == b->last_any &&
           a->first_write == b->first_write && a->last_write == b->last_write;
}

static u32 newest_same(struct hd_history *h, u32 *head, u32 id)
{
    u32 i;
    for (u32 *at = head; (i = node_at(h, at)); at = &h->link.at[i].older)
        if (h->link.at[i].access_class == h->link.at[id].access_class &&
            is_same_but_order(&h->node.at[i].is, &h->node.at[id].is))
            break;
    return i;
}

static u32 oldest(struct hd_history *h, u32 *head)
{
    u32 last = 0, i;
    for (u32 *at = head; (i = node_at(h, at)); at = &h->link.at[i].older)
        last = i;
    return last;
}

/* A loop that synchronizes in every round makes a node in every round. Kept are
 * the first, which comes directly after what was before the loop, and the
 * latest, which other threads most likely do not know yet. */
static void insert(struct hd_history *h, u32 id)
{
    const struct hd_access_node *n = &h->node.at[id];
    struct hd_access_chain *p = &h->chain.at[n->chain];
    u32 list = hd_access_list(n->is.kind), equal = 0, last = 0, before_last = 0;
    h->link.at[id].same = newest_same(h, &p->head[list], id);
    for (u32 *same = &h->link.at[id].same; *same;) {
        struct hd_access_link *l = &h->link.at[*same];
        if (!l->epoch) {
            *same = l->same;
            continue;
        }
        equal++;
        before_last = last;
        last = *same;
        same = &l->same;
    }
    if (equal >= EQUAL) {
        drop(h, before_last);
        h->count.dropped++;
    } else if (p->n[list] >= HISTORY) {
        drop(h, oldest(h, &p->head[list]));
        h->count.dropped++;
    }
    h->link.at[id].older = p->head[list];
    p->head[list] = id;
    p->n[list]++;
    h->object[n->object].n_nodes++;
}

/* ---- garbage ------------------------------------------------------------------- */

static bool is_settled(const struct hd_vclock *s, const struct hd_position *a)
{
    return a->epoch <= hd_vclock_at(s, a->tid);
}

/* Is there a write (unlock, wake) after a that comes before all that may follow? */
static bool is_covered(const struct hd_history *h, const struct hd_vclock *s,
                       const struct hd_position *a, u32 obj)
{
    for (u32 i = h->object[obj].first; i; i = h->chain.at[i].next) {
        for (u32 c = h->chain.at[i].head[HD_WRITERS]; c; c = h->link.at[c].older) {
            const struct hd_position *x = &h->node.at[c].is;
            if (h->link.at[c].epoch && (is_write(x->kind) || x->kind == HD_ACC_WAKE ||
                 (x->kind == HD_ACC_REL && !x->is_shared)) &&
                x->tid != a->tid && is_settled(s, x) && is_before(h, a, x))
                return true;
        }
    }
    return false;
}

/* Somebody's access that is not judged yet may come before a. */
static bool has_open(const struct hd_history *h, const struct hd_position *a, u32 obj)
{
    for (u32 i = h->object[obj].first; i; i = h->chain.at[i].next) {
        const struct hd_access_chain *p = &h->chain.at[i];
        for (u32 k = 0; k < 2 && p->tid != a->tid; k++)
            if (p->pending[k] && !is_before(h, a, &h->pending.at[p->pending[k]].node.is))
                return true;
    }
    return false;
}

/* Whatever is still to come is after a, and does not directly follow it. */
static bool is_useless(const struct hd_history *h, const struct hd_vclock *s,
                       const struct hd_access_node *a)
{
    if (!is_settled(s, &a->is) || has_open(h, &a->is, a->object))
        return false;
    bool is_raw = a->is.kind != HD_ACC_READ && a->is.kind != HD_ACC_REL;
    if (a->is.kind == HD_ACC_ACQ || a->is.kind == HD_ACC_WOKEN)
        return true;
    return (is_raw ? a->next_write : a->next_any) <= hd_vclock_at(s, a->is.tid) ||
           is_covered(h, s, &a->is, a->object);
}

static void collect(struct hd_history *h, u32 obj)
{
    const struct hd_vclock *s = hd_must_settled(h->order);
    for (u32 i = h->object[obj].first; i; i = h->chain.at[i].next) {
        for (u32 k = 0; k < 2; k++) {
            u32 id;
            for (u32 *at = &h->chain.at[i].head[k]; (id = node_at(h, at)); at = &h->link.at[id].older)
                if (is_useless(h, s, &h->node.at[id])) {
                    drop(h, id);
                    h->count.collected++;
                }
        }
    }
    h->object[obj].gc_at = HD_MAX((u32)GC_FIRST, 2 * h->object[obj].n_nodes);
}

/* Is another edge between these two worth a look? Without compound idioms one
 * of a kind is all that can be known. */
HD_INLINE bool is_wanted(struct hd_history *h, u32 a, u32 b, u32 time, struct hd_met **met)
{
    u64 key = (u64)h->link.at[a].access_class << 32 | h->link.at[b].access_class;
    struct hd_met *m = &h->met[key * 0x9e3779b97f4a7c15ull >> 52];
    if (m->access_class != key || m->stamp != h->met_stamp)
        *m = (struct hd_met){.access_class = key, .stamp = h->met_stamp,
                             .is_none = !is_open(h, &h->node.at[a].is, &h->node.at[b].is)};
    *met = m;
    if (m->is_none)
        return false;
    if (HD_LIKELY(!m->n))
        return true;
    if (!h->has_edges)
        return false;
    return m->n < ENOUGH || hd_is_sampled(time);
}

static HD_NOINLINE void check(struct hd_history *h, u32 a, u32 b, struct hd_met *met)
{
    h->count.checks++;
    if (can_follow(h, &h->node.at[a], &h->node.at[b])) {
        met->n++;
        add_edge(h, a, b);
    }
}

/* By what id does: which of the others' nodes it is compared with, which way round (rule_of). */
struct meets {
    bool list[2];        /* HD_OTHERS, HD_WRITERS */
    bool is_first, is_second;
};
static const struct meets meets[HD_ACC_COUNT] = {
    [HD_ACC_READ] = {{false, true}, true, true},
    [HD_ACC_WRITE] = {{true, true}, true, true},
    [HD_ACC_UPDATE] = {{true, true}, true, true},
    [HD_ACC_ACQ] = {{false, true}, false, true},
    [HD_ACC_REL] = {{true, false}, true, false},
    [HD_ACC_WOKEN] = {{false, true}, false, true},
    [HD_ACC_WAKE] = {{true, false}, true, false},
};

/* From the newest back. Where id comes after one of them it comes after all older ones, so none of these
 * follows it; where it comes after what took the place of one, which must not be in the same
 * epoch, where instances of older nodes may lie, it follows none of them either. */
static void compare_list(struct hd_history *h, u32 chain, u32 list, u32 id)
{
    const struct meets *m = &meets[h->node.at[id].is.kind];
    u32 time = h->node.at[id].first.time, clock = h->node.at[id].is.clock, tid = h->chain.at[chain].tid;
    bool is_first = m->is_first;
    u32 k;
    for (u32 *at = &h->chain.at[chain].head[list]; (k = node_at(h, at)); at = &h->link.at[k].older) {
        const struct hd_access_link *l = &h->link.at[k];
        struct hd_met *met;
        if (hd_must_knows(h->order, clock, tid, l->epoch)) {
            is_first = false;
            if (!m->is_second || (l->next != l->epoch && hd_must_knows(h->order, clock, tid, l->next)))
                return;
        }
        if (m->is_second && is_wanted(h, k, id, time, &met))
            check(h, k, id, met);
        if (is_first && is_wanted(h, id, k, time, &met))
            check(h, id, k, met);
    }
}

static void compare(struct hd_history *h, u32 chain, u32 id)
{
    for (u32 list = 0; list < 2; list++)
        if (meets[h->node.at[id].is.kind].list[list])
            compare_list(h, chain, list, id);
}

void hd_history_link(struct hd_history *h, u32 id)
{
    u32 obj = h->node.at[id].object;
    u16 tid = h->node.at[id].is.tid;
    for (u32 i = h->object[obj].first; i && !h->is_over; i = h->chain.at[i].next) {
        h->is_over = hd_stop_is_due_soon(&h->asked);
        if (h->chain.at[i].tid != tid)
            compare(h, i, id);
    }
    insert(h, id);
    if (!h->is_over && h->object[obj].n_nodes >= HD_MAX(h->object[obj].gc_at, (u32)GC_FIRST))
        collect(h, obj);
}
