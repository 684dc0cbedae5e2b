/* cmd_replay.c: heddle replay: follow a recorded schedule strictly and say
 * whether the run ended as it did then. docs/cmd/replay.md */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

struct again {
    struct hd_options *o;
    const char *file;
    struct hd_replay r;
    struct hd_target target;
    struct hd_worker w;
    struct hd_config cfg;
    struct hd_campaign c;
    int stdin_fd;
    char err[1024];
};

/* ---- does it fit? ------------------------------------------------------------------- */

/* Modules whose code the schedule speaks of must be the same files. */
static bool is_used(const struct hd_replay *r, u32 module)
{
    for (u32 i = 0; i < r->n_sites; i++)
        if (r->sites[i].module == module)
            return true;
    for (u32 i = 0; i < r->n; i++)
        if (HD_REPLAY_MODULE(r->site[i]) == module)
            return true;
    return false;
}

static int check_builds(struct again *a)
{
    for (u32 i = 0; i < a->r.n_modules; i++) {
        const struct hd_replay_module *m = &a->r.modules[i];
        u8 id[sizeof m->build_id];
        if (!m->build_id_len || m->path[0] != '/' || (i && !is_used(&a->r, i)))
            continue;
        u32 n = hd_target_build_id(m->path, id, sizeof id);
        if (n == m->build_id_len && !memcmp(id, m->build_id, n))
            continue;
        if (a->o->force) {
            hd_cli_say("warning: %s is another build than the recorded one", m->path);
            continue;
        }
        return hd_cli_fail(HD_EXIT_FAILED,
                           "%s is not the build that was recorded (its build-id %s): a schedule "
                           "only fits its own build; restore it, test the new one with 'heddle "
                           "test', or try with --force", m->path, n ? "differs" : "is gone");
    }
    return 0;
}

static int open_input(struct again *a)
{
    char copy[4096], path[4200];
    a->stdin_fd = -1;
    if (!a->r.input[0])
        return 0;
    snprintf(copy, sizeof copy, "%s", a->file);
    snprintf(path, sizeof path, "%s/%s", dirname(copy), a->r.input);
    a->stdin_fd = open(path, O_RDONLY | O_CLOEXEC);
    if (a->stdin_fd < 0)
        return hd_cli_fail(HD_EXIT_FAILED, "cannot read the recorded input %s: %s", path,
                           strerror(errno));
    return 0;
}

static int prepare(struct again *a)
{
    struct stat st;
    if (hd_replay_load(&a->r, a->file, a->err, sizeof a->err))
        return hd_cli_fail(HD_EXIT_FAILED, "%s", a->err);
    if (stat(a->r.program, &st))
        return hd_cli_fail(HD_EXIT_FAILED, "the recorded program %s is gone: put it back, or test "
                           "it anew with 'heddle test'", a->r.program);
    int code = check_builds(a);
    if (!code)
        code = open_input(a);
    if (code)
        return code;
    if (hd_target_open(&a->target, a->r.program, a->err, sizeof a->err))
        return hd_cli_fail(HD_EXIT_FAILED, "%s", a->err);
    const struct hd_strategy *s = hd_strategy_find(a->r.strategy);
    a->r.cfg.strategy = s ? hd_strategy_index(s) : 0;
    a->o->strategy = hd_strategy_at(a->r.cfg.strategy);
    a->o->strategy_param = a->r.cfg.strategy_param;
    a->o->seed = a->r.cfg.seed;
    a->cfg = a->r.cfg;
    a->cfg.cpu = a->o->no_pin ? -1 : 0;
    a->cfg.mode = a->o->show_output || a->o->gdb ? HD_MODE_SHOW_OUTPUT : 0;
    return 0;
}

static int start(struct again *a)
{
    bool has_cwd = a->r.cwd[0] && !access(a->r.cwd, X_OK);
    if (!has_cwd && a->r.cwd[0])
        hd_cli_say("warning: the recorded folder %s is gone: using this one", a->r.cwd);
    struct hd_launch how = {.target = &a->target, .argv = a->r.argv, .cfg = &a->cfg,
                            .stdin_fd = a->stdin_fd, .cwd = has_cwd ? a->r.cwd : NULL};
    if (hd_worker_start(&a->w, &how, a->err, sizeof a->err))
        return hd_cli_fail(HD_EXIT_FAILED, "%s", a->err);
    return 0;
}

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

static int say_diverged(struct again *a)
{
    const struct hd_verdict *v = &a->w.shm->verdict;
    const struct hd_diverged *d = &v->diverged;
    char want[600], got[600], who[32] = "";
    place(a->c.symbols, d->want_site, want, sizeof want);
    place(a->c.symbols, d->got_site, got, sizeof got);
    if (d->got_tid != HD_NO_THREAD)
        snprintf(who, sizeof who, "thread %u ", d->got_tid);
    return hd_cli_fail(
        HD_EXIT_FAILED,
        "the run left the recorded schedule at step %llu (entry %u of %u, %s): wanted "
        "thread %u at %s, found %sat %s; the program depends on something that is "
        "not recorded (another process, a file, the network, real time)",
        (unsigned long long)d->step, d->entry, a->r.n, v->msg, d->want_tid, want, who, got);
}

