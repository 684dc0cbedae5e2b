/* recorded.c: a replay file and the program it was recorded with, made ready to
 * run again: for replay and minimize. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

#define COMMAND_MS (10 * 60 * 1000) /* for a command that starts the program, and all it does */

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

static int check_builds(struct hd_recorded *a)
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
            hd_cli_print("warning: %s is another build than the recorded one", m->path);
            continue;
        }
        if (n && a->may_move && a->r.n_places) {
            a->is_rebuilt = true;
            continue;
        }
        return hd_cli_fail(HD_EXIT_FAILED,
                           "%s is not the build that was recorded (its build-id %s): a schedule "
                           "only fits its own build; restore it, test the new one with 'heddle "
                           "test', or try with --force", m->path, n ? "differs" : "is gone");
    }
    return 0;
}

static int open_input(struct hd_recorded *a)
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

/* A run that something besides the program judged needs the same judge. */
static int open_oracle(struct hd_recorded *a)
{
    bool is_judged = a->r.verdict == HD_V_OUTPUT || a->r.verdict == HD_V_CHECK;
    if (a->o->check || a->o->expect_stdout) {
        int code = hd_cli_oracle(&a->oracle, a->o);
        if (code)
            return code;
    } else if (is_judged && hd_oracle_beside(&a->oracle, a->file, &a->err)) {
        return hd_cli_fail(HD_EXIT_FAILED, "%s", a->err.text);
    }
    a->oracle.is_any_exit_ok = is_judged;
    a->oracle.timeout_ms = a->o->timeout_ms;
    if (a->r.verdict == HD_V_OUTPUT && !a->oracle.expect)
        return hd_cli_fail(HD_EXIT_FAILED, "the run was recorded for its output, and what was "
                           "expected is not beside %s: give it with --expect-stdout", a->file);
    return 0;
}

/* A run that something was prepared for needs it again. */
static int open_around(struct hd_recorded *a)
{
    int code = hd_cli_around(&a->around, a->o);
    if (!code && hd_around_beside(&a->around, a->file, &a->err))
        code = hd_cli_fail(HD_EXIT_FAILED, "%s", a->err.text);
    return code;
}

/* A run that was driven needs its driver. */
static int open_script(struct hd_recorded *a)
{
    if (hd_script_beside(&a->script, a->file, &a->err))
        return hd_cli_fail(HD_EXIT_FAILED, "%s", a->err.text);
    if (a->script.input && !hd_options_is_given(a->o, "timeout"))
        a->o->timeout_ms = HD_MAX(a->o->timeout_ms, hd_script_longest_ms(a->script.input));
    if (a->script.input && a->o->gdb)
        hd_cli_print(
            "the script does not drive the program under gdb: start its commands yourself");
    return 0;
}

/* `FILE -- ./moved/prog [ARG...]`: the same build, in another place, with its arguments. */
static int use_moved(struct hd_recorded *a)
{
    char **given = a->o->rest + a->o->n_plain, path[PATH_MAX];
    u32 n = (u32)(a->o->n_rest - a->o->n_plain);
    struct hd_replay *r = &a->r;
    if (!n || a->o->gdb)
        return 0;
    if (!realpath(given[0], path) || strlen(path) >= sizeof r->program)
        return hd_cli_fail(HD_EXIT_FAILED, "cannot use %s: %s", given[0],
                           errno ? strerror(errno) : "the path is too long");
    for (u32 i = 0; i < r->n_modules; i++)
        if (!strcmp(r->modules[i].path, r->program))
            snprintf(r->modules[i].path, sizeof r->modules[i].path, "%s", path);
    snprintf(r->program, sizeof r->program, "%s", path);
    bool is_same = n == 1 || n == r->argc;
    for (u32 i = 1; i < n && is_same; i++)
        is_same = !strcmp(given[i], r->argv[i]);
    return is_same ? 0 : hd_cli_fail(HD_EXIT_FAILED, "the arguments are part of the recording: "
                                     "leave them away after '-- %s'", given[0]);
}

