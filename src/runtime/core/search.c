/* search.c: writes what could have been chosen, and what each thread is about
 * to do, to shared memory. At once: the process may end at any moment. */
#include "runtime/core/search.h"

static struct hd_option *options;
static struct hd_pending *pending;

void hd_search_chosen(void *self, const struct hd_option *o)
{
    struct hd_shm_run *m = hd_rt.run;
    if (m->n_options < HD_SHM_OPTIONS)
        options[m->n_options] = *o;
    m->n_options++;
}

void hd_search_pending(void *self, u16 tid, const struct hd_pending *p) { pending[tid] = *p; }

void hd_search_reset(void)
{
    struct hd_shm_run *m = hd_rt.run;
    m->n_options = 0;
    if (hd_rt.server->cfg.mode & HD_MODE_SEARCH)
        hd_memset(hd_shm_pending(m), 0, sizeof *pending * HD_SEARCH_THREADS);
}

void hd_search_config(struct hd_sched_config *cfg)
{
    struct hd_shm_run *m = hd_rt.run;
    options = hd_shm_options(m);
    pending = hd_shm_pending(m);
    u32 both = HD_MODE_SEARCH | HD_MODE_REPLAY; /* without a script: a run to learn from */
    cfg->is_search = (hd_rt.server->cfg.mode & both) == both;
    if (!cfg->is_search)
        return;
    cfg->strategy = NULL;
    cfg->asleep = hd_rt.host->asleep;
}
