/* replay_cover.c: what a recorded run covers: heddle replay --coverage.
 *
 * A run shows the memory its threads share, but only to the runs after it. So the
 * schedule is followed once to learn, then again with the sites learned as events;
 * scheduling points stay those of the recording, or it would not fit. With
 * --no-filter every access is an event: the same elements must come out.
 */
#include <string.h>

#include "cli/cli.h"
#include "process/interrupt.h"

static int follow(struct hd_recorded *a)
{
    if (hd_worker_send(&a->w, a->r.run, 1))
        return hd_cli_fail(HD_EXIT_FAILED, "cannot talk to the target's server");
    while (a->w.is_busy && !hd_interrupt_count())
        hd_workers_wait(&a->w, 1, a->o->timeout_ms, INT64_MAX);
    if (a->w.is_busy || a->w.is_dead)
        return hd_cli_fail(a->w.is_busy ? HD_EXIT_INCONCLUSIVE : HD_EXIT_FAILED, a->w.is_busy ? "interrupted" : "the target's server "
                           "process ended without a verdict");
    return 0;
}

static int learn(struct hd_recorded *a)
{
    int e = hd_replay_to_shm(&a->r, &a->w.run);
    if (e)
        return hd_cli_fail(HD_EXIT_FAILED, "cannot place the schedule: %s", strerror(-e));
    struct hd_cover_opts nothing = {.what.metrics = (u64)1 << HD_METRIC_syncpair, .jobs = 1};
    struct hd_cover *c = hd_cover_open(&nothing); /* takes the events out of the way */
    hd_cover_attach(c, &a->w);
    hd_cover_begin(c, &a->w, a->r.run);
    a->w.host->cfg.mode |= HD_MODE_LEARN;
    int code = follow(a);
    a->w.drain = NULL;
    hd_cover_close(c);
    u32 n;
    const struct hd_site *s = hd_snapshot_sites(&a->w.run, &n);
    for (u32 i = 0; !code && i < n; i++)
        if (s[i].known)
            *hd_vec_add(&a->learned) = s[i].pc;
    return code;
}

int hd_replay_cover_open(struct hd_recorded *a)
{
    struct hd_cover_opts how = {.target = &a->target, .argv = a->r.argv, .stdin_fd = -1,
                                .strategy = a->r.strategy, .seed = a->r.cfg.seed, .jobs = 1};
    hd_cover_choose(&how.what, a->o->coverage, NULL);
    if (!how.what.metrics)
        return 0;
    int code = a->r.cfg.mode & HD_MODE_NO_FILTER || a->o->no_filter ? 0 : learn(a);
    if (code)
        return code;
    a->cover = hd_cover_open(&how);
    hd_cover_attach(a->cover, &a->w);
    return 0;
}

void hd_replay_cover_begin(struct hd_recorded *a)
{
    struct hd_shm_host *m = a->w.host;
    if (!a->cover)
        return;
    for (size_t i = 0; i < a->learned.n; i++)
        hd_shm_mark(m, a->learned.at[i], 0, HD_SITE_EVENT);
    m->cfg.mode |= a->o->no_filter ? HD_MODE_ALL_EVENTS : 0;
    hd_cover_begin(a->cover, &a->w, a->r.run);
}

/* ---- elements as the coverage holds them ------------------------------------------------------ */

void hd_cli_cover_each(const struct hd_cover *c, void (*fn)(void *self, const struct hd_listed *e),
                       void *self)
{
    struct hd_places *p = (struct hd_places *)&c->places; /* names are looked up lazily */
    for (u32 i = 0; i < hd_coverage_size(c->total); i++) {
        struct hd_element e;
        struct hd_first_seen when;
        struct hd_place_names names[HD_ELEMENT_SITES];
        hd_coverage_at(c->total, i, &e, &when);
        struct hd_listed l = {.metric = e.metric, .sub = e.sub, .n = e.n, .runs = when.runs,
                              .first = when.run};
        for (u32 k = 0; k < e.n; k++) {
            const struct hd_place *at = hd_places_get(p, e.site[k]);
            memset(&names[k], 0, sizeof names[k]);
            if (at)
                hd_places_name(p, at, &names[k]);
            l.site[k] = (struct hd_listed_site){names[k].text, names[k].function, names[k].file,
                                                names[k].object, names[k].line, names[k].ordinal};
        }
        fn(self, &l);
    }
}
