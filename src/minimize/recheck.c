/* recheck.c: a failed run in which not every access was checked against the heap.
 *
 * Long runs check samples (runtime/heap/heap_check.h). What such a run ended with may be the
 * late effect of a wrong access that was not checked: a pattern that was overwritten, a
 * crash, a wrong result. So its schedule is followed once more with every access checked;
 * if that run ends earlier, with a heap error, it is the finding.
 */
#include "minimize/recheck.h"
#include "process/confirm.h"

#include <string.h>

static bool is_earlier(const struct hd_finding *f, const struct hd_snapshot *m)
{
    const struct hd_verdict *v = &m->verdict;
    if (v->kind != HD_V_HEAP)
        return false;
    return f->verdict.kind != HD_V_HEAP || f->verdict.heap.noticed != v->heap.noticed ||
           f->stats.hash != m->stats.hash || f->verdict.pc != v->pc;
}

void hd_recheck(struct hd_finding *f, struct hd_worker *w, u32 timeout_ms)
{
    struct hd_worker_state before;
    struct hd_finding g;
    u32 mode = w->host->cfg.mode;
    if (!f->stats.is_heap_sampled || mode & HD_MODE_NO_HEAP || f->verdict.kind == HD_V_LIMIT ||
        hd_worker_remember(&before, w))
        return;
    bool is_sent = !hd_replay_to_shm(&f->replay, &w->run);
    w->host->cfg.mode &= ~(u32)HD_MODE_STREAM;
    is_sent = is_sent && !hd_worker_send(w, f->replay.run, 1) && hd_worker_await(w, timeout_ms);
    if (is_sent && !w->is_dead && is_earlier(f, &w->run) &&
        !hd_finding_take(&g, w, f->program, f->replay.argv)) {
        memcpy(g.replay.strategy, f->replay.strategy, sizeof g.replay.strategy);
        g.strategy = f->strategy;
        g.seed = f->seed;
        hd_finding_release(f);
        *f = g;
    }
    hd_worker_put_back(&before, w);
}
