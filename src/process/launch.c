/* launch.c: start the target with Heddle's library in front of every other and
 * the shared memory attached, and wait until it stands before main.
 *
 * Addresses are kept equal from start to start, so that a recorded run can be
 * followed by another process: no address randomization, and the environment
 * is padded (HEDDLE_PAD) so that the stack begins at the same place whatever
 * the shell exports. So is what the target has from its parent (inherit.c).
 */
#include "process/worker.h"
#include "process/interrupt.h"
#include "process/inherit.h"
#include "process/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stop.h"

#define FDS_NEEDED 1100
#define START_MS (60 * 1000)   /* time for the loader and all constructors */

/* ---- standard input --------------------------------------------------------- */

int hd_stdin_copy(int fd, bool *silent)
{
    struct pollfd p = {fd, POLLIN, 0};
    *silent = false;
    if (isatty(fd) || fcntl(fd, F_GETFD) < 0)
        return -1;
    /* A pipe nobody writes to or closes is common under build servers. */
    if (poll(&p, 1, 1000) == 0) {
        *silent = true;
        return -1;
    }
    int to = memfd_create("heddle-stdin", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    char buf[65536];
    ssize_t n = 0;
    while (to >= 0 && ((n = read(fd, buf, sizeof buf)) > 0 || (n < 0 && errno == EINTR)))
        for (ssize_t at = 0; at < n;) {
            ssize_t k = write(to, buf + at, (size_t)(n - at));
            if (k <= 0)
                break;
            at += k;
        }
    if (to >= 0 && n < 0) { /* a folder or a closed terminal: as good as nothing */
        close(to);
        to = -1;
    }
    if (to >= 0) /* every run reads the same, whatever another one does */
        fcntl(to, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    return to;
}

/* A description of its own, so that workers do not share one offset. */
static int open_input(int stdin_fd)
{
    char path[40] = "/dev/null";
    if (stdin_fd >= 0)
        snprintf(path, sizeof path, "/proc/self/fd/%d", stdin_fd);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* ---- descriptors and memory --------------------------------------------------- */

static int core_for(u32 index)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) || !CPU_COUNT(&set))
        return -1;
    /* Two campaigns started side by side should not meet on one core. */
    int k = (int)((index + (u32)getpid()) % (u32)CPU_COUNT(&set));
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set) && k-- == 0)
            return cpu;
    return -1;
}

int hd_worker_prepare(struct hd_worker *w, const struct hd_launch *l, struct hd_error *err)
{
    memset(w, 0, sizeof *w);
    w->host_fd = w->shm_fd = w->cmd_fd = w->reply_fd = w->script_fd = w->pidfd = -1;
    w->index = l->index;
    w->oracle = l->oracle;
    w->around = l->around;
    w->is_visible = l->is_visible;
    w->out_fd = memfd_create("heddle-stdout", MFD_CLOEXEC);
    w->err_fd = memfd_create("heddle-stderr", MFD_CLOEXEC);
    w->in_fd = open_input(l->stdin_fd);
    if (w->out_fd < 0 || w->err_fd < 0 || w->in_fd < 0)
        return hd_error_set(err, -errno, "cannot set up the target's output: %s", strerror(errno));
    int e = hd_memory_make(&w->run.shm, &w->host_fd, &w->shm_fd, &w->script_fd, err);
    if (e)
        return e;
    w->host = w->run.shm.host;
    w->host->cfg = *l->cfg;
    w->inherited = l->inherited ? l->inherited : hd_inherit_caller();
    const struct hd_inherited *seen = w->inherited->is_complete ? w->inherited : hd_inherit_caller();
    memcpy(w->host->inherited, w->inherited->fds, sizeof w->host->inherited);
    memcpy(w->host->cpus, seen->cpus, sizeof w->host->cpus);
    w->host->cpus_online = seen->online;
    w->host->cpus_configured = seen->configured;
    if (l->cfg->cpu >= 0)
        w->host->cfg.cpu = core_for(l->index);
    return 0;
}

int hd_launch_descriptors(const struct hd_worker *w)
{
    struct rlimit r;
    const int map[][2] = {{w->shm_fd, HD_SHM_FD}, {w->out_fd, HD_OUT_FD}, {w->err_fd, HD_ERR_FD},
                          {w->in_fd, HD_IN_FD}, {w->host_fd, HD_HOST_FD},
                          {w->run.shm.log_fd, HD_LOG_FD}, {w->script_fd, HD_SCRIPT_FD}};
    if (!getrlimit(RLIMIT_NOFILE, &r) && r.rlim_cur < FDS_NEEDED) {
        r.rlim_cur = HD_MIN((rlim_t)FDS_NEEDED, r.rlim_max);
        setrlimit(RLIMIT_NOFILE, &r);
    }
    for (u32 i = 0; i < HD_COUNT(map); i++)
        if (dup2(map[i][0], map[i][1]) < 0)
            return -errno;
    return 0;
}

