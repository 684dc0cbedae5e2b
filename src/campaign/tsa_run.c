/* tsa_run.c: see tsa_run.h.
 *
 * Estimation is the predictor's (src/predict), asked for pairs of lock calls alone:
 * non-mutex happens-before in full, where the paper goes by thread creation. One
 * predictor per lane, since each wants the events of its runs in order. What earlier
 * campaigns predicted under this input and nobody covered yet counts as well.
 */
#include "campaign/tsa_run.h"

#include <stdlib.h>
#include <string.h>

#include "predict/predict.h"
#include "strategy/strategy.h"

#define NO_IDIOMS 1u /* idiom 0, which there is not */

struct tsa_lane {
    struct hd_predict predict;
    u32 version;               /* of the table its worker has */
};

struct hd_tsa_run {
    struct hd_cover *cover;
    struct tsa_lane *lane;
    struct hd_set known;       /* pairs in `left`, and those that were */
    HD_VEC(struct hd_element) left; /* predicted, not covered so far */
    u32 version;               /* counts up when `left` changes */
    u64 covered;               /* when it was last looked at */
};

bool hd_tsa_run_wants(u32 strategy)
{
    const struct hd_strategy *s = hd_strategy_at(strategy);
    return s && !strcmp(s->name, "tsa");
}

/* ---- estimation ------------------------------------------------------------------------ */

static bool add(struct hd_tsa_run *r, const struct hd_element *e)
{
    struct hd_key k;
    hd_set_key(&r->known, e, &k);
    if (hd_set_find(&r->known, &k))
        return false;
    hd_set_insert(&r->known, &k);
    if (hd_coverage_has(r->cover->total, e))
        return false;
    *hd_vec_add(&r->left) = *e;
    r->version++;
    return true;
}

static void predicted(void *self, const struct hd_candidate *c)
{
    struct hd_tsa_run *r = self;
    s64 row = 0;
    if (add(r, &c->element))
        hd_cover_store_tried(r->cover, &c->element, &row, 0, 0);
}

static void remembered(void *self, const struct hd_element *e, const struct hd_store_candidate *c)
{
    if (e->metric == HD_METRIC_syncpair && c->state == HD_STORE_PREDICTED && c->is_predicted)
        add(self, e);
}

static void tap_begin(void *self, u32 lane, u64 run)
{
    hd_predict_begin_run(&((struct hd_tsa_run *)self)->lane[lane].predict, run);
}

/* Plain accesses order nothing. */
static void tap_event(void *self, u32 lane, const struct hd_event *ev)
{
    if (ev->kind != HD_EV_READ && ev->kind != HD_EV_WRITE)
        hd_predict_event(&((struct hd_tsa_run *)self)->lane[lane].predict, ev);
}

static void tap_end(void *self, u32 lane)
{
    hd_predict_end_run(&((struct hd_tsa_run *)self)->lane[lane].predict);
}

/* ---- life --------------------------------------------------------------------------------- */

struct hd_tsa_run *hd_tsa_run_open(struct hd_cover *cover)
{
    if (!cover || !(cover->o.what.metrics >> HD_METRIC_syncpair & 1))
        return NULL;
    struct hd_tsa_run *r = calloc(1, sizeof *r);
    HD_ASSERT(r);
    r->cover = cover;
    r->version = 1;
    hd_set_init(&r->known);
    r->lane = calloc(cover->o.jobs, sizeof *r->lane);
    HD_ASSERT(r->lane);
    struct hd_predict_config cfg = {.idioms = NO_IDIOMS, .syncpairs = true, .sink = predicted,
                                    .self = r};
    for (u32 i = 0; i < cover->o.jobs; i++)
        hd_predict_init(&r->lane[i].predict, &cfg);
    hd_cover_store_candidates(cover, remembered, r);
    hd_cover_tap(cover, &(struct hd_cover_tap){r, tap_begin, tap_event, tap_end});
    return r;
}

void hd_tsa_run_close(struct hd_tsa_run *r)
{
    if (!r)
        return;
    hd_cover_tap(r->cover, &(struct hd_cover_tap){0});
    for (u32 i = 0; i < r->cover->o.jobs; i++)
        hd_predict_release(&r->lane[i].predict);
    hd_set_release(&r->known);
    hd_vec_release(&r->left);
    free(r->lane);
    free(r);
}

/* ---- runs --------------------------------------------------------------------------------- */

/* Fills the table; if there is too much for it, from another place each time. */
static void fill(struct hd_tsa_run *r, struct hd_shm *m)
{
    struct hd_pairs *p = hd_shm_pairs(m);
    memset(p, 0, sizeof *p);
    for (size_t i = 0, n = r->left.n; i < n; i++) {
        const struct hd_element *e = &r->left.at[(i + r->version * (size_t)HD_PAIRS_MAX) % n];
        u64 first = hd_places_pc(&r->cover->places, m, e->site[0]);
        u64 second = hd_places_pc(&r->cover->places, m, e->site[1]);
        if (first && second && !hd_pairs_add(p, first, second))
            break;
    }
}

void hd_tsa_run_begin(struct hd_tsa_run *r, struct hd_worker *w)
{
    struct tsa_lane *a = &r->lane[w->index];
    bool is_new = r->left.n && !hd_shm_pairs(w->shm)->n; /* the server was started again */
    r->version += r->left.n > HD_PAIRS_MAX;
    if (a->version == r->version && !is_new)
        return;
    fill(r, w->shm);
    a->version = r->version;
}

void hd_tsa_run_end(struct hd_tsa_run *r)
{
    struct hd_coverage *total = r->cover->total;
    u64 covered = hd_coverage_count(total, HD_METRIC_syncpair)->covered;
    if (covered != r->covered) {
        size_t n = 0;
        for (size_t i = 0; i < r->left.n; i++)
            if (!hd_coverage_has(total, &r->left.at[i]))
                r->left.at[n++] = r->left.at[i];
        r->version += n != r->left.n;
        r->left.n = n;
        r->covered = covered;
    }
    hd_coverage_set_possible(total, HD_METRIC_syncpair, covered + r->left.n);
}

bool hd_tsa_run_is_saturated(const struct hd_tsa_run *r)
{
    static const struct hd_saturate how;
    const struct hd_curve *v = &r->cover->curve[HD_METRIC_syncpair];
    return hd_saturate(v->point.at, (u32)v->point.n, HD_BY_RUNS, (double)r->cover->runs, &how)
        .is_saturated;
}

u32 hd_tsa_run_left(const struct hd_tsa_run *r) { return (u32)r->left.n; }
