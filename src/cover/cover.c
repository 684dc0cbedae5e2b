/* cover.c: takes the events of runs out of shared memory while they go on, and
 * keeps count of what they cover. See cover.h.
 *
 * One slot per worker: observers need the events of one run in order, so each
 * worker has its own; what a slot meets for the first time joins the total after
 * the run. The target waits when its ring is full, so every wait for any worker
 * drains all of them. It need not wait for us: see drain.
 */
#include "cover/cover.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/stop.h"
#include "detect/races.h"

#define CACHE 4096       /* sites of a slot, direct mapped; power of two */
#define PUBLISH 1024     /* events between two updates of the ring's read position */
#define LAG (HD_SHM_RING / 4) /* events of an unfinished run that may wait to be observed */

/* ---- opening --------------------------------------------------------------------------- */

static u64 function_of(void *self, u64 site)
{
    return hd_places_function(&((struct hd_cover *)self)->places, site);
}

struct hd_cover *hd_cover_open(const struct hd_cover_opts *o)
{
    struct hd_cover *c = calloc(1, sizeof *c);
    HD_ASSERT(c);
    c->o = *o;
    c->now = o->what;
    c->started_ns = c->saved_ns = hd_monotonic_ns();
    c->slot = calloc(o->jobs, sizeof *c->slot);
    c->worker = calloc(o->jobs, sizeof *c->worker);
    HD_ASSERT(c->slot && c->worker);
    struct hd_observe_config cfg = {.metrics = o->what.metrics, .only_pairs = o->what.only_pairs,
                                    .window = o->window,
                                    .function = function_of, .self = c};
    for (u32 i = 0; i < o->jobs; i++) {
        hd_coverage_init(&c->slot[i].own, &cfg);
        hd_map_init(&c->slot[i].place);
        c->slot[i].cache = calloc(CACHE, sizeof *c->slot[i].cache);
        HD_ASSERT(c->slot[i].cache);
    }
    hd_map_init(&c->weak);
    if (o->jobs > 1)
        hd_coverage_init(&c->all, &cfg);
    c->total = o->jobs > 1 ? &c->all : &c->slot[0].own;
    if (o->dir)
        hd_cover_store_open(c);
    for (u32 m = 0; m < HD_METRIC_COUNT; m++) {
        c->loaded[m] = hd_coverage_count(c->total, m)->covered;
        *hd_vec_add(&c->curve[m].point) = (struct hd_curve_point){0, 0, c->loaded[m]};
    }
    return c;
}

void hd_cover_close(struct hd_cover *c)
{
    if (!c)
        return;
    hd_store_close(c->store, NULL);
    for (u32 i = 0; i < c->o.jobs; i++) {
        hd_coverage_release(&c->slot[i].own);
        hd_vec_release(&c->slot[i].row);
        hd_map_release(&c->slot[i].place);
        hd_cover_seen_release(&c->slot[i].seen);
        free(c->slot[i].cache);
    }
    if (c->o.jobs > 1)
        hd_coverage_release(&c->all);
    for (u32 m = 0; m < HD_METRIC_COUNT; m++)
        hd_vec_release(&c->curve[m].point);
    hd_vec_release(&c->times);
    hd_cover_inherited_release(&c->inherited);
    hd_vec_release(&c->unsaved);
    hd_places_release(&c->places);
    hd_map_release(&c->weak);
    free(c->slot);
    free(c->worker);
    free(c);
}

const char *hd_cover_error(const struct hd_cover *c)
{
    return c->error.text[0] ? c->error.text : NULL;
}

/* ---- events ------------------------------------------------------------------------------ */

/* What observing costs, whoever else uses the machine. */
static s64 cpu_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (s64)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static HD_NOINLINE u64 find_place(struct hd_cover *c, struct hd_cover_slot *a, struct hd_snapshot *m,
                                  const struct hd_event *ev)
{
    u64 *known = hd_map_get(&a->place, ev->site);
    if (known)
        return *known;
    u64 id = ev->site ? hd_places_of(&c->places, m, ev->site, ev->obj) : 0;
    hd_map_put(&a->place, ev->site, id);
    bool is_atomic = ev->kind == HD_EV_ALOAD || ev->kind == HD_EV_ASTORE || ev->kind == HD_EV_ARMW;
    if (is_atomic && ev->arg & HD_MO_MASK)
        hd_map_put(&c->weak, id, ev->arg & HD_MO_MASK);
    return id;
}

