/* race_joint.c: possible races that are not worth runs of their own (race_case.h), several in one
 * run: each is a goal, and whoever comes to an access of any of them waits there for the other one.
 * A run confirms all that it brings together. Goals keep each other from their places now and
 * then, so each group has ATTEMPTS runs that differ; in a suite half as many if these bring nothing about, and hopeless ones
 * HOPELESS (race_case.h). Which of several made a run fail cannot be told: what met in such a run alone is driven by itself.
 */
#include "campaign/race/race_case.h"
#include "detect/meet.h"

#define ATTEMPTS 4
#define HOPELESS 1
#define VAIN 2 /* groups in a row that brought nothing about: in a suite those after them are as good as hopeless */

struct group {
    struct hd_race_case at[HD_GOALS];
    struct hd_finding f[HD_GOALS];
    bool is_met[HD_GOALS];
    bool is_failing[HD_GOALS]; /* met in a run that failed */
    u32 n;
};

static void set_up(struct hd_explorer *x, const struct group *g, u32 nth)
{
    u64 site[2 * HD_GOALS];
    u32 n = 0;
    struct hd_goal *goal = hd_explorer_goal(x, nth / 2);
    for (u32 i = 0; i < g->n; i++) {
        if (g->is_met[i])
            continue;
        hd_race_case_goal(&g->at[i], nth % 2, &goal[n]);
        for (u32 k = 0; k < 2; k++)
            site[2 * n + k] = g->at[i].site[k];
        n++;
    }
    struct hd_goals *goals = &x->w->host->plan.at[0].goals;
    goals->n = n;
    goals->must_meet = true;
    hd_explorer_mark(x, site, 2 * n);
}

static void look(struct hd_explorer *x, struct group *g, u32 nth)
{
    u32 n;
    const struct hd_event *ev = hd_snapshot_events(&x->w->run, &n);
    bool is_failure = hd_races_is_failure(x->o, &x->w->run.verdict);
    for (u32 i = 0; i < g->n; i++) {
        struct hd_meeting met;
        if (g->is_met[i])
            continue;
        x->tried.at[g->at[i].tried].runs[nth % 2]++;
        if (!hd_meet_pending(ev, n, g->at[i].site, false, &met))
            continue;
        g->is_failing[i] |= is_failure;
        g->is_met[i] = !is_failure &&
                       hd_explorer_take(x, (u32[]){ev[met.first].step, ev[met.second].step}, 2, &g->f[i]);
    }
}

static bool is_all_met(const struct group *g)
{
    for (u32 i = 0; i < g->n; i++)
        if (!g->is_met[i])
            return false;
    return true;
}

static bool is_any_met(const struct group *g)
{
    for (u32 i = 0; i < g->n; i++)
        if (g->is_met[i] || g->is_failing[i])
            return true;
    return false;
}

/* A run showed it. */
static bool is_worth_more(struct hd_explorer *x, const struct hd_race_case *c)
{
    return !hd_race_is_hidden(c->p) && !hd_race_case_is_hopeless(x, c) && hd_explorer_goes_on(x);
}

/* Nothing was brought about: false. */
static bool drive(struct hd_explorer *x, struct group *g, u32 attempts)
{
    u32 nth = 0;
    for (; nth < attempts && x->hidden_runs && !is_all_met(g); nth++) {
        if (x->o->tested && nth && nth == attempts / 2 && !is_any_met(g))
            break;
        set_up(x, g, nth);
        if (!hd_races_run(x->o, x->w, x->run++))
            break;
        x->c->race_runs++;
        x->hidden_runs--;
        look(x, g, nth);
    }
    hd_explorer_mark(x, NULL, 0);
    for (u32 i = 0; i < g->n; i++)
        if (g->is_met[i])
            hd_race_case_met(x, &g->at[i], &g->f[i]);
        else if (g->is_failing[i] || is_worth_more(x, &g->at[i]))
            hd_race_case_drive(x, &g->at[i]);
        else
            hd_race_case_vain(x, &g->at[i], nth == ATTEMPTS);
    return is_any_met(g);
}

/* Groups of those that are hopeless, or of those that are not. */
static void drive_groups(struct hd_explorer *x, bool is_hopeless, u32 attempts)
{
    struct group g;
    u32 vain = 0;
    for (size_t i = 0; i < x->later.n && hd_explorer_goes_on(x);) {
        for (g = (struct group){0}; g.n < HD_GOALS && i < x->later.n; i++) {
            const struct hd_race_pair *p = &x->o->races->pair.at[x->later.at[i]];
            bool is_there = false;
            if (!hd_race_case_open(x, p, &g.at[g.n]) || hd_race_case_is_hopeless(x, &g.at[g.n]) != is_hopeless)
                continue;
            for (u32 k = 0; k < g.n; k++) /* the read and the write of one line */
                is_there |= g.at[k].tried == g.at[g.n].tried;
            g.n += !is_there;
        }
        if (g.n && drive(x, &g, x->o->tested && vain >= VAIN ? HOPELESS : attempts))
            vain = 0;
        else
            vain++;
    }
}

void hd_race_joint(struct hd_explorer *x)
{
    drive_groups(x, false, ATTEMPTS);
    drive_groups(x, true, x->o->tested ? HOPELESS : ATTEMPTS);
    hd_vec_release(&x->later);
}
