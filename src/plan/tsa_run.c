/* tsa_run.c: a campaign under strategy tsa: which pairs of lock calls could follow on each
 * other, estimated anew after every run, and which of them no run has shown yet: those go
 * to the target before each run (event/pairs.h). A director (director.h).
 *
 * Estimation is the predictor's (src/predict), asked for pairs of lock calls alone:
 * non-mutex happens-before in full, where the paper goes by thread creation. One
 * predictor per slot, since each wants the events of its runs in order. What earlier
 * campaigns predicted under this input and nobody covered yet counts as well.
 *
 * No order tells what depends on data: that a pool is closed only after its last task.
 * So runs have their say as well: after TRIES runs that had a pair in their table and
 * did not show it, it counts as impossible and is out of the estimate, until a run shows
 * it. A campaign is over when no pair is left to try; one that goes on nonetheless tries
 * them all again, twice as often.
 */
#include "plan/tsa_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "plan/tsa_lead.h"
#include "predict/predict.h"
#include "strategy/strategy.h"

#define NO_IDIOMS 1u   /* idiom 0, which there is not */
#define TRIES 44       /* of a pair */
#define BUFFERED 65536 /* events of a run kept to see first whether it tells anything */
#define SEEN_MAX (1u << 20)
#define STUCK 2        /* runs without anything new before earlier ones are followed */
#define QUIET 8        /* ... before a campaign can be over */

struct tsa_pair {
    struct hd_element is;
    s64 row;                   /* in the store */
    u32 tries;
    bool is_out;               /* of the estimate */
};

struct tsa_slot {
    struct hd_predict predict;
    HD_VEC(struct hd_tsa_call) calls; /* of its run */
    HD_VEC(struct hd_event) events;   /* of its run, not given to the predictor */
    u64 before[HD_MAX_THREADS]; /* site of the thread's last synchronization */
    u64 run;
    u32 version;               /* of the table its worker has */
    bool is_telling;           /* the run has steps that none had before */
    bool is_streaming;         /* events go to the predictor at once */
    bool is_ended;             /* its run, not looked at so far */
};

struct hd_tsa_run {
    struct hd_director director; /* first: one is the other */
    struct hd_cover *cover;
    struct tsa_slot *slot;
    struct hd_map seen;        /* steps of all runs that were predicted from */
    struct hd_set known;       /* pairs in `left`, and those that were */
    HD_VEC(struct tsa_pair) left; /* predicted, not covered so far */
    struct hd_tsa_leads leads;
    struct hd_rng rng;
    u32 limit;                 /* tries of what is targeted */
    u32 n_open;                /* of `left`, with fewer */
    u32 version;               /* counts up when what is targeted changes */
    u32 quiet;                 /* runs since something was new */
    u64 covered;               /* when it was last looked at */
    u64 by_rule[HD_STRATEGY_RULES];
};

/* ---- estimation ------------------------------------------------------------------------ */

/* The pair, NULL: it is known already. */
static struct tsa_pair *add(struct hd_tsa_run *r, const struct hd_element *e)
{
    struct hd_key k;
    hd_set_key(&r->known, e, &k);
    if (hd_set_find(&r->known, &k))
        return NULL;
    hd_set_insert(&r->known, &k);
    if (hd_coverage_has(r->cover->total, e))
        return NULL;
    struct tsa_pair *p = hd_vec_add(&r->left);
    *p = (struct tsa_pair){.is = *e};
    r->n_open++;
    r->version++;
    return p;
}

static void predicted(void *self, const struct hd_candidate *c)
{
    struct hd_tsa_run *r = self;
    if (add(r, &c->element))
        r->quiet = 0;
}

static void remembered(void *self, const struct hd_element *e, const struct hd_store_candidate *c)
{
    struct hd_tsa_run *r = self;
    if (e->metric != HD_METRIC_syncpair || c->state == HD_STORE_EXPOSED || !c->is_predicted)
        return;
    struct tsa_pair *p = add(r, e);
    if (!p)
        return;
    p->row = c->id;
    p->is_out = c->state == HD_STORE_FAILED;
    p->tries = p->is_out ? TRIES : 0;
    r->n_open -= p->is_out;
}

