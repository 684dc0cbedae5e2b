/* gdb.c: replay under the debugger.
 *
 *   heddle replay --gdb --exec--> gdb --run--> heddle gdb-target --exec--> target
 *
 * gdb must not have Heddle's library preloaded, and the target must find the
 * very stack it had when recorded: same argv[0], same environment size. So gdb
 * is told to start the target through an exec-wrapper, which is heddle itself:
 * it takes back what gdb adds to the environment and does the same as a normal
 * launch. The shared memory with the script comes through gdb as an inherited
 * descriptor. In it HD_MODE_NO_FORK makes the runtime do the one run directly.
 *
 * A program that a command starts is started by gdb all the same, and takes the place of the one
 * that the command waits for (children/stand_in.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <unistd.h>

#include "children/children.h"
#include "cli/cli.h"
#include "process/show.h"
#include "process/interrupt.h"
#include "process/inherit.h"
#include "process/memory.h"
#include "text/shell.h"

/* 'heddle' gdb-target LINES COLUMNS %d FILE: %d is for the step to stop at. */
static char *wrapper_command(const char *file)
{
    char self[PATH_MAX], path[PATH_MAX];
    char *text = NULL;
    size_t n = 0;
    ssize_t k = readlink("/proc/self/exe", self, sizeof self - 1);
    if (k < 0 || !realpath(file, path))
        return NULL;
    self[k] = '\0';
    const char *lines = getenv("LINES"), *columns = getenv("COLUMNS");
    FILE *f = open_memstream(&text, &n);
    if (!f)
        return NULL;
    hd_shell_word(f, self);
    fputs(" " HD_GDB_TARGET " ", f);
    hd_shell_word(f, lines ? lines : "-");
    fputc(' ', f);
    hd_shell_word(f, columns ? columns : "-");
    fputs(" %d ", f);
    hd_shell_word(f, path);
    return fclose(f) ? NULL : text;
}

/* A Python text in quotes; % is doubled but for the %d that is there. */
static void put_python(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text; text++) {
        if (*text == '%' && text[1] != 'd')
            fputs("%%", f);
        else if (strchr("\"\\", *text) || (u8)*text < ' ')
            fprintf(f, "\\x%02x", (u8)*text);
        else
            fputc(*text, f);
    }
    fputc('"', f);
}

#define THREADS 4096 /* at a time, at most */

/* [(3, 1, 4), ...]: with step 3 thread 1 goes on; 4 is where to stop for that: at its start a
 * thread is not in the program's code yet. */
static void put_switches(FILE *f, const struct hd_replay *r)
{
    u64 step = 1;
    u16 last = 0;
    u64 has_begun[HD_BITS_WORDS(THREADS)] = {1};
    fputc('[', f);
    for (u32 i = 0; i < r->n; i++) {
        const struct hd_choice *c = &r->choice[i];
        bool is_pick = c->kind == HD_CHOICE_PICK && c->tid < THREADS;
        if (is_pick && c->tid != last) {
            bool is_start = !hd_bit_is_set(has_begun, c->tid) && c->count > 1;
            fprintf(f, "(%llu, %u, %llu), ", (unsigned long long)step, c->tid,
                    (unsigned long long)step + is_start);
            hd_bit_set(has_begun, c->tid);
            last = c->tid;
        }
        if (c->kind == HD_CHOICE_PICK || c->kind == HD_CHOICE_RULE)
            step += c->count;
    }
    fputc(']', f);
}

extern const char hd_gdb_heddle_py[];

/* Commands that gdb runs first, as a file only it and its children can see. At the
 * step that is asked for the runtime calls hd_stop_here(); from there gdb goes on to where
 * the call returns to the program's code. */
