/* cover.c: takes the events of runs out of shared memory while they go on, and
 * keeps count of what they cover. See cover.h.
 *
 * One lane per worker: observers need the events of one run in order, so each
 * worker has its own; what a lane meets for the first time joins the total after
 * the run. The target waits when its ring is full, so every wait for any worker
 * drains all of them.
 */
#include "campaign/cover.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CACHE 4096       /* sites of a lane, direct mapped; power of two */
#define PUBLISH 1024     /* events between two updates of the ring's read position */

/* ---- which metrics --------------------------------------------------------------------- */

bool hd_cover_metric(const char *text, u32 *metric, u32 *sub)
{
    size_t n = strlen(text), digits = 0;
    *sub = 0;
    *metric = hd_metric_find(text, n);
    if (*metric < HD_METRIC_COUNT)
        return true;
    while (digits < n && text[n - digits - 1] >= '0' && text[n - digits - 1] <= '9')
        digits++;
    *metric = hd_metric_find(text, n - digits);
    if (!digits || digits > 2 || *metric >= HD_METRIC_COUNT)
        return false;
    *sub = (u32)atoi(text + n - digits);
    return *sub > 0 && *sub < HD_ELEMENT_SUBS;
}

static int unknown_metric(const char *word, char *err, size_t size)
{
    size_t n = (size_t)snprintf(err, size, "unknown metric '%s': there are ", word);
    for (u32 m = 0; m < HD_METRIC_COUNT && n < size; m++)
        n += (size_t)snprintf(err + n, size - n, "%s, ", hd_metric_name(m));
    if (n < size)
        snprintf(err + n, size - n, "iroot1 (idiom 1 alone); all, auto and none");
    return -1;
}

int hd_cover_choose(struct hd_cover_choice *c, const char *list, char *err, size_t size)
{
    bool has_iroot = false;
    *c = (struct hd_cover_choice){0};
    if (!strcmp(list, "none"))
        return 0;
    c->is_auto = !strcmp(list, "auto");
    if (c->is_auto || !strcmp(list, "all")) {
        c->metrics = HD_METRICS_ALL;
        return 0;
    }
    for (const char *at = list; *at;) {
        char word[32];
        size_t n = strcspn(at, ",");
        u32 metric, sub;
        snprintf(word, sizeof word, "%.*s", (int)HD_MIN(n, sizeof word - 1), at);
        bool is_pairs = !strcmp(word, "iroot1");
        if (!hd_cover_metric(word, &metric, &sub) || (sub && !is_pairs))
            return unknown_metric(word, err, size);
        c->metrics |= (u64)1 << metric;
        c->only_pairs |= is_pairs;
        has_iroot |= metric == HD_METRIC_iroot && !is_pairs;
        at += n + (at[n] == ',');
    }
    c->only_pairs &= !has_iroot;
    return c->metrics ? 0 : unknown_metric("", err, size);
}

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
    c->started_ns = hd_monotonic_ns();
    c->lane = calloc(o->jobs, sizeof *c->lane);
    c->worker = calloc(o->jobs, sizeof *c->worker);
    HD_ASSERT(c->lane && c->worker);
    struct hd_observe_config cfg = {.metrics = o->what.metrics, .only_pairs = o->what.only_pairs,
                                    .function = function_of, .self = c};
    for (u32 i = 0; i < o->jobs; i++) {
        hd_coverage_init(&c->lane[i].own, &cfg);
        hd_map_init(&c->lane[i].place);
        c->lane[i].cache = calloc(CACHE, sizeof *c->lane[i].cache);
        HD_ASSERT(c->lane[i].cache);
    }
    if (o->jobs > 1)
        hd_coverage_init(&c->all, &cfg);
    c->total = o->jobs > 1 ? &c->all : &c->lane[0].own;
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
    char ignored[256];
    hd_store_close(c->store, ignored, sizeof ignored);
    for (u32 i = 0; i < c->o.jobs; i++) {
        hd_coverage_release(&c->lane[i].own);
        hd_vec_release(&c->lane[i].row);
        hd_map_release(&c->lane[i].place);
        free(c->lane[i].cache);
    }
    if (c->o.jobs > 1)
        hd_coverage_release(&c->all);
    for (u32 m = 0; m < HD_METRIC_COUNT; m++)
        hd_vec_release(&c->curve[m].point);
    hd_vec_release(&c->times);
    hd_places_release(&c->places);
    free(c->lane);
    free(c->worker);
    free(c);
}

const char *hd_cover_error(const struct hd_cover *c) { return c->error[0] ? c->error : NULL; }

/* ---- events ------------------------------------------------------------------------------ */

