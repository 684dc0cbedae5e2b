/* run.c: heddle run: one run under control, its output shown, its schedule
 * kept in .heddle/last.heddle whatever happened. docs/cmd/run.md */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "campaign/delay.h"
#include "process/tmp.h"
#include "process/stray.h"
#include "process/interrupt.h"
#include "campaign/save.h"
#include "campaign/notes.h"
#include "campaign/limit.h"
#include "cli/cli.h"

struct once {
    struct hd_options *o;
    struct hd_target target;
    struct hd_worker w;
    struct hd_campaign c;
    struct hd_campaign_opts co;
    struct hd_oracle oracle;
    struct hd_around around;
    struct hd_suppressions suppress;
    char *command;
    struct hd_error err;
};

static int wait_for_it(struct once *r)
{
    while (r->w.is_busy && !hd_interrupt_count())
        hd_workers_wait(&r->w, 1, r->o->timeout_ms, INT64_MAX);
    if (r->w.is_busy)
        return hd_cli_fail(HD_EXIT_INCONCLUSIVE, "interrupted");
    if (r->w.is_dead)
        return hd_cli_fail(HD_EXIT_FAILED, "the target's server process ended without a verdict");
    return 0;
}

static void keep_schedule(struct once *r, struct hd_finding *f)
{
    char path[600];
    int e = hd_folder_make_own(r->o->dir);
    snprintf(path, sizeof path, "%s/last.heddle", r->o->dir);
    if (e)
        hd_cli_print("warning: cannot make the folder %s: %s", r->o->dir, strerror(-e));
    else if ((e = hd_save_input(r->o->dir, "last.stdin", &f->replay, r->co.stdin_fd)))
        hd_cli_print("warning: cannot keep the input in %s: %s", r->o->dir, strerror(-e));
    else if (hd_replay_save(&f->replay, path, &r->err))
        hd_cli_print("warning: %s", r->err.text);
    else if (!r->o->quiet)
        hd_cli_print("the schedule is in %s: heddle replay %s", path, path);
}

static void describe(const struct once *r, const char *how)
{
    const struct hd_stats *s = &r->w.run.stats;
    if (!r->o->quiet)
        hd_cli_print(
            "%s: %u threads, %llu steps, %llu choices, %llu switches (strategy %s, seed %llu)", how,
            s->threads, (unsigned long long)s->steps, (unsigned long long)s->points,
            (unsigned long long)s->switches, r->o->strategy->name, (unsigned long long)r->o->seed);
}

static int report(struct once *r, struct hd_finding *f)
{
    struct hd_text_opts how = hd_cli_text_opts(stdout);
    r->c.symbols = hd_symbols_open(f->modules, f->n_modules);
    hd_finding_identify(f, r->c.symbols);
    f->runs_until = 1;
    f->command = r->command;
    f->oracle = r->co.oracle;
    f->around = r->co.around;
    if (hd_suppress_find(&r->suppress, f, r->c.symbols)) {
        r->c.suppressed = 1;
        hd_cli_print_suppressions(&r->suppress);
        return HD_EXIT_OK;
    }
    if (hd_save_finding(f, r->c.symbols, r->o->dir, r->co.stdin_fd, &r->err))
        hd_cli_print("warning: %s", r->err.text);
    if (!hd_output_owns_stdout(r->o))
        hd_report_text(stdout, f, r->c.symbols, &how);
    fflush(stdout);
    return HD_EXIT_FINDING;
}

static int judge(struct once *r, struct hd_finding *f)
{
    const struct hd_verdict *v = &r->w.run.verdict;
    if (v->kind == HD_V_NONE)
        return hd_cli_fail(HD_EXIT_FAILED, "the run was killed from outside");
    if (v->kind == HD_V_ENV || v->kind == HD_V_BUG || v->kind == HD_V_DIVERGED)
        return hd_cli_fail(HD_EXIT_FAILED, v->kind == HD_V_ENV
                           ? r->w.is_check_bad ? "%s"
                                               : "the program cannot be run under control: %s"
                           : "internal error in Heddle's runtime: %s", v->msg);
    if (v->kind == HD_V_LIMIT) {
        char why[512] = "";
        hd_limit_count(&r->c, v);
        describe(r, "the run did not come to its end");
        hd_limit_format(&r->c, 0, why, sizeof why);
        return hd_cli_fail(HD_EXIT_INCONCLUSIVE, "%s", why);
    }
    if (!r->o->quiet)
        hd_cli_print_uncontrolled(&r->c);
    if (!hd_verdict_is_clean(v, r->co.exit_ok, r->co.n_exit_ok)) {
        describe(r, "the run failed");
        return report(r, f);
    }
    describe(r, "the run was clean");
    hd_delay_note(&r->c, &r->w);
    const char *why = hd_campaign_untested(&r->c);
    return why ? hd_cli_fail(HD_EXIT_INCONCLUSIVE, "%s", why) : HD_EXIT_OK;
}