static int script_of(const struct hd_replay *r, u64 at, const char *wrapper, char *path, size_t size)
{
    int fd = memfd_create("gdb-commands", 0);
    if (fd < 0)
        return -errno;
    FILE *f = fdopen(dup(fd), "w");
    if (!f)
        return -errno;
    fputs("set breakpoint pending on\nset confirm off\nset startup-with-shell on\n"
          /* where deadlocks, hangs and other verdicts are given */
          "break hd_die\n"
          /* instructions in assembly are served by it (runtime/asm/trap.c) */
          "handle SIGILL nostop noprint pass\n"
          "python\n", f);
    fprintf(f, "heddle_steps = %llu\nheddle_at = %llu\nheddle_decides = %llu\nheddle_wrapper = ",
            (unsigned long long)r->steps, (unsigned long long)at, (unsigned long long)r->decides);
    put_python(f, wrapper);
    fputs("\nheddle_switches = ", f);
    put_switches(f, r);
    fprintf(f, "\n%s\ngdb.execute(\"set exec-wrapper \" + Run.wrapper %% Run.at)\nend\n",
            hd_gdb_heddle_py);
    fprintf(f, "echo Type 'run' for the recorded run%s. 'heddle back' and 'heddle next-switch' go "
            "from switch to switch.\\n\n",
            at && at == r->decides ? ": it stops where the order of two steps decides, and where it fails"
            : at ? ": it stops at that step, and where it fails"
                 : ": it stops where it fails. Set breakpoints before");
    snprintf(path, size, "/dev/fd/%d", fd);
    return fclose(f) ? -errno : 0;
}

/* `args` has room for all; returns only if it fails. */
static int start_gdb(struct hd_worker *w, const struct hd_replay *r, const char *wrapper,
                     const struct hd_gdb_opts *o, const char **args)
{
    char script[64];
    int e = hd_launch_descriptors(w);
    if (e)
        return hd_cli_fail(HD_EXIT_FAILED, "cannot set up descriptors: %s", strerror(-e));
    if (r->cwd[0] && chdir(r->cwd))
        hd_cli_print("warning: cannot enter %s: %s", r->cwd, strerror(errno));
    u32 k = 0;
    e = script_of(r, o->at ? o->at : r->decides, wrapper, script, sizeof script);
    if (e)
        return hd_cli_fail(HD_EXIT_FAILED, "cannot prepare gdb: %s", strerror(-e));
    const char *fixed[] = {"gdb", "-q", "-x", script};
    for (u32 i = 0; i < HD_COUNT(fixed); i++)
        args[k++] = fixed[i];
    for (u32 i = 0; o->args[i]; i++) /* after ours: -ex run */
        args[k++] = o->args[i];
    args[k++] = "--args";
    args[k++] = r->program;
    char *const *argv = w->argv ? w->argv : r->argv;
    for (u32 i = 1; i < r->argc && !r->cfg.instance; i++) /* else they are the command's */
        args[k++] = argv[i];
    hd_script_hand_on(w);
    e = hd_show_beside(w);
    if (e)
        return hd_cli_fail(HD_EXIT_FAILED, "cannot start a process: %s", strerror(-e));
    hd_signals_default();
    execvp("gdb", (char *const *)args);
    return hd_cli_fail(HD_EXIT_FAILED, "cannot start gdb: %s (install it: apt-get install gdb)",
                       strerror(errno));
}

int hd_gdb_exec(struct hd_worker *w, const struct hd_replay *r, const char *file,
                const struct hd_gdb_opts *o)
{
    char *wrapper = wrapper_command(file);
    u32 n = 0;
    while (o->args[n])
        n++;
    const char **args = calloc(r->argc + n + 24, sizeof *args);
    int code = wrapper && args ? start_gdb(w, r, wrapper, o, args)
                               : hd_cli_fail(HD_EXIT_FAILED, "out of memory");
    free(wrapper);
    free(args);
    return code;
}

/* The script again for every `run`: the run before it has left its marks. The
 * module table is that of the start without gdb, whose addresses gdb keeps. */
