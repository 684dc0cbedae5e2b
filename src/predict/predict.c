/* predict.c: one run after the other, and the candidates they bring. See
 * predict.h. */
#include "predict/predict.h"

#include <string.h>

#include "observe/observe.h"

enum {
    CHECK_EVERY = 4096,      /* events between two looks at memory */
    TRAIL_MAX = 4u << 20,    /* entries of all trails before they are read */
    LARGE = 4096             /* objects of a run whose tables are not kept for the next one */
};

/* ---- candidates ------------------------------------------------------------------ */

bool hd_predict_is_open(struct hd_predict *p, const struct hd_key *k)
{
    u32 at = hd_set_find(&p->set, k);
    return !at || p->set.record[at].stamp != p->set.stamp;
}

void hd_predict_add(struct hd_predict *p, const struct hd_key *k, const u32 *node,
                    bool is_deadlock)
{
    u32 at = hd_set_find(&p->set, k);
    if (at && p->set.record[at].stamp == p->set.stamp)
        return;
    p->count.in_run++;
    if (!at) {
        at = hd_set_insert(&p->set, k);
        p->set.record[at].first_run = (u32)HD_MIN(p->run, (u64)UINT32_MAX);
        u32 idiom = k->metric == HD_METRIC_iroot ? k->sub : 0;
        p->count.candidates[idiom]++;
        p->count.new_by_idiom[idiom]++;
        p->count.new_in_run++;
        struct hd_found *f = hd_vec_add(&p->found);
        *f = (struct hd_found){.key = *k, .is_deadlock = is_deadlock};
        for (u32 i = 0; i < k->n; i++)
            f->node[i] = node[i];
    }
    p->set.record[at].stamp = p->set.stamp;
    p->set.record[at].runs++;
}

static void explain(const struct hd_predict *p, u32 node, struct hd_candidate_event *e)
{
    const struct hd_access_node *n = &p->history.node.at[node];
    const struct hd_does *does = hd_history_does(&p->history, node);
    const struct hd_history_thread *t = &p->history.thread[does->tid];
    e->addr = n->addr;
    e->create_site = p->set.site[t->create_site];
    e->create_nth = t->create_nth;
    e->tid = does->tid;
    e->kind = does->kind;
    e->times = hd_history_times(&p->history, n);
    e->first = n->first;
    e->last = *hd_history_last(&p->history, n);
    e->executed = (u32)hd_map_get_or(&t->nth, (u64)does->site << 32 | e->last.ctx, 0);
}

static void hand_out(struct hd_predict *p)
{
    for (size_t i = 0; p->cfg.sink && i < p->found.n; i++) {
        const struct hd_found *f = &p->found.at[i];
        struct hd_candidate c = {.run = p->run, .n = f->key.n, .is_deadlock = f->is_deadlock};
        hd_set_element(&p->set, &f->key, &c.element);
        for (u32 k = 0; k < c.n; k++) {
            c.event[k].site = c.element.site[k];
            if (f->node[k])
                explain(p, f->node[k], &c.event[k]);
            c.is_external |= f->node[k] && hd_bit_is_set(p->external, c.event[k].tid);
        }
        p->cfg.sink(p->cfg.self, &c);
    }
    hd_vec_clear(&p->found);
}

static void edge_found(void *self, u32 a, u32 b)
{
    struct hd_predict *p = self;
    const struct hd_does *x = hd_history_does(&p->history, a), *y = hd_history_does(&p->history, b);
    u32 node[2] = {a, b};
    if (HD_PREDICT_HAS(p, 1)) {
        struct hd_key k = {.metric = HD_METRIC_iroot, .sub = 1, .n = 2,
                           .site = {x->site, y->site}};
        hd_predict_add(p, &k, node, false);
    }
    if (p->cfg.syncpairs && x->kind == HD_ACC_REL && x->extra) {
        struct hd_key k = {.metric = HD_METRIC_syncpair, .n = 2, .site = {x->extra, y->site}};
        node[0] = 0;
        hd_predict_add(p, &k, node, false);
    }
}

/* A thread that takes a lock twice can always do so with nobody in between. */
static void node_made(void *self, u32 a)
{
    struct hd_predict *p = self;
    const struct hd_does *x = hd_history_does(&p->history, a);
    if (!p->cfg.syncpairs || x->kind != HD_ACC_ACQ || !x->extra)
        return;
    struct hd_key k = {.metric = HD_METRIC_syncpair, .n = 2, .site = {x->extra, x->site}};
    u32 node[2] = {0, a};
    hd_predict_add(p, &k, node, false);
}

/* ---- runs ------------------------------------------------------------------------- */

static void split(void *self, u32 from, u32 to)
{
    hd_history_split(&((struct hd_predict *)self)->history, from, to);
}

void hd_predict_init(struct hd_predict *p, const struct hd_predict_config *cfg)
{
    *p = (struct hd_predict){.cfg = *cfg};
    p->cfg.idioms = cfg->idioms ? cfg->idioms : 0x7e;
    p->cfg.window = cfg->window ? cfg->window : HD_WINDOW_DEFAULT;
    p->cfg.reach = cfg->reach ? cfg->reach : 32;
    p->cfg.budget = cfg->budget ? cfg->budget : 1000000;
    p->cfg.max_events = cfg->max_events ? cfg->max_events : UINT64_MAX;
    p->cfg.max_bytes = cfg->max_bytes ? cfg->max_bytes : (size_t)256 << 20;
    hd_set_init(&p->set);
    hd_feed_init(&p->feed, &p->set, 0);
    p->feed.split = split;
    p->feed.self = p;
    hd_must_init(&p->order, cfg->spin);
    p->order.has_passes = !cfg->syncpairs && !cfg->no_passes;
    hd_history_init(&p->history, &p->order, &p->feed);
    p->history.has_edges = p->cfg.idioms & ~(1u | 1u << 1);
    p->history.edge_found = edge_found;
    p->history.node_made = node_made;
    p->history.self = p;
}

