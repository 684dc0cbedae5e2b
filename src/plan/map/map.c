/* map.c: a campaign under strategy map: which instances of memory-access patterns some schedule
 * could show (map_instance.c), estimated anew after every run, and which of them no run has shown:
 * the next runs target those, two attempts each, patterns by how often their instances were
 * reached. A director (director.h). After MAPTest (ASE 2019); deviations: instances come from
 * observed accesses, not from static analysis, and infeasible ones are pruned by happens-before
 * and by locks held all the time, and counted apart.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "plan/director.h"
#include "plan/map/map_instance.h"
#include "strategy/strategy.h"

#define PROFILE 6      /* runs by chance first, */
#define CHANCE_EVERY 4 /* and one of so many later */
#define TRIES 2
#define KEEP 200000 /* instances */
#define SAVED 20000 /* of them, in the store */
#define DRAWS 64
#define QUIET 12 /* runs without anything new before a campaign can be over */

struct instance {
    struct hd_element is;
    u8 tries;
    bool is_feasible, is_covered;
    s64 row;
};

struct mapped_slot {
    struct hd_map_run run;
    u32 chosen[HD_PLAN]; /* instance + 1 of each run of the batch */
    u32 n, ran;
};

struct hd_mapped {
    struct hd_director director; /* first: one is the other */
    struct hd_cover *cover;
    struct mapped_slot *slot;
    struct hd_rng rng;
    struct hd_map known; /* hash -> instance */
    HD_VEC(struct instance) all;
    HD_VEC(u32) open; /* feasible, not covered, not tried out */
    u32 yield[HD_MAP_PATTERNS + 1], tried[HD_MAP_PATTERNS + 1];
    u64 runs;
    u32 quiet;
    bool is_news;
};

/* ---- what could be
 * ------------------------------------------------------------------------------------ */

static u64 hash_of(u32 pattern, const u64 *site)
{
    u64 h = pattern;
    for (u32 i = 0; i < HD_GOAL_EVENTS; i++)
        h = (h ^ site[i]) * 0x9e3779b97f4a7c15ull + (h >> 31);
    return h;
}

static void found(void *self, u32 pattern, const u64 *site, bool is_feasible)
{
    struct hd_mapped *d = self;
    u64 hash = hash_of(pattern, site), *known = hd_map_get(&d->known, hash);
    struct instance *in = known ? &d->all.at[*known] : NULL;
    if (!in) {
        if (d->all.n >= KEEP)
            return;
        hd_map_put(&d->known, hash, d->all.n);
        in = hd_vec_add(&d->all);
        memset(in, 0, sizeof *in);
        in->is.metric = HD_METRIC_map;
        in->is.sub = (u8)pattern;
        in->is.n = hd_map_pattern[pattern].n;
        memcpy(in->is.site, site, sizeof in->is.site);
    }
    if (is_feasible && !in->is_feasible) {
        in->is_feasible = true;
        *hd_vec_add(&d->open) = (u32)(in - d->all.at);
        d->is_news = true;
    }
}

static void begin_events(void *self, u32 slot, u64 run)
{
    struct hd_mapped *d = self;
    hd_map_run_begin(&d->slot[slot].run);
}

static void event(void *self, u32 slot, const struct hd_event *ev)
{
    struct hd_mapped *d = self;
    hd_map_run_event(&d->slot[slot].run, ev);
}

static void end_events(void *self, u32 slot)
{
    struct hd_mapped *d = self;
    if (!hd_stop_is_due())
        hd_map_run_each(&d->slot[slot].run, &d->rng, found, d);
}

/* ---- what next
 * ------------------------------------------------------------------------------------------ */

static bool is_open(struct hd_mapped *d, struct instance *in)
{
    in->is_covered = in->is_covered || hd_coverage_has(d->cover->total, &in->is);
    return !in->is_covered && in->tries < TRIES;
}

/* One that is open, patterns by past yield; 0 = none was drawn. */
static u32 choose(struct hd_mapped *d)
{
    for (u32 k = 0; k < DRAWS && d->open.n; k++) {
        size_t at = hd_rng_below(&d->rng, d->open.n);
        struct instance *in = &d->all.at[d->open.at[at]];
        u32 p = in->is.sub;
        if (!is_open(d, in))
            hd_vec_del_fast(&d->open, at);
        else if (hd_rng_chance(&d->rng, 2 + d->yield[p], 2 + d->tried[p]) || k + 1 == DRAWS)
            return (u32)(in - d->all.at) + 1;
    }
    return 0;
}

/* The run targets this instance; false: its code is not loaded. */
static bool target(struct hd_mapped *d, struct hd_worker *w, u32 i, struct instance *in)
{
    struct hd_shm_host *m = w->host;
    u64 pc[HD_GOAL_EVENTS] = {0};
    struct hd_goals *goals = &m->plan.at[i].goals;
    for (u32 k = 0; k < in->is.n; k++) {
        pc[k] = hd_places_pc(&d->cover->places, &w->run, in->is.site[k]);
        if (!pc[k])
            return false;
    }
    hd_map_goal(in->is.sub, pc, &goals->at[0]);
    goals->n = 1;
    m->plan.n_goals++;
    for (u32 k = 0; k < in->is.n; k++)
        hd_shm_mark(m, pc[k], 0, HD_SITE_GOAL);
    return true;
}

