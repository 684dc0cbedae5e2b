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

static enum rule rule_of(const struct hd_does *a, const struct hd_does *b)
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
static bool does_break(enum rule r, const struct hd_does *c, const struct hd_does *b)
{
    switch (r) {
    case RAW: case WAR: return is_write(c->kind);
    case WAW: return true;
    case LOCKS: return !(b->is_shared && c->is_shared);
    case WAKES: return c->kind == HD_ACC_WAKE;
    default: return false;
    }
}

/* An access, judged or not. */
struct access {
    const struct hd_does *does;
    const struct hd_access_node *n;
};

static struct access node(const struct hd_history *h, u32 id)
{
    return (struct access){hd_history_does(h, id), &h->node.at[id]};
}

static struct access pending(const struct hd_history *h, u32 id)
{
    return (struct access){&h->pending.at[id].does, &h->pending.at[id].node};
}

static bool is_before(const struct hd_history *h, struct access a, struct access b)
{
    return hd_must_knows(h->order, b.n->clock, a.does->tid, a.n->epoch);
}

static bool is_between(const struct hd_history *h, enum rule r, struct access a, struct access c, struct access b)
{
    return does_break(r, c.does, b.does) && is_before(h, a, c) && is_before(h, c, b);
}

/* Pre: a before b. */
static bool is_broken_by_third(const struct hd_history *h, enum rule r, struct access a, struct access b)
{
    for (u32 i = h->object[a.n->object].first; i; i = h->chain.at[i].next) {
        const struct hd_access_chain *p = &h->chain.at[i];
        if (p->tid == a.does->tid || p->tid == b.does->tid)
            continue;
        for (u32 k = 0; k < 2; k++) {
            if (p->pending[k] && is_between(h, r, a, pending(h, p->pending[k]), b))
                return true;
            for (u32 c = p->head[k]; c; c = h->link.at[c].older)
                if (h->link.at[c].epoch && is_between(h, r, a, node(h, c), b))
                    return true;
        }
    }
    return false;
}

/* By what the two do and the locks they do it under, all of which their classes have. */
static bool is_open(const struct hd_history *h, const struct hd_does *a, const struct hd_does *b)
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
static bool can_follow(const struct hd_history *h, struct access a, struct access b)
{
    enum rule r = rule_of(a.does, b.does);
    if (is_before(h, b, a))
        return false;
    if (!is_before(h, a, b))
        return true;
    u32 stretch = a.n->more ? h->more.at[a.n->more].last_stretch : a.n->stretch;
    if (stretch < b.n->stretch) /* it came like that, and nobody knows what was between */
        return false;
    u32 next = r == RAW || r == WAKES ? a.n->next_write : a.n->next_any;
    u32 prev = r == WAR ? b.n->prev_write : b.n->prev_any;
    return !hd_must_knows(h->order, b.n->clock, a.does->tid, next) &&
           !hd_must_knows(h->order, prev, a.does->tid, a.n->epoch) && !is_broken_by_third(h, r, a, b);
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
    h->chain.at[n->chain].n[hd_access_list(hd_history_does(h, id)->kind)]--;
    h->object[n->object].n_nodes--;
}

/* The node that *at leads to; those that were dropped leave the history. */
static u32 node_at(struct hd_history *h, u32 *at)
{
    while (*at && !h->link.at[*at].epoch)
        *at = h->link.at[*at].older;
    return *at;
}

static bool is_same(const struct hd_history *h, u32 a, u32 b)
{
    const struct hd_access_node *x = &h->node.at[a], *y = &h->node.at[b];
    return h->link.at[a].access_class == h->link.at[b].access_class && x->chain == y->chain &&
           x->generation == y->generation && h->link.at[a].epoch;
}