static const struct hd_cover_cache *place_of(struct hd_cover *c, struct hd_cover_slot *a,
                                             struct hd_snapshot *m, const struct hd_event *ev)
{
    struct hd_cover_cache *slot = &a->cache[ev->site & (CACHE - 1)];
    if (HD_UNLIKELY(slot->pc != ev->site || !slot->number)) {
        u64 id = find_place(c, a, m, ev);
        *slot = (struct hd_cover_cache){ev->site, id, hd_coverage_site(&a->own, id)};
    }
    return slot;
}

/* The next thread on that stack has nothing to do with it. */
static void drop_stack(struct hd_cover *c, struct hd_cover_slot *a, const struct hd_event *exit)
{
    struct hd_event ev = {.kind = HD_EV_FREE, .tid = exit->tid, .obj = exit->obj,
                          .arg = exit->arg};
    if (!ev.tid || !ev.arg)
        return;
    hd_coverage_event(&a->own, &ev);
    if (c->subscriber.event)
        c->subscriber.event(c->subscriber.self, (u32)(a - c->slot), &ev);
}

static double seconds_of(const struct hd_cover *c)
{
    return (double)(hd_monotonic_ns() - c->started_ns) / 1e9;
}

static void begin_run(struct hd_cover *c, struct hd_cover_slot *a)
{
    a->is_running = true;
    hd_coverage_begin_run(&a->own, a->first + a->taken, seconds_of(c));
    if (c->subscriber.begin)
        c->subscriber.begin(c->subscriber.self, (u32)(a - c->slot), a->first + a->taken);
}

/* The events up to ring position `end`, all of one run. */
static void observe(struct hd_cover *c, struct hd_cover_slot *a, struct hd_worker *w, u64 end)
{
    struct hd_shm_host *m = w->host;
    const struct hd_event *ring = hd_shm_ring(w->run.shm.run);
    const u32 *left = hd_shm_left(w->run.shm.run);
    if (!a->is_running)
        begin_run(c, a);
    if (end - a->read > HD_SHM_RING) { /* the target wrote nonsense: what was overwritten is lost */
        a->is_cut = true;
        a->read = end;
    }
    while (a->read < end) {
        struct hd_event ev = hd_shm_event(ring, a->read);
        const struct hd_cover_cache *at = place_of(c, a, &w->run, &ev);
        ev.site = at->id;
        if (HD_LIKELY(!hd_event_is_own(&ev)))
            hd_coverage_event_at(&a->own, &ev, at->number);
        a->value = hd_shm_value(ring, a->read);
        a->left = left[a->read & (HD_SHM_RING - 1)];
        if (c->subscriber.event)
            c->subscriber.event(c->subscriber.self, (u32)(a - c->slot), &ev);
        if (HD_UNLIKELY(ev.kind == HD_EV_EXIT))
            drop_stack(c, a, &ev);
        else if (HD_UNLIKELY(ev.kind == HD_EV_GAP))
            a->left_out += ev.obj;
        a->in_run++;
        if (!(++a->read % PUBLISH)) {
            __atomic_store_n(&m->ring_read, a->read, __ATOMIC_RELEASE);
            if (hd_stop_is_due())
                break; /* the campaign is over: its end does not wait for the rest */
        }
    }
    a->is_cut |= a->read < end;
    a->read = end;
    __atomic_store_n(&m->ring_read, end, __ATOMIC_RELEASE);
}

/* ---- runs -------------------------------------------------------------------------------- */

/* Who stands still for ever, and where. */
static void report_blocked(struct hd_cover *c, struct hd_cover_slot *a, struct hd_snapshot *m)
{
    u32 n;
    const struct hd_shm_thread *t = hd_snapshot_threads(m, &n);
    for (u32 i = 0; i < n; i++) {
        u8 kind = t[i].op_kind;
        if (t[i].state != HD_T_PENDING || hd_event_class(kind) != HD_CLASS_ACQ)
            continue;
        struct hd_event ev = {.site = t[i].op_site, .obj = t[i].op_obj};
        hd_coverage_blocked(&a->own, (u16)i, place_of(c, a, m, &ev)->id, ev.obj);
    }
}

