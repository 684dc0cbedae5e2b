/* drive.c: what runs bring: from opening to the end. See drive.h. */
#include "plan/drive/drive.h"

#include "base/stop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUFFERED 65536          /* events of a run kept to look at its hash first */
#define KEPT 8192               /* ... memory for more is given back once they are predicted from */
#define LOG_BYTES ((size_t)64 << 20)
#define LOG_LONGEST HD_SHM_LOG  /* choices of a recorded run */
#define COMBINATIONS 100000     /* of local pairs tried per run, nearest first */
#define DRY 50                  /* runs in a row that predicted nothing new: from then on */
#define DRY_EVENTS 8192         /* (one with more of them counts as several) */
#define DRY_EVERY 8             /* ... only every so many-th is looked at */
#define PLENTY 256              /* candidates that wait to be tried: so it is with runs of DRY_EVENTS that are not to learn, too */
#define SAVE_NS 100000000ll     /* between two writes to the store */

/* ---- events of runs ----------------------------------------------------------------------- */

/* A run in which nothing is predicted any more; or nothing that there would be time for. */
static bool is_left_out(const struct hd_drive *d, const struct hd_drive_slot *a)
{
    const struct hd_drive_count *n = d->result.count;
    bool is_to_learn = a->ran < a->n_rounds && a->round[a->ran].kind == HD_DRIVE_PROFILE;
    bool is_plenty = n->predicted - n->exposed - n->failed >= PLENTY && a->size > DRY_EVENTS && !is_to_learn;
    return (d->dry >= DRY || is_plenty) && a->run % DRY_EVERY;
}

static void subscriber_begin(void *self, u32 slot, u64 run)
{
    struct hd_drive *d = self;
    struct hd_drive_slot *a = &d->slot[slot];
    a->run = run;
    a->is_streaming = a->has_gap = false;
    a->is_left_out = is_left_out(d, a);
    a->size = 0;
    hd_vec_clear(&a->events);
    hd_corpus_begin(&d->corpus, slot);
}

/* The events that were kept are used up. */
static void feed_all(struct hd_drive_slot *a)
{
    hd_predict_begin_run(a->predict, a->run);
    for (size_t i = 0; i < a->events.n; i++)
        hd_predict_event(a->predict, &a->events.at[i]);
    if (a->events.n > KEPT)
        hd_vec_release(&a->events);
    hd_vec_clear(&a->events);
}

static void subscriber_event(void *self, u32 slot, const struct hd_event *ev)
{
    struct hd_drive *d = self;
    struct hd_drive_slot *a = &d->slot[slot];
    if (!d->o.is_profile && !d->o.no_corpus) /* otherwise no run goes on from another one */
        hd_corpus_event(&d->corpus, slot, ev, d->o.cover->slot[slot].value,
                        d->o.cover->slot[slot].left);
    if (hd_event_is_own(ev)) /* nobody else is concerned */
        return;
    a->has_gap |= ev->kind == HD_EV_GAP;
    a->size++;
    if (a->is_left_out)
        return;
    if (a->is_streaming) {
        hd_predict_event(a->predict, ev);
        return;
    }
    *hd_vec_add(&a->events) = *ev;
    if (a->events.n < BUFFERED)
        return;
    feed_all(a);
    a->is_streaming = true;
}

/* The same events again predict nothing new. */
static bool is_known_run(struct hd_drive *d, u64 hash)
{
    u64 *times = hd_map_ref(&d->seen_hash, hash, 0);
    return (*times)++ > 0;
}

static void predict(struct hd_drive *d, struct hd_drive_slot *a, u64 hash)
{
    s64 began = hd_monotonic_ns();
    u32 more = 1 + (u32)HD_MIN(a->size / DRY_EVENTS, (u64)DRY); /* hd_drive_predicted sets it back */
    d->is_from_long = a->has_gap;
    d->portfolio.is_long |= a->has_gap;
    d->result.left_out += a->is_left_out;
    if (a->is_streaming) {
        d->dry += more;
        hd_predict_end_run(a->predict);
    } else if (!is_known_run(d, hash) && !a->is_left_out) {
        d->dry += more;
        hd_map_arm_look(d->map, a->events.at, a->events.n);
        feed_all(a);
        hd_predict_end_run(a->predict);
    }
    d->predict_ns += hd_monotonic_ns() - began;
}

static void subscriber_ran(void *self, u32 slot, const struct hd_run_end *ran);