/* What observing costs, whoever else uses the machine. */
static s64 cpu_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (s64)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static HD_NOINLINE u64 find_place(struct hd_cover *c, struct hd_cover_lane *a, struct hd_shm *m,
                                  const struct hd_event *ev)
{
    u64 *known = hd_map_get(&a->place, ev->site);
    if (known)
        return *known;
    u64 id = ev->site ? hd_places_of(&c->places, m, ev->site, ev->obj) : 0;
    hd_map_put(&a->place, ev->site, id);
    return id;
}

static const struct hd_cover_cache *place_of(struct hd_cover *c, struct hd_cover_lane *a,
                                             struct hd_shm *m, const struct hd_event *ev)
{
    struct hd_cover_cache *slot = &a->cache[ev->site & (CACHE - 1)];
    if (HD_UNLIKELY(slot->pc != ev->site || !slot->number)) {
        u64 id = find_place(c, a, m, ev);
        *slot = (struct hd_cover_cache){ev->site, id, hd_coverage_site(&a->own, id)};
    }
    return slot;
}

/* The target goes on at full speed: its sites stay silent for the rest of the run.
 * A flag the watchdog sets at this very moment may be lost; it sets it again. */
static void cut(struct hd_cover_lane *a, struct hd_shm *m)
{
    struct hd_site *s = hd_shm_sites(m);
    a->is_cut = true;
    if (m->cfg.mode & HD_MODE_NO_FILTER)
        return;
    for (u32 i = 0; i < HD_SHM_SITES; i++)
        if (s[i].flags & HD_SITE_EVENT)
            __atomic_fetch_and(&s[i].flags, (u8)~HD_SITE_EVENT, __ATOMIC_RELAXED);
}

/* The next thread on that stack is another story. */
static void drop_stack(struct hd_cover_lane *a, struct hd_shm *m, u16 tid)
{
    const struct hd_shm_thread *t = &hd_shm_threads(m)[tid % HD_MAX_THREADS];
    struct hd_event ev = {.kind = HD_EV_FREE, .tid = tid, .obj = t->stack_lo,
                          .arg = (u32)HD_MIN(t->stack_hi - t->stack_lo, (u64)UINT32_MAX)};
    if (tid && t->stack_hi > t->stack_lo)
        hd_coverage_event(&a->own, &ev);
}

/* All that is in the ring now; returns how many events. */
static u64 drain(struct hd_cover *c, struct hd_cover_lane *a, struct hd_shm *m)
{
    const struct hd_event *ring = hd_shm_ring(m);
    u64 end = __atomic_load_n(&m->stats.events, __ATOMIC_ACQUIRE), n = end - a->read;
    u64 limit = c->now.is_auto ? HD_COVER_LIMIT : UINT64_MAX;
    if (!n)
        return 0;
    if (n > HD_SHM_RING) { /* the target is mad: what is overwritten cannot be told */
        a->is_cut = true;
        a->read = end;
    }
    s64 began = cpu_ns();
    while (a->read < end && a->in_run < limit) {
        struct hd_event ev = ring[a->read & (HD_SHM_RING - 1)];
        const struct hd_cover_cache *at = place_of(c, a, m, &ev);
        ev.site = at->id;
        hd_coverage_event_at(&a->own, &ev, at->number);
        if (HD_UNLIKELY(ev.kind == HD_EV_EXIT))
            drop_stack(a, m, ev.tid);
        a->in_run++;
        if (!(++a->read % PUBLISH))
            __atomic_store_n(&m->ring_read, a->read, __ATOMIC_RELEASE);
    }
    if (a->in_run >= limit && !a->is_cut)
        cut(a, m);
    a->read = end;
    __atomic_store_n(&m->ring_read, end, __ATOMIC_RELEASE);
    c->observe_ns += cpu_ns() - began;
    return n;
}

static u64 drain_all(void *self)
{
    struct hd_cover *c = self;
    u64 n = 0;
    for (u32 i = 0; i < c->o.jobs; i++)
        if (c->lane[i].is_open && c->worker[i] && c->worker[i]->shm)
            n += drain(c, &c->lane[i], c->worker[i]->shm);
    return n;
}

/* ---- runs -------------------------------------------------------------------------------- */

static double seconds_of(const struct hd_cover *c)
{
    return (double)(hd_monotonic_ns() - c->started_ns) / 1e9;
}

void hd_cover_attach(struct hd_cover *c, struct hd_worker *w)
{
    struct hd_cover_lane *a = &c->lane[w->index];
    HD_ASSERT(w->index < c->o.jobs && !a->is_open);
    w->drain = drain_all;
    w->drain_self = c;
    c->worker[w->index] = w;
    hd_map_clear(&a->place); /* addresses of another process */
    memset(a->cache, 0, CACHE * sizeof *a->cache);
    if (c->o.use_learned)
        hd_cover_store_learned(c, w->shm);
}