/* The newest that differs from id in the order alone; the next time that is id. */
static u32 newest_same(struct hd_history *h, u32 *head, u32 id)
{
    u64 key = (u64)h->node.at[id].chain << 32 | h->link.at[id].access_class;
    u32 *known = &h->newest[key * 0x9e3779b97f4a7c15ull >> 52], i = *known;
    *known = id;
    if (i < id && is_same(h, i, id))
        return i;
    for (u32 *at = head; (i = node_at(h, at)); at = &h->link.at[i].older)
        if (h->link.at[i].access_class == h->link.at[id].access_class)
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
    u32 list = hd_access_list(hd_history_does(h, id)->kind), equal = 0, last = 0, before_last = 0;
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

static bool is_settled(const struct hd_vclock *s, struct access a)
{
    return a.n->epoch <= hd_vclock_at(s, a.does->tid);
}

static bool does_cover(const struct hd_does *x)
{
    return is_write(x->kind) || x->kind == HD_ACC_WAKE || (x->kind == HD_ACC_REL && !x->is_shared);
}

/* Is there a write (unlock, wake) after a that comes before all that may follow? */
static bool is_covered(const struct hd_history *h, const struct hd_vclock *s, struct access a)
{
    for (u32 i = h->object[a.n->object].first; i; i = h->chain.at[i].next) {
        for (u32 c = h->chain.at[i].head[HD_WRITERS]; c; c = h->link.at[c].older) {
            struct access x = node(h, c);
            if (h->link.at[c].epoch && does_cover(x.does) && x.does->tid != a.does->tid &&
                is_settled(s, x) && is_before(h, a, x))
                return true;
        }
    }
    return false;
}

/* Somebody's access that is not judged yet may come before a. */
static bool has_open(const struct hd_history *h, struct access a)
{
    for (u32 i = h->object[a.n->object].first; i; i = h->chain.at[i].next) {
        const struct hd_access_chain *p = &h->chain.at[i];
        for (u32 k = 0; k < 2 && p->tid != a.does->tid; k++)
            if (p->pending[k] && !is_before(h, a, pending(h, p->pending[k])))
                return true;
    }
    return false;
}

/* Whatever is still to come is after a, and does not directly follow it. */
static bool is_useless(const struct hd_history *h, const struct hd_vclock *s, struct access a)
{
    u8 kind = a.does->kind;
    if (!is_settled(s, a) || has_open(h, a))
        return false;
    bool is_raw = kind != HD_ACC_READ && kind != HD_ACC_REL;
    if (kind == HD_ACC_ACQ || kind == HD_ACC_WOKEN)
        return true;
    return (is_raw ? a.n->next_write : a.n->next_any) <= hd_vclock_at(s, a.does->tid) || is_covered(h, s, a);
}

static void collect(struct hd_history *h, u32 obj)
{
    const struct hd_vclock *s = hd_must_settled(h->order);
    for (u32 i = h->object[obj].first; i; i = h->chain.at[i].next) {
        for (u32 k = 0; k < 2; k++) {
            u32 id;
            for (u32 *at = &h->chain.at[i].head[k]; (id = node_at(h, at)); at = &h->link.at[id].older)
                if (is_useless(h, s, node(h, id))) {
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
                             .is_none = !is_open(h, hd_history_does(h, a), hd_history_does(h, b))};
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
    if (can_follow(h, node(h, a), node(h, b))) {
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
    const struct meets *m = &meets[hd_history_does(h, id)->kind];
    u32 time = h->node.at[id].first.time, clock = h->node.at[id].clock, tid = h->chain.at[chain].tid;
    bool is_first = m->is_first;
    u32 k;
    for (u32 *at = &h->chain.at[chain].head[list]; (k = node_at(h, at)); at = &h->link.at[k].older) {
        const struct hd_access_link *l = &h->link.at[k];
        struct hd_met *met;
        if (hd_must_knows(h->order, clock, tid, l->epoch)) {
            is_first = false;
            bool is_past = hd_must_knows(h->order, clock, tid, l->next);
            if (!m->is_second || (is_past && l->next != l->epoch))
                return;
            if (is_past)
                continue;
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
        if (meets[hd_history_does(h, id)->kind].list[list])
            compare_list(h, chain, list, id);
}

void hd_history_link(struct hd_history *h, u32 id)
{
    u32 obj = h->node.at[id].object;
    u16 tid = hd_history_does(h, id)->tid;
    for (u32 i = h->object[obj].first; i && !h->is_over; i = h->chain.at[i].next) {
        h->is_over = hd_stop_is_due_soon(&h->asked);
        if (h->chain.at[i].tid != tid)
            compare(h, i, id);
    }
    insert(h, id);
    if (!h->is_over && h->object[obj].n_nodes >= HD_MAX(h->object[obj].gc_at, (u32)GC_FIRST))
        collect(h, obj);
}
