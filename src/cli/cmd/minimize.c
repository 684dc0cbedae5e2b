/* minimize.c: heddle minimize: the fewest preemptions that still fail, and the
 * order of two events that decides. docs/cmd/minimize.md */
#include <errno.h>
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "minimize/minimize.h"
#include "process/stray.h"
#include "process/interrupt.h"
#include "process/confirm.h"
#include "campaign/save.h"
#include "campaign/places.h"
#include "campaign/progress.h"
#include "campaign/trust.h"
#include "cli/cli.h"

#define ORIGINAL "original.heddle"
#define LEAST_REPLAYS 24 /* of runs that take so long that there would be time for fewer */
#define PATIENCE 15.0 /* seconds without an improvement, unless --time says how many in all */

/* ---- does it fail, and each time? ------------------------------------------------------ */

static int confirm(struct hd_recorded *a, struct hd_finding *f)
{
    if (a->r.verdict == HD_V_CLEAN || a->r.verdict == HD_V_LIMIT)
        return hd_cli_fail(HD_EXIT_USAGE, a->r.verdict == HD_V_CLEAN
                           ? "%s holds a run that did not fail: there is nothing to minimize"
                           : "%s holds a run that a limit ended: there is no failure in it to "
                             "minimize", a->file);
    u32 times = HD_CONFIRM_TIMES;
    u32 same = hd_confirm(&a->w, &a->r, &times, 3 * a->o->timeout_ms);
    if (times < HD_CONFIRM_TIMES && hd_interrupt_count())
        return hd_cli_fail(HD_EXIT_INCONCLUSIVE, "interrupted");
    if (a->w.is_dead)
        return hd_cli_fail(HD_EXIT_FAILED, "the target's server process ended without a verdict");
    const struct hd_stats *st = &a->w.run.stats;
    if (same < HD_CONFIRM_TIMES)
        return hd_cli_fail(HD_EXIT_INCONCLUSIVE,
                           "not minimized: the recorded schedule led to the recorded failure in "
                           "%u of %d replays, so something that is not controlled has a part in "
                           "it%s%s; 'heddle replay' says where a run leaves the schedule", same,
                           HD_CONFIRM_TIMES, st->uncontrolled_call[0] ? ", first " : "",
                           st->uncontrolled_call);
    if (hd_finding_take(f, &a->w, a->target.path, a->r.argv))
        return hd_cli_fail(HD_EXIT_FAILED, "out of memory");
    hd_replay_release(&f->replay); /* the sites of this worker are not those of the run */
    if (hd_replay_copy(&f->replay, &a->r))
        return hd_cli_fail(HD_EXIT_FAILED, "out of memory");
    f->stats.uncontrolled |= a->w.uncontrolled;
    f->strategy = a->o->strategy->name;
    f->around = a->w.around;
    f->seed = a->r.cfg.seed;
    f->run = a->r.run;
    f->tried = f->reproduced = HD_CONFIRM_TIMES;
    f->runs_until = a->r.run + 1;
    a->c.symbols = hd_symbols_open(f->modules, f->n_modules);
    hd_finding_identify(f, a->c.symbols);
    return 0;
}

/* ---- results ---------------------------------------------------------------------------- */

static int save_schedule(struct hd_recorded *a, const struct hd_replay *r, const char *path)
{
    if (hd_replay_save(r, path, &a->err))
        return hd_cli_fail(HD_EXIT_FAILED, "%s", a->err.text);
    return 0;
}

static bool exists(const char *dir, const char *name)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return !access(path, F_OK);
}

/* The smaller schedule takes the place of the file, which is kept beside it as
 * original.heddle; reports of a finding's folder are written anew. */
static int save(struct hd_recorded *a, struct hd_finding *f)
{
    char one[4096], two[4096], path[4200];
    snprintf(one, sizeof one, "%s", a->file);
    snprintf(two, sizeof two, "%s", a->file);
    const char *dir = dirname(one), *name = basename(two);
    hd_places_note(&f->replay, f->modules, f->n_modules, a->c.symbols);
    f->replay.beside = hd_trust_beside(dir);
    snprintf(f->dir, sizeof f->dir, "%.500s", dir);
    if (a->o->output)
        return save_schedule(a, &f->replay, a->o->output);
    bool is_original = !strcmp(name, ORIGINAL);
    int code = 0;
    snprintf(path, sizeof path, "%s/" ORIGINAL, dir);
    if (!is_original && !exists(dir, ORIGINAL))
        code = save_schedule(a, &a->r, path);
    if (!code) {
        snprintf(path, sizeof path, "%s/%s", dir, is_original ? "replay.heddle" : name);
        code = save_schedule(a, &f->replay, path);
    }
    if (code || !exists(dir, "report.txt"))
        return code;
    int e = hd_save_reports(f, a->c.symbols, dir);
    return e ? hd_cli_fail(HD_EXIT_FAILED, "cannot write the report in %s: %s", dir, strerror(-e))
             : 0;
}