static void join_total(struct hd_cover *c, struct hd_cover_slot *a)
{
    for (size_t i = 0; c->total != &a->own && i < a->own.io.fresh.n; i++) {
        struct hd_element e;
        struct hd_first_seen when;
        hd_coverage_at(&a->own, a->own.io.fresh.at[i] - 1, &e, &when);
        hd_coverage_add(c->total, &e, &when);
    }
}

static void add_points(struct hd_cover *c)
{
    double seconds = seconds_of(c);
    for (u32 m = 0; m < HD_METRIC_COUNT; m++) {
        u64 covered = hd_coverage_count(c->total, m)->covered;
        if (!(c->now.metrics >> m & 1) || covered == hd_vec_last(&c->curve[m].point)->covered)
            continue;
        *hd_vec_add(&c->curve[m].point) =
            (struct hd_curve_point){(double)c->runs, seconds, covered};
        hd_cover_store_curve(c, m, hd_vec_last(&c->curve[m].point));
    }
}

/* Large runs: less, for the rest of the campaign. One that told every access says nothing about the others. */
static void reduce_metrics(struct hd_cover *c, const struct hd_cover_slot *a)
{
    const u64 cheap = (u64)1 << HD_METRIC_iroot | (u64)1 << HD_METRIC_syncpair;
    if (!c->now.is_auto || c->now.only_pairs || a->in_run <= HD_COVER_SMALL || a->tells_all)
        return;
    c->now.metrics = c->races ? cheap | (c->now.metrics & (u64)1 << HD_METRIC_race) : cheap;
    c->now.only_pairs = a->in_run >= HD_COVER_LARGE;
}

static void select_metrics(struct hd_cover *c, struct hd_cover_slot *a)
{
    const struct hd_observe_config *cfg = &a->own.io.cfg;
    if (cfg->metrics == c->now.metrics && cfg->only_pairs == c->now.only_pairs)
        return;
    hd_coverage_select(&a->own, c->now.metrics, c->now.only_pairs);
    hd_cover_seen_clear(&a->seen);
}

/* What a run met, all of it in the ring up to `end`, is looked up or observed. */
static void observe_whole(struct hd_cover *c, struct hd_cover_slot *a, struct hd_worker *w,
                          u64 end)
{
    struct hd_cover_hash h = hd_cover_hash(hd_shm_ring(w->run.shm.run), a->read, end);
    u32 changes = a->own.io.changes;
    const struct hd_cover_was *was = hd_cover_seen_find(&a->seen, h, changes);
    if (was) {
        hd_coverage_repeat(&a->own, a->first + a->taken, seconds_of(c),
                           was->n ? &a->seen.met.at[was->from] : NULL, was->n);
        a->in_run = end - a->read;
        a->read = end;
        __atomic_store_n(&w->host->ring_read, end, __ATOMIC_RELEASE);
        return;
    }
    observe(c, a, w, end);
    hd_coverage_end_run(&a->own, seconds_of(c));
    a->is_running = false;
    if (a->own.io.changes == changes)
        hd_cover_seen_add(&a->seen, h, changes, a->own.io.met.at, a->own.io.met.n);
}

static bool is_whole(const struct hd_cover *c, const struct hd_cover_slot *a, u64 end, u32 verdict)
{
    return !a->is_running && !c->subscriber.event && verdict == HD_V_CLEAN &&
           end - a->read <= HD_COVER_SMALL;
}

