/* atomicity.c: two accesses of one thread to a variable, and one of another thread that gets in
 * between (detect/triples.h): a goal of three events. The rest is as with all pieces
 * (violation.h). Outside of blocks only if races are what the campaign is for.
 */
#include "campaign/race/violation.h"

#include <stdlib.h>
#include <string.h>

struct three {
    struct hd_violation is;
    const struct hd_triple *t;
};

static void set_goal(const struct hd_violation *v, u32 nth, struct hd_goal *g)
{
    const struct hd_triple *t = ((const struct three *)v)->t;
    u8 does[3] = {t->is.does[0], t->is.does[1], t->is.does_third};
    *g = (struct hd_goal){.n = 3, .n_vars = 1, .exclusive = 1,
                          .window = nth % 2 ? 0 : HD_VIOLATION_WINDOW};
    for (u32 i = 0; i < 3; i++)
        g->event[i] = (struct hd_goal_event){.site = v->at[i], .addr = t->var, .does = does[i],
                                             .role = i == 1, .after = (u8)((1u << i) - 1)};
}

static void set_up(struct hd_explorer *x, const struct hd_violation *v, u32 nth)
{
    set_goal(v, nth, hd_explorer_goal(x, nth));
    x->w->host->plan.at[0].goals.is_eager = nth / 2 % 2;
    hd_explorer_mark(x, v->at, 3);
}

static bool show(struct hd_explorer *x, const struct hd_event *ev, u32 n, void *self, u32 step[4])
{
    const struct hd_violation *v = self;
    u32 found[3];
    if (!hd_triple_find(ev, n, v->at, v->in_block, found))
        return false;
    for (u32 i = 0; i < 3; i++)
        step[i] = ev[found[i]].step;
    return step[0] < step[1] && step[1] < step[2];
}

bool hd_explorer_was_done(struct hd_explorer *x, const char *key)
{
    if (hd_explorer_is_done(x, key))
        return true;
    *hd_vec_add(&x->done) = strdup(key);
    return false;
}

/* Accesses that race are told as that race. */
bool hd_explorer_is_race(const struct hd_explorer *x, u64 a, u64 b)
{
    const struct hd_races *r = x->o->races;
    for (size_t i = 0; i < r->pair.n; i++) {
        const struct hd_race_pair *p = &r->pair.at[i];
        for (u32 k = 0; k < 2 && !hd_race_is_hidden(p); k++)
            if (p->is.site[k] == a && p->is.site[!k] == b)
                return true;
    }
    return false;
}

static bool is_race(const struct hd_explorer *x, const struct hd_triple *t)
{
    return hd_explorer_is_race(x, t->is.site[1], t->is.site[0]) ||
           hd_explorer_is_race(x, t->is.site[1], t->is.third);
}

static struct three make(const struct hd_triple *t)
{
    return (struct three){
        .is = {.kind = HD_TRIED_TRIPLE, .n = 3, .site = {t->is.site[0], t->is.site[1], t->is.third},
               .var = t->var, .is_exposed = t->exposed, .in_block = t->is.in_block,
               .attempts = HD_VIOLATION_ATTEMPTS, .set_up = set_up, .show = show},
        .t = t};
}

/* ---- several in one run ---------------------------------------------------------------------- */

/* In a suite what no run has shown shares its runs, as possible races do (race_joint.c). */
struct group {
    struct three at[HD_GOALS];
    u32 n;
};

static void look(struct hd_explorer *x, struct group *g)
{
    bool is_failure = hd_races_is_failure(x->o, &x->w->run.verdict);
    struct hd_finding f[HD_GOALS];
    u32 met[HD_GOALS], n_met = 0, n, step[4];
    const struct hd_event *ev = hd_snapshot_events(&x->w->run, &n);
    for (u32 i = 0; i < g->n; i++) {
        x->tried.at[g->at[i].is.tried].runs[0]++;
        if (show(x, ev, n, &g->at[i].is, step) && (is_failure || hd_explorer_take(x, step, 3, &f[n_met])))
            met[n_met++] = i;
    }
    for (u32 k = 0; k < n_met; k++) /* further runs are made for it: the events are gone */
        if (is_failure) /* which of them is behind it cannot be told */
            hd_violation_drive(x, &g->at[met[k]].is);
        else
            hd_violation_met(x, &g->at[met[k]].is, &f[k]);
}

static void drive_group(struct hd_explorer *x, struct group *g)
{
    u64 site[3 * HD_GOALS];
    struct hd_goal *goal = hd_explorer_goal(x, 0);
    for (u32 i = 0; i < g->n; i++) {
        set_goal(&g->at[i].is, 0, &goal[i]);
        memcpy(&site[3 * i], g->at[i].is.at, 3 * sizeof *site);
    }
    x->w->host->plan.at[0].goals.n = (u8)g->n;
    hd_explorer_mark(x, site, 3 * g->n);
    bool is_there = x->hidden_runs && hd_races_run(x->o, x->w, x->run++);
    hd_explorer_mark(x, NULL, 0);
    if (is_there) {
        x->c->race_runs++;
        x->hidden_runs--;
        look(x, g);
    }
    g->n = 0;
}

/* Alone, or in the group, which is driven when it is full. */
static void explore(struct hd_explorer *x, const struct hd_triple *t, struct group *g)
{
    struct three three = make(t);
    if (!hd_violation_open(x, &three.is))
        return;
    if (!x->o->tested || t->exposed || t->is.in_block) {
        hd_violation_drive(x, &three.is);
        return;
    }
    g->at[g->n++] = three;
    if (g->n == HD_GOALS)
        drive_group(x, g);
}

static int by_promise(const void *a, const void *b)
{
    const struct hd_triple *s = a, *t = b;
    if (s->is.in_block != t->is.in_block)
        return t->is.in_block - s->is.in_block;
    if (!s->exposed != !t->exposed)
        return !s->exposed - !t->exposed;
    return s->is.site[0] < t->is.site[0] ? -1 : s->is.site[0] > t->is.site[0];
}

void hd_atomicity_explore(struct hd_explorer *x)
{
    struct hd_triples *t = &x->o->races->triples;
    struct group g = {.n = 0};
    if (t->all.n)
        qsort(t->all.at, t->all.n, sizeof *t->all.at, by_promise);
    for (size_t i = 0; i < t->all.n && hd_explorer_goes_on(x); i++)
        if (t->all.at[i].is.in_block || (x->o->is_races && !is_race(x, &t->all.at[i])))
            explore(x, &t->all.at[i], &g);
    if (g.n && hd_explorer_goes_on(x))
        drive_group(x, &g);
}
