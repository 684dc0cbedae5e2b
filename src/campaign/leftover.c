/* leftover.c: see leftover.h. */
#include "campaign/leftover.h"
#include "process/oracle.h"
#include "process/confirm.h"

#include <string.h>

#include "base/stop.h"
#include "strategy/strategy.h"

#define MOST_STEPS 1000000 /* longer schedules are not worth a copy */

void hd_first_take(struct hd_first *f, const struct hd_campaign_opts *o, struct hd_worker *w)
{
    if (f->is_held || w->script || w->is_dead || w->run.stats.steps > MOST_STEPS ||
        !hd_verdict_is_clean(&w->run.verdict, o->exit_ok, o->n_exit_ok))
        return;
    f->is_held = !hd_replay_from_run(&f->r, &w->run, o->target->path, o->argv);
}

/* Follows the schedule as far as it goes, then without preemption. */
static bool leads_to(struct hd_first *f, const struct hd_campaign_opts *o, struct hd_worker *w,
                     const struct hd_finding *g)
{
    const struct hd_verdict *v = &w->run.verdict;
    if (hd_replay_to_shm(&f->r, &w->run))
        return false;
    w->host->cfg.mode &= ~(u32)(HD_MODE_STRICT | HD_MODE_STREAM);
    w->host->cfg.strategy = hd_strategy_index(hd_strategy_find("stay"));
    w->host->cfg.strategy_param = 0;
    if (hd_worker_send(w, f->r.run, 1) || !hd_worker_await(w, o->timeout_ms))
        return false;
    return v->kind == g->verdict.kind && v->status == g->verdict.status &&
           v->signo == g->verdict.signo && !strcmp(v->msg, g->verdict.msg);
}

bool hd_first_fails_too(struct hd_first *f, const struct hd_campaign_opts *o, struct hd_worker *w,
                        const struct hd_finding *g)
{
    struct hd_worker_state before;
    u32 kind = g->verdict.kind;
    if (!f->is_held || f->is_asked || w->is_dead || kind == HD_V_HANG || kind == HD_V_TIMEOUT ||
        hd_stop_is_due())
        return false;
    f->is_asked = true;
    if (hd_worker_remember(&before, w))
        return false;
    bool is = leads_to(f, o, w, g) && leads_to(f, o, w, g);
    hd_worker_put_back(&before, w);
    if (w->host)
        w->counted = w->run.totals; /* no runs of the campaign */
    return is;
}

void hd_first_release(struct hd_first *f)
{
    if (f->is_held)
        hd_replay_release(&f->r);
    *f = (struct hd_first){0};
}