int hd_recorded_open(struct hd_recorded *a)
{
    struct stat st;
    if (hd_replay_load(&a->r, a->file, &a->err))
        return hd_cli_fail(HD_EXIT_FAILED, "%s", a->err.text);
    if (use_moved(a))
        return HD_EXIT_FAILED;
    if (hd_replay_load_others(&a->r, a->file, &a->err))
        return hd_cli_fail(HD_EXIT_FAILED, "%s", a->err.text);
    if (a->err.text[0])
        hd_cli_print("warning: %s: that process runs freely", a->err.text);
    if (stat(a->r.program, &st))
        return hd_cli_fail(HD_EXIT_FAILED, "the recorded program %s is gone: put it back, say where "
                           "it is now ('heddle %s FILE -- ./moved/program'), or test it anew with "
                           "'heddle test'", a->r.program, a->may_move || a->o->gdb ? "replay" : "minimize");
    int code = check_builds(a);
    if (!code)
        code = open_input(a);
    if (!code)
        code = open_oracle(a);
    if (!code)
        code = open_around(a);
    if (!code)
        code = open_script(a);
    if (code)
        return code;
    if (hd_target_open(&a->target, a->r.program, &a->err))
        return hd_cli_fail(HD_EXIT_FAILED, "%s", a->err.text);
    code = hd_cli_trust(a);
    if (code)
        return code;
    const struct hd_strategy *s = hd_strategy_find(a->r.strategy);
    a->r.cfg.strategy = s ? hd_strategy_index(s) : 0;
    a->o->strategy = hd_strategy_at(a->r.cfg.strategy);
    a->o->strategy_param = a->r.cfg.strategy_param;
    a->o->seed = a->r.cfg.seed;
    a->cfg = a->r.cfg;
    a->cfg.cpu = a->o->no_pin ? -1 : 0;
    a->cfg.mode = 0;
    return 0;
}

void hd_recorded_processes(const struct hd_replay *r, const char *program, struct hd_process *to,
                           u32 *n_others)
{
    to[0] = hd_process_of(&r->cfg, program);
    *n_others = r->others ? r->n_others : 0;
    for (u32 i = 0; i < *n_others; i++)
        to[i + 1] = hd_process_of(&r->others[i].cfg, r->others[i].program);
}

int hd_recorded_start(struct hd_recorded *a)
{
    bool has_cwd = a->r.cwd[0] && !access(a->r.cwd, X_OK);
    if (!has_cwd && a->r.cwd[0])
        hd_cli_print("warning: the recorded folder %s is gone: using this one", a->r.cwd);
    struct hd_launch how = {.target = &a->target, .argv = a->r.argv, .cfg = &a->cfg,
                            .stdin_fd = a->stdin_fd, .is_visible = a->o->show_output, .cwd = has_cwd ? a->r.cwd : NULL,
                            .inherited = &a->r.inherited,
                            .oracle = hd_oracle_is_empty(&a->oracle) ? NULL : &a->oracle,
                            .around = hd_around_is_empty(&a->around) ? NULL : &a->around,
                            .phases = a->script.input ? &hd_script_phases : NULL, .script = a->script.input, .script_again = &a->script.again};
    if (a->r.cfg.instance) {
        u32 n_others;
        hd_recorded_processes(&a->r, a->target.path, a->process, &n_others);
        a->children = (struct hd_children){
            .meant = &a->process[0], .n_meant = 1, .beside = &a->process[1], .n_beside = n_others,
            .timeout_ms = hd_options_is_given(a->o, "timeout") ? a->o->timeout_ms : COMMAND_MS};
        how.children = &a->children;
        how.phases = &hd_children_phases;
    }
    if (hd_worker_start(&a->w, &how, &a->err))
        return hd_cli_fail(HD_EXIT_FAILED, "%s", a->err.text);
    return 0;
}

void hd_recorded_release(struct hd_recorded *a)
{
    hd_replay_release(&a->r);
    hd_campaign_release(&a->c);
    hd_oracle_release(&a->oracle);
    hd_around_release(&a->around);
    hd_script_beside_release(&a->script);
    hd_cover_close(a->cover);
    hd_vec_release(&a->learned);
    if (a->stdin_fd >= 0)
        close(a->stdin_fd);
    a->stdin_fd = -1;
}
