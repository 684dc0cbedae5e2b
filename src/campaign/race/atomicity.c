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
               .attempts = HD_VIOLATION_ATTEMPTS, .set_up = set_up, .set_goal = set_goal, .show = show},
        .t = t};
}

/* Those that share a run. */
struct group {
    struct hd_violations is;
    struct three at[HD_GOALS];
};

/* Alone, or in the group, which is driven when it is full. */
static void explore(struct hd_explorer *x, const struct hd_triple *t, struct group *g)
{
    struct three *three = &g->at[g->is.n];
    *three = make(t);
    if (!hd_violation_open(x, &three->is))
        return;
    if (!hd_violation_shares(x, &three->is)) {
        hd_violation_drive(x, &three->is);
        return;
    }
    g->is.at[g->is.n++] = &three->is;
    if (g->is.n == HD_GOALS)
        hd_violations_drive(x, &g->is);
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
    struct group g = {.is = {.n = 0}};
    if (t->all.n)
        qsort(t->all.at, t->all.n, sizeof *t->all.at, by_promise);
    for (size_t i = 0; i < t->all.n && hd_explorer_goes_on(x); i++)
        if (t->all.at[i].is.in_block || (x->o->is_races && !is_race(x, &t->all.at[i])))
            explore(x, &t->all.at[i], &g);
    if (g.is.n && hd_explorer_goes_on(x))
        hd_violations_drive(x, &g.is);
}
