/* checks.c: what ThreadSanitizer reports besides races: threads that nobody joined or detached,
 * signal handlers that call what is not async-signal-safe or that change errno. The runs of a
 * campaign note what could be one (event/result.h: notes); here runs are made that look for it
 * and end where it is seen to happen. What is not seen is listed as possible.
 */
#include "campaign/race/explorer.h"
#include "campaign/notes.h"
#include "strategy/strategy.h"

#include <stdlib.h>
#include <string.h>

#define ATTEMPTS 48 /* a signal has to come into a call, out of all places where it could */

static const struct check {
    u32 note, mode;
    u8 misuse;
    const char *text;
} checks[] = {
    {HD_NOTE_UNJOINED, HD_MODE_CHECK_LEAKS, HD_MISUSE_LEAK, "a thread that is neither joined nor detached"},
    {HD_NOTE_UNSAFE_CALL, HD_MODE_CHECK_CALLS, HD_MISUSE_UNSAFE_CALL,
     "a call that is not async-signal-safe in a signal handler"},
    {HD_NOTE_ERRNO, HD_MODE_CHECK_ERRNO, HD_MISUSE_ERRNO, "errno changed by a signal handler"},
};

static void set_up(struct hd_explorer *x, const struct check *k, u32 nth)
{
    static const char *const name[] = {"random", "pos", "pct"};
    const struct hd_strategy *s = hd_strategy_find(name[nth % HD_COUNT(name)]);
    struct hd_shm_host *m = x->w->host;
    m->cfg = x->o->cfg;
    m->cfg.mode &= ~(u32)(HD_MODE_STREAM | HD_MODE_LEARN | HD_MODE_SEARCH | HD_MODE_REPLAY);
    m->cfg.mode |= k->mode;
    m->cfg.strategy = hd_strategy_index(s);
    m->cfg.strategy_param = s->param_default;
    m->script_n = 0;
    m->plan.n = m->plan.n_goals = 0;
}

/* One place of a handler or of a create: has it been shown, is it noted? */
static bool is_open(const u64 *site, const bool *is_exposed, u32 n, u64 at, u32 *which)
{
    for (*which = 0; *which < n; ++*which)
        if (site[*which] == at)
            return !is_exposed[*which];
    return false;
}

static void list(struct hd_explorer *x, const struct check *k, u64 site)
{
    char place[400], text[600];
    hd_notes_place(x->symbols, site, place, sizeof place);
    snprintf(text, sizeof text, "%s at %s", k->text, place);
    hd_race_list_other(x, text);
}

/* All places that runs noted for this check. */
static void try_places(struct hd_explorer *x, const struct check *k)
{
    u64 site[HD_SHM_NOTES];
    bool is_exposed[HD_SHM_NOTES] = {false};
    u32 n = 0, left, which;
    const struct hd_notes *all = &x->w->run.notes;
    for (u32 i = 0; i < all->n && i < HD_SHM_NOTES; i++)
        if (all->at[i].kind == k->note)
            site[n++] = all->at[i].site;
    left = n;
    for (u32 nth = 0; nth < ATTEMPTS && left && x->hidden_runs && hd_explorer_goes_on(x); nth++) {
        struct hd_finding f;
        set_up(x, k, nth);
        if (!hd_races_run(x->o, x->w, x->run++))
            break;
        x->c->race_runs++;
        x->hidden_runs--;
        const struct hd_verdict *v = &x->w->run.verdict;
        if (v->kind != HD_V_MISUSE || v->misuse.kind != k->misuse ||
            !is_open(site, is_exposed, n, v->misuse.site, &which) ||
            hd_finding_take(&f, x->w, x->o->target->path, x->w->argv ? x->w->argv : x->o->argv))
            continue;
        hd_explorer_keep(x, &f, 0, true, 0);
        is_exposed[which] = true;
        left--;
    }
    for (u32 i = 0; i < n; i++)
        if (!is_exposed[i])
            list(x, k, site[i]);
}

void hd_checks_explore(struct hd_explorer *x)
{
    for (u32 i = 0; i < HD_COUNT(checks); i++)
        try_places(x, &checks[i]);
}
