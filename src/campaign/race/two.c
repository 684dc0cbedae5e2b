/* two.c: two variables that belong together, and a thread that comes to one of them before and to
 * the other after another thread has been at both (detect/twos.h). Runs are driven there by a goal
 * of four events; the rest is as with three accesses (atomicity.c): a finding in a block of
 * heddle_atomic_begin whatever comes of it, elsewhere if the result is one that neither order of
 * the two pieces has, or if the run fails and they do not.
 */
#include "campaign/race/tried.h"
#include "cover/cover.h"
#include "detect/passage.h"

#include <stdlib.h>

#define ATTEMPTS 4
#define WITH_LOCK 4 /* ... and more, once it is known where the other thread takes its lock */
#define TIMES 5   /* runs of each order */
#define WINDOW 64 /* steps of a thread between its two accesses */

struct wanted {
    const struct hd_two *t;
    u64 at[4]; /* addresses of its sites */
    u64 take;  /* where the other thread begins its section, 0 = not known */
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

static void set_up(struct hd_explorer *x, const struct wanted *w, u32 nth)
{
    const struct hd_two_seen *is = &w->t->is;
    const u8 var[4] = {0, is->is_turned, !is->is_turned, 1};
    struct hd_goal *g = hd_explorer_goal(x, nth);
    *g = (struct hd_goal){.n = 4, .n_vars = 2, .exclusive = 1, .window = nth % 2 ? 0 : WINDOW};
    for (u32 i = 0; i < 4; i++)
        g->event[i] = (struct hd_goal_event){
            .site = w->at[i], .addr = w->t->var[var[i]], .does = is->does[i], .var = var[i],
            .role = i == 1 || i == 2, .after = (u8)((1u << i) - 1)};
    struct hd_goals *goals = &x->w->host->plan.at[0].goals;
    goals->is_eager = nth / 2 % 2 == 0;
    if (nth >= ATTEMPTS) { /* the section begins after the first access */
        g[1] = (struct hd_goal){.n = 2, .n_vars = 2};
        g[1].event[0] = g->event[0];
        g[1].event[1] = (struct hd_goal_event){.site = w->take, .does = HD_GOAL_TAKE, .role = 1,
                                               .var = 1, .after = 1};
        goals->n = 2;
        goals->is_eager = true;
    }
    hd_explorer_mark(x, w->at, 4);
}

/* The run that just ended shows it in these steps: two of one thread come third and first, as in
 * struct hd_race. */
static bool show(struct hd_explorer *x, const struct hd_event *ev, u32 n, void *self, u32 step[4])
{
    const struct wanted *w = self;
    u32 found[4];
    if (!hd_two_find(ev, n, w->at, w->t->is.is_turned, w->t->is.in_block, found))
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

/* *is_over: all attempts were made. */
static bool drive(struct hd_explorer *x, struct wanted *w, u32 tried, struct hd_finding *f,
                  bool *is_over)
{
    bool is_found = false;
    u32 nth = 0;
    for (; nth < (w->take ? ATTEMPTS + WITH_LOCK : ATTEMPTS) && !is_found && x->hidden_runs; nth++) {
        u32 n, step[4];
        set_up(x, w, nth);
        if (!hd_races_run(x->o, x->w, x->run++))
            break;
        x->c->race_runs++;
        x->hidden_runs--;
        x->tried.at[tried].runs[0]++;
        const struct hd_event *ev = hd_snapshot_events(&x->w->run, &n);
        is_found = show(x, ev, n, w, step) && hd_explorer_take(x, step, 4, f);
        if (!w->take && !w->t->is.in_block)
            w->take = find_take(ev, n, w->at);
    }
    *is_over = nth == (w->take ? ATTEMPTS + WITH_LOCK : ATTEMPTS);
    hd_explorer_mark(x, NULL, 0);
    return is_found;
}

/* What earlier campaigns know of it is enough. */
static bool is_known(struct hd_explorer *x, struct wanted *w, u32 tried)
{
    struct hd_finding f;
    if (hd_tried_is_vain(x, tried, !w->t->exposed) || hd_tried_is_harmless(x, tried))
        return true;
    if (!hd_tried_again(x, tried, show, w, &f))
        return false;
    hd_explorer_keep(x, &f, w->t->var[0], f.race.class == HD_RACE_FAILS, tried + 1);
    return true;
}

static void explore(struct hd_explorer *x, const struct hd_two *t)
{
    struct wanted w = {.t = t};
    struct hd_finding f, failed = {0};
    char key[HD_RACE_KEY];
    bool is_over;
    for (u32 i = 0; i < 4; i++)
        if (!(w.at[i] = hd_places_pc(&x->o->cover->places, &x->w->run, t->is.site[i])))
            return;
    hd_race_key_many(x, w.at, 4, key);
    if (hd_explorer_was_done(x, key))
        return;
    u32 tried = hd_tried_get(x, HD_TRIED_TWO, t->is.site, w.at, 4, "");
    if (is_known(x, &w, tried))
        return;
    if (!drive(x, &w, tried, &f, &is_over)) {
        if (is_over)
            hd_tried_note(x, tried, !t->exposed, NULL);
        return;
    }
    hd_atomicity_judge(x->o, x->w, &f, TIMES, &failed);
    hd_tried_note(x, tried, !t->exposed, failed.modules ? &failed.race : &f.race);
    bool is_wanted = t->is.in_block || f.race.class == HD_RACE_CHANGES;
    if (failed.modules)
        hd_explorer_keep(x, &failed, t->var[0], true, tried + 1);
    if (!failed.modules && is_wanted)
        hd_explorer_keep(x, &f, t->var[0], false, tried + 1);
    else
        hd_finding_release(&f);
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
    if (t->all.n)
        qsort(t->all.at, t->all.n, sizeof *t->all.at, by_promise);
    for (size_t i = 0; i < t->all.n && hd_explorer_goes_on(x); i++)
        if (t->all.at[i].is.in_block || (x->o->is_races && !is_race(x, &t->all.at[i])))
            explore(x, &t->all.at[i]);
}