static void subscriber_begin(void *self, u32 slot, u64 run)
{
    struct tsa_slot *a = &((struct hd_tsa_run *)self)->slot[slot];
    a->run = run;
    a->is_telling = a->is_streaming = false;
    memset(a->before, 0, sizeof a->before);
    hd_vec_clear(&a->calls);
    hd_vec_clear(&a->events);
}

static void feed(struct tsa_slot *a)
{
    hd_predict_begin_run(&a->predict, a->run);
    for (size_t i = 0; i < a->events.n; i++)
        hd_predict_event(&a->predict, &a->events.at[i]);
    hd_vec_clear(&a->events);
}

/* A run whose threads do nothing that they did not do in earlier ones, each call after
 * the same one, has nothing to tell. */
static bool is_known_to_predictor(struct hd_tsa_run *r, struct tsa_slot *a,
                                  const struct hd_event *ev)
{
    u64 key = hd_pairs_mix(ev->site + hd_pairs_mix(ev->obj + hd_pairs_mix(a->before[ev->tid]))) +
              ev->tid;
    a->before[ev->tid] = ev->site;
    if (r->seen.n > SEEN_MAX)
        hd_map_clear(&r->seen);
    return !hd_map_put(&r->seen, key, 1);
}

/* Plain accesses order nothing. */
static void subscriber_event(void *self, u32 slot, const struct hd_event *ev)
{
    struct hd_tsa_run *r = self;
    struct tsa_slot *a = &r->slot[slot];
    if (ev->kind == HD_EV_READ || ev->kind == HD_EV_WRITE)
        return;
    if (hd_event_class(ev->kind) == HD_CLASS_ACQ)
        *hd_vec_add(&a->calls) = (struct hd_tsa_call){ev->site, ev->step};
    a->is_telling |= !is_known_to_predictor(r, a, ev);
    if (a->is_streaming) {
        hd_predict_event(&a->predict, ev);
        return;
    }
    *hd_vec_add(&a->events) = *ev;
    if (a->events.n < BUFFERED)
        return;
    feed(a);
    a->is_streaming = true;
}

static void subscriber_end(void *self, u32 slot)
{
    struct tsa_slot *a = &((struct hd_tsa_run *)self)->slot[slot];
    a->is_ended = true;
    if (a->is_telling && !a->is_streaming)
        feed(a);
    if (a->is_telling || a->is_streaming)
        hd_predict_end_run(&a->predict);
}

/* ---- before a run ------------------------------------------------------------------------- */

static bool is_open(const struct hd_tsa_run *r, const struct tsa_pair *p)
{
    return p->tries < r->limit;
}

static struct hd_sync_pair in_target(struct hd_tsa_run *r, struct hd_snapshot *m,
                                     const struct hd_element *e)
{
    return (struct hd_sync_pair){hd_places_pc(&r->cover->places, m, e->site[0]),
                                 hd_places_pc(&r->cover->places, m, e->site[1])};
}

/* Fills the table; if there is too much for it, from another place each time. */
static void fill(struct hd_tsa_run *r, struct hd_worker *w)
{
    struct hd_pairs *p = hd_shm_pairs(w->host);
    memset(p, 0, sizeof *p);
    for (size_t i = 0, n = r->left.n; i < n; i++) {
        const struct tsa_pair *x = &r->left.at[(i + r->version * (size_t)HD_PAIRS_MAX) % n];
        if (!is_open(r, x))
            continue;
        struct hd_sync_pair is = in_target(r, &w->run, &x->is);
        if (is.first && is.second && !hd_pairs_add(p, is.first, is.second))
            break;
    }
}

/* When nothing new comes, one run in four follows an earlier one to where a pair could
 * begin, and half of these target nothing but this pair. Not those of a script, whose
 * clients never come at the same steps again. */