static void summarize(const struct hd_finding *f)
{
    const struct hd_decided *d = &f->decided;
    hd_cli_print("%llu preemption%s instead of %llu, %llu switches instead of %llu, %llu steps "
                 "instead of %llu (%u runs, %.1f s%s)",
                 (unsigned long long)d->preemptions, d->preemptions == 1 ? "" : "s",
                 (unsigned long long)d->preemptions_before, (unsigned long long)d->switches,
                 (unsigned long long)d->switches_before, (unsigned long long)d->steps,
                 (unsigned long long)d->steps_before, d->replays, d->seconds,
                 d->is_complete ? "" : "; it ended by budget, more may be possible");
    if (!d->is)
        hd_cli_print("no single order of two events was found that decides by itself");
}

static int finish(struct hd_recorded *a, struct hd_finding *f)
{
    int code = 0;
    if (f->decided.why_not)
        code = hd_cli_fail(HD_EXIT_FAILED, "not minimized: %s", f->decided.why_not);
    else
        code = save(a, f);
    if (!code && !hd_output_owns_stdout(a->o)) {
        struct hd_text_opts how = hd_cli_text_opts(stdout);
        hd_report_text(stdout, f, a->c.symbols, &how);
        fflush(stdout);
    }
    if (!code && !a->o->quiet)
        summarize(f);
    a->c.findings = f;
    a->c.n_findings = !code;
    if (!code)
        code = HD_EXIT_FINDING;
    struct hd_result result = {.command = "minimize", .program = a->target.path,
                               .argv = a->r.argv, .options = a->o, .campaign = &a->c,
                               .exit_code = code};
    code = hd_output(&result);
    a->c.findings = NULL;
    a->c.n_findings = 0;
    return code;
}

static int check_output(const struct hd_recorded *a)
{
    char one[4096], two[4096];
    struct stat x, y;
    if (!a->o->output || !a->r.input[0])
        return 0;
    snprintf(one, sizeof one, "%s", a->file);
    snprintf(two, sizeof two, "%s", a->o->output);
    if (!stat(dirname(one), &x) && !stat(dirname(two), &y) && x.st_ino == y.st_ino &&
        x.st_dev == y.st_dev)
        return 0;
    return hd_cli_fail(HD_EXIT_USAGE, "the run has a recorded input beside %s: --output must name "
                       "a file in the same folder", a->file);
}

static int minimize(struct hd_recorded *a)
{
    struct hd_finding f = {0};
    int code = hd_output_check(a->o);
    if (!code)
        code = hd_recorded_open(a);
    if (!code)
        code = check_output(a);
    if (code)
        return code;
    hd_interrupt_catch();
    hd_stray_adopt();
    code = hd_recorded_start(a);
    s64 began = hd_monotonic_ns();
    if (!code)
        code = confirm(a, &f);
    if (!code) {
        struct hd_progress progress;
        struct hd_minimize_opts how = {.seconds = a->o->seconds > 0 ? a->o->seconds : PATIENCE,
                                       .most_seconds = a->o->seconds,
                                       .least_replays = a->o->seconds > 0 ? 0 : LEAST_REPLAYS,
                                       .on_run = hd_progress_minimize, .self = &progress,
                                       .most_replays = a->o->replays, .timeout_ms = a->o->timeout_ms, .exit_ok = a->o->exit_ok,
                                       .n_exit_ok = a->o->n_exit_ok};
        if (!a->o->quiet)
            hd_cli_print(how.most_seconds > 0
                             ? "the schedule fails each time; looking for a smaller "
                               "one (up to %g s)"
                             : "the schedule fails each time; looking for a smaller "
                               "one, until there is none for %g s",
                         how.seconds);
        hd_progress_init(&progress, a->o->quiet);
        hd_minimize(&f, a->c.symbols, &a->w, &how);
        hd_progress_clear(&progress);
        hd_campaign_count(&a->c, &a->w, HD_CONFIRM_TIMES + f.decided.replays);
        a->c.seconds = (double)(hd_monotonic_ns() - began) / 1e9;
        code = finish(a, &f);
    }
    hd_finding_release(&f);
    hd_worker_stop(&a->w);
    hd_stray_kill(NULL, 0, 0);
    hd_interrupt_release();
    return code;
}

int hd_cmd_minimize(char **argv)
{
    struct hd_options o;
    int code;
    if (!hd_cli_options(&o, "minimize", HD_FOR_minimize, argv, &code))
        return code;
    struct hd_recorded a = {.o = &o, .file = o.rest[0], .stdin_fd = -1};
    hd_replay_init(&a.r);
    code = minimize(&a);
    hd_recorded_release(&a);
    hd_options_release(&o);
    return code;
}
