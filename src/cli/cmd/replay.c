/* replay.c: heddle replay: follow a recorded schedule strictly and say
 * whether the run ended as it did then. docs/cmd/replay.md */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "process/stray.h"
#include "process/interrupt.h"
#include "process/inherit.h"
#include "campaign/limit.h"
#include "report/explain/race.h"
#include "report/format/trace.h"

/* ---- one run -------------------------------------------------------------------------- */

/* "file:line" or "module+offset" of a site. */
static void place(struct hd_symbols *s, u64 pc, char *buf, size_t size)
{
    struct hd_srcloc at;
    if (!pc || hd_symbols_code(s, pc, true, &at, 1) < 1)
        snprintf(buf, size, "an unknown place");
    else if (at.file)
        snprintf(buf, size, "%s:%d%s%s", at.file, at.line, at.function ? " in " : "",
                 at.function ? at.function : "");
    else
        snprintf(buf, size, "%s+0x%llx", at.module ? at.module : "?",
                 (unsigned long long)at.offset);
}

static void format_no_reason(const struct hd_stats *st)
{
    if (st->uncontrolled)
        hd_cli_print("Heddle does not control all of this program%s%s: see 'not controlled' in the "
                     "report of the recorded run",
                     st->uncontrolled_call[0] ? ", first " : "", st->uncontrolled_call);
    else
        hd_cli_print(
            "limits, environment, descriptors and other inherited state are as recorded: the "
            "program depends on something else, such as the contents of a file");
}

/* Why a replay may have gone another way: only what is known to be so. */
static void format_reason(struct hd_recorded *a)
{
    const struct hd_stats *st = &a->w.run.stats;
    char *lost = hd_inherit_lost(&a->r.inherited, a->w.lost);
    bool is_moved = !a->r.is_random && a->w.uncontrolled >> HD_UNC_ASLR & 1;
    if (is_moved)
        hd_cli_print("the run was recorded with fixed addresses, here they are random because "
                     "personality() is forbidden: allow it (docker run --security-opt "
                     "seccomp=unconfined ...), or record the run here");
    if (lost)
        hd_cli_print("what the recorded run had and this one has not: %s", lost);
    if (st->input_step && st->input_step <= a->w.run.verdict.diverged.step)
        hd_cli_print("another process sent something else than in the recorded run, or in another "
                     "order (step %llu, descriptor %d): where several processes drive the program, "
                     "start one after the other",
                     (unsigned long long)st->input_step, st->input_fd);
    else if (!lost && !is_moved)
        format_no_reason(st);
    free(lost);
}

/* The first of the processes beside it that went another way, if one did. */
static void format_beside(struct hd_recorded *a)
{
    struct hd_beside other;
    for (u32 i = 0; hd_children_beside(&a->w, i, &other); i++) {
        const struct hd_diverged *d = &other.verdict->diverged;
        if (other.verdict->kind != HD_V_DIVERGED)
            continue;
        hd_cli_print("another process of the command, %s%s (number %u of them), left its recorded schedule "
                     "at step %llu (entry %llu, %s)",
                     other.who->program, other.who->is_forked ? ", forked" : "", other.who->instance,
                     (unsigned long long)d->step, (unsigned long long)d->entry, other.verdict->msg);
        return;
    }
}

static int format_diverged(struct hd_recorded *a)
{
    const struct hd_verdict *v = &a->w.run.verdict;
    const struct hd_diverged *d = &v->diverged;
    char want[600], got[600], who[32] = "";
    place(a->c.symbols, d->want_site, want, sizeof want);
    place(a->c.symbols, d->got_site, got, sizeof got);
    if (d->got_tid != HD_NO_THREAD)
        snprintf(who, sizeof who, "thread %u ", d->got_tid);
    int code = hd_cli_fail(
        HD_EXIT_INCONCLUSIVE,
        "%s left the recorded schedule at step %llu (entry %llu of %llu, %s): wanted "
        "thread %u at %s, found %sat %s",
        a->r.n_others ? a->r.program : "the run", (unsigned long long)d->step,
        (unsigned long long)d->entry, (unsigned long long)(a->r.n + a->r.more.n), v->msg,
        d->want_tid, want, who, got);
    format_reason(a);
    return code;
}

/* A later build: how far did it follow, and did it end the same way? */
static int judge_rebuilt(struct hd_recorded *a)
{
    const struct hd_verdict *v = &a->w.run.verdict;
    char deviation[1400];
    u64 steps = hd_recorded_followed(a, deviation, sizeof deviation);
    hd_cli_print("the new build followed %llu of %llu steps%s%s", (unsigned long long)steps,
                 (unsigned long long)a->r.steps, deviation[0] ? "; " : "", deviation);
    if (v->kind == a->r.verdict)
        return 0;
    const char *word = hd_replay_verdict_word(v->kind);
    return hd_cli_fail(HD_EXIT_INCONCLUSIVE,
                       "the new build did not end as recorded: '%s' instead of '%s'; %s",
                       word ? word : "?", hd_replay_verdict_word(a->r.verdict),
                       deviation[0] ? "test it with 'heddle test'"
                               : "the failure may be gone: make sure with 'heddle test'");
}

