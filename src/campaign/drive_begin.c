/* drive_begin.c: what the next run is for: profile, one candidate, a few orders at once, or
 * chance; and telling the target so. */
#include "campaign/drive.h"

#include <string.h>

#define PROFILE_MAX 20 /* profile runs before driving begins in any case */
#define SPARE_EVERY 4

/* Randomized schedules that take turns. */
static const struct {
    const char *strategy;
    u64 param; /* 0 = its default */
} mix[] = {{"random", 0}, {"surw", 0}, {"pos", 0}, {"pct", 3}, {"pctlarge", 0}, {"pct", 2}};

static void use(struct hd_shm *m, const char *strategy, u64 param)
{
    const struct hd_strategy *s = hd_strategy_find(strategy);
    m->cfg.strategy = hd_strategy_index(s);
    m->cfg.strategy_param = param ? param : s->param_default;
}

/* Sites that were points for the last goals are what they were before. */
static void unmark(struct hd_drive_lane *a, struct hd_shm *m)
{
    for (u32 i = 0; i < a->n_marked; i++) {
        struct hd_site *s = hd_shm_site(m, a->marked[i]);
        if (s)
            s->known &= (u8)~HD_SITE_GOAL;
    }
    a->n_marked = 0;
}

static void mark(struct hd_drive_lane *a, struct hd_shm *m, const struct hd_goal *g)
{
    for (u32 i = 0; i < g->n; i++) {
        if (g->event[i].does > HD_GOAL_UPDATE)
            continue; /* calls are points anyway */
        struct hd_site *s = hd_shm_site(m, g->event[i].site);
        if (!s)
            continue;
        s->known |= HD_SITE_GOAL;
        a->marked[a->n_marked++] = g->event[i].site;
    }
}

/* The recorded run leads up to the first event of the goal. */
static void follow(struct hd_drive *d, struct hd_shm *m, const struct hd_drive_candidate *c)
{
    if (!c->log || c->log > d->log.n)
        return;
    const struct hd_drive_log *l = &d->log.at[c->log - 1];
    memcpy(hd_shm_script_choice(m), l->choice, l->n * sizeof *l->choice);
    m->script_n = l->n;
    m->cfg.mode |= HD_MODE_REPLAY;
}

static bool add_goal(struct hd_drive *d, struct hd_drive_lane *a, struct hd_shm *m, u32 at)
{
    struct hd_drive_candidate *c = &d->candidate.at[at];
    if (!hd_drive_goal(c, c->tries, &d->o.cover->places, m, &m->goals.at[m->goals.n]))
        return false;
    mark(a, m, &m->goals.at[m->goals.n]);
    m->goals.n++;
    a->chosen[a->n_chosen++] = at;
    c->is_busy = true;
    return true;
}

/* Attempts differ in all that the goal leaves open. */
static void set_manner(struct hd_drive *d, struct hd_shm *m, u32 nth)
{
    static const u8 order[] = {HD_ORDER_CHANCE, HD_ORDER_LATER, HD_ORDER_EARLIER, HD_ORDER_CHANCE};
    m->goals.order = order[nth % HD_COUNT(order)];
    m->goals.is_eager = nth % 4 == 2;
    m->goals.holds_all = nth % 2 == 1;
    m->goals.patience = 16;
}

static bool begin_active(struct hd_drive *d, struct hd_drive_lane *a, struct hd_shm *m)
{
    u32 at;
    while ((at = hd_drive_choose(d))) {
        struct hd_drive_candidate *c = &d->candidate.at[at];
        bool is_worth_it = d->only || !hd_drive_is_tried_out(d, c); /* or not any more */
        if (is_worth_it && add_goal(d, a, m, at))
            break;
        hd_drive_give_up(d, at); /* or it is not in this process */
    }
    if (!at)
        return false;
    const struct hd_drive_candidate *c = &d->candidate.at[at];
    set_manner(d, m, c->tries);
    if (c->tries % 2 == 1)
        follow(d, m, c);
    use(m, "active", 0);
    return true;
}

/* A few orders at once that need not be new one by one. */
static bool begin_set(struct hd_drive *d, struct hd_drive_lane *a, struct hd_shm *m)
{
    u32 n = 2 + (u32)hd_rng_below(&d->rng, 3);
    for (u32 i = 0, at; i < n && (at = hd_drive_choose_more(d, a)); i++)
        if (!add_goal(d, a, m, at))
            break;
    set_manner(d, m, (u32)hd_rng_below(&d->rng, 4));
    use(m, "active", 0);
    return a->n_chosen > 0;
}

static void begin_mixed(struct hd_drive *d, struct hd_shm *m)
{
    u32 i = d->spare++ % HD_COUNT(mix);
    use(m, mix[i].strategy, mix[i].param);
}

/* Several in one batch. */
static void begin_profile(struct hd_drive *d, struct hd_shm *m, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        begin_mixed(d, m);
        m->plan.at[i].strategy = m->cfg.strategy;
        m->plan.at[i].param = m->cfg.strategy_param;
    }
    m->plan.n = count;
}

bool hd_drive_is_profiling(const struct hd_drive *d)
{
    return d->o.is_profile ||
           (d->quiet < HD_DRIVE_QUIET && d->result.runs[HD_DRIVE_PROFILE] < PROFILE_MAX);
}

u32 hd_drive_want(const struct hd_drive *d)
{
    if (!hd_drive_is_profiling(d) || d->o.is_profile)
        return 1;
    return HD_MIN((u32)HD_PLAN, HD_MIN(HD_DRIVE_QUIET - d->quiet,
                                       PROFILE_MAX - (u32)d->result.runs[HD_DRIVE_PROFILE]));
}

u32 hd_drive_begin(struct hd_drive *d, struct hd_worker *w, u32 count)
{
    struct hd_drive_lane *a = &d->lane[w->index];
    struct hd_shm *m = w->shm;
    unmark(a, m);
    m->goals = (struct hd_goals){.order = HD_ORDER_CHANCE};
    m->script_n = 0;
    m->plan.n = 0;
    a->n_chosen = 0;
    count = HD_MIN(count, hd_drive_want(d));
    u64 driven = d->result.runs[HD_DRIVE_ACTIVE] + d->result.runs[HD_DRIVE_SPARE];
    if (hd_drive_is_profiling(d))
        a->kind = HD_DRIVE_PROFILE;
    else if (driven % SPARE_EVERY != SPARE_EVERY - 1 && begin_active(d, a, m))
        a->kind = HD_DRIVE_ACTIVE;
    else
        a->kind = HD_DRIVE_SPARE;
    if (a->kind == HD_DRIVE_PROFILE)
        begin_profile(d, m, count);
    else if (a->kind == HD_DRIVE_SPARE && !(driven % 2 == 0 && begin_set(d, a, m)))
        begin_mixed(d, m);
    return count;
}