/* ---- opening -------------------------------------------------------------------------------- */

static void remember_arm(void *self, const struct hd_store_arm *a)
{
    struct hd_drive *d = self;
    for (u32 i = 0; i < HD_ARMS; i++)
        if (!strcmp(hd_arm_name(i), a->name))
            hd_portfolio_remember(&d->portfolio, i, a->runs, a->cost, a->news);
}

int hd_drive_open(struct hd_drive **out, const struct hd_director_opts *o, struct hd_error *err)
{
    struct hd_drive *d = calloc(1, sizeof *d);
    HD_ASSERT(d);
    d->o = *o;
    d->is_tries_set = o->tries;
    d->o.tries = o->tries ? o->tries : HD_DRIVE_TRIES;
    d->o.tries_all = o->tries_all ? o->tries_all : HD_DRIVE_TRIES_ALL;
    d->rng = hd_rng_make(o->cfg->seed, 0, HD_RNG_DRIVE);
    d->saved_ns = hd_monotonic_ns();
    hd_set_init(&d->set);
    hd_corpus_init(&d->corpus, o->jobs);
    hd_portfolio_init(&d->portfolio);
    d->map = o->as_paper ? NULL : hd_map_arm_open(o->cover, o->cfg->seed);
    hd_map_init(&d->seen_hash);
    hd_map_init(&d->site_tries);
    *hd_vec_add(&d->candidate) = (struct hd_drive_candidate){0};
    d->slot = calloc(o->jobs, sizeof *d->slot);
    HD_ASSERT(d->slot);
    struct hd_predict_config cfg = {.idioms = o->idioms, .window = o->window, .budget = COMBINATIONS,
                                    .max_bytes = o->predict_bytes,
                                    .sink = hd_drive_predicted, .self = d};
    for (u32 i = 0; i < o->jobs; i++) {
        d->slot[i].predict = malloc(sizeof *d->slot[i].predict);
        HD_ASSERT(d->slot[i].predict);
        hd_predict_init(d->slot[i].predict, &cfg);
    }
    if (!o->no_memory || o->only) /* which one that is, memory tells */
        hd_cover_store_candidates(o->cover, hd_drive_remembered, d);
    if (!o->no_memory)
        hd_cover_store_arms(o->cover, remember_arm, d);
    d->had_luck = o->cover->loaded[HD_METRIC_iroot] && !hd_cover_has_failed(o->cover);
    d->was_driven = d->had_luck && d->candidate.n > 1;
    struct hd_cover_subscriber subscriber = {d, subscriber_begin, subscriber_event, NULL,
                                             subscriber_ran};
    hd_cover_subscriber(o->cover, &subscriber);
    int e = o->only ? hd_drive_find_only(d, err) : 0;
    if (e) {
        hd_drive_close(d);
        d = NULL;
    }
    *out = d;
    return e;
}

void hd_drive_close(struct hd_drive *d)
{
    static const struct hd_cover_subscriber none;
    if (!d)
        return;
    hd_cover_subscriber(d->o.cover, &none);
    for (u32 i = 0; i < d->o.jobs; i++) {
        hd_predict_release(d->slot[i].predict);
        free(d->slot[i].predict);
        hd_vec_release(&d->slot[i].events);
    }
    for (size_t i = 0; i < d->log.n; i++)
        free(d->log.at[i].choice);
    free(d->slot);
    hd_vec_release(&d->log);
    hd_vec_release(&d->waiting);
    hd_vec_release(&d->unsaved);
    hd_vec_release(&d->candidate);
    hd_set_release(&d->set);
    hd_corpus_release(&d->corpus);
    hd_map_arm_close(d->map);
    hd_map_release(&d->seen_hash);
    hd_map_release(&d->site_tries);
    free(d);
}

/* ---- after a run ------------------------------------------------------------------------------ */

/* The choices of a run of the worker's batch that has ended, if they are still there. */
static u32 copy_choices(struct hd_worker *w, const struct hd_run_end *ran, struct hd_choice *to)
{
    u32 n;
    if (ran->verdict == HD_V_CLEAN && ran->run + 1 != w->sent.first_run + w->sent.count)
        return ran->log_n > LOG_LONGEST ? 0 : hd_shm_saved_choices(&w->run.shm, ran, to, LOG_LONGEST);
    const struct hd_choice *last = hd_snapshot_choices(&w->run, &n);
    if (n > LOG_LONGEST)
        return 0;
    memcpy(to, last, n * sizeof *to);
    return n;
}