static void lead(struct hd_tsa_run *r, struct hd_worker *w)
{
    struct hd_pairs *table = hd_shm_pairs(w->host);
    table->only = (struct hd_sync_pair){0, 0};
    w->host->script_n = 0;
    if (!r->n_open || w->script || r->quiet < STUCK || hd_rng_below(&r->rng, 4))
        return;
    u64 nth = hd_rng_below(&r->rng, r->n_open);
    const struct tsa_pair *p = r->left.at;
    while (!is_open(r, p) || nth--)
        p++;
    if (hd_tsa_leads_follow(&r->leads, &r->rng, p->is.site[0], w->host) && hd_rng_below(&r->rng, 2))
        table->only = in_target(r, &w->run, &p->is);
}

static enum hd_next begin(struct hd_director *d, struct hd_worker *w, u32 *count)
{
    struct hd_tsa_run *r = (struct hd_tsa_run *)d;
    struct tsa_slot *a = &r->slot[w->index];
    bool is_new = r->n_open && !hd_shm_pairs(w->host)->n; /* the server was started again */
    a->is_ended = false;
    r->version += r->left.n > HD_PAIRS_MAX;
    if (a->version != r->version || is_new)
        fill(r, w);
    a->version = r->version;
    lead(r, w);
    *count = 1;
    return HD_NEXT_RUN;
}

/* ---- after a run -------------------------------------------------------------------------- */

static void count_tries(struct hd_tsa_run *r, struct tsa_slot *a)
{
    u32 n_open = 0;
    for (size_t i = 0; i < r->left.n; i++) {
        struct tsa_pair *p = &r->left.at[i];
        if (!is_open(r, p))
            continue;
        p->tries++;
        n_open += is_open(r, p);
        if (is_open(r, p))
            continue;
        r->version++;
        p->is_out = true;
    }
    r->n_open = n_open;
}

/* Those covered meanwhile are not left any more. */
static void take_out(struct hd_tsa_run *r)
{
    size_t n = 0;
    r->n_open = 0;
    for (size_t i = 0; i < r->left.n; i++) {
        if (hd_coverage_has(r->cover->total, &r->left.at[i].is))
            continue;
        r->left.at[n] = r->left.at[i];
        r->n_open += is_open(r, &r->left.at[n++]);
    }
    r->version += n != r->left.n;
    r->left.n = n;
}

/* Pairs predicted, not covered, and not abandoned. */
static u32 pairs_left(const struct hd_tsa_run *r)
{
    u32 n = 0;
    for (size_t i = 0; i < r->left.n; i++)
        n += !r->left.at[i].is_out;
    return n;
}

static void ran(struct hd_director *d, struct hd_worker *w, u64 done)
{
    struct hd_tsa_run *r = (struct hd_tsa_run *)d;
    (void)done;
    struct tsa_slot *a = &r->slot[w->index];
    u64 covered = hd_coverage_count(r->cover->total, HD_METRIC_syncpair)->covered;
    w->host->script_n = 0;
    for (u32 i = 0; i < HD_STRATEGY_RULES; i++)
        r->by_rule[i] += w->run.stats.by_rule[i];
    r->quiet++;
    if (covered != r->covered) {
        take_out(r);
        if (a->is_ended)
            hd_tsa_leads_add(&r->leads, &w->run, a->calls.at, a->calls.n);
        r->covered = covered;
        r->quiet = 0;
    }
    if (a->is_ended)
        count_tries(r, a);
    a->is_ended = false;
    if (!r->n_open && r->quiet > QUIET && r->left.n) {
        r->limit *= 2;
        take_out(r);
        r->version++;
    }
    hd_coverage_set_possible(r->cover->total, HD_METRIC_syncpair, covered + pairs_left(r));
}

/* Nothing is left to target, or the curve of syncpair is flat (observe/saturate.h). */
static bool is_saturated(const struct hd_director *d)
{
    const struct hd_tsa_run *r = (const struct hd_tsa_run *)d;
    static const struct hd_saturate how;
    const struct hd_curve *v = &r->cover->curve[HD_METRIC_syncpair];
    if (r->quiet >= QUIET && !pairs_left(r))
        return true;
    return hd_saturate(v->point.at, (u32)v->point.n, HD_BY_RUNS, (double)r->cover->runs, &how)
        .is_saturated;
}