void hd_cover_begin(struct hd_cover *c, struct hd_worker *w, u64 run)
{
    struct hd_cover_lane *a = &c->lane[w->index];
    HD_ASSERT(!a->is_open);
    /* The server does the same when it begins the run, which may be a while. */
    w->shm->stats.events = 0;
    w->shm->ring_read = 0;
    w->shm->cfg.mode |= HD_MODE_STREAM;
    a->is_open = true;
    a->is_cut = false;
    a->read = a->in_run = 0;
    hd_coverage_begin_run(&a->own, run, seconds_of(c));
}

/* Who stands still for ever, and where. */
static void tell_blocked(struct hd_cover *c, struct hd_cover_lane *a, struct hd_shm *m)
{
    const struct hd_shm_thread *t = hd_shm_threads(m);
    for (u32 i = 0; i < m->stats.threads && i < HD_MAX_THREADS; i++) {
        if (t[i].state != HD_T_PENDING || hd_event_class(t[i].op_kind) != HD_CLASS_ACQ)
            continue;
        struct hd_event ev = {.site = t[i].op_site, .obj = t[i].op_obj};
        hd_coverage_blocked(&a->own, (u16)i, place_of(c, a, m, &ev)->id, ev.obj);
    }
}

static void join_total(struct hd_cover *c, struct hd_cover_lane *a)
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

/* Large runs: less, for the rest of the campaign. */
static void look_at_size(struct hd_cover *c, const struct hd_cover_lane *a)
{
    const u64 cheap = (u64)1 << HD_METRIC_iroot | (u64)1 << HD_METRIC_syncpair;
    if (!c->now.is_auto || c->now.only_pairs || a->in_run <= HD_COVER_SMALL)
        return;
    c->now.metrics = cheap;
    c->now.only_pairs = true;
}

void hd_cover_end(struct hd_cover *c, struct hd_worker *w)
{
    struct hd_cover_lane *a = &c->lane[w->index];
    if (!a->is_open)
        return;
    drain(c, a, w->shm);
    a->is_open = false;
    s64 began = cpu_ns();
    if (w->shm->verdict.kind == HD_V_DEADLOCK && !w->is_dead && !a->is_cut)
        tell_blocked(c, a, w->shm);
    hd_coverage_end_run(&a->own, seconds_of(c));
    join_total(c, a);
    c->observe_ns += cpu_ns() - began;
    c->runs++;
    c->cut += a->is_cut;
    c->events += a->in_run;
    add_points(c);
    if (!w->is_dead)
        hd_cover_store_run(c, a, w);
    look_at_size(c, a);
    hd_coverage_select(&a->own, c->now.metrics, c->now.only_pairs);
}

void hd_cover_finish(struct hd_cover *c, const struct hd_campaign *of, struct hd_worker *w, u32 n)
{
    for (u32 i = 0; i < c->o.jobs; i++) { /* cut off by the end of the budget */
        if (c->lane[i].is_open)
            hd_coverage_end_run(&c->lane[i].own, seconds_of(c));
        c->lane[i].is_open = false;
        c->worker[i] = NULL;
    }
    for (u32 i = 0; i < n; i++)
        w[i].drain = NULL;
    hd_cover_store_close(c, of, w, n);
}

/* ---- results ----------------------------------------------------------------------------- */

static bool is_saturated(const struct hd_cover *c, u32 m)
{
    static const struct hd_saturate how;
    const struct hd_curve *v = &c->curve[m];
    return hd_saturate(v->point.at, (u32)v->point.n, HD_BY_RUNS, (double)c->runs, &how).is_saturated;
}

bool hd_cover_is_saturated(const struct hd_cover *c)
{
    for (u32 m = 0; m < HD_METRIC_COUNT; m++)
        if (c->now.metrics >> m & 1 && !is_saturated(c, m))
            return false;
    return c->runs > 0;
}

void hd_cover_result(const struct hd_cover *c, struct hd_covered *out)
{
    *out = (struct hd_covered){.metrics = c->now.metrics, .only_pairs = c->now.only_pairs,
                               .runs = c->runs, .cut = c->cut, .events = c->events,
                               .observe_seconds = (double)c->observe_ns / 1e9,
                               .store_seconds = (double)c->store_ns / 1e9,
                               .name_seconds = (double)c->name_ns / 1e9};
    for (u32 m = 0; m < HD_METRIC_COUNT; m++) {
        out->covered[m] = hd_coverage_count(c->total, m)->covered;
        out->is_new[m] = out->covered[m] - c->loaded[m];
        out->possible[m] = hd_coverage_possible(c->total, m);
        out->saturated[m] = is_saturated(c, m);
    }
    out->bytes = c->o.jobs > 1 ? hd_coverage_bytes(&c->all) : 0;
    for (u32 i = 0; i < c->o.jobs; i++)
        out->bytes += hd_coverage_bytes(&c->lane[i].own);
}
