/* follow.c: a run had the two accesses one after the other, and nothing orders them. It is
 * followed up to the first one, whose thread is held there, while the others go on as they did, until
 * the second access is done.
 *
 * A goal holds whichever thread comes first. That is in vain where a thread, on its way to its
 * access, tells the other one to wait (a count of readers), and both can only be there if one of
 * them looked before: what came before the accesses has to be as it was.
 */
#include "campaign/race/explorer.h"
#include "cover/cover.h"
#include "detect/meet.h"
#include "minimize/shrink.h"
#include "strategy/strategy.h"

#include <string.h>

/* The schedule of `seen` with the thread of the first access held. False: there was no run. */
static bool run_held(struct hd_explorer *x, const struct hd_finding *seen, u16 held)
{
    struct hd_shm_host *m = x->w->host;
    struct hd_list all = {0}, out = {0}, cut = {0};
    hd_list_set(&all, seen->replay.choice, seen->replay.n);
    hd_list_delay(&out, &cut, &all, held, seen->race.step[0], seen->race.step[1], 0, 0);
    bool is_ready = m && cut.v.n <= HD_SHM_LOG && !hd_replay_to_shm(&seen->replay, &x->w->run);
    if (is_ready) {
        memcpy(hd_shm_script_choice(m), cut.v.at, cut.v.n * sizeof *cut.v.at);
        m->script_n = (u32)cut.v.n;
        m->plan.n = m->plan.n_goals = 0;
        m->cfg.mode &= ~(u32)(HD_MODE_STRICT | HD_MODE_STREAM | HD_MODE_ALL_EVENTS | HD_MODE_HEAP_ALL);
        m->cfg.mode |= HD_MODE_REPLAY | HD_MODE_DETAIL;
        m->cfg.strategy = hd_strategy_index(hd_strategy_find("stay"));
        m->cfg.strategy_param = 0;
        m->cfg.early_per_1024 = 0;
    }
    hd_list_release(&all);
    hd_list_release(&out);
    hd_list_release(&cut);
    return is_ready && hd_races_run(x->o, x->w, HD_MAX(seen->replay.run, (u64)1));
}

bool hd_race_follow(struct hd_explorer *x, const u64 site[2], struct hd_finding *f)
{
    struct hd_finding seen;
    struct hd_meeting met;
    u32 n;
    const struct hd_event *ev = hd_snapshot_events(&x->w->run, &n);
    if (x->w->run.stats.events > HD_SHM_RING || !hd_meet_unordered(ev, n, site, &met))
        return false;
    u16 held = ev[met.first].tid;
    if (!hd_explorer_take(x, (u32[]){ev[met.first].step, ev[met.second].step}, 2, &seen))
        return false;
    bool is_found = run_held(x, &seen, held);
    x->c->race_runs += is_found;
    hd_finding_release(&seen);
    if (!is_found)
        return false;
    ev = hd_snapshot_events(&x->w->run, &n);
    return hd_meet_pending(ev, n, site, false, &met) &&
           hd_explorer_take(x, (u32[]){ev[met.first].step, ev[met.second].step}, 2, f);
}
