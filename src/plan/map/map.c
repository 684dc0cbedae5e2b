/* map.c: a campaign under strategy map: which instances of memory-access patterns some schedule
 * could show, estimated anew after every run, and which of them no run has shown (map_source.c):
 * the next runs target those. A director (director.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/director.h"
#include "plan/map/map_source.h"
#include "strategy/strategy.h"

#define PROFILE 6      /* runs by chance first, */
#define CHANCE_EVERY 4 /* and one of so many later */
#define QUIET 12 /* runs without anything new before a campaign can be over */

struct mapped_slot {
    struct hd_map_run run;
    u32 chosen[HD_PLAN]; /* goal of each run of the batch, by its number; 0 = none */
    u32 n, ran;
};

struct hd_mapped {
    struct hd_director director; /* first: one is the other */
    struct hd_cover *cover;
    struct mapped_slot *slot;
    struct hd_map_source source;
    u64 runs;
    u32 quiet;
};

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
    hd_map_source_update(&d->source, &d->slot[slot].run);
}

/* ---- what next
 * ------------------------------------------------------------------------------------------ */

static void use(struct hd_shm_host *m, u32 i, const char *name)
{
    const struct hd_strategy *s = hd_strategy_find(name);
    m->plan.at[i].strategy = hd_strategy_index(s);
    m->plan.at[i].param = s->param_default;
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
        m->plan.at[i].goals.n = 0;
        bool is_driven = run >= PROFILE && run % CHANCE_EVERY;
        a->chosen[i] = is_driven ? hd_map_source_pick(&d->source, w, i) : 0;
        use(m, i, a->chosen[i] ? "map" : mix[run / CHANCE_EVERY % HD_COUNT(mix)]);
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
        u32 number = a->chosen[a->ran++];
        if (number)
            hd_map_source_ran(&d->source, number);
    }
    d->runs += done;
    d->quiet = d->source.is_news ? 0 : d->quiet + (u32)done;
    d->source.is_news = false;
}

static bool is_done(const struct hd_director *self, u64 runs, s64 ns)
{
    const struct hd_mapped *d = (const struct hd_mapped *)self;
    return d->quiet >= QUIET && !d->source.open.n;
}

/* ---- the end
 * -------------------------------------------------------------------------------------------- */

static void save(struct hd_director *self, const struct hd_director_end *end)
{
    hd_map_source_save(&((struct hd_mapped *)self)->source);
}

static void close_map(struct hd_director *self)
{
    struct hd_mapped *d = (struct hd_mapped *)self;
    hd_cover_subscriber(d->cover, &(struct hd_cover_subscriber){0});
    for (u32 i = 0; i < d->cover->o.jobs; i++)
        hd_map_run_release(&d->slot[i].run);
    hd_map_source_release(&d->source);
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
    hd_map_source_init(&d->source, o->cover, o->cfg->seed);
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
