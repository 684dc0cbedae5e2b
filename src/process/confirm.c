/* confirm.c: the same schedule again on a worker that is already there. What replays
 * change in its shared memory is put back, so that the campaign can go on with it. */
#include "process/confirm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"

#define RESTARTS 3 /* of a server that dies meanwhile */

int hd_worker_remember(struct hd_worker_state *b, struct hd_worker *w)
{
    const struct hd_site *sites = hd_snapshot_sites(&w->run, &b->n_sites);
    b->cfg = w->host->cfg;
    b->learned = w->run.learned;
    b->sites = malloc((b->n_sites + 1) * sizeof *b->sites);
    if (!b->sites)
        return -ENOMEM;
    memcpy(b->sites, sites, b->n_sites * sizeof *b->sites);
    return 0;
}

void hd_worker_put_back(struct hd_worker_state *b, struct hd_worker *w)
{
    struct hd_shm_host *m = w->host;
    if (!m) { /* could not be started again */
        free(b->sites);
        return;
    }
    m->cfg = b->cfg;
    m->learned = b->learned;
    m->learned_for = m->cmd.number + 1;
    m->script_n = m->n_script_io_results = 0;
    w->run.n_others = 0;
    hd_shm_marks_begin(m, true);
    for (u32 i = 0; i < b->n_sites; i++)
        if (b->sites[i].known & ~HD_SITE_GOAL)
            hd_shm_mark(m, b->sites[i].pc, b->sites[i].since, b->sites[i].known & ~HD_SITE_GOAL);
    free(b->sites);
}

/* A run ended by the clock or its script has no end of its own to compare. */
static bool is_same(const struct hd_replay *r, const struct hd_worker *w)
{
    const struct hd_snapshot *m = &w->run;
    return m->verdict.kind == r->verdict &&
           (r->limit == HD_RUN_LIMIT_TIME || (w->phases && w->timed_out) ||
            m->stats.hash == r->hash);
}

/* One replay; false: the server died, or could not be reached. */
static bool replay_once(struct hd_worker *w, const struct hd_replay *r, bool is_last,
                        u32 timeout_ms)
{
    /* Each time anew: a learning run leaves more sites behind than it found. */
    if (hd_replay_to_shm(r, &w->run))
        return false;
    w->host->cfg.mode &= ~(u32)HD_MODE_STREAM;
    if (is_last)
        w->host->cfg.mode |= HD_MODE_DETAIL; /* for whoever takes it from there */
    if (hd_worker_send(w, r->run, 1)) {
        w->is_dead = true;
        return false;
    }
    return hd_worker_await(w, timeout_ms);
}

u32 hd_confirm(struct hd_worker *w, const struct hd_replay *r, u32 *times, u32 timeout_ms)
{
    struct hd_worker_state b;
    u32 same = 0, tried = 0, restarts = 0, want = *times;
    *times = 0;
    if (hd_worker_remember(&b, w))
        return 0;
    while (tried < want && !(tried ? hd_stop_is_due() : hd_stop_is_late())) {
        if (replay_once(w, r, tried + 1 == want, timeout_ms)) {
            tried++;
            same += is_same(r, w);
            continue;
        }
        /* Not the schedule's fault, unless it happens each time. */
        if (!w->is_dead || hd_stop_is_late() || restarts++ == RESTARTS || hd_worker_restart(w))
            break;
    }
    *times = tried;
    hd_worker_put_back(&b, w);
    return same;
}