/* ---- the child --------------------------------------------------------------- */

/* What the child tells about the time before exec. */
struct news {
    int step; /* one of STEP_* */
    int error;
};
enum { STEP_ASLR = 1, STEP_LIMITS, STEP_FDS, STEP_CWD, STEP_EXEC };

static void report(int fd, int step, int error)
{
    struct news n = {step, error};
    if (write(fd, &n, sizeof n) < 0)
        _exit(127);
}

/* No handler of ours may run in the child: it would be at work in our memory. */
static void clean_signals(void)
{
    sigset_t none;
    for (int i = 1; i < NSIG; i++) {
        struct sigaction a;
        if (!sigaction(i, NULL, &a) && a.sa_handler != SIG_IGN && a.sa_handler != SIG_DFL)
            signal(i, SIG_DFL);
    }
    hd_signals_default();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

_Noreturn static void child(const struct hd_worker *w, const struct hd_launch *l, int parent,
                            int cmd, int reply, int status, char **env)
{
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent)
        _exit(127);
    clean_signals();
    int now = personality(0xffffffff);
    if (now < 0 || (!(now & ADDR_NO_RANDOMIZE) &&
                    personality((unsigned long)now | ADDR_NO_RANDOMIZE) < 0))
        report(status, STEP_ASLR, errno);
    u32 lost = hd_inherit_limits(w->inherited);
    if (lost)
        report(status, STEP_LIMITS, (int)lost);
    /* Thousands of crashes are expected; gdb on a replay is the better core file. */
    struct rlimit core;
    if (!getrlimit(RLIMIT_CORE, &core)) {
        core.rlim_cur = 0;
        setrlimit(RLIMIT_CORE, &core);
    }
    int e = hd_launch_descriptors(w);
    if (!e && (dup2(cmd, HD_CMD_FD) < 0 || dup2(reply, HD_REPLY_FD) < 0 || dup2(w->in_fd, 0) < 0))
        e = -errno;
    int high = fcntl(status, F_DUPFD_CLOEXEC, HD_LAST_FD + 1); /* out of the program's way */
    if (!e && high < 0)
        e = -errno;
    if (!e) {
        status = high;
        e = hd_inherit_apply(w->inherited);
    }
    if (e) {
        report(status, STEP_FDS, -e);
        _exit(127);
    }
    if (l->cwd && chdir(l->cwd)) {
        report(status, STEP_CWD, errno);
        _exit(127);
    }
    execve(l->target->path, l->argv, env);
    report(status, STEP_EXEC, errno);
    _exit(127);
}

/* Reads what the child told; returns at exec or at its end. */
static int child_news(struct hd_worker *w, const struct hd_launch *l, int fd, struct hd_error *err)
{
    struct news n;
    int e = 0;
    ssize_t k;
    while ((k = read(fd, &n, sizeof n)) != 0) {
        if (k < 0 && errno == EINTR)
            continue;
        if (k != sizeof n)
            break;
        if (n.step == STEP_ASLR)
            w->uncontrolled |= 1u << HD_UNC_ASLR, w->host->is_random = 1;
        else if (n.step == STEP_LIMITS)
            w->lost = (u32)n.error;
        else if (n.step == STEP_FDS)
            e = hd_error_set(err, -n.error,
                             "cannot set up descriptors up to %d (%s): raise the "
                             "limit with 'ulimit -n 2048'",
                             HD_LAST_FD, strerror(n.error));
        else if (n.step == STEP_CWD)
            e = hd_error_set(err, -n.error, "cannot enter the folder %s: %s", l->cwd,
                             strerror(n.error));
        else
            e = hd_error_set(err, -n.error, "cannot start %s: %s", l->target->path,
                             strerror(n.error));
    }
    return e;
}

/* ---- until it is ready -------------------------------------------------------- */

static int early_end(struct hd_worker *w, const struct hd_launch *l, struct hd_error *err)
{
    int status = 0;
    char why[320];
    waitpid(w->pid, &status, 0);
    hd_interrupt_remove(w->pid);
    w->pid = 0;
    hd_shm_env_error(&w->run.shm, why, sizeof why);
    if (why[0])
        return hd_error_set(err, -EPROTO, "%s cannot be controlled: %s", l->target->path, why);
    if (WIFSIGNALED(status))
        return hd_error_set(err, -EPROTO,
                            "%s was ended by %s before main (in the loader or a "
                            "constructor): see that it runs without Heddle",
                            l->target->path, strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status) == 127)
        return hd_error_set(err, -EPROTO, "%s could not be loaded: see the loader's message above",
                            l->target->path);
    return hd_error_set(err, -EPROTO,
                        "%s ended with status %d before main: see that it runs "
                        "without Heddle",
                        l->target->path, WEXITSTATUS(status));
}

