/* coverage.c: runs the selected observers, keeps counters and curves. See
 * coverage.h. */
#include "observe/coverage.h"

#include "event/effect.h"

#include <stdlib.h>

static void split(void *self, u32 from, u32 to)
{
    struct hd_coverage *c = self;
    for (u32 m = 0; m < HD_METRIC_COUNT; m++)
        if (c->state[m] && hd_observer_at(m)->split)
            hd_observer_at(m)->split(c->state[m], &c->io, from, to);
}

static void select_metric(struct hd_coverage *c, u32 m)
{
    const struct hd_observer *o = hd_observer_at(m);
    c->state[m] = calloc(1, o->state + 1); /* not NULL, also without a state */
    HD_ASSERT(c->state[m]);
    if (o->init)
        o->init(c->state[m], &c->io);
}

static void call_metrics(struct hd_coverage *c)
{
    for (u32 what = 0; what < HD_DOES_COUNT; what++) {
        c->calls[what].n = 0;
        for (u32 m = 0; m < HD_METRIC_COUNT; m++) {
            const struct hd_observer *o = hd_observer_at(m);
            if (!c->state[m] || !(c->io.cfg.metrics >> m & 1) || !(o->wants >> what & 1))
                continue;
            u32 i = c->calls[what].n++;
            c->calls[what].at[i].event = o->event;
            c->calls[what].at[i].state = c->state[m];
        }
    }
}

void hd_coverage_select(struct hd_coverage *c, u64 metrics, bool only_pairs)
{
    HD_ASSERT(!c->is_running);
    c->io.cfg.metrics &= metrics;
    c->io.cfg.only_pairs |= only_pairs;
    call_metrics(c);
}

void hd_coverage_init(struct hd_coverage *c, const struct hd_observe_config *cfg)
{
    *c = (struct hd_coverage){.io.cfg = *cfg};
    struct hd_observe_config *own = &c->io.cfg;
    own->metrics = cfg->metrics ? cfg->metrics & HD_METRICS_ALL : HD_METRICS_ALL;
    own->window = cfg->window ? cfg->window : HD_WINDOW_DEFAULT;
    own->history = cfg->history ? cfg->history : HD_HISTORY_DEFAULT;
    hd_set_init(&c->io.set);
    hd_feed_init(&c->io.feed, &c->io.set, own->history);
    c->io.feed.split = split;
    c->io.feed.self = c;
    for (u32 m = 0; m < HD_METRIC_COUNT; m++)
        if (own->metrics >> m & 1)
            select_metric(c, m);
    call_metrics(c);
}

void hd_coverage_release(struct hd_coverage *c)
{
    for (u32 m = 0; m < HD_METRIC_COUNT; m++) {
        if (c->state[m] && hd_observer_at(m)->release)
            hd_observer_at(m)->release(c->state[m]);
        free(c->state[m]);
        hd_vec_release(&c->curve[m].point);
    }
    hd_vec_release(&c->blocked);
    hd_vec_release(&c->io.fresh);
    hd_vec_release(&c->io.met);
    hd_feed_release(&c->io.feed);
    free(c->io.memo.tag);
    hd_set_release(&c->io.set);
    *c = (struct hd_coverage){0};
}

/* ---- a run ------------------------------------------------------------------------ */

static void add_point(struct hd_coverage *c, u32 m, u64 run, double seconds)
{
    u64 covered = c->io.count[m].covered;
    struct hd_curve *v = &c->curve[m];
    if (!v->point.n || hd_vec_last(&v->point)->covered != covered)
        *hd_vec_add(&v->point) = (struct hd_curve_point){(double)run, seconds, covered};
}

void hd_coverage_begin_run(struct hd_coverage *c, u64 run, double seconds)
{
    HD_ASSERT(!c->is_running);
    c->is_running = true;
    c->io.run = run;
    c->io.seconds = seconds;
    if (!++c->io.set.stamp) { /* once in 4 billion runs */
        for (u32 i = 1; i <= c->io.set.n; i++)
            c->io.set.record[i].stamp = 0;
        c->io.set.stamp = 1;
    }
    hd_vec_clear(&c->blocked);
    hd_vec_clear(&c->io.fresh);
    hd_vec_clear(&c->io.met);
    hd_feed_begin(&c->io.feed);
    hd_memo_begin(&c->io.memo);
    for (u32 m = 0; m < HD_METRIC_COUNT; m++) {
        if (!c->state[m])
            continue;
        if (!c->curve[m].point.n)
            add_point(c, m, c->runs, c->runs ? seconds : 0);
        c->io.count[m].in_run = c->io.count[m].new_in_run = 0;
        if (hd_observer_at(m)->begin)
            hd_observer_at(m)->begin(c->state[m], &c->io);
    }
}

u32 hd_coverage_site(struct hd_coverage *c, u64 site) { return hd_set_site(&c->io.set, site); }

void hd_coverage_event(struct hd_coverage *c, const struct hd_event *ev)
{
    hd_coverage_event_at(c, ev, hd_coverage_site(c, ev->site));
}

/* What came before is not compared with what follows, so that nothing is taken for seen that
 * was not; the run goes on. */
static HD_COLD void begin_anew(struct hd_coverage *c)
{
    hd_feed_gap(&c->io.feed, true);
    for (u32 m = 0; m < HD_METRIC_COUNT; m++)
        if (c->state[m] && hd_observer_at(m)->begin)
            hd_observer_at(m)->begin(c->state[m], &c->io);
}

