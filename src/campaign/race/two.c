/* two.c: two variables that belong together, and a thread that comes to one of them before and to
 * the other after another thread has been at both (detect/twos.h): a goal of four events. The rest
 * is as with all pieces (violation.h).
 */
#include "campaign/race/violation.h"
#include "detect/passage.h"

#include <stdlib.h>

#define WITH_LOCK 4 /* more attempts, once it is known where the other thread takes its lock */

struct four {
    struct hd_violation is;
    const struct hd_two *t;
    u64 take; /* where the other thread begins its section, 0 = not known */
};

/* Where the thread that was at both in one section had taken its lock. Held at its first access it would
 * keep the lock, and nobody else could go before it. */
static u64 find_take(const struct hd_event *ev, u32 n, const u64 at[4])
{
    for (u32 i = 0; i < n; i++) {
        u32 begin = ev[i].site == at[1] ? hd_passage_begin(ev, i) : i;
        if (begin != i)
            return ev[begin].site;
    }
    return 0;
}

static void look(struct hd_violation *v, const struct hd_event *ev, u32 n)
{
    struct four *four = (struct four *)v;
    if (four->take || v->in_block)
        return;
    four->take = find_take(ev, n, v->at);
    if (four->take)
        v->attempts += WITH_LOCK;
}

static void set_goal(const struct hd_violation *v, u32 nth, struct hd_goal *g)
{
    const struct four *four = (const struct four *)v;
    const struct hd_two_seen *is = &four->t->is;
    const u8 var[4] = {0, is->is_turned, !is->is_turned, 1};
    *g = (struct hd_goal){.n = 4, .n_vars = 2, .exclusive = 1,
                          .window = nth % 2 ? 0 : HD_VIOLATION_WINDOW};
    for (u32 i = 0; i < 4; i++)
        g->event[i] = (struct hd_goal_event){
            .site = v->at[i], .addr = four->t->var[var[i]], .does = is->does[i], .var = var[i],
            .role = i == 1 || i == 2, .after = (u8)((1u << i) - 1)};
}

static void set_up(struct hd_explorer *x, const struct hd_violation *v, u32 nth)
{
    const struct four *four = (const struct four *)v;
    struct hd_goal *g = hd_explorer_goal(x, nth);
    set_goal(v, nth, g);
    struct hd_goals *goals = &x->w->host->plan.at[0].goals;
    goals->is_eager = nth / 2 % 2 == 0;
    if (nth >= HD_VIOLATION_ATTEMPTS) { /* the section begins after the first access */
        g[1] = (struct hd_goal){.n = 2, .n_vars = 2};
        g[1].event[0] = g->event[0];
        g[1].event[1] = (struct hd_goal_event){.site = four->take, .does = HD_GOAL_TAKE, .role = 1,
                                               .var = 1, .after = 1};
        goals->n = 2;
        goals->is_eager = true;
    }
    hd_explorer_mark(x, v->at, 4);
}

/* The run that just ended shows it in these steps: two of one thread come third and first, as in
 * struct hd_race. */
static bool show(struct hd_explorer *x, const struct hd_event *ev, u32 n, void *self, u32 step[4])
{
    const struct four *four = self;
    u32 found[4];
    if (!hd_two_find(ev, n, four->is.at, four->t->is.is_turned, four->is.in_block, found))
        return false;
    for (u32 i = 1; i < 4; i++)
        if (ev[found[i]].step <= ev[found[i - 1]].step)
            return false;
    step[0] = ev[found[0]].step;
    step[1] = ev[found[1]].step;
    step[2] = ev[found[3]].step;
    step[3] = ev[found[2]].step;
    return true;
}

static struct four make(const struct hd_two *t)
{
    return (struct four){
        .is = {.kind = HD_TRIED_TWO, .n = 4, .var = t->var[0], .is_exposed = t->exposed,
               .site = {t->is.site[0], t->is.site[1], t->is.site[2], t->is.site[3]},
               .in_block = t->is.in_block,
               .is_observed = t->is.does[1] == HD_GOAL_READ && t->is.does[2] == HD_GOAL_READ,
               .attempts = HD_VIOLATION_ATTEMPTS, .set_up = set_up, .set_goal = set_goal, .show = show, .look = look},
        .t = t};
}

/* Those that share a run. */
struct group {
    struct hd_violations is;
    struct four at[HD_GOALS];
};

static void explore(struct hd_explorer *x, const struct hd_two *t, struct group *g)
{
    struct four *four = &g->at[g->is.n];
    *four = make(t);
    if (!hd_violation_open(x, &four->is))
        return;
    if (!hd_violation_shares(x, &four->is)) {
        hd_violation_drive(x, &four->is);
        return;
    }
    g->is.at[g->is.n++] = &four->is;
    if (g->is.n == HD_GOALS)
        hd_violations_drive(x, &g->is);
}

/* Accesses that race are told as that race. */
static bool is_race(const struct hd_explorer *x, const struct hd_two *t)
{
    u32 first = t->is.is_turned ? 2 : 1;
    return hd_explorer_is_race(x, t->is.site[0], t->is.site[first]) ||
           hd_explorer_is_race(x, t->is.site[3], t->is.site[3 - first]);
}

static int by_promise(const void *a, const void *b)
{
    const struct hd_two *s = a, *t = b;
    if (s->is.in_block != t->is.in_block)
        return t->is.in_block - s->is.in_block;
    if (!s->exposed != !t->exposed)
        return !s->exposed - !t->exposed;
    for (u32 i = 0; i < 4; i++)
        if (s->is.site[i] != t->is.site[i])
            return s->is.site[i] < t->is.site[i] ? -1 : 1;
    return 0;
}

void hd_two_explore(struct hd_explorer *x)
{
    struct hd_twos *t = &x->o->races->twos;
    struct group g = {.is = {.n = 0}};
    if (t->all.n)
        qsort(t->all.at, t->all.n, sizeof *t->all.at, by_promise);
    for (size_t i = 0; i < t->all.n && hd_explorer_goes_on(x); i++)
        if (t->all.at[i].is.in_block || (x->o->is_races && !is_race(x, &t->all.at[i])))
            explore(x, &t->all.at[i], &g);
    if (g.is.n && hd_explorer_goes_on(x))
        hd_violations_drive(x, &g.is);
}