/* The next run of the batch, over and done with. `is_known`: its end is one. */
static void take_run(struct hd_cover *c, struct hd_cover_slot *a, struct hd_worker *w,
                     const struct hd_run_end *ran, bool is_known)
{
    u64 end = is_known ? ran->end : hd_shm_written(&w->run.shm);
    if (is_known && is_whole(c, a, end, ran->verdict)) {
        observe_whole(c, a, w, end);
    } else {
        observe(c, a, w, end);
        if (ran->verdict == HD_V_DEADLOCK && is_known && !a->is_cut)
            report_blocked(c, a, &w->run);
        hd_coverage_end_run(&a->own, seconds_of(c));
        a->is_running = false;
        if (c->subscriber.end)
            c->subscriber.end(c->subscriber.self, (u32)(a - c->slot));
    }
    a->taken++;
    c->runs++;
    c->cut += a->is_cut;
    if (a->left_out && !a->tells_all) {
        c->sampled++;
        c->sampled_events += a->in_run;
        c->left_out += a->left_out;
    }
    c->events += a->in_run;
    if (a->own.io.fresh.n) {
        join_total(c, a);
        add_points(c);
    }
    if (is_known)
        hd_cover_store_run(c, a, ran);
    reduce_metrics(c, a);
    select_metrics(c, a);
    a->is_cut = false;
    a->in_run = a->left_out = 0;
    if (c->subscriber.ran) {
        s64 began = cpu_ns();
        c->subscriber.ran(c->subscriber.self, (u32)(a - c->slot), is_known ? ran : NULL);
        c->subscriber_ns += cpu_ns() - began;
    }
    if (is_known)
        __atomic_store_n(&w->host->runs_read, a->base + a->taken, __ATOMIC_RELEASE);
}

static struct hd_run_end next_ran(const struct hd_cover_slot *a, const struct hd_worker *w)
{
    return hd_shm_ran(&w->run.shm, a->base + a->taken);
}

/* Has the server gone on to another run of the batch? Then there is no more to be said
 * about the next one. The batch's last is left for hd_cover_end, which has the last word. */
static bool has_ended(const struct hd_cover_slot *a, const struct hd_worker *w, u64 done)
{
    return a->taken + 1 < done ||
           (a->taken < done && a->taken + 1 < w->sent.count &&
            next_ran(a, w).verdict == HD_V_CLEAN);
}

/* Takes what is there; returns how many events came since the last time. A run is looked
 * at when it is over, unless its events threaten to fill the ring. */
static u64 drain(struct hd_cover *c, struct hd_cover_slot *a, struct hd_worker *w)
{
    u64 written = hd_shm_written(&w->run.shm);
    u64 done = hd_worker_done(w), from = a->read;
    if (!has_ended(a, w, done) && written - a->read < LAG)
        return 0;
    s64 began = cpu_ns(), other = c->store_ns + c->subscriber_ns;
    while (has_ended(a, w, done)) {
        struct hd_run_end ran = next_ran(a, w);
        take_run(c, a, w, &ran, true);
    }
    u64 end = a->taken < done ? next_ran(a, w).end : written;
    if (end - a->read >= LAG && end > a->read)
        observe(c, a, w, end);
    c->observe_ns += HD_MAX(cpu_ns() - began - (c->store_ns + c->subscriber_ns - other), (s64)0);
    return a->read - from;
}

static u64 drain_all(void *self)
{
    struct hd_cover *c = self;
    u64 n = 0;
    for (u32 i = 0; i < c->o.jobs; i++)
        if (c->slot[i].is_open && c->worker[i] && c->worker[i]->host)
            n += drain(c, &c->slot[i], c->worker[i]);
    return n;
}

void hd_cover_attach(struct hd_cover *c, struct hd_worker *w)
{
    struct hd_cover_slot *a = &c->slot[w->index];
    HD_ASSERT(w->index < c->o.jobs && !a->is_open);
    w->drain = drain_all;
    w->drain_self = c;
    c->worker[w->index] = w;
    hd_map_clear(&a->place); /* addresses of another process */
    hd_cover_seen_clear(&a->seen);
    memset(a->cache, 0, CACHE * sizeof *a->cache);
    if (c->o.use_learned)
        hd_cover_store_learned(c, &w->run);
}

void hd_cover_subscriber(struct hd_cover *c, const struct hd_cover_subscriber *subscriber)
{
    c->subscriber = *subscriber;
}

/* Variables of the program and its libraries are in the same place in every run. */
static bool is_fixed(struct hd_snapshot *m, u64 addr)
{
    u32 n;
    const struct hd_module *all = hd_snapshot_modules(m, &n);
    for (u32 i = 0; i < n; i++)
        if (addr - all[i].start < all[i].end - all[i].start)
            return true;
    return false;
}