/* 0 = as recorded, else an exit code. */
static int judge(struct hd_recorded *a)
{
    const struct hd_snapshot *m = &a->w.run;
    const struct hd_verdict *v = &m->verdict;
    if (v->kind == HD_V_DIVERGED)
        return format_diverged(a);
    if (v->kind == HD_V_ENV || v->kind == HD_V_BUG)
        return hd_cli_fail(HD_EXIT_FAILED, "the run could not be controlled: %s", v->msg);
    if (v->kind == HD_V_LIMIT && a->r.verdict != HD_V_LIMIT) {
        char why[512] = "";
        hd_limit_count(&a->c, v);
        hd_limit_format(&a->c, 0, why, sizeof why);
        return hd_cli_fail(HD_EXIT_INCONCLUSIVE, "%s", why);
    }
    if (a->is_rebuilt)
        return judge_rebuilt(a);
    if (v->kind != a->r.verdict)
        return hd_cli_fail(HD_EXIT_INCONCLUSIVE,
                           "the run did not end as recorded: '%s' instead of '%s'%s",
                           hd_replay_verdict_word(v->kind) ? hd_replay_verdict_word(v->kind) : "?",
                           hd_replay_verdict_word(a->r.verdict),
                           a->r.verdict == HD_V_CHECK && !a->oracle.check
                               ? "; if it was a command that judged it, give it with --check" : "");
    bool is_cut = (v->kind == HD_V_LIMIT && v->limit == HD_RUN_LIMIT_TIME) ||
                  (a->w.script && a->w.timed_out);
    if (!is_cut && m->stats.hash != a->r.hash)
        return hd_cli_fail(HD_EXIT_INCONCLUSIVE,
                           "the run ended as recorded ('%s') but by other events: "
                           "something in it is not under control%s%s",
                           hd_replay_verdict_word(v->kind),
                           m->stats.uncontrolled_call[0] ? ", first " : "",
                           m->stats.uncontrolled_call);
    return 0;
}

static int one_run(struct hd_recorded *a)
{
    int e = hd_replay_to_shm(&a->r, &a->w.run); /* anew each time: the sites grow */
    if (e)
        return hd_cli_fail(HD_EXIT_FAILED, "cannot place the schedule: %s", strerror(-e));
    a->w.host->cfg.mode |= HD_MODE_DETAIL;
    if (a->is_rebuilt) { /* hashes and addresses are others: as far as it goes */
        a->w.host->cfg.mode &= ~(u32)HD_MODE_STRICT;
        a->w.host->cfg.strategy = hd_strategy_index(hd_strategy_find("stay"));
        a->w.host->cfg.strategy_param = 0;
    }
    hd_replay_cover_begin(a);
    if (hd_worker_send(&a->w, a->r.run, 1))
        return hd_cli_fail(HD_EXIT_FAILED, "cannot talk to the target's server");
    while (a->w.is_busy && !hd_interrupt_count())
        hd_workers_wait(&a->w, 1, a->o->timeout_ms, INT64_MAX);
    if (a->w.is_busy)
        return hd_cli_fail(HD_EXIT_INCONCLUSIVE, "interrupted");
    if (a->w.is_dead)
        return hd_cli_fail(HD_EXIT_FAILED, "the target's server process ended without a verdict");
    if (a->cover)
        hd_cover_end(a->cover, &a->w);
    hd_campaign_count(&a->c, &a->w, 1);
    if (!a->c.symbols)
        a->c.symbols = hd_symbols_open(a->w.run.modules, a->w.run.n_modules);
    return judge(a);
}

/* ---- all of them ------------------------------------------------------------------------- */

/* --trace; 0 or an exit code. */
static int write_trace(struct hd_recorded *a, const struct hd_finding *f)
{
    const char *name = a->o->trace;
    if (!name)
        return 0;
    FILE *to = strcmp(name, "-") ? fopen(name, "we") : stdout;
    if (!to)
        return hd_cli_fail(HD_EXIT_FAILED, "cannot write %s: %s", name, strerror(errno));
    hd_report_trace(to, f, a->c.symbols);
    errno = 0;
    bool is_bad = fflush(to) || ferror(to);
    if ((to != stdout && fclose(to)) || is_bad)
        return hd_cli_fail(HD_EXIT_FAILED, "cannot write %s: %s", name,
                           strerror(errno ? errno : EIO));
    if (!a->o->quiet)
        hd_cli_print("the steps are in %s: open it in ui.perfetto.dev or chrome://tracing", name);
    return 0;
}

static void print_element(void *self, const struct hd_listed *e)
{
    printf("%s%.0u  ", hd_metric_name(e->metric), e->sub);
    hd_listed_print(stdout, e);
}

