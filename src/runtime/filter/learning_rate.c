/* learning_rate.c: learning looks at every access (shadow.c), which makes long runs several times
 * longer. So once a long run has taught nothing, only one in RARELY of the runs the host
 * would have learn does, until there is something new again. Counted in accesses, not in
 * time: the same seed gives the same runs. Replays do as their record says; a run that follows
 * a schedule of the corpus and goes on by chance is one of the plan's, like any other.
 */
#include "runtime/filter/learning_rate.h"

#define LONG 500000 /* looks of a run */
#define RARELY 8

static u64 known(const struct hd_shm_run *m) { return (u64)m->n_marks + m->n_noted + m->n_racy; }

void hd_learning_rate_begin(struct hd_config *cfg, u32 i)
{
    const struct hd_shm_run *m = hd_rt.run;
    static bool is_asked, is_learning;
    static u64 before;
    static u32 idle;
    bool is_replay = cfg->mode & HD_MODE_REPLAY && i >= hd_rt.host->plan.n;
    if (is_replay || cfg->mode & (HD_MODE_SEARCH | HD_MODE_NO_FORK)) {
        is_learning = false; /* what it looked at says nothing */
        return;
    }
    if (!i)
        is_asked = cfg->mode & HD_MODE_LEARN;
    if (is_learning)
        idle = known(m) == before && m->stats.shadow_checks >= LONG ? idle + 1 : 0;
    else if (idle)
        idle++;
    if (!is_asked)
        idle = 0; /* begins anew with the next stretch */
    is_learning = is_asked && (!idle || idle % RARELY == 0);
    before = known(m);
    cfg->mode = (cfg->mode & ~(u32)HD_MODE_LEARN) | (is_learning ? HD_MODE_LEARN : 0);
}