/* 0 = as recorded, else an exit code. */
static int judge(struct again *a)
{
    const struct hd_shm *m = a->w.shm;
    const struct hd_verdict *v = &m->verdict;
    if (v->kind == HD_V_DIVERGED)
        return say_diverged(a);
    if (v->kind == HD_V_ENV || v->kind == HD_V_BUG)
        return hd_cli_fail(HD_EXIT_FAILED, "the run could not be controlled: %s", v->msg);
    if (v->kind != a->r.verdict)
        return hd_cli_fail(HD_EXIT_FAILED, "the run did not end as recorded: '%s' instead of '%s'",
                           hd_replay_verdict_word(v->kind) ? hd_replay_verdict_word(v->kind) : "?",
                           hd_replay_verdict_word(a->r.verdict));
    if (v->kind != HD_V_TIMEOUT && m->stats.hash != a->r.hash)
        return hd_cli_fail(HD_EXIT_FAILED,
                           "the run ended as recorded ('%s') but by other events: "
                           "something in it is not under control%s%s",
                           hd_replay_verdict_word(v->kind),
                           m->stats.uncontrolled_call[0] ? ", first " : "",
                           m->stats.uncontrolled_call);
    return 0;
}

static int one_run(struct again *a)
{
    int e = hd_replay_to_shm(&a->r, a->w.shm); /* anew each time: the sites grow */
    if (e)
        return hd_cli_fail(HD_EXIT_FAILED, "cannot place the schedule: %s", strerror(-e));
    if (hd_worker_send(&a->w, a->r.run, 1))
        return hd_cli_fail(HD_EXIT_FAILED, "cannot talk to the target's server");
    while (a->w.is_busy && !hd_interrupt_count())
        hd_workers_wait(&a->w, 1, a->o->timeout_ms, INT64_MAX);
    if (a->w.is_busy)
        return hd_cli_fail(HD_EXIT_FAILED, "interrupted");
    if (a->w.is_dead)
        return hd_cli_fail(HD_EXIT_FAILED, "the target's server process ended without a verdict");
    hd_campaign_count(&a->c, &a->w, 1);
    if (!a->c.symbols)
        a->c.symbols = hd_symbols_open(hd_shm_modules(a->w.shm),
                                       HD_MIN(a->w.shm->n_modules, HD_SHM_MODULES));
    return judge(a);
}

/* ---- all of them ------------------------------------------------------------------------- */

static int report(struct again *a, u32 same)
{
    struct hd_finding f;
    bool is_failure = a->r.verdict != HD_V_CLEAN;
    if (hd_found_take(&f, &a->w, a->target.path, a->r.argv))
        return hd_cli_fail(HD_EXIT_FAILED, "out of memory");
    hd_finding_identify(&f, a->c.symbols);
    f.tried = a->o->times;
    f.reproduced = same;
    f.runs_until = same;
    char copy[4096];
    snprintf(copy, sizeof copy, "%s", a->file);
    snprintf(f.dir, sizeof f.dir, "%.500s", dirname(copy));
    if (is_failure && !hd_output_owns_stdout(a->o)) {
        struct hd_text_opts how = hd_cli_text_opts(stdout);
        hd_report_text(stdout, &f, a->c.symbols, &how);
        fflush(stdout);
    }
    if (!a->o->quiet)
        hd_cli_say("%s as recorded, %u of %u time%s", is_failure ? "failed" : "ran", same,
                   a->o->times, a->o->times == 1 ? "" : "s");
    a->c.findings = &f;
    a->c.n_findings = is_failure;
    int code = is_failure ? HD_EXIT_FINDING : HD_EXIT_OK;
    struct hd_result result = {"replay", a->target.path, a->r.argv, a->o, &a->c, code, NULL};
    code = hd_output(&result);
    a->c.findings = NULL;
    a->c.n_findings = 0;
    hd_finding_release(&f);
    return code;
}

static int replay(struct again *a)
{
    int code = hd_output_check(a->o);
    if (!code)
        code = prepare(a);
    if (code)
        return code;
    hd_interrupt_catch();
    hd_stray_adopt();
    code = start(a);
    if (!code && a->o->gdb) {
        hd_worker_end(&a->w);
        hd_interrupt_release();
        return hd_gdb_exec(&a->w, &a->r, a->file);
    }
    s64 began = hd_monotonic_ns();
    u32 same = 0;
    for (; !code && same < a->o->times; same += !code)
        code = one_run(a);
    a->c.seconds = (double)(hd_monotonic_ns() - began) / 1e9;
    if (!code)
        code = report(a, same);
    else if (same)
        hd_cli_say("%u of %u replays went as recorded before that", same, a->o->times);
    hd_worker_stop(&a->w);
    hd_stray_kill(NULL, 0, 0);
    hd_interrupt_release();
    return code;
}

int hd_cmd_replay(char **argv)
{
    struct hd_options o;
    int code;
    if (!hd_cli_options(&o, "replay", HD_FOR_REPLAY, argv, &code))
        return code;
    if (o.n_rest > 1)
        return hd_cli_fail(HD_EXIT_USAGE, "one replay file at a time, not also '%s'", o.rest[1]);
    struct again a = {.o = &o, .file = o.rest[0], .stdin_fd = -1};
    hd_replay_init(&a.r);
    code = replay(&a);
    hd_replay_release(&a.r);
    hd_campaign_release(&a.c);
    hd_options_release(&o);
    return code;
}