static void use(struct hd_shm_host *m, u32 i, const char *name)
{
    const struct hd_strategy *s = hd_strategy_find(name);
    m->plan.at[i].strategy = hd_strategy_index(s);
    m->plan.at[i].param = s->param_default;
    m->plan.at[i].goals.n = 0;
}

static enum hd_next begin(struct hd_director *self, struct hd_worker *w, u32 *count)
{
    static const char *const mix[] = {"random", "surw", "pos", "pct"};
    struct hd_mapped *d = (struct hd_mapped *)self;
    struct mapped_slot *a = &d->slot[w->index];
    struct hd_shm_host *m = w->host;
    hd_shm_marks_begin(m, false);
    m->script_n = 0;
    m->plan.n_goals = 0;
    a->ran = 0;
    a->n = HD_MIN(*count, (u32)HD_PLAN);
    for (u32 i = 0; i < a->n; i++) {
        u64 run = d->runs + i;
        bool is_driven = run >= PROFILE && run % CHANCE_EVERY;
        u32 in = is_driven ? choose(d) : 0;
        use(m, i, in ? "map" : mix[run / CHANCE_EVERY % HD_COUNT(mix)]);
        a->chosen[i] = 0;
        if (!in)
            continue;
        d->all.at[in - 1].tries++;
        if (target(d, w, i, &d->all.at[in - 1]))
            a->chosen[i] = in;
    }
    m->plan.n = a->n;
    *count = a->n;
    return HD_NEXT_RUN;
}

static u32 want(struct hd_director *self, const struct hd_worker *w)
{
    return ((struct hd_mapped *)self)->runs < PROFILE ? PROFILE : HD_PLAN;
}

static void ran(struct hd_director *self, struct hd_worker *w, u64 done)
{
    struct hd_mapped *d = (struct hd_mapped *)self;
    struct mapped_slot *a = &d->slot[w->index];
    for (u32 i = 0; i < done && a->ran < a->n; i++) {
        u32 in = a->chosen[a->ran++];
        if (!in)
            continue;
        u32 pattern = d->all.at[in - 1].is.sub;
        d->tried[pattern]++;
        d->yield[pattern] += hd_coverage_has(d->cover->total, &d->all.at[in - 1].is);
    }
    d->runs += done;
    d->quiet = d->is_news ? 0 : d->quiet + (u32)done;
    d->is_news = false;
}

static bool is_done(const struct hd_director *self, u64 runs, s64 ns)
{
    const struct hd_mapped *d = (const struct hd_mapped *)self;
    return d->quiet >= QUIET && !d->open.n;
}

/* ---- the end
 * -------------------------------------------------------------------------------------------- */

/* What could be and was not shown is remembered, so that coverage can tell how much there is. */
static void save(struct hd_director *self, const struct hd_director_end *end)
{
    struct hd_mapped *d = (struct hd_mapped *)self;
    u32 n = 0;
    for (size_t i = 0; i < d->all.n && n < SAVED && !hd_stop_is_late(); i++) {
        struct instance *in = &d->all.at[i];
        if (!in->is_covered && !hd_coverage_has(d->cover->total, &in->is) && ++n)
            hd_cover_store_tried(d->cover, &in->is, &in->row, in->tries,
                                 in->is_feasible ? HD_STORE_PREDICTED : HD_STORE_FAILED);
    }
}

static void close_map(struct hd_director *self)
{
    struct hd_mapped *d = (struct hd_mapped *)self;
    hd_cover_subscriber(d->cover, &(struct hd_cover_subscriber){0});
    for (u32 i = 0; i < d->cover->o.jobs; i++)
        hd_map_run_release(&d->slot[i].run);
    hd_map_release(&d->known);
    hd_vec_release(&d->all);
    hd_vec_release(&d->open);
    free(d->slot);
    free(d);
}

bool hd_map_is_wanted(const struct hd_director_opts *o)
{
    const struct hd_strategy *s = hd_strategy_at(o->cfg->strategy);
    return !o->search && s && !strcmp(s->name, "map");
}

int hd_map_direct(struct hd_director **out, const struct hd_director_opts *o, struct hd_error *err)
{
    if (!o->cover || !(o->cover->o.what.metrics >> HD_METRIC_map & 1))
        return hd_error_set(err, -EINVAL,
                            "strategy map goes by the coverage of memory-access patterns: it "
                            "needs --coverage auto, or one with map in it");
    struct hd_mapped *d = calloc(1, sizeof *d);
    HD_ASSERT(d);
    d->cover = o->cover;
    d->rng = hd_rng_make(o->cfg->seed, 0, HD_RNG_DRIVE);
    d->slot = calloc(o->cover->o.jobs, sizeof *d->slot);
    HD_ASSERT(d->slot);
    for (u32 i = 0; i < o->cover->o.jobs; i++)
        hd_map_run_init(&d->slot[i].run);
    hd_cover_subscriber(o->cover,
                        &(struct hd_cover_subscriber){
                            .self = d, .begin = begin_events, .event = event, .end = end_events});
    d->director = (struct hd_director){.name = "map",
                                       .want = want,
                                       .begin = begin,
                                       .ran = ran,
                                       .is_done = is_done,
                                       .save = save,
                                       .close = close_map};
    *out = &d->director;
    return 0;
}