static void keep_log(struct hd_drive *d, struct hd_worker *w, const struct hd_run_end *ran)
{
    static struct hd_choice choice[LOG_LONGEST];
    struct hd_drive_log l = {.n = copy_choices(w, ran, choice)};
    if (d->log_bytes + l.n * sizeof *l.choice > LOG_BYTES)
        l.n = 0; /* then there is no prefix */
    l.choice = malloc(l.n * sizeof *l.choice + 1);
    HD_ASSERT(l.choice);
    memcpy(l.choice, choice, l.n * sizeof *l.choice);
    *hd_vec_add(&d->log) = l;
    d->log_bytes += l.n * sizeof *l.choice;
}

/* A run that failed is over; it is not gone on from. */
static u32 join_corpus(struct hd_drive *d, u32 slot, const struct hd_run_end *ran,
                       const struct hd_drive_round *r)
{
    static struct hd_choice choice[LOG_LONGEST];
    u32 n = ran->verdict == HD_V_CLEAN && hd_corpus_wants(&d->corpus, slot)
                ? copy_choices(d->o.cover->worker[slot], ran, choice)
                : 0;
    return hd_corpus_ran(&d->corpus, slot, choice, n, r->from);
}

/* What an earlier run of its batch has shown was no attempt; nor was what waited in a queue
 * and whose turn did not come. */
static void drop_untried(struct hd_drive *d, struct hd_drive_round *r, u32 tried)
{
    u32 n = 0, n_queued = 0, first = r->n_chosen - r->n_queued;
    for (u32 i = 0; i < r->n_chosen; i++) {
        struct hd_drive_candidate *c = &d->candidate.at[r->chosen[i]];
        bool was_tried = i < first || tried >> i & 1;
        if (!was_tried || (c->state == HD_DRIVE_EXPOSED && !d->only)) {
            c->is_busy = false;
            continue;
        }
        n_queued += i >= first;
        r->chosen[n++] = r->chosen[i];
    }
    r->n_chosen = n;
    r->n_queued = n_queued;
}

/* A pair that was never shown, in earlier campaigns neither, is news. */
static void check_for_news(struct hd_drive *d)
{
    u64 pairs = hd_coverage_count(d->o.cover->total, HD_METRIC_iroot)->by_sub[1];
    if (pairs != d->pairs)
        d->idle = 0;
    d->pairs = pairs;
}

static void check_fresh(struct hd_drive *d, u32 slot, const struct hd_drive_round *r)
{
    const struct hd_coverage *own = &d->o.cover->slot[slot].own;
    for (size_t i = 0; i < own->io.fresh.n; i++) {
        struct hd_element e;
        struct hd_key k;
        hd_coverage_at(own, own->io.fresh.at[i] - 1, &e, NULL);
        if (e.metric != HD_METRIC_iroot)
            continue;
        hd_set_key(&d->set, &e, &k);
        u32 at = hd_set_find(&d->set, &k);
        struct hd_drive_candidate *c = &d->candidate.at[at];
        bool is_hit = false, is_queue_hit = false;
        for (u32 n = 0; n < r->n_chosen; n++)
            *(n < r->n_chosen - r->n_queued ? &is_hit : &is_queue_hit) |= r->chosen[n] == at;
        if (at && is_queue_hit && c->state != HD_DRIVE_EXPOSED)
            HD_DRIVE_COUNT(d, c, queue_hit);
        if (at)
            hd_drive_exposed(d, c, is_hit);
    }
}

/* Nobody is at the candidates of that run any more. */
static void let_go(struct hd_drive *d, struct hd_drive_round *r)
{
    for (u32 i = 0; i < r->n_chosen; i++)
        d->candidate.at[r->chosen[i]].is_busy = false;
    r->n_chosen = r->n_queued = 0;
}

/* The batch ended before them. */
static void let_go_rest(struct hd_drive *d, struct hd_drive_slot *a)
{
    while (a->n_rounds > a->ran)
        let_go(d, &a->round[--a->n_rounds]);
}

/* The candidates this run targeted have had one attempt more. The last one that a candidate has is
 * not in a queue, where others come first. */