static void on_race(void *self, const struct hd_race_seen *seen)
{
    struct hd_cover_slot *a = self;
    struct hd_worker *w = a->cover->worker[a - a->cover->slot];
    if (w && w->host)
        hd_races_add(a->cover->races, seen, is_fixed(&w->run, seen->addr));
}

static void on_lock_order(void *self, const struct hd_lock_order_seen *seen)
{
    struct hd_cover_slot *a = self;
    struct hd_worker *w = a->cover->worker[a - a->cover->slot];
    u32 fixed = 0;
    for (u32 i = 0; w && w->host && i < seen->n; i++)
        fixed |= (u32)is_fixed(&w->run, seen->at[i].lock) << i;
    hd_lock_orders_add(&a->cover->races->locks, seen, fixed);
}

static void on_two(void *self, const struct hd_two_seen *seen)
{
    struct hd_cover_slot *a = self;
    struct hd_worker *w = a->cover->worker[a - a->cover->slot];
    if (w && w->host)
        hd_twos_add(&a->cover->races->twos, seen,
                    (u32)is_fixed(&w->run, seen->addr[0]) | (u32)is_fixed(&w->run, seen->addr[1]) << 1);
}

void hd_cover_races(struct hd_cover *c, struct hd_races *r)
{
    c->races = r;
    for (u32 i = 0; i < c->o.jobs; i++) {
        c->slot[i].cover = c;
        c->slot[i].own.io.cfg.race = r ? on_race : NULL;
        c->slot[i].own.io.cfg.lock_order = r ? on_lock_order : NULL;
        c->slot[i].own.io.cfg.two = r ? on_two : NULL;
        c->slot[i].own.io.cfg.race_self = &c->slot[i];
    }
}

void hd_cover_begin(struct hd_cover *c, struct hd_worker *w, u64 run)
{
    struct hd_cover_slot *a = &c->slot[w->index];
    struct hd_shm_host *m = w->host;
    HD_ASSERT(!a->is_open && !a->is_running);
    m->cfg.mode |= HD_MODE_STREAM;
    a->is_open = true;
    a->tells_all = m->cfg.mode & HD_MODE_ALL_EVENTS;
    m->cfg.stream_all = !c->now.is_auto ? 0 : a->tells_all ? HD_COVER_TELLS : HD_COVER_SMALL;
    a->is_cut = false;
    a->first = run;
    a->base = hd_worker_runs(w);
    a->read = a->in_run = a->left_out = a->taken = 0;
}

/* All runs that have ended. */
static void take_all(struct hd_cover *c, struct hd_cover_slot *a, struct hd_worker *w)
{
    u64 done = hd_worker_done(w);
    while (a->taken < done) {
        struct hd_run_end ran = next_ran(a, w);
        if (a->taken + 1 == done && !w->is_dead)
            ran.verdict = w->run.verdict.kind; /* the host's word, if it had one */
        take_run(c, a, w, &ran, true);
    }
}

void hd_cover_end(struct hd_cover *c, struct hd_worker *w)
{
    static const struct hd_run_end none;
    struct hd_cover_slot *a = &c->slot[w->index];
    if (!a->is_open)
        return;
    s64 began = cpu_ns(), other = c->store_ns + c->subscriber_ns;
    take_all(c, a, w);
    if (a->is_running || w->is_dead)
        take_run(c, a, w, &none, false);
    a->is_open = false;
    c->observe_ns += HD_MAX(cpu_ns() - began - (c->store_ns + c->subscriber_ns - other), (s64)0);
}

void hd_cover_finish(struct hd_cover *c, u64 runs, struct hd_worker *w, u32 n)
{
    for (u32 i = 0; i < c->o.jobs; i++) { /* cut off by the end of the budget */
        struct hd_cover_slot *a = &c->slot[i];
        if (a->is_open && c->worker[i] && c->worker[i]->host)
            take_all(c, a, c->worker[i]);
        if (a->is_running)
            hd_coverage_end_run(&a->own, seconds_of(c));
        a->is_open = a->is_running = false;
        c->worker[i] = NULL;
    }
    for (u32 i = 0; i < n; i++)
        w[i].drain = NULL;
    hd_cover_store_close(c, runs, w, n);
}
