/* violation.c: see violation.h. */
#include "campaign/race/violation.h"
#include "campaign/race/race_case.h"
#include "cover/cover.h"

#include <string.h>

#define TIMES 5 /* runs of each order */

/* Others in the same functions were driven in vain (race_case.h). */
static bool is_known_vain(struct hd_explorer *x, const struct hd_violation *v)
{
    return !v->is_exposed && !v->in_block && hd_race_class(x, v->kind, v->at, v->n) == HD_CLASS_VAIN;
}

/* *is_over: all attempts were made. */
static bool drive(struct hd_explorer *x, struct hd_violation *v, u32 tried, struct hd_finding *f,
                  bool *is_over)
{
    bool is_found = false, is_short = is_known_vain(x, v);
    u32 nth = 0;
    for (; nth < (is_short ? 1 : v->attempts) && !is_found && x->hidden_runs; nth++) {
        u32 n, step[4];
        v->set_up(x, v, nth);
        if (!hd_races_run(x->o, x->w, x->run++))
            break;
        x->c->race_runs++;
        x->hidden_runs--;
        x->tried.at[tried].runs[0]++;
        const struct hd_event *ev = hd_snapshot_events(&x->w->run, &n);
        is_found = v->show(x, ev, n, v, step) && hd_explorer_take(x, step, v->n, f);
        if (v->look)
            v->look(v, ev, n);
    }
    *is_over = nth == (is_short ? 1 : v->attempts);
    hd_explorer_mark(x, NULL, 0);
    if (is_found || *is_over)
        hd_race_class_note(x, v->kind, v->at, v->n, is_found);
    return is_found;
}

/* What earlier campaigns know of it is enough. */
static bool is_known(struct hd_explorer *x, struct hd_violation *v, u32 tried)
{
    struct hd_finding f;
    if (hd_tried_is_vain(x, tried, !v->is_exposed) || hd_tried_is_harmless(x, tried))
        return true;
    if (!hd_tried_again(x, tried, v->show, v, &f))
        return false;
    hd_explorer_keep(x, &f, v->var, f.race.class == HD_RACE_FAILS, tried + 1);
    return true;
}

static void judge(struct hd_explorer *x, const struct hd_violation *v, u32 tried, struct hd_finding *f)
{
    struct hd_finding failed = {0};
    hd_atomicity_judge(x->o, x->w, f, TIMES, v->in_block, v->is_observed, &failed);
    hd_tried_note(x, tried, !v->is_exposed, failed.modules ? &failed.race : &f->race);
    bool is_wanted = v->in_block || f->race.class == HD_RACE_CHANGES;
    if (failed.modules)
        hd_explorer_keep(x, &failed, v->var, true, tried + 1);
    if (!failed.modules && is_wanted)
        hd_explorer_keep(x, f, v->var, false, tried + 1);
    else
        hd_finding_release(f);
}

bool hd_violation_open(struct hd_explorer *x, struct hd_violation *v)
{
    char key[HD_RACE_KEY];
    for (u32 i = 0; i < v->n; i++)
        if (!(v->at[i] = hd_places_pc(&x->o->cover->places, &x->w->run, v->site[i])))
            return false; /* its code is not loaded */
    if (hd_race_is_by_design(x, v->at, v->n))
        return false;
    hd_race_key_many(x, v->at, v->n, key);
    if (hd_explorer_was_done(x, key))
        return false;
    v->tried = hd_tried_get(x, v->kind, v->site, v->at, v->n, "");
    return !is_known(x, v, v->tried);
}

void hd_violation_drive(struct hd_explorer *x, struct hd_violation *v)
{
    struct hd_finding f;
    bool is_over;
    if (drive(x, v, v->tried, &f, &is_over))
        judge(x, v, v->tried, &f);
    else if (is_over)
        hd_tried_note(x, v->tried, !v->is_exposed, NULL);
}

/* ---- several in one run ---------------------------------------------------------------------- */

bool hd_violation_shares(const struct hd_explorer *x, const struct hd_violation *v)
{
    return x->o->tested && !v->is_exposed && !v->in_block;
}

static void look(struct hd_explorer *x, struct hd_violations *g)
{
    bool is_failure = hd_races_is_failure(x->o, &x->w->run.verdict);
    struct hd_finding f[HD_GOALS];
    u32 met[HD_GOALS], n_met = 0, n, step[4];
    const struct hd_event *ev = hd_snapshot_events(&x->w->run, &n);
    for (u32 i = 0; i < g->n; i++) {
        struct hd_violation *v = g->at[i];
        x->tried.at[v->tried].runs[0]++;
        if (v->show(x, ev, n, v, step) && (is_failure || hd_explorer_take(x, step, v->n, &f[n_met])))
            met[n_met++] = i;
    }
    for (u32 k = 0; k < n_met; k++) { /* further runs are made for it: the events are gone */
        struct hd_violation *v = g->at[met[k]];
        if (is_failure) { /* which of them is behind it cannot be told */
            hd_violation_drive(x, v);
        } else {
            hd_race_class_note(x, v->kind, v->at, v->n, true);
            judge(x, v, v->tried, &f[k]);
        }
    }
}

void hd_violations_drive(struct hd_explorer *x, struct hd_violations *g)
{
    u64 site[4 * HD_GOALS];
    u32 n = 0;
    struct hd_goals *goals = &x->w->host->plan.at[0].goals;
    g->at[0]->set_up(x, g->at[0], 0); /* what it leaves open, too */
    for (u32 i = 0; i < g->n; i++) {
        g->at[i]->set_goal(g->at[i], 0, &goals->at[i]);
        memcpy(&site[n], g->at[i]->at, g->at[i]->n * sizeof *site);
        n += g->at[i]->n;
    }
    goals->n = g->n;
    hd_explorer_mark(x, site, n);
    bool is_there = x->hidden_runs && hd_races_run(x->o, x->w, x->run++);
    hd_explorer_mark(x, NULL, 0);
    if (is_there) {
        x->c->race_runs++;
        x->hidden_runs--;
        look(x, g);
    }
    g->n = 0;
}