static void settle(struct hd_drive *d, struct hd_drive_round *r)
{
    for (u32 i = 0; i < r->n_chosen && r->kind == HD_DRIVE_ACTIVE; i++) {
        struct hd_drive_candidate *c = &d->candidate.at[r->chosen[i]];
        bool is_queued = i >= r->n_chosen - r->n_queued;
        if (is_queued && !c->was_queued)
            HD_DRIVE_COUNT(d, c, queued);
        if (!is_queued && !c->was_first)
            HD_DRIVE_COUNT(d, c, tried);
        *(is_queued ? &c->was_queued : &c->was_first) = true;
        for (u32 k = 0; k < c->element.n; k++)
            ++*hd_map_ref(&d->site_tries, c->element.site[k], 0);
        if (is_queued && hd_drive_is_last_try(d, c))
            continue;
        c->tries++;
        c->all_tries++;
        d->attempts[c->element.sub]++;
        d->hits[c->element.sub] += c->state == HD_DRIVE_EXPOSED;
        if (c->state == HD_DRIVE_OPEN && hd_drive_is_tried_out(d, c) && !d->only)
            hd_drive_abandon(d, r->chosen[i]);
        c->more_tries++;
        hd_drive_to_be_saved(d, r->chosen[i]);
    }
    let_go(d, r);
}

static bool is_any_open(const struct hd_drive *d, bool only_changed)
{
    for (u32 i = 1; i < d->candidate.n; i++) {
        const struct hd_drive_candidate *c = &d->candidate.at[i];
        if (c->state == HD_DRIVE_OPEN && c->is.n && (c->is_changed || !only_changed))
            return true;
    }
    return false;
}

static void subscriber_ran(void *self, u32 slot, const struct hd_run_end *ran)
{
    struct hd_drive *d = self;
    struct hd_drive_slot *a = &d->slot[slot];
    struct hd_drive_round *r = &a->round[a->ran];
    size_t before = d->candidate.n;
    u64 pairs = d->pairs;
    if (!ran) { /* the server died */
        if (a->is_streaming)
            hd_predict_end_run(a->predict);
        a->is_streaming = false;
        let_go_rest(d, a);
        return;
    }
    HD_ASSERT(a->ran < a->n_rounds);
    a->ran++;
    d->result.runs[r->kind]++;
    d->quiet += !a->is_left_out; /* hd_drive_predicted sets it back */
    d->idle++; /* check_for_news() sets it back */
    drop_untried(d, r, ran->goals_tried);
    check_fresh(d, slot, r);
    check_for_news(d);
    predict(d, a, ran->hash);
    if (d->candidate.n != before)
        keep_log(d, d->o.cover->worker[slot], ran);
    u32 news = join_corpus(d, slot, ran, r);
    hd_drive_paid(d, r, ran, news + (d->pairs - pairs));
    hd_map_arm_ran(d->map, r->pattern);
    hd_drive_check_waiting(d);
    settle(d, r);
    if (d->o.cover->now.only_pairs)
        hd_drive_drop_unseen(d);
    if (hd_monotonic_ns() - d->saved_ns > SAVE_NS)
        hd_drive_save(d);
}

void hd_drive_end(struct hd_drive *d, struct hd_worker *w)
{
    struct hd_drive_slot *a = &d->slot[w->index];
    if (w->host)
        w->host->plan.n = w->host->plan.n_goals = 0; /* replays are none of it */
    let_go_rest(d, a);
    if (a->round[0].kind != HD_DRIVE_PROFILE)
        hd_drive_check(d, w);
}

bool hd_drive_is_done(const struct hd_drive *d)
{
    u32 enough = d->had_luck ? HD_DRIVE_IDLE / 3 : HD_DRIVE_IDLE;
    if (d->o.cover->inherited.was_tested && d->had_luck) /* drive_direct.c says how many runs */
        return !is_any_open(d, true);
    return !hd_drive_is_profiling(d) && (d->idle >= enough || d->o.as_paper) && !is_any_open(d, false);
}

void hd_drive_result(const struct hd_drive *d, struct hd_drive_result *out)
{
    *out = d->result;
    out->predict_seconds = (double)d->predict_ns / 1e9;
    out->waiting = (u32)d->waiting.n;
    memcpy(out->arm, d->portfolio.arm, sizeof out->arm);
    for (u32 i = 1; i < d->candidate.n; i++)
        out->open += d->candidate.at[i].state == HD_DRIVE_OPEN && d->candidate.at[i].is.n;
}