static int report(struct hd_recorded *a, u32 same)
{
    struct hd_finding f;
    bool is_failure = (a->r.verdict != HD_V_CLEAN && a->r.verdict != HD_V_LIMIT) || a->r.race;
    if (hd_finding_take(&f, &a->w, a->target.path, a->r.argv))
        return hd_cli_fail(HD_EXIT_FAILED, "out of memory");
    if (a->r.race) {
        f.race = (struct hd_race){.class = HD_MAX(a->r.race_class, (u32)HD_RACE_CHANGES),
                                  .step = {(u32)a->r.race, (u32)a->r.race_with,
                                           (u32)a->r.race_third, (u32)a->r.race_fourth}};
        if (hd_race_find(&f, 0) == ~0u || hd_race_find(&f, 1) == ~0u) {
            hd_finding_release(&f);
            return hd_cli_fail(HD_EXIT_INCONCLUSIVE, "the accesses that race are not in the steps "
                               "that the file names");
        }
    }
    hd_finding_identify(&f, a->c.symbols);
    int traced = write_trace(a, &f);
    f.tried = a->o->times;
    f.reproduced = same;
    f.runs_until = same;
    char copy[4096];
    snprintf(copy, sizeof copy, "%s", a->file);
    snprintf(f.dir, sizeof f.dir, "%.500s", dirname(copy));
    if (a->o->at && !traced)
        traced = hd_cli_until(&f, a->c.symbols, a->o->at);
    else if (is_failure && !hd_output_owns_stdout(a->o)) {
        struct hd_text_opts how = hd_cli_text_opts(stdout);
        hd_report_text(stdout, &f, a->c.symbols, &how);
        fflush(stdout);
    }
    if (!a->o->quiet)
        hd_cli_print("%s as recorded, %u of %u time%s", a->r.race ? "raced" : is_failure ? "failed" : "ran", same,
                     a->o->times, a->o->times == 1 ? "" : "s");
    hd_cli_cover_print(a->cover, a->o);
    if (a->cover && !is_failure && !hd_output_owns_stdout(a->o))
        hd_cli_cover_each(a->cover, print_element, NULL);
    a->c.findings = &f;
    a->c.n_findings = is_failure;
    int code = is_failure ? HD_EXIT_FINDING
               : a->r.verdict == HD_V_LIMIT ? HD_EXIT_INCONCLUSIVE : HD_EXIT_OK;
    struct hd_result result = {"replay", a->target.path, a->r.argv, a->o, &a->c, code, NULL, NULL,
                               a->cover, NULL, NULL};
    code = hd_output(&result);
    a->c.findings = NULL;
    a->c.n_findings = 0;
    hd_finding_release(&f);
    return traced ? traced : code;
}

static int replay(struct hd_recorded *a)
{
    int code = hd_output_check(a->o);
    if (!code)
        code = hd_recorded_open(a);
    if (code)
        return code;
    hd_interrupt_catch();
    hd_stray_adopt();
    code = hd_recorded_start(a);
    if (!code)
        code = hd_recorded_move(a);
    if (!code && a->o->gdb && a->r.cfg.is_forked)
        code = hd_cli_fail(HD_EXIT_USAGE, "%s was forked, not started, by the command: gdb cannot "
                           "start it in its place; replay it without --gdb", a->target.path);
    if (!code && a->o->gdb) {
        if (a->w.around && !hd_around_begin(&a->w))
            return hd_cli_fail(HD_EXIT_FAILED, "%s", a->w.run.verdict.msg);
        hd_worker_end(&a->w);
        hd_interrupt_release();
        return hd_gdb_exec(&a->w, &a->r, a->file,
                           &(struct hd_gdb_opts){a->o->at, a->o->rest + a->o->n_plain});
    }
    if (!code)
        code = hd_replay_cover_open(a);
    s64 began = hd_monotonic_ns();
    u32 same = 0;
    for (; !code && same < a->o->times; same += !code)
        code = one_run(a);
    if (code)
        format_beside(a);
    a->c.seconds = (double)(hd_monotonic_ns() - began) / 1e9;
    if (!code)
        code = report(a, same);
    else if (same)
        hd_cli_print("%u of %u replays went as recorded before that", same, a->o->times);
    hd_worker_stop(&a->w);
    hd_stray_kill(NULL, 0, 0);
    hd_interrupt_release();
    return code;
}

int hd_cmd_replay(char **argv)
{
    struct hd_options o;
    int code;
    if (!hd_cli_options(&o, "replay", HD_FOR_replay, argv, &code))
        return code;
    struct hd_recorded a = {.o = &o, .file = o.rest[0], .stdin_fd = -1, .may_move = !o.gdb};
    hd_replay_init(&a.r);
    code = replay(&a);
    hd_recorded_release(&a);
    hd_options_release(&o);
    return code;
}
