/* found.c: from a failed run in shared memory to a finding: copied at once
 * (the next run overwrites it), named, confirmed by replaying its schedule on
 * the same worker, saved, shown. */
#include "campaign/found.h"
#include "process/confirm.h"
#include "minimize/recheck.h"
#include "campaign/save.h"
#include "campaign/delay.h"
#include "campaign/notes.h"
#include "campaign/progress.h"
#include "minimize/minimize.h"
#include "script/script.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stop.h"
#include "report/suppress.h"

#define SLOW_NS 1000000000ll

struct hd_symbols *hd_found_symbols(struct hd_campaign *c, const struct hd_finding *f)
{
    /* dlopen may have added objects since the last finding; it may be of another program */
    if (c->symbols && (c->symbols_modules != f->n_modules || strcmp(c->symbols_of, f->program))) {
        hd_symbols_close(c->symbols);
        c->symbols = NULL;
    }
    if (!c->symbols)
        c->symbols = hd_symbols_open(f->modules, f->n_modules);
    c->symbols_modules = f->n_modules;
    snprintf(c->symbols_of, sizeof c->symbols_of, "%s", f->program);
    return c->symbols;
}

const struct hd_finding *hd_found_known(const struct hd_campaign *c, const char *id)
{
    for (u32 i = 0; i < c->n_findings; i++)
        if (!strcmp(c->findings[i].id, id))
            return &c->findings[i];
    return NULL;
}

static bool is_known(struct hd_campaign *c, const char *id)
{
    const struct hd_finding *known = hd_found_known(c, id);
    if (known) {
        c->times[known - c->findings]++;
        return true;
    }
    for (u32 i = 0; i < c->n_remarks; i++)
        if (!strcmp(c->remarks[i].id, id))
            return true;
    return false;
}

static int append(struct hd_campaign *c, const struct hd_finding *f)
{
    struct hd_finding *grown = realloc(c->findings, sizeof *grown * (c->n_findings + 1));
    if (!grown)
        return -ENOMEM;
    c->findings = grown;
    u32 *times = realloc(c->times, sizeof *times * (c->n_findings + 1));
    if (!times)
        return -ENOMEM;
    c->times = times;
    times[c->n_findings] = 1;
    grown[c->n_findings++] = *f;
    return 0;
}

/* Five replays, fewer where each means a long wait. */
static u32 confirm_times(const struct hd_finding *f, s64 took_ns)
{
    return took_ns > SLOW_NS ? 2 : HD_CONFIRM_TIMES;
}

static void save(struct hd_campaign *c, const struct hd_campaign_opts *o, struct hd_finding *f,
                 struct hd_symbols *s)
{
    if (o->dir)
        hd_save_finding(f, s, o->dir, o->stdin_fd, &c->save_error);
}

/* The finding is on disk by then: whatever happens now, it is not lost. */
static void minimize(struct hd_campaign *c, const struct hd_campaign_opts *o, struct hd_worker *w,
                     struct hd_finding *f, struct hd_symbols *s)
{
    struct hd_progress progress;
    struct hd_minimize_opts how = {.seconds = o->minimize_seconds,
                                   .on_run = hd_progress_minimize,
                                   .self = &progress,
                                   .replays = HD_MINIMIZE_REPLAYS,
                                   .timeout_ms = o->timeout_ms,
                                   .exit_ok = o->exit_ok,
                                   .n_exit_ok = o->n_exit_ok};
    hd_progress_init(&progress, o->quiet);
    hd_minimize(f, s, w, &how);
    hd_progress_clear(&progress);
    if (f->decided.is_minimized || !hd_stop_is_late())
        save(c, o, f, s); /* else there is little new, and no time */
}

/* Below a command, its status counts, and that also comes from processes which are not under
 * control. What no replay shows is theirs: a remark, no finding. */
static bool is_of_others(const struct hd_campaign_opts *o, const struct hd_finding *f)
{
    return o->children && f->tried && !f->reproduced &&
           (f->verdict.kind == HD_V_EXIT || f->verdict.kind == HD_V_CHECK);
}

static void remark_others(struct hd_campaign *c, const struct hd_finding *f)
{
    char text[400];
    snprintf(text, sizeof text,
             "the command failed in run %llu, and in none of %u replays of that run: a process of it "
             "that is not under control fails by itself at times",
             (unsigned long long)f->replay.run, f->tried);
    hd_notes_add(c, text);
}

int hd_found_persist(struct hd_campaign *c, const struct hd_campaign_opts *o, struct hd_worker *w,
                     const struct hd_finding *taken, s64 took_ns, bool *is_new,
                     struct hd_error *err)
{
    struct hd_finding f = *taken;
    *is_new = false;
    hd_recheck(&f, w, 3 * o->timeout_ms);
    f.runs_until = c->runs;
    f.seconds = (double)(w->ended_ns - c->started_ns) / 1e9;
    f.stats.uncontrolled |= w->uncontrolled;
    f.seed = o->cfg.seed; /* what the seed of a process beside was drawn from */
    struct hd_symbols *s = hd_found_symbols(c, &f);
    hd_finding_identify(&f, s);
    f.command = o->command;
    f.oracle = o->oracle;
    f.around = o->around;
    bool is_suppressed = hd_suppress_find(o->suppress, &f, s);
    c->suppressed += is_suppressed;
    if (is_suppressed || is_known(c, f.id)) {
        hd_finding_release(&f);
        return 0;
    }
    struct hd_script_saved script; /* of this run, not of the replays */
    hd_script_save(&script, w);
    f.script = w->script ? &script : NULL;
    f.tried = confirm_times(&f, took_ns);
    /* Following a script may take longer than the run did. */
    f.reproduced = hd_confirm(w, &f.replay, &f.tried, 3 * o->timeout_ms);
    if (f.tried && f.reproduced == f.tried && !w->is_dead)
        hd_finding_details(&f, &w->run);
    if (is_of_others(o, &f)) {
        remark_others(c, &f);
        if (w->host)
            w->counted = w->run.totals;
        hd_finding_release(&f);
        hd_script_saved_release(&script);
        return 0;
    }
    int e = append(c, &f);
    if (e) {
        hd_finding_release(&f);
        hd_script_saved_release(&script);
        return hd_error_set(err, e, "out of memory");
    }
    struct hd_finding *kept = &c->findings[c->n_findings - 1];
    save(c, o, kept, s);
    if (o->minimize_seconds > 0 && !w->is_dead && !hd_stop_is_due())
        minimize(c, o, w, kept, s);
    if (kept->stats.delay.ns > 0) {
        kept = hd_delay_judge(c, o, w, kept);
        save(c, o, kept, s); /* with its label */
    }
    kept->script = NULL; /* saved */
    hd_script_saved_release(&script);
    if (w->host)
        w->counted = w->run.totals; /* replays are no runs of the campaign */
    c->found_ns = hd_monotonic_ns();
    if (o->on_finding)
        o->on_finding(o->self, kept, s);
    *is_new = true;
    return 0;
}