void hd_predict_release(struct hd_predict *p)
{
    hd_compound_release(p);
    hd_history_release(&p->history);
    hd_must_release(&p->order);
    hd_feed_release(&p->feed);
    hd_set_release(&p->set);
    hd_vec_release(&p->found);
    *p = (struct hd_predict){0};
}

size_t hd_predict_bytes(const struct hd_predict *p)
{
    return hd_history_bytes(&p->history) + hd_must_bytes(&p->order) +
           (p->compound.pair.n + p->compound.nest.n) * 2 * sizeof(struct hd_map_slot);
}

void hd_predict_begin_run(struct hd_predict *p, u64 run)
{
    HD_ASSERT(!p->is_running);
    p->is_running = true;
    p->run = run;
    p->set.stamp++;
    hd_feed_begin(&p->feed);
    hd_must_begin(&p->order);
    hd_history_begin(&p->history);
    hd_compound_clear(p);
    struct hd_predict_count *c = &p->count;
    c->in_run_events = c->in_run_gaps = 0;
    c->new_in_run = c->in_run = c->pairs = c->combinations = c->capped = 0;
    memset(c->new_by_idiom, 0, sizeof c->new_by_idiom);
    memset(p->external, 0, sizeof p->external);
    c->runs++;
}

static void finish(struct hd_predict *p)
{
    hd_history_end(&p->history);
    if (p->history.has_edges)
        hd_compound_combine(p);
    p->count.pairs += p->compound.pair.n;
    p->count.peak_bytes = HD_MAX(p->count.peak_bytes, hd_predict_bytes(p));
    hand_out(p);
}

static HD_COLD void check_memory(struct hd_predict *p)
{
    size_t bytes = hd_predict_bytes(p);
    p->count.peak_bytes = HD_MAX(p->count.peak_bytes, bytes);
    if (bytes > p->cfg.max_bytes) {
        finish(p);
        hd_compound_clear(p);
        hd_history_forget(&p->history);
        hd_must_forget(&p->order);
        p->count.cuts++;
    } else if (p->history.n_trail > TRAIL_MAX) {
        hd_compound_read(p, false);
        hd_history_cut_trails(&p->history);
    }
}

/* Whether a call really had to wait is not among the events, which a replay must give again. */
static void note_external(struct hd_predict *p, const struct hd_event *ev)
{
    enum hd_space space = hd_space_of(ev->kind);
    bool is_signalled = space == HD_SPACE_SIGNAL && hd_may(ev->kind, HD_ACQUIRES);
    if (space == HD_SPACE_IO || is_signalled || ev->kind == HD_EV_RETURN)
        hd_bit_set(p->external, ev->tid);
    else if (ev->kind == HD_EV_CREATE && ev->obj < HD_MAX_THREADS && hd_bit_is_set(p->external, ev->tid))
        hd_bit_set(p->external, (u32)ev->obj);
}

/* Events were left out. What came before and what follows can still be turned round, as far as
 * the order tells (a gap says who was woken in it); but they are not near each other. */
static HD_COLD void step_over(struct hd_predict *p, bool is_all)
{
    hd_history_gap(&p->history);
    if (is_all) {
        finish(p);
        hd_compound_clear(p);
        hd_history_forget(&p->history);
    } else if (p->history.has_edges) {
        hd_compound_read(p, false);
        hd_history_cut_trails(&p->history);
    }
    hd_feed_gap(&p->feed, is_all);
    hd_must_gap(&p->order, &p->feed);
    p->count.gaps++;
    p->count.in_run_gaps += is_all;
}

void hd_predict_event(struct hd_predict *p, const struct hd_event *ev)
{
    HD_ASSERT(p->is_running);
    if (HD_UNLIKELY(ev->kind == HD_EV_GAP)) {
        step_over(p, ev->arg);
        return;
    }
    if (HD_UNLIKELY(p->count.in_run_events >= p->cfg.max_events)) {
        p->count.unseen++;
        return;
    }
    p->count.in_run_events++;
    const struct hd_seen *s = hd_feed_decode(&p->feed, ev);
    note_external(p, ev);
    hd_must_before(&p->order, &p->feed, s);
    hd_history_event(&p->history, s);
    hd_feed_done(&p->feed);
    hd_must_after(&p->order, &p->feed, s);
    if (HD_UNLIKELY(++p->count.events % CHECK_EVERY == 0))
        check_memory(p);
}

/* The next run is observed first; what this one took does not lie about meanwhile. */
static void rest(struct hd_predict *p)
{
    if (HD_MAX(p->feed.cap_objects, p->order.cap_passes) > LARGE) {
        struct hd_must was = p->order;
        hd_must_release(&p->order);
        hd_must_init(&p->order, was.spin);
        p->order.has_passes = was.has_passes;
    }
    hd_history_rest(&p->history);
    hd_compound_rest(p);
    hd_feed_rest(&p->feed);
}

void hd_predict_end_run(struct hd_predict *p)
{
    HD_ASSERT(p->is_running);
    finish(p);
    p->count.history = p->history.count;
    p->is_running = false;
    rest(p);
}
