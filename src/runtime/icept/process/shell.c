/* shell.c: system and popen. libc waits for the shell inside them, where
 * nobody else could run; so they are done anew here, with a controlled wait. */
#include "runtime/icept/process/process.h"

#include "runtime/icept/process/child.h"
#include "runtime/icept/signal/signals.h"
#include "runtime/libc/sys.h"
#include "runtime/icept/io/transfer.h"

extern char **environ;

/* What popen opened: taken before anyone else can run, so that no two calls share an entry. */
#define MAX_POPEN 256
static struct {
    FILE *f;
    int fd;
    pid_t pid;
} opened[MAX_POPEN];

/* Between fork and exec only system calls: the child has the program's memory
 * and none of its threads. */
static _Noreturn void be_shell(const struct hd_shell *sh)
{
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        u64 mask;
    } dfl = {0};
    for (int signo = 1; signo <= 64; signo++)
        if (sh->default_signals & hd_sig_bit(signo))
            hd_sys(SYS_rt_sigaction, signo, &dfl, 0, 8);
    for (u32 i = 0; sh->is_popen && i < MAX_POPEN; i++) /* POSIX: not inherited by a later one */
        if (opened[i].f && opened[i].fd != sh->to)
            hd_sys(SYS_close, opened[i].fd);
    if (sh->from >= 0) {
        if (sh->from == sh->to)
            hd_sys(SYS_fcntl, sh->to, F_SETFD, 0);
        else
            hd_sys(SYS_dup2, sh->from, sh->to);
    }
    hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &sh->mask, 0, 8);
    const char *argv[] = {"sh", "-c", sh->command, NULL};
    hd_sys(SYS_execve, "/bin/sh", argv, environ);
    for (;;)
        hd_sys(SYS_exit_group, 127);
}

long hd_process_shell(const struct hd_shell *sh, u64 site, const char *call)
{
    struct hd_child_call o;
    hd_child_call_begin(&o, call, site);
    /* The trampoline must not run in the child: it would write to our memory,
     * which is a copy there, and the signal would be lost. */
    u64 all = ~0ull, before;
    hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, 8);
    long pid = hd_sys(SYS_fork, 0);
    if (pid == 0)
        be_shell(sh);
    hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &before, 0, 8);
    hd_child_call_end(&o);
    hd_child_made((pid_t)pid);
    return pid;
}

/* ---- system ----------------------------------------------------------------------- */

/* While any thread is in system(), SIGINT and SIGQUIT are ignored. */
static u32 n_in_system;
static struct sigaction saved_int, saved_quit;

static u64 ignore_terminal_signals(void)
{
    struct sigaction ign = {.sa_handler = SIG_IGN};
    if (n_in_system++ == 0) {
        saved_int = *hd_sig_get(SIGINT);
        saved_quit = *hd_sig_get(SIGQUIT);
        hd_sig_set(SIGINT, &ign);
        hd_sig_set(SIGQUIT, &ign);
    }
    return (saved_int.sa_handler == SIG_IGN ? 0 : hd_sig_bit(SIGINT)) |
           (saved_quit.sa_handler == SIG_IGN ? 0 : hd_sig_bit(SIGQUIT));
}

static void restore_terminal_signals(void)
{
    if (--n_in_system == 0) {
        hd_sig_set(SIGINT, &saved_int);
        hd_sig_set(SIGQUIT, &saved_quit);
    }
}

static int run_command(const char *command, u64 site)
{
    u64 before = hd_sig_mask();
    u64 reset = ignore_terminal_signals();
    hd_sig_set_mask(before | hd_sig_bit(SIGCHLD));
    struct hd_shell sh = {.command = command, .from = -1, .mask = before, .default_signals = reset};
    long pid = hd_process_shell(&sh, site, "system");
    int status = -1, err = pid < 0 ? (int)-pid : 0;
    while (pid > 0 && hd_process_wait((pid_t)pid, &status, 0, NULL, site, 0) < 0)
        if (errno != EINTR) {
            err = errno;
            status = -1;
            break;
        }
    restore_terminal_signals();
    hd_sig_set_mask(before);
    hd_sig_deliver_now();
    if (err)
        errno = err;
    return status;
}

HD_EXPORT int system(const char *command)
{
    if (!hd_on())
        return HD_REAL(system)(command);
    if (!command)
        return run_command("exit 0", HD_SITE()) == 0;
    return run_command(command, HD_SITE());
}

/* ---- popen -------------------------------------------------------------------------- */

static FILE *open_shell(const char *command, bool is_read, bool is_cloexec, u64 site)
{
    int fd[2];
    u32 slot = 0;
    if (HD_REAL(pipe2)(fd, O_CLOEXEC))
        return NULL;
    int ours = fd[!is_read], theirs = fd[is_read];
    FILE *f = fdopen(ours, is_read ? "r" : "w");
    while (slot < MAX_POPEN && opened[slot].f)
        slot++;
    if (!f || slot == MAX_POPEN) {
        int err = f ? EMFILE : errno;
        if (f)
            fclose(f);
        else
            hd_sys(SYS_close, ours);
        hd_sys(SYS_close, theirs);
        errno = err;
        return NULL;
    }
    opened[slot].f = f;
    opened[slot].fd = ours;
    struct hd_shell sh = {.command = command, .from = theirs, .to = is_read, .is_popen = true,
                          .mask = hd_sig_mask()};
    long pid = hd_process_shell(&sh, site, "popen");
    hd_sys(SYS_close, theirs);
    if (pid < 0) {
        fclose(f);
        opened[slot].f = NULL;
        errno = (int)-pid;
        return NULL;
    }
    if (!is_cloexec)
        hd_sys(SYS_fcntl, ours, F_SETFD, 0);
    opened[slot].pid = (pid_t)pid;
    return f;
}

HD_EXPORT FILE *popen(const char *command, const char *mode)
{
    if (!hd_on())
        return HD_REAL(popen)(command, mode);
    bool is_read = false, is_write = false, is_cloexec = false, is_bad = false;
    for (const char *m = mode; *m; m++) {
        is_read |= *m == 'r';
        is_write |= *m == 'w';
        is_cloexec |= *m == 'e';
        is_bad |= *m != 'r' && *m != 'w' && *m != 'e';
    }
    if (is_bad || is_read == is_write) {
        errno = EINVAL;
        return NULL;
    }
    return open_shell(command, is_read, is_cloexec, HD_SITE());
}

HD_EXPORT int pclose(FILE *f)
{
    if (!hd_on())
        return HD_REAL(pclose)(f);
    u64 site = HD_SITE();
    for (u32 i = 0; i < MAX_POPEN; i++) {
        if (opened[i].f != f)
            continue;
        pid_t pid = opened[i].pid;
        fclose(f); /* others of popen do not inherit it as long as it is open */
        opened[i].f = NULL;
        hd_io_dirty = true;
        int status;
        while (hd_process_wait(pid, &status, 0, NULL, site, 0) < 0)
            if (errno != EINTR)
                return -1;
        return status;
    }
    return HD_REAL(pclose)(f);
}
