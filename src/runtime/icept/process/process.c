/* process.c: children: fork, wait; see process.h. */
#include "runtime/icept/process/process.h"

#include "runtime/icept/io/io_result.h"
#include "runtime/icept/process/child.h"
#include "runtime/icept/process/child_clock.h"
#include "runtime/icept/signal/signals.h"
#include "runtime/icept/string/string_access.h"
#include "runtime/libc/sys.h"
#include "runtime/icept/io/transfer.h"
#include "runtime/libc/user_mem.h"
#include "runtime/started/stand_by.h"

#define NO_FD (-1) /* of the event of a call that is about no descriptor */

/* ---- leaving control ------------------------------------------------------------ */

/* A child shares our memory and has our handlers until it has released control:
 * no signal may reach it before. */
static __thread u64 held_mask __attribute__((tls_model("initial-exec")));

void hd_process_hold_signals(void)
{
    u64 all = ~0ull;
    if (hd_rt.is_on)
        hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &all, &held_mask, 8);
}

void hd_process_let_signals(void)
{
    if (!hd_rt.is_on)
        return;
    if (hd_tls.is_known) /* atfork handlers may have changed the mask */
        hd_sig_set_mask(hd_sig_mask());
    else
        hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &held_mask, 0, 8);
}

void hd_process_release_child(void)
{
    if (!hd_rt.is_on)
        return;
    hd_child_clock_begin();
    hd_rt.is_on = false;
    /* Hooks may still write where they wrote before: to a copy from now on. */
    hd_sys(SYS_mmap, hd_rt.run, hd_shm_shared_bytes() - hd_shm_server_bytes(),
           PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, HD_SHM_FD,
           hd_shm_server_bytes());
    for (int fd = HD_SHM_FD; fd <= HD_LAST_FD; fd++)
        hd_sys(SYS_close, fd);
    hd_sys(SYS_sched_setaffinity, 0, sizeof hd_original_affinity, &hd_original_affinity);
    hd_sig_release_child();
}

/* libc runs atfork handlers inside fork. Ours is registered before any of the
 * program's, so in the child it comes first: theirs run uncontrolled. Ours is the
 * last one before the fork, and the first one after it. */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                             void *dso);

__attribute__((constructor(102))) static void follow_forks(void)
{
    __register_atfork(hd_process_hold_signals, hd_process_let_signals, hd_process_release_child,
                      NULL);
    __register_atfork(hd_stand_by_forks, NULL, hd_stand_by_forked, NULL);
}

void hd_child_call_begin(struct hd_child_call *o, const char *call, u64 site)
{
    hd_io_quiet_step(-1, site);
    hd_uncontrolled(HD_UNC_CHILD, call);
    hd_child_expect();
    for (int fd = HD_SHM_FD; fd <= HD_LAST_FD; fd++)
        hd_sys(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC);
    o->is_pinned = hd_rt.server->cfg.cpu >= 0;
    if (o->is_pinned) {
        hd_sys(SYS_sched_getaffinity, 0, sizeof o->pinned, &o->pinned);
        hd_sys(SYS_sched_setaffinity, 0, sizeof hd_original_affinity, &hd_original_affinity);
    }
}

void hd_child_call_end(const struct hd_child_call *o)
{
    if (o->is_pinned)
        hd_sys(SYS_sched_setaffinity, 0, sizeof o->pinned, &o->pinned);
}

/* ---- fork --------------------------------------------------------------------------- */

static void forked(u64 site, const char *call)
{
    hd_io_quiet_step(-1, site);
    hd_uncontrolled(HD_UNC_CHILD, call);
    hd_child_expect();
    hd_shared_before_fork();
}

/* In the parent as in the child; 0 in the child. */
static pid_t made(pid_t pid)
{
    if (pid > 0 && hd_rt.is_on)
        hd_child_made(pid);
    return pid;
}

HD_EXPORT pid_t fork(void)
{
    if (hd_on())
        forked(HD_SITE(), "fork");
    return made(HD_REAL(fork)());
}
HD_ALIAS(__fork, fork);

