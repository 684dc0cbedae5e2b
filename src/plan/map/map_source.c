/* map_source.c: see map_source.h. After MAPTest (ASE 2019); deviations: instances come from
 * observed accesses, not from static analysis, and infeasible ones are pruned by happens-before
 * and by locks held all the time, and counted apart. */
#include "plan/map/map_source.h"

#include <string.h>

#include "base/stop.h"

#define TRIES 2
#define KEEP 200000 /* instances */
#define SAVED 20000 /* of them, in the store */
#define DRAWS 64

void hd_map_source_init(struct hd_map_source *s, struct hd_cover *cover, u64 seed)
{
    memset(s, 0, sizeof *s);
    s->cover = cover;
    s->rng = hd_rng_make(seed, 0, HD_RNG_DRIVE);
}

void hd_map_source_release(struct hd_map_source *s)
{
    hd_map_release(&s->known);
    hd_vec_release(&s->all);
    hd_vec_release(&s->open);
}

static u64 hash_of(u32 pattern, const u64 *site)
{
    u64 h = pattern;
    for (u32 i = 0; i < HD_GOAL_EVENTS; i++)
        h = (h ^ site[i]) * 0x9e3779b97f4a7c15ull + (h >> 31);
    return h;
}

static void found(void *self, u32 pattern, const u64 *site, bool is_feasible)
{
    struct hd_map_source *s = self;
    u64 hash = hash_of(pattern, site), *known = hd_map_get(&s->known, hash);
    struct hd_map_candidate *in = known ? &s->all.at[*known] : NULL;
    if (!in) {
        if (s->all.n >= KEEP)
            return;
        hd_map_put(&s->known, hash, s->all.n);
        in = hd_vec_add(&s->all);
        memset(in, 0, sizeof *in);
        in->is.metric = HD_METRIC_map;
        in->is.sub = (u8)pattern;
        in->is.n = hd_map_pattern[pattern].n;
        memcpy(in->is.site, site, sizeof in->is.site);
    }
    if (is_feasible && !in->is_feasible) {
        in->is_feasible = true;
        *hd_vec_add(&s->open) = (u32)(in - s->all.at);
        s->is_news = true;
    }
}

void hd_map_source_update(struct hd_map_source *s, struct hd_map_run *run)
{
    if (!hd_stop_is_due())
        hd_map_run_each(run, &s->rng, found, s);
}

static bool is_open(struct hd_map_source *s, struct hd_map_candidate *in)
{
    in->is_covered = in->is_covered || hd_coverage_has(s->cover->total, &in->is);
    return !in->is_covered && in->tries < TRIES;
}

/* One that is open, patterns by past yield; 0 = none was drawn. */
static u32 choose(struct hd_map_source *s)
{
    for (u32 k = 0; k < DRAWS && s->open.n; k++) {
        size_t at = hd_rng_below(&s->rng, s->open.n);
        struct hd_map_candidate *in = &s->all.at[s->open.at[at]];
        u32 p = in->is.sub;
        if (!is_open(s, in))
            hd_vec_del_fast(&s->open, at);
        else if (hd_rng_chance(&s->rng, 2 + s->yield[p], 2 + s->tried[p]) || k + 1 == DRAWS)
            return (u32)(in - s->all.at) + 1;
    }
    return 0;
}

u32 hd_map_source_pick(struct hd_map_source *s, struct hd_worker *w, u32 i)
{
    struct hd_shm_host *m = w->host;
    struct hd_goals *goals = &m->plan.at[i].goals;
    u64 pc[HD_GOAL_EVENTS] = {0};
    u32 number = choose(s);
    goals->n = 0;
    if (!number)
        return 0;
    struct hd_map_candidate *in = &s->all.at[number - 1];
    in->tries++;
    for (u32 k = 0; k < in->is.n; k++) {
        pc[k] = hd_places_pc(&s->cover->places, &w->run, in->is.site[k]);
        if (!pc[k])
            return 0; /* its code is not loaded */
    }
    hd_map_goal(in->is.sub, pc, &goals->at[0]);
    goals->n = 1;
    m->plan.n_goals++;
    for (u32 k = 0; k < in->is.n; k++)
        hd_shm_mark(m, pc[k], 0, HD_SITE_GOAL);
    return number;
}

void hd_map_source_ran(struct hd_map_source *s, u32 number)
{
    u32 pattern = s->all.at[number - 1].is.sub;
    s->tried[pattern]++;
    s->yield[pattern] += hd_coverage_has(s->cover->total, &s->all.at[number - 1].is);
}

void hd_map_source_save(struct hd_map_source *s)
{
    u32 n = 0;
    for (size_t i = 0; i < s->all.n && n < SAVED && !hd_stop_is_late(); i++) {
        struct hd_map_candidate *in = &s->all.at[i];
        if (!in->is_covered && !hd_coverage_has(s->cover->total, &in->is) && ++n)
            hd_cover_store_tried(s->cover, &in->is, &in->row, in->tries,
                                 in->is_feasible ? HD_STORE_PREDICTED : HD_STORE_FAILED);
    }
}
