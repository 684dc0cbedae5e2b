/* atomicity.c: accesses of one thread that are meant as one piece, and one of another thread that
 * gets in between (detect/triples.h). Runs are driven there by a goal of three events; then the
 * run is compared with those in which the other thread comes before both or after both.
 *
 * A finding: in a block of heddle_atomic_begin whatever comes of it; elsewhere, and only if races
 * are what the campaign is for, if the result is one that neither of the two orders has, or if
 * the run fails and they do not.
 */
#include "campaign/race/explorer.h"
#include "cover/cover.h"
#include "event/effect.h"
#include "report/explain/model.h"

#include <stdlib.h>
#include <string.h>

#define ATTEMPTS 4
#define TIMES 5   /* runs of each order */
#define WINDOW 64 /* steps of a thread between its two accesses */

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

static bool drive(struct hd_explorer *x, const struct hd_triple *t, const u64 at[3],
                  struct hd_finding *f)
{
    bool is_found = false;
    for (u32 nth = 0; nth < ATTEMPTS && !is_found && x->hidden_runs; nth++) {
        u32 n, found[3];
        set_up(x, t, at, nth);
        if (!hd_races_run(x->o, x->w, x->run++))
            break;
        x->c->race_runs++;
        x->hidden_runs--;
        const struct hd_event *ev = hd_snapshot_events(&x->w->run, &n);
        if (!hd_triple_find(ev, n, at, t->is.in_block, found))
            continue;
        u32 step[3] = {ev[found[0]].step, ev[found[1]].step, ev[found[2]].step};
        if (step[0] < step[1] && step[1] < step[2])
            is_found = hd_explorer_take(x, step, 3, f);
    }
    hd_explorer_mark(x, NULL, 0);
    return is_found;
}

/* Lines, as the races of people. */
static void key_of(struct hd_explorer *x, const u64 at[3], char key[HD_RACE_KEY])
{
    size_t n = 0;
    for (u32 i = 0; i < 3 && n < HD_RACE_KEY; i++) {
        struct hd_srcloc l;
        hd_symbols_code(x->symbols, at[i], true, &l, 1);
        n += (size_t)snprintf(key + n, HD_RACE_KEY - n, "%s%.200s:%d", i ? " " : "",
                              l.file ? l.file : l.module ? l.module : "?", l.line);
    }
}

static bool is_done(struct hd_explorer *x, const char *key)
{
    for (size_t i = 0; i < x->done.n; i++)
        if (!strcmp(x->done.at[i], key))
            return true;
    *hd_vec_add(&x->done) = strdup(key);
    return false;
}

/* Accesses that race are told as that race. */
static bool is_race(const struct hd_explorer *x, const struct hd_triple *t)
{
    const struct hd_races *r = x->o->races;
    for (size_t i = 0; i < r->pair.n; i++) {
        const struct hd_race_pair *p = &r->pair.at[i];
        for (u32 k = 0; k < 2 && !hd_race_is_hidden(p); k++)
            if (p->is.site[k] == t->is.site[1] &&
                (p->is.site[!k] == t->is.site[0] || p->is.site[!k] == t->is.third))
                return true;
    }
    return false;
}

static void explore(struct hd_explorer *x, const struct hd_triple *t)
{
    struct hd_places *places = &x->o->cover->places;
    u64 at[3] = {hd_places_pc(places, &x->w->run, t->is.site[0]),
                 hd_places_pc(places, &x->w->run, t->is.site[1]),
                 hd_places_pc(places, &x->w->run, t->is.third)};
    struct hd_finding f, failed = {0};
    char key[HD_RACE_KEY];
    if (!at[0] || !at[1] || !at[2])
        return;
    key_of(x, at, key);
    if (is_done(x, key) || !drive(x, t, at, &f))
        return;
    hd_atomicity_judge(x->o, x->w, &f, TIMES, &failed);
    bool is_wanted = t->is.in_block || f.race.class == HD_RACE_CHANGES;
    if (failed.modules)
        hd_explorer_keep(x, &failed, t->var, true);
    if (!failed.modules && is_wanted)
        hd_explorer_keep(x, &f, t->var, false);
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
