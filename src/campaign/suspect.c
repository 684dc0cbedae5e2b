/* suspect.c: a run that went on and on before it was known how long runs are.
 *
 * A run hangs if it has taken 100 times as many steps as the longest of those that
 * ended. Before any has ended, the only limit that is safe for every program is one
 * that takes seconds to reach. So the first runs end early where they go on for long,
 * and one is kept; when some later ones have ended, they say whether it may have hung;
 * it is followed again, goes on from there, and is reported if it still does not end.
 * After HD_GUESSES such runs, the next one goes on up to the safe limit.
 */
#include "campaign/suspect.h"

#include "base/stop.h"

#include <string.h>

#define PROOF 3 /* times the steps it took, before it is said to hang */

int hd_suspect_take(struct hd_suspect *s, const struct hd_campaign_opts *o, struct hd_worker *w)
{
    if (s->is_held)
        return 0; /* one is enough */
    int e = hd_found_take(&s->finding, w, o->target->path, w->argv ? w->argv : o->argv);
    s->is_held = !e;
    s->steps = w->shm->stats.step_limit;
    s->worker = w->index;
    s->ended = w->shm->totals.ended_ever;
    return e;
}

void hd_suspect_release(struct hd_suspect *s)
{
    if (s->is_held)
        hd_finding_release(&s->finding);
    s->is_held = false;
}

/* Later runs have all scheduling points that it had, so they are not shorter for want of
 * them. */
bool hd_suspect_is_guilty(struct hd_suspect *s, const struct hd_campaign_opts *o,
                          const struct hd_worker *w)
{
    const struct hd_totals *t = &w->shm->totals;
    u32 sure = t->guesses < HD_GUESSES ? HD_AUTO_RUNS : 1; /* so many others were alike */
    if (!s->is_held || s->worker != w->index || t->ended_ever - s->ended < sure)
        return false;
    if (s->steps >= HD_MAX(o->cfg.step_limit_auto, HD_AUTO_TIMES * t->max_steps_ever))
        return true;
    hd_suspect_release(s); /* others take as long, nearly */
    return false;
}

/* Follows it and goes on, up to `limit` steps. HD_V_NONE: there was no time for it. */
static u32 follow(struct hd_suspect *s, const struct hd_campaign_opts *o, struct hd_worker *w,
                  u64 limit, s64 until_ns)
{
    struct hd_replay *r = &s->finding.replay;
    u64 was = r->cfg.step_limit;
    r->cfg.step_limit = limit;
    bool is_done = !hd_replay_to_shm(r, w->shm);
    r->cfg.step_limit = was;
    w->shm->cfg.mode &= ~(u32)(HD_MODE_STRICT | HD_MODE_STREAM); /* beyond the script, too */
    is_done = is_done && !hd_worker_send(w, r->run, 1);
    while (is_done && w->is_busy && hd_monotonic_ns() < until_ns && !hd_stop_is_due())
        hd_workers_wait(w, 1, o->timeout_ms, until_ns);
    is_done = is_done && !w->is_busy && !w->is_dead;
    if (w->is_busy)
        hd_worker_end(w);
    return is_done ? w->shm->verdict.kind : HD_V_NONE;
}

bool hd_suspect_again(struct hd_suspect *s, const struct hd_campaign_opts *o, struct hd_worker *w,
                      s64 until_ns)
{
    struct hd_worker_state before;
    u64 limit = HD_MIN(o->cfg.step_limit, PROOF * s->steps);
    if (hd_worker_remember(&before, w))
        return false;
    u32 verdict = follow(s, o, w, limit, until_ns);
    bool is_bad = verdict != HD_V_NONE && !hd_campaign_is_clean(o, &w->shm->verdict);
    if (is_bad && verdict != HD_V_HANG) { /* else what is held is shorter */
        hd_suspect_release(s);
        is_bad = !hd_suspect_take(s, o, w);
    }
    if (!is_bad)
        hd_suspect_release(s);
    hd_worker_put_back(&before, w);
    w->counted = w->shm->totals; /* part of a run that counted */
    return is_bad;
}
