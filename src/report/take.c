/* take.c: a failed run is kept at once: the next one takes its place. */
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
    program = w->program ? w->program : program;
    int e = hd_replay_from_run(&r, &w->run, program, argv);
    if (e)
        return e;
    e = hd_inherited_copy(&r.inherited, w->inherited);
    if (!e && w->phases && w->phases->others)
        e = w->phases->others(w, &r);
    if (e) {
        hd_replay_release(&r);
        return e;
    }
    const struct hd_strategy *s = hd_strategy_at(w->run.cfg.strategy);
    const char *name = w->directed_by ? w->directed_by : s ? s->name : "?";
    snprintf(r.strategy, sizeof r.strategy, "%s", name);
    e = hd_finding_from_run(f, &w->run, w->out_fd, w->err_fd);
    if (e) {
        hd_replay_release(&r);
        return e;
    }
    f->replay = r;
    f->strategy = name;
    f->seed = w->run.cfg.seed;
    f->run = w->run.number;
    snprintf(f->program, sizeof f->program, "%s", program);
    return 0;
}