HD_EXPORT pid_t _Fork(void)
{
    if (hd_on())
        forked(HD_SITE(), "_Fork");
    hd_process_hold_signals();
    pid_t pid = HD_REAL(_Fork) ? HD_REAL(_Fork)() : (pid_t)hd_sys(SYS_fork, 0);
    if (pid == 0)
        hd_process_release_child();
    else
        hd_process_let_signals();
    return made(pid);
}

/* As fork, because the child must not run on our stack; but the parent waits
 * until the child has left or become another program: then the write end of a
 * pipe is closed. */
pid_t hd_process_vfork(void)
{
    int fd[2];
    if (hd_sys(SYS_pipe2, fd, O_CLOEXEC) < 0)
        fd[0] = fd[1] = -1;
    hd_process_hold_signals();
    pid_t pid = HD_REAL(_Fork) ? HD_REAL(_Fork)() : (pid_t)hd_sys(SYS_fork, 0);
    if (pid == 0) {
        hd_process_release_child();
        if (fd[0] >= 0) { /* the program's next descriptor gets the number it expects */
            long high = hd_sys(SYS_fcntl, fd[1], F_DUPFD_CLOEXEC, HD_SHM_FD);
            hd_sys(SYS_close, fd[0]);
            if (high >= 0)
                hd_sys(SYS_close, fd[1]);
        }
        return 0;
    }
    hd_process_let_signals();
    if (fd[0] >= 0) {
        char none;
        hd_sys(SYS_close, fd[1]);
        if (pid > 0)
            while (hd_sys(SYS_read, fd[0], &none, 1) == -EINTR)
                ;
        hd_sys(SYS_close, fd[0]);
    }
    return made(pid);
}

HD_EXPORT pid_t vfork(void)
{
    if (!hd_on())
        return HD_REAL(fork)();
    forked(HD_SITE(), "vfork");
    return hd_process_vfork();
}
HD_ALIAS(__vfork, vfork);

/* The program goes on in this process: a parent that leaves and a child nobody
 * controls would be the end of the run. */
HD_EXPORT int daemon(int keep_dir, int keep_fds)
{
    if (!hd_on())
        return HD_REAL(daemon)(keep_dir, keep_fds);
    hd_io_quiet_step(-1, HD_SITE());
    hd_sys(SYS_setsid, 0);
    if (!keep_dir)
        hd_sys(SYS_chdir, "/");
    if (!keep_fds) {
        long fd = hd_sys(SYS_open, "/dev/null", O_RDWR, 0);
        for (int i = 0; i < 3 && fd >= 0; i++)
            hd_sys(SYS_dup2, fd, i);
        if (fd > 2)
            hd_sys(SYS_close, fd);
    }
    return 0;
}

/* ---- wait ----------------------------------------------------------------------------- */

struct child_wait {
    idtype_t type;
    id_t id;
    int options; /* of waitid, without WNOHANG */
};

static int child_changed(void *arg)
{
    struct child_wait *c = arg;
    siginfo_t info;
    info.si_pid = 0;
    long r = hd_sys(SYS_waitid, c->type, c->id, &info, c->options | WNOHANG | WNOWAIT, 0);
    return r < 0 || info.si_pid != 0; /* an error is an answer, too */
}

/* For a replay: the child's number, or the error. That there was none yet (WNOHANG) is not
 * noted: a loop that polls would fill the table, and where nothing was noted there was none. */
static void note(pid_t r)
{
    if (r)
        hd_io_result_note(NO_FD, r > 0 ? (s64)hd_child_number(r) : -errno);
}

static bool has_changed(void *arg) { return child_changed(arg); }

/* Waits for the step of the call and for a child. In a replay *c becomes the very
 * child of the recorded run. 0, an errno, or -1: no child yet (WNOHANG). */
static int wait_child(struct child_wait *c, int options, u64 site, u8 op_flags)
{
    int err = 0;
    c->options = options & ~(WNOWAIT | WNOHANG);
    if (options & WNOHANG) {
        hd_io_step(NO_FD, site);
    } else {
        struct hd_wait w = {.probe = child_changed, .arg = c};
        err = hd_wait_full(&w, HD_NEVER, NO_FD, site, op_flags,
                           HD_WAIT_EXTERNAL | HD_WAIT_RECORDED);
    }
    const struct hd_io_result *a = err ? NULL : hd_io_result_now(NO_FD);
    if (err)
        hd_io_result_note(NO_FD, -err);
    bool is_known = hd_io_result_is_replayed() && hd_rt.host->n_script_io_results < HD_SHM_IO_RESULTS;
    if (!a && options & WNOHANG && is_known)
        return -1;
    if (!a || a->value < 0)
        return err;
    if (a->value == 0)
        return options & WNOHANG ? -1 : 0;
    pid_t pid = hd_child_pid((u32)a->value);
    if (pid > 0) {
        *c = (struct child_wait){P_PID, (id_t)pid, c->options};
        hd_io_result_until(has_changed, c);
    }
    return 0;
}