static int place_script(const struct hd_replay *r, u64 stop)
{
    struct hd_shm m;
    struct hd_snapshot none;
    int e = hd_memory_renew(&m);
    if (e)
        return e;
    m.host->cfg.mode = HD_MODE_NO_FORK;
    if (r->cfg.instance) { /* below a command, as children/run.c has it */
        m.host->cfg.mode |= HD_MODE_DRIVEN | HD_MODE_STARTED;
        m.host->is_driving = HD_DRIVING;
    }
    m.host->cmd.first_run = r->run;
    m.host->stop_step = stop;
    hd_snapshot_init(&none, &m);
    e = hd_replay_to_shm(r, &none);
    m.host->cmd.number++; /* what it marked is for this one */
    hd_snapshot_release(&none);
    hd_memory_release(&m);
    return e;
}

static void restore(const char *name, const char *value)
{
    if (strcmp(value, "-"))
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static int become(const char *path, char *const *argv, char *const *env)
{
    hd_signals_default();
    personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
    execve(path, argv, env);
    return hd_cli_fail(HD_EXIT_FAILED, "cannot start %s: %s", path, strerror(errno));
}

/* In the place of the process that the command starts. */
static int become_started(const struct hd_replay *r, const struct hd_target *target)
{
    struct hd_error err;
    bool is_fine = r->verdict == HD_V_CLEAN || r->verdict == HD_V_CHECK;
    struct hd_process who[HD_REPLAY_OTHERS + 1];
    struct hd_children of = {.meant = who, .n_meant = 1, .beside = who + 1, .record = r};
    hd_recorded_processes(r, target->path, who, &of.n_beside);
    struct hd_children_command c = {.argv = r->argv, .cwd = r->cwd[0] ? r->cwd : NULL,
                                    .inherited = &r->inherited, .in = hd_children_input(HD_IN_FD), .out = HD_OUT_FD,
                                    .err = HD_ERR_FD};
    struct hd_stand_in in = {.runtime = target->runtime,
                             .status = is_fine ? 0 : r->verdict == HD_V_EXIT ? 1 << 8 : SIGABRT};
    int report = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, HD_LAST_FD + 1); /* others take its place */
    int e = hd_children_take_place(&in, &of, &c, &err);
    if (!e)
        return become(target->path, in.argv, in.env);
    dup2(report, STDERR_FILENO);
    return hd_cli_fail(HD_EXIT_FAILED, "cannot prepare the run: %s", err.text);
}

/* argv: LINES COLUMNS STEP FILE PROGRAM [ARG...] */
int hd_gdb_target(char **argv)
{
    struct hd_target target;
    struct hd_replay r;
    struct hd_error err;
    u32 n = 0, own;
    while (argv[n])
        n++;
    if (n < 5)
        return hd_cli_fail(HD_EXIT_USAGE, HD_GDB_TARGET " is for gdb, not for people");
    restore("LINES", argv[0]);
    restore("COLUMNS", argv[1]);
    if (hd_replay_load(&r, argv[3], &err) || hd_replay_load_others(&r, argv[3], &err) ||
        hd_target_open(&target, argv[4], &err))
        return hd_cli_fail(HD_EXIT_FAILED, "%s", err.text);
    int e = place_script(&r, strtoull(argv[2], NULL, 10));
    if (!e && r.cfg.instance)
        return become_started(&r, &target);
    if (!e && r.input[0] && dup2(HD_IN_FD, STDIN_FILENO) < 0)
        e = -errno;
    if (!e) /* gdb and the file with its commands left something open */
        e = hd_inherit_apply(&r.inherited);
    char **args = n == 5 ? r.argv : argv + 4; /* editors may leave the arguments away */
    args[0] = r.argv[0];
    hd_inherit_limits(&r.inherited);
    struct hd_launch l = {.target = &target, .argv = args, .inherited = &r.inherited};
    char **env = hd_launch_env(&l, &own);
    if (e || !env)
        return hd_cli_fail(HD_EXIT_FAILED, "cannot prepare the run: %s", strerror(e ? -e : ENOMEM));
    return become(target.path, args, env);
}
