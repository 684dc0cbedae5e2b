/* take.c: a failed run is copied out of shared memory at once: the next run overwrites
 * it. */
#include "report/finding.h"

#include <stdio.h>
#include <string.h>

#include "process/worker.h"
#include "strategy/strategy.h"

int hd_finding_take(struct hd_finding *f, struct hd_worker *w, const char *program,
                    char *const *argv)
{
    struct hd_replay r;
    memset(f, 0, sizeof *f);
    int e = hd_replay_from_shm(&r, w->shm, program, argv);
    if (e)
        return e;
    e = hd_inherited_copy(&r.inherited, w->inherited);
    if (e) {
        hd_replay_release(&r);
        return e;
    }
    const struct hd_strategy *s = hd_strategy_at(w->shm->cfg.strategy);
    const char *name = w->directed_by ? w->directed_by : s ? s->name : "?";
    snprintf(r.strategy, sizeof r.strategy, "%s", name);
    e = hd_finding_from_shm(f, w->shm, w->out_fd, w->err_fd);
    if (e) {
        hd_replay_release(&r);
        return e;
    }
    f->replay = r;
    f->strategy = name;
    f->seed = w->shm->cfg.seed;
    f->run = w->shm->run;
    snprintf(f->program, sizeof f->program, "%s", program);
    return 0;
}