void hd_coverage_event_at(struct hd_coverage *c, const struct hd_event *ev, u32 site)
{
    c->events++;
    if (HD_UNLIKELY(ev->kind == HD_EV_GAP)) {
        begin_anew(c);
        return;
    }
    bool is_reported = hd_space_of(ev->kind) == HD_SPACE_NOTE && !ev->site; /* by a gap: nobody's step */
    if (HD_UNLIKELY(ev->tid >= HD_MAX_THREADS || is_reported))
        return;
    const struct hd_seen *s = hd_feed_decode_at(&c->io.feed, ev, site);
    for (u32 i = 0; i < c->calls[s->what].n; i++)
        c->calls[s->what].at[i].event(c->calls[s->what].at[i].state, &c->io, s);
    hd_feed_done(&c->io.feed);
}

void hd_coverage_blocked(struct hd_coverage *c, u16 tid, u64 site, u64 obj)
{
    u32 id = hd_feed_sync(&c->io.feed, obj);
    if (id && tid < c->io.feed.n_threads)
        *hd_vec_add(&c->blocked) = (struct hd_blocked){
            tid, id, hd_set_site(&c->io.set, site), c->io.feed.thread[tid].time + 1};
}

void hd_coverage_end_run(struct hd_coverage *c, double seconds)
{
    HD_ASSERT(c->is_running);
    c->is_running = false;
    c->runs++;
    for (u32 m = 0; m < HD_METRIC_COUNT; m++) {
        const struct hd_observer *o = hd_observer_at(m);
        if (!c->state[m])
            continue;
        if (c->blocked.n && o->blocked)
            o->blocked(c->state[m], &c->io, c->blocked.at, (u32)c->blocked.n);
        if (o->end)
            o->end(c->state[m], &c->io);
        add_point(c, m, c->runs, seconds);
    }
    hd_feed_rest(&c->io.feed);
    c->io.seconds = seconds;
}

void hd_coverage_repeat(struct hd_coverage *c, u64 run, double seconds, const u32 *met, size_t n)
{
    HD_ASSERT(!c->is_running && !c->io.cfg.sink);
    c->runs++;
    c->io.run = run;
    c->io.seconds = seconds;
    hd_vec_clear(&c->io.fresh);
    for (u32 m = 0; m < HD_METRIC_COUNT; m++)
        c->io.count[m].in_run = c->io.count[m].new_in_run = 0;
    for (size_t i = 0; i < n; i++) {
        struct hd_record *r = &c->io.set.record[met[i]];
        c->io.count[r->key.metric].in_run++;
        r->runs++;
    }
}

/* ---- what was covered --------------------------------------------------------------- */

const struct hd_metric_count *hd_coverage_count(const struct hd_coverage *c, u32 metric)
{
    HD_ASSERT(metric < HD_METRIC_COUNT);
    return &c->io.count[metric];
}

u64 hd_coverage_possible(const struct hd_coverage *c, u32 metric)
{
    HD_ASSERT(metric < HD_METRIC_COUNT);
    if (c->possible[metric] || !c->state[metric] || !hd_observer_at(metric)->possible)
        return c->possible[metric];
    return hd_observer_at(metric)->possible(c->state[metric]);
}

void hd_coverage_set_possible(struct hd_coverage *c, u32 metric, u64 n)
{
    HD_ASSERT(metric < HD_METRIC_COUNT);
    c->possible[metric] = n;
}

u32 hd_coverage_size(const struct hd_coverage *c) { return c->io.set.n; }

void hd_coverage_at(const struct hd_coverage *c, u32 i, struct hd_element *e,
                    struct hd_first_seen *when)
{
    HD_ASSERT(i < c->io.set.n);
    const struct hd_record *r = &c->io.set.record[i + 1];
    hd_set_element(&c->io.set, &r->key, e);
    if (when)
        *when = (struct hd_first_seen){r->first_run, (double)r->first_seconds, r->runs};
}

bool hd_coverage_has(struct hd_coverage *c, const struct hd_element *e)
{
    struct hd_element own = *e;
    struct hd_key k;
    hd_element_canonical(&own);
    hd_set_key(&c->io.set, &own, &k);
    return hd_set_find(&c->io.set, &k);
}

static void add_count(struct hd_coverage *c, const struct hd_key *k)
{
    c->io.count[k->metric].covered++;
    c->io.count[k->metric].by_sub[k->sub]++;
    if (c->state[k->metric] && hd_observer_at(k->metric)->learn)
        hd_observer_at(k->metric)->learn(c->state[k->metric], &c->io, k);
}

bool hd_coverage_add(struct hd_coverage *c, const struct hd_element *e,
                     const struct hd_first_seen *when)
{
    struct hd_element own = *e;
    struct hd_key k;
    HD_ASSERT(!c->is_running && e->metric < HD_METRIC_COUNT && e->sub < HD_ELEMENT_SUBS &&
              e->n <= HD_ELEMENT_SITES && e->n_extra <= HD_ELEMENT_EXTRA);
    hd_element_canonical(&own);
    hd_set_key(&c->io.set, &own, &k);
    u32 at = hd_set_find(&c->io.set, &k), run = (u32)HD_MIN(when->run, (u64)UINT32_MAX);
    bool is_new = !at;
    if (is_new) {
        at = hd_set_insert(&c->io.set, &k);
        add_count(c, &k);
    }
    struct hd_record *r = &c->io.set.record[at];
    if (is_new || run < r->first_run) {
        r->first_run = run;
        r->first_seconds = (float)when->seconds;
    }
    r->runs += when->runs;
    return is_new;
}

size_t hd_coverage_bytes(const struct hd_coverage *c) { return hd_set_bytes(&c->io.set); }