static int judge_and_save(struct once *r)
{
    struct hd_finding f;
    hd_campaign_count(&r->c, &r->w, 1);
    if (!r->c.is_instrumented && !r->o->quiet)
        hd_cli_print("warning: the program is not built with -fsanitize=thread, so only its "
                     "synchronization calls are controlled, not its memory accesses");
    if (hd_finding_take(&f, &r->w, r->target.path, r->o->rest))
        return hd_cli_fail(HD_EXIT_FAILED, "out of memory");
    f.stats.uncontrolled |= r->w.uncontrolled;
    int code = judge(r, &f);
    keep_schedule(r, &f);
    r->c.findings = &f;
    r->c.n_findings = code == HD_EXIT_FINDING;
    if (r->co.cover) {
        hd_campaign_remember_end(&r->c, r->co.cover);
        hd_cover_finish(r->co.cover, r->c.runs, &r->w, 1);
    }
    hd_cli_cover_print(r->co.cover, r->o);
    hd_notes_collect(&r->c, &r->co, &r->w);
    for (u32 i = 0; i < r->c.n_notes && !r->o->quiet; i++)
        hd_cli_print("note: %s", r->c.notes[i]);
    struct hd_result result = {"run", r->target.path, r->o->rest, r->o, &r->c, code, NULL,
                               &r->suppress, r->co.cover, NULL, NULL};
    code = hd_output(&result);
    r->c.findings = NULL;
    r->c.n_findings = 0;
    hd_finding_release(&f);
    return code;
}

static int run(struct once *r)
{
    struct hd_options *o = r->o;
    int code = hd_output_check(o);
    if (!code)
        code = hd_cli_oracle(&r->oracle, o);
    if (!code)
        code = hd_cli_around(&r->around, o);
    if (!code)
        code = hd_cli_suppressions(&r->suppress, o);
    if (code)
        return code;
    r->co.oracle = hd_oracle_is_empty(&r->oracle) ? NULL : &r->oracle;
    r->co.around = hd_around_is_empty(&r->around) ? NULL : &r->around;
    r->co.suppress = &r->suppress;
    if (hd_target_open(&r->target, o->rest[0], &r->err))
        return hd_cli_fail(HD_EXIT_FAILED, "%s", r->err.text);
    code = hd_cli_without_locks(o, &r->target);
    if (code)
        return code;
    hd_options_config(o, &r->co.cfg);
    r->co.cfg.mode |= HD_MODE_LEARN;
    r->co.exit_ok = o->exit_ok;
    r->co.n_exit_ok = o->n_exit_ok;
    r->co.stdin_fd = hd_cli_stdin(o->quiet);
    struct hd_launch how = {.target = &r->target, .argv = o->rest, .cfg = &r->co.cfg,
                            .stdin_fd = r->co.stdin_fd,
                            .is_visible = !hd_output_owns_stdout(o), /* it may belong to --json - */
                            .oracle = r->co.oracle, .around = r->co.around};
    hd_interrupt_catch();
    hd_stray_adopt();
    if (hd_worker_start(&r->w, &how, &r->err))
        return hd_cli_fail(HD_EXIT_FAILED, "%s", r->err.text);
    r->co.cover = hd_cli_cover_open(o, &r->target, o->rest, r->co.stdin_fd, 1);
    if (r->co.cover) {
        hd_cover_attach(r->co.cover, &r->w);
        hd_cover_begin(r->co.cover, &r->w, 0);
    }
    s64 began = hd_monotonic_ns();
    if (hd_worker_send(&r->w, 0, 1))
        code = hd_cli_fail(HD_EXIT_FAILED, "cannot talk to the target's server");
    if (!code)
        code = wait_for_it(r);
    if (r->co.cover && r->w.host)
        hd_cover_end(r->co.cover, &r->w);
    r->c.seconds = (double)(hd_monotonic_ns() - began) / 1e9;
    if (!code)
        code = judge_and_save(r);
    hd_cover_close(r->co.cover);
    hd_worker_stop(&r->w);
    hd_stray_kill(NULL, 0, 0);
    hd_interrupt_release();
    return code;
}

int hd_cmd_run(char **argv)
{
    struct hd_options o;
    int code;
    if (!hd_cli_options(&o, "run", HD_FOR_run, argv, &code))
        return code;
    struct once r = {.o = &o, .command = hd_cli_command("run", argv)};
    code = run(&r);
    hd_campaign_release(&r.c);
    hd_oracle_release(&r.oracle);
    hd_suppress_release(&r.suppress);
    free(r.command);
    hd_options_release(&o);
    return code;
}