/* ---- as a director --------------------------------------------------------------------------------- */

static struct hd_tsa_run *open_run(struct hd_cover *cover)
{
    struct hd_tsa_run *r = calloc(1, sizeof *r);
    HD_ASSERT(r);
    r->cover = cover;
    r->version = 1;
    r->limit = TRIES;
    r->rng = hd_rng_make(cover->o.seed, 0, HD_RNG_DRIVE);
    hd_set_init(&r->known);
    r->slot = calloc(cover->o.jobs, sizeof *r->slot);
    HD_ASSERT(r->slot);
    struct hd_predict_config cfg = {.idioms = NO_IDIOMS, .syncpairs = true, .sink = predicted,
                                    .self = r};
    for (u32 i = 0; i < cover->o.jobs; i++)
        hd_predict_init(&r->slot[i].predict, &cfg);
    if (!cover->o.no_memory)
        hd_cover_store_candidates(cover, remembered, r);
    hd_cover_subscriber(cover, &(struct hd_cover_subscriber){.self = r,
                                                             .begin = subscriber_begin,
                                                             .event = subscriber_event,
                                                             .end = subscriber_end});
    return r;
}

/* Not at once: most of what is predicted is covered soon. If all is, one of them tells
 * that there was an estimate. */
static void save(struct hd_director *d, const struct hd_director_end *end)
{
    struct hd_tsa_run *r = (struct hd_tsa_run *)d;
    (void)end;
    struct hd_element any;
    s64 row = 0;
    if (!r->left.n && r->known.n) {
        hd_set_element(&r->known, &r->known.record[1].key, &any);
        hd_cover_store_tried(r->cover, &any, &row, 0, 0);
    }
    for (size_t i = 0; i < r->left.n && !hd_stop_is_late(); i++) {
        struct tsa_pair *p = &r->left.at[i];
        hd_cover_store_tried(r->cover, &p->is, &p->row, 0,
                             p->is_out ? HD_STORE_FAILED : HD_STORE_PREDICTED);
    }
}

static void close_run(struct hd_director *d)
{
    struct hd_tsa_run *r = (struct hd_tsa_run *)d;
    hd_cover_subscriber(r->cover, &(struct hd_cover_subscriber){0});
    for (u32 i = 0; i < r->cover->o.jobs; i++) {
        hd_predict_release(&r->slot[i].predict);
        hd_vec_release(&r->slot[i].calls);
        hd_vec_release(&r->slot[i].events);
    }
    hd_tsa_leads_release(&r->leads);
    hd_map_release(&r->seen);
    hd_set_release(&r->known);
    hd_vec_release(&r->left);
    free(r->slot);
    free(r);
}

bool hd_tsa_by_rule(const struct hd_director *d, u64 by_rule[HD_STRATEGY_RULES])
{
    if (!d || d->close != close_run)
        return false;
    memcpy(by_rule, ((const struct hd_tsa_run *)d)->by_rule, sizeof(u64) * HD_STRATEGY_RULES);
    return true;
}

bool hd_tsa_is_wanted(const struct hd_director_opts *o)
{
    const struct hd_strategy *s = hd_strategy_at(o->cfg->strategy);
    return s && !strcmp(s->name, "tsa");
}

int hd_tsa_direct(struct hd_director **out, const struct hd_director_opts *o, struct hd_error *err)
{
    if (!o->cover || !(o->cover->o.what.metrics >> HD_METRIC_syncpair & 1)) {
        return hd_error_set(err, -EINVAL,
                            "strategy tsa goes by the coverage of synchronization pairs: it needs "
                            "--coverage auto, or one with syncpair in it");
    }
    struct hd_tsa_run *r = open_run(o->cover);
    r->director = (struct hd_director){.name = "tsa", .is_single = true, .begin = begin,
                                       .ran = ran, .is_saturated = is_saturated, .save = save,
                                       .close = close_run};
    *out = &r->director;
    return 0;
}
