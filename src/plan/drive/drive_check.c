/* drive_check.c: does the program do the same under the same schedule? Whatever is
 * driven, replayed or remembered rests on that. After AFTER runs (a first finding should
 * not wait for it) the next clean one is repeated by its recorded schedule, once; where
 * it does something else, the place is named. What comes from outside (scripts, other
 * processes) is known not to be steady. */
#include "plan/drive/drive.h"
#include "process/confirm.h"

#include <stdio.h>

#define AFTER 40

static void name_place(struct hd_drive *d, struct hd_snapshot *m, u64 pc, char *out, size_t size)
{
    struct hd_places *p = &d->o.cover->places;
    struct hd_place_names names;
    const struct hd_place *at = pc ? hd_places_get(p, hd_places_of(p, m, pc, 0)) : NULL;
    snprintf(out, size, "an unknown place");
    if (!at)
        return;
    hd_places_name(p, at, &names);
    snprintf(out, size, "%.150s", names.text);
}

static void explain(struct hd_drive *d, struct hd_snapshot *m)
{
    char want[160], got[160];
    const struct hd_diverged *v = &m->verdict.diverged;
    char *out = d->result.unsteady;
    if (m->verdict.kind != HD_V_DIVERGED || !v->is) {
        snprintf(out, sizeof d->result.unsteady, "it ended in another way");
        return;
    }
    name_place(d, m, v->want_site, want, sizeof want);
    name_place(d, m, v->got_site, got, sizeof got);
    if (v->want_site && v->want_site != v->got_site)
        snprintf(out, sizeof d->result.unsteady, "at step %llu thread %u was at %s, and the second "
                 "time thread %u at %s", (unsigned long long)v->step, v->want_tid, want,
                 v->got_tid, got);
    else
        snprintf(out, sizeof d->result.unsteady, "up to step %llu, thread %u at %s",
                 (unsigned long long)v->step, v->got_tid, got);
}

void hd_drive_check(struct hd_drive *d, struct hd_worker *w)
{
    struct hd_snapshot *m = &w->run;
    struct hd_replay r;
    const u32 external = 1u << HD_UNC_IO | 1u << HD_UNC_CHILD | 1u << HD_UNC_SIGNAL;
    const u64 *runs = d->result.runs;
    if (runs[HD_DRIVE_PROFILE] + runs[HD_DRIVE_ACTIVE] + runs[HD_DRIVE_RANDOM] +
            runs[HD_DRIVE_CORPUS] < AFTER)
        return;
    if (d->is_checked || !w->host || w->is_dead || w->script || m->verdict.kind != HD_V_CLEAN ||
        m->stats.uncontrolled & external)
        return;
    d->is_checked = true;
    if (hd_replay_from_run(&r, m, d->o.cover->o.target->path, d->o.cover->o.argv))
        return;
    struct hd_verdict verdict = m->verdict;
    struct hd_stats stats = m->stats;
    u32 times = 1;
    if (!hd_confirm(w, &r, &times, d->o.timeout_ms) && times)
        explain(d, m);
    m->verdict = verdict; /* the campaign has still to look at them */
    m->stats = stats;
    hd_replay_release(&r);
}
