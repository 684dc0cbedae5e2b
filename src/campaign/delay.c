/* delay.c: what depends on how slow threads are. Every run tries delays of up to
 * --max-delay; at the end of a campaign some runs try delays of any length
 * (HD_MODE_SLOW). What fails only then is a remark, not a finding. Also: programs whose
 * threads are ordered by nothing but a sleep are told so.
 */
#include "campaign/delay.h"
#include "plan/director.h"
#include "process/oracle.h"
#include "process/confirm.h"
#include "campaign/notes.h"
#include "campaign/found.h"

#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "strategy/strategy.h"

#define SLOW_SHARE 10     /* one run in so many ... */
#define SLOW_LEAST 10     /* ... between these */
#define SLOW_MOST 100
#define SLOW_EARLY 64     /* of 1024: chance per choice that a timeout comes early */
#define SLOW_NS 2000000000ll /* or a tenth of the campaign's time, if that is more */

/* ---- remarks ----------------------------------------------------------------- */

/* The smaller schedule may need less than the one that was found. */
static void measure(struct hd_worker *w, struct hd_finding *f, u32 timeout_ms)
{
    u32 times = 1;
    if (w->is_dead || hd_stop_is_due() ||
        hd_confirm(w, &f->replay, &times, 3 * timeout_ms) != 1 || !w->host)
        return;
    if (w->run.stats.delay.ns < f->stats.delay.ns)
        f->stats.delay = w->run.stats.delay;
}

struct hd_finding *hd_delay_judge(struct hd_campaign *c, const struct hd_campaign_opts *o,
                                  struct hd_worker *w, struct hd_finding *f)
{
    if (f->stats.delay.ns <= 0)
        return f;
    if (f->decided.is_minimized)
        measure(w, f, o->timeout_ms);
    if (f->stats.delay.ns <= o->cfg.max_delay_ns)
        return f;
    struct hd_finding *grown = realloc(c->remarks, sizeof *grown * (c->n_remarks + 1));
    if (!grown)
        return f;
    c->remarks = grown;
    c->n_findings--; /* it is the last one */
    grown[c->n_remarks] = *f;
    f = &grown[c->n_remarks++];
    f->is_remark = true;
    return f;
}

/* ---- runs with delays of any length -------------------------------------------- */

static u64 runs_to_do(const struct hd_campaign *c, const struct hd_campaign_opts *o)
{
    bool is_wanted = c->has_far && o->cfg.early_per_1024 && o->cfg.max_delay_ns > 0 && !o->director->owns_schedule &&
                     !o->director->is_brief && !c->interrupted && (!c->n_findings || o->keep_going);
    if (!is_wanted)
        return 0;
    return HD_MAX((u64)SLOW_LEAST, HD_MIN((u64)SLOW_MOST, c->runs / SLOW_SHARE));
}

static void set_up(struct hd_worker *w, const struct hd_campaign_opts *o)
{
    struct hd_config *cfg = &w->host->cfg;
    const struct hd_strategy *random = hd_strategy_find("random");
    *cfg = o->cfg;
    cfg->mode = (cfg->mode & ~(u32)(HD_MODE_STREAM | HD_MODE_LEARN)) | HD_MODE_SLOW;
    cfg->max_delay_ns = HD_NEVER / 2;
    cfg->early_per_1024 = HD_MAX(cfg->early_per_1024, (u32)SLOW_EARLY);
    cfg->strategy = hd_strategy_index(random);
    cfg->strategy_param = random->param_default;
    w->host->plan.n = w->host->plan.n_goals = 0;
    w->host->script_n = 0;
}

/* A limit met, or anything else that says nothing about the program. */
static bool is_failure(const struct hd_campaign_opts *o, const struct hd_verdict *v)
{
    switch (v->kind) {
    case HD_V_EXIT: case HD_V_SIGNAL: case HD_V_ASSERT: case HD_V_DEADLOCK: case HD_V_CHECK:
    case HD_V_HEAP: case HD_V_MISUSE: case HD_V_OUTPUT:
        return !hd_verdict_is_clean(v, o->exit_ok, o->n_exit_ok);
    default:
        return false;
    }
}

static int found(struct hd_campaign *c, const struct hd_campaign_opts *o, struct hd_worker *w,
                 struct hd_error *err)
{
    struct hd_finding f;
    bool is_new;
    int e = hd_finding_take(&f, w, o->target->path, w->argv ? w->argv : o->argv);
    if (e) {
        return hd_error_set(err, e, "cannot copy the failed run: %s", strerror(-e));
    }
    return hd_found_persist(c, o, w, &f, w->ended_ns - w->run.started_ns, &is_new, err);
}

int hd_delay_explore(struct hd_campaign *c, const struct hd_campaign_opts *o, struct hd_worker *w,
                     u64 first_run, struct hd_error *err)
{
    u64 n = runs_to_do(c, o);
    s64 start = hd_monotonic_ns();
    s64 until = start + HD_MAX(SLOW_NS, (start - c->started_ns) / SLOW_SHARE);
    struct hd_worker_state before;
    int e = 0;
    while (n && w->is_busy && !w->is_dead && !hd_stop_is_due())
        hd_workers_wait(w, 1, o->timeout_ms, INT64_MAX);
    if (!n || w->is_dead || w->is_busy || !w->host || hd_worker_remember(&before, w))
        return 0;
    for (u64 i = 0; i < n && !e && hd_monotonic_ns() < until && !c->n_remarks; i++) {
        set_up(w, o);
        if (hd_stop_is_due() || hd_worker_send(w, first_run + i, 1))
            break;
        while (w->is_busy && !w->is_dead && !hd_stop_is_due())
            hd_workers_wait(w, 1, o->timeout_ms, INT64_MAX);
        if (w->is_dead || w->is_busy || !w->host)
            break;
        c->slow_runs++;
        c->slow_points += w->run.stats.points;
        if (is_failure(o, &w->run.verdict))
            e = found(c, o, w, err);
        if (c->n_findings && !o->keep_going)
            break;
    }
    if (!w->is_dead && !w->is_busy && w->host)
        hd_worker_put_back(&before, w);
    else
        free(before.sites);
    return e;
}

/* ---- ordered by a sleep -------------------------------------------------------- */

void hd_delay_note(struct hd_campaign *c, struct hd_worker *w)
{
    u64 site = w->host ? w->run.totals.sleep_site : 0;
    if (!site || c->points || c->sleep_at[0])
        return;
    struct hd_symbols *s =
        hd_symbols_open(w->run.modules, w->run.n_modules);
    if (!s)
        return;
    char place[400];
    hd_notes_place(s, site, place, sizeof place);
    snprintf(c->sleep_at, sizeof c->sleep_at,
             "%sthe threads are ordered only by a sleep at %.380s: there was no other moment when "
             "two of them could run; a thread that is slower than that sleep changes the order",
             c->slow_points ? "" : "nothing was tested: ", place);
    hd_symbols_close(s);
}