/* The end of a wait for any child, or for one: is a child no more? */
static void follow_end(pid_t r, int status, bool any)
{
    if (r > 0 && (WIFEXITED(status) || WIFSIGNALED(status)))
        hd_child_reaped(r);
    else if (r < 0 && errno == ECHILD && any)
        hd_child_reaped(-1);
}

pid_t hd_process_wait(pid_t pid, int *status, int options, struct rusage *usage, u64 site,
                      u8 op_flags)
{
    struct child_wait c = {.type = pid == -1 ? P_ALL : pid > 0 ? P_PID : P_PGID,
                           .id = pid > 0 ? (id_t)pid : pid < -1 ? (id_t)-pid : 0};
    /* WUNTRACED is WSTOPPED; the others mean the same to waitid. */
    int flags =
        WEXITED | (options & (WUNTRACED | WCONTINUED | WNOHANG | __WALL | __WCLONE | __WNOTHREAD));
    idtype_t type = c.type;
    int err = wait_child(&c, flags, site, op_flags);
    if (err > 0)
        return (pid_t)hd_fail(err);
    if (c.type != type)
        pid = (pid_t)c.id;
    int own = 0;
    pid_t r = err ? 0 : HD_REAL(wait4)(pid, status ? status : &own, options, usage);
    note(r);
    follow_end(r, r > 0 && status ? *status : own, pid == -1);
    hd_io_dirty = true;
    if (r > 0 && status)
        hd_access(status, sizeof *status, true, site);
    if (r > 0 && usage)
        hd_writes(usage, sizeof *usage, site);
    if (r == 0)
        hd_io_no_progress(site);
    return r;
}

HD_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
    if (!hd_on())
        return HD_REAL(waitpid)(pid, status, options);
    return hd_process_wait(pid, status, options, NULL, HD_SITE(), HD_IO_FLAGS);
}
HD_ALIAS(__waitpid, waitpid);

HD_EXPORT pid_t wait(int *status)
{
    if (!hd_on())
        return HD_REAL(wait)(status);
    return hd_process_wait(-1, status, 0, NULL, HD_SITE(), HD_IO_FLAGS);
}
HD_ALIAS(__wait, wait);

HD_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
    if (!hd_on())
        return HD_REAL(wait3)(status, options, usage);
    return hd_process_wait(-1, status, options, usage, HD_SITE(), HD_IO_FLAGS);
}

HD_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    if (!hd_on())
        return HD_REAL(wait4)(pid, status, options, usage);
    return hd_process_wait(pid, status, options, usage, HD_SITE(), HD_IO_FLAGS);
}

HD_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    if (!hd_on())
        return HD_REAL(waitid)(type, id, info, options);
    u64 site = HD_SITE();
    struct child_wait c = {.type = type, .id = id};
    siginfo_t own;
    int err = wait_child(&c, options, site, HD_IO_FLAGS);
    if (err > 0)
        return (int)hd_fail(err);
    hd_io_dirty = true;
    own.si_pid = 0;
    int r = err ? 0 : HD_REAL(waitid)(c.type, c.id, &own, options);
    if (err)
        hd_memset(&own, 0, sizeof own);
    note(r ? -1 : own.si_pid);
    if (!(options & WNOWAIT) && (r || own.si_code != CLD_STOPPED))
        follow_end(r ? -1 : own.si_pid,
                   own.si_code == CLD_CONTINUED || own.si_code == CLD_TRAPPED ? 0xffff : 0,
                   type == P_ALL);
    if (!r && info) {
        hd_writes(info, sizeof *info, site);
        if (!hd_user_write(info, &own, sizeof own))
            return (int)hd_fail(EFAULT);
    }
    return r;
}