static int await_ready(struct hd_worker *w, const struct hd_launch *l, struct hd_error *err)
{
    s64 until = hd_monotonic_ns() + (s64)START_MS * 1000000;
    for (;;) {
        struct pollfd p[] = {{w->reply_fd, POLLIN, 0}, {w->pidfd, POLLIN, 0},
                             {hd_interrupt_fd(), POLLIN, 0}};
        int n = poll(p, HD_COUNT(p), 250);
        char byte = 0;
        if (n < 0 && errno != EINTR)
            return hd_error_set(err, -errno, "cannot wait for the target: %s", strerror(errno));
        if (n > 0 && (p[0].revents & POLLIN) && read(w->reply_fd, &byte, 1) == 1 && byte == 'R')
            return 0;
        if (n > 0 && p[1].revents)
            return early_end(w, l, err);
        if (hd_interrupt_count())
            return hd_error_set(err, -EINTR, "interrupted while the target was starting");
        if (hd_stop_is_due())
            return hd_error_set(err, -ETIME,
                                "%s had not reached main when the time given was "
                                "over: give it more (--time)",
                                l->target->path);
        if (hd_monotonic_ns() > until)
            return hd_error_set(err, -ETIMEDOUT, "%s did not reach main within %d seconds",
                                l->target->path, START_MS / 1000);
    }
}

/* Our pages are not copied for a process that leaves them at once; until then it has them
 * to itself, and we wait. posix_spawn has no room for what child() sets up. */
static int spawn(const struct hd_worker *w, const struct hd_launch *l, int cmd, int reply,
                 int status, char **env)
{
    int parent = (int)getpid();
    sigset_t all, was;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &was);
    pid_t pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
    if (pid == 0)
        child(w, l, parent, cmd, reply, status, env); /* NOLINT(clang-analyzer-unix.Vfork) */
    int e = errno;
    sigprocmask(SIG_SETMASK, &was, NULL);
    return pid < 0 ? -e : (int)pid;
}

static int start_process(struct hd_worker *w, const struct hd_launch *l, struct hd_error *err)
{
    int cmd[2] = {-1, -1}, reply[2] = {-1, -1}, status[2] = {-1, -1};
    u32 own;
    char **env = hd_launch_env(l, &own);
    if (!env || pipe2(cmd, O_CLOEXEC) || pipe2(reply, O_CLOEXEC) || pipe2(status, O_CLOEXEC))
        return hd_error_set(err, -EMFILE, "out of memory or descriptors while starting");
    w->pid = spawn(w, l, cmd[0], reply[1], status[1], env);
    int e = HD_MIN(w->pid, 0);
    hd_launch_env_free(env);
    close(cmd[0]);
    close(reply[1]);
    close(status[1]);
    w->cmd_fd = cmd[1];
    w->reply_fd = reply[0];
    if (e) {
        w->pid = 0;
        close(status[0]);
        return hd_error_set(err, e, "cannot start a process: %s", strerror(-e));
    }
    hd_interrupt_add(w->pid);
    w->pidfd = (int)syscall(SYS_pidfd_open, w->pid, 0);
    e = child_news(w, l, status[0], err);
    close(status[0]);
    if (!e && w->pidfd < 0)
        e = hd_error_set(err, -errno, "this kernel has no pidfd_open (Linux 5.3): %s",
                         strerror(errno));
    return e;
}

static void set_scope(struct hd_worker *w, const struct hd_scope *s)
{
    u32 n_modules;
    const struct hd_module *program = hd_snapshot_modules(&w->run, &n_modules);
    struct hd_range *to = hd_shm_ranges(w->host);
    u32 n = s && n_modules ? (u32)HD_MIN(s->out.n, (size_t)HD_SHM_RANGES) : 0;
    for (u32 i = 0; i < n; i++)
        to[i] = (struct hd_range){program->bias + s->out.at[i].start,
                                  program->bias + s->out.at[i].end};
    w->host->n_ranges = n;
}

int hd_worker_start(struct hd_worker *w, const struct hd_launch *given, struct hd_error *err)
{
    struct hd_launch l = *given;
    int e = hd_worker_prepare(w, &l, err);
    w->how = *given;
    w->phases = l.phases;
    if (!e && w->phases)
        e = w->phases->attach(w, &l, err);
    bool is_later = l.phases && l.phases->is_started_by_run;
    if (!e && !is_later)
        e = start_process(w, &l, err);
    if (!e && !is_later)
        e = await_ready(w, &l, err);
    if (!e)
        set_scope(w, l.scope);
    else
        hd_worker_stop(w);
    return e;
}

int hd_worker_restart(struct hd_worker *w)
{
    struct hd_launch how = w->how;
    struct hd_error err;
    hd_worker_stop(w);
    int e = hd_worker_start(w, &how, &err);
    w->how = how;
    w->is_dead = e != 0;
    w->was_restarted = true;
    return e;
}
