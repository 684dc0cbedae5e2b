/* atomicity.c: accesses of one thread that are meant as one piece, and one of another thread that
 * gets in between (detect/triples.h). Runs are driven there by a goal of three events; then the
 * run is compared with those in which the other thread comes before both or after both.
 *
 * A finding: in a block of heddle_atomic_begin whatever comes of it; elsewhere, and only if races
 * are what the campaign is for, if the result is one that neither of the two orders has, or if
 * the run fails and they do not.
 */
#include "campaign/race/tried.h"
#include "cover/cover.h"
#include "event/effect.h"
#include "report/explain/model.h"

#include <stdlib.h>
#include <string.h>

#define ATTEMPTS 4
#define TIMES 5   /* runs of each order */
#define WINDOW 64 /* steps of a thread between its two accesses */

struct wanted {
    const struct hd_triple *t;
    const u64 *at; /* addresses of its sites */
};

static void set_up(struct hd_explorer *x, const struct hd_triple *t, const u64 at[3], u32 nth)
{
    u8 does[3] = {t->is.does[0], t->is.does[1], t->is.does_third};
    struct hd_goal *g = hd_explorer_goal(x, nth);
    *g = (struct hd_goal){.n = 3, .n_vars = 1, .exclusive = 1, .window = nth % 2 ? 0 : WINDOW};
    for (u32 i = 0; i < 3; i++)
        g->event[i] = (struct hd_goal_event){.site = at[i], .addr = t->var, .does = does[i],
                                             .role = i == 1, .after = (u8)((1u << i) - 1)};
    x->w->host->plan.at[0].goals.is_eager = nth / 2 % 2;
    hd_explorer_mark(x, at, 3);
}

/* The run that just ended shows it in these steps. */
static bool show(struct hd_explorer *x, const struct hd_event *ev, u32 n, void *self, u32 step[4])
{
    const struct wanted *w = self;
    u32 found[3];
    if (!hd_triple_find(ev, n, w->at, w->t->is.in_block, found))
        return false;
    for (u32 i = 0; i < 3; i++)
        step[i] = ev[found[i]].step;
    return step[0] < step[1] && step[1] < step[2];
}

/* *is_over: all attempts were made. */
static bool drive(struct hd_explorer *x, const struct wanted *w, u32 tried, struct hd_finding *f,
                  bool *is_over)
{
    bool is_found = false;
    u32 nth = 0;
    for (; nth < ATTEMPTS && !is_found && x->hidden_runs; nth++) {
        u32 n, step[4];
        set_up(x, w->t, w->at, nth);
        if (!hd_races_run(x->o, x->w, x->run++))
            break;
        x->c->race_runs++;
        x->hidden_runs--;
        x->tried.at[tried].runs[0]++;
        const struct hd_event *ev = hd_snapshot_events(&x->w->run, &n);
        is_found = show(x, ev, n, (void *)w, step) && hd_explorer_take(x, step, 3, f);
    }
    *is_over = nth == ATTEMPTS;
    hd_explorer_mark(x, NULL, 0);
    return is_found;
}

bool hd_explorer_was_done(struct hd_explorer *x, const char *key)
{
    for (size_t i = 0; i < x->done.n; i++)
        if (!strcmp(x->done.at[i], key))
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

/* What earlier campaigns know of it is enough. */
static bool is_known(struct hd_explorer *x, struct wanted *w, u32 tried)
{
    struct hd_finding f;
    if (hd_tried_is_vain(x, tried, !w->t->exposed) || hd_tried_is_harmless(x, tried))
        return true;
    if (!hd_tried_again(x, tried, show, w, &f))
        return false;
    hd_explorer_keep(x, &f, w->t->var, f.race.class == HD_RACE_FAILS, tried + 1);
    return true;
}

static void explore(struct hd_explorer *x, const struct hd_triple *t)
{
    struct hd_places *places = &x->o->cover->places;
    const u64 id[3] = {t->is.site[0], t->is.site[1], t->is.third};
    u64 at[3];
    struct wanted w = {t, at};
    struct hd_finding f, failed = {0};
    char key[HD_RACE_KEY];
    bool is_over;
    for (u32 i = 0; i < 3; i++)
        if (!(at[i] = hd_places_pc(places, &x->w->run, id[i])))
            return;
    hd_race_key_many(x, at, 3, key);
    if (hd_explorer_was_done(x, key))
        return;
    u32 tried = hd_tried_get(x, HD_TRIED_TRIPLE, id, at, 3, "");
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
        hd_explorer_keep(x, &failed, t->var, true, tried + 1);
    if (!failed.modules && is_wanted)
        hd_explorer_keep(x, &f, t->var, false, tried + 1);
    else
        hd_finding_release(&f);
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
    if (t->all.n)
        qsort(t->all.at, t->all.n, sizeof *t->all.at, by_promise);
    for (size_t i = 0; i < t->all.n && hd_explorer_goes_on(x); i++)
        if (t->all.at[i].is.in_block || (x->o->is_races && !is_race(x, &t->all.at[i])))
            explore(x, &t->all.at[i]);
}
