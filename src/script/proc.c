/* proc.c: one command of a script, and everything it starts.
 *
 *   heddle --fork--> keeper --fork--> command (a process group of its own)
 *          <-------- status             ... its children, daemons and all
 *          close --->  kills the group and whatever it has inherited, ends
 *
 * The keeper is a subreaper: a process that left the group (setsid, a daemon)
 * becomes its child. It ends its work when heddle says so by closing the
 * socket, and a heddle that is killed closes it, too: nothing is left behind.
 * What setup leaves running in the background lives as long as its keeper.
 */
#include "script/script.h"
#include "process/stray.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- in the command's process ------------------------------------------------------ */

struct command {
    char *const *argv;
    bool is_shell;
    char *const *extra;
    const char *cwd;
    int out;
};

/* Nothing of heddle's but standard streams. */
static void close_others(int keep)
{
    if (keep > 3)
        syscall(SYS_close_range, 3, keep - 1, 0);
    syscall(SYS_close_range, HD_MAX(keep + 1, 3), ~0u, 0);
}

static void command(void *self)
{
    const struct command *c = self;
    char *const *argv = c->argv, *const *extra = c->extra;
    char *shell[] = {(char *)"sh", (char *)"-c", argv[0], NULL};
    int out = c->out;
    close_others(out);
    int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
        _exit(126);
    for (; extra && *extra; extra++)
        putenv(*extra);
    if (chdir(c->cwd)) {
        dprintf(2, "cannot enter %s: %s\n", c->cwd, strerror(errno));
        _exit(126);
    }
    if (c->is_shell)
        execv("/bin/sh", shell);
    else
        execvp(argv[0], argv);
    dprintf(2, "cannot run %s: %s\n", c->is_shell ? "/bin/sh" : argv[0], strerror(errno));
    _exit(127);
}

/* ---- in the keeper -------------------------------------------------------------------- */

static void put_signals(void (*what)(int))
{
    static const int all[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ};
    for (u32 i = 0; i < HD_COUNT(all); i++)
        signal(all[i], what);
}

_Noreturn static void clean_up(pid_t group)
{
    int status;
    kill(-group, SIGKILL);
    pid_t left = waitpid(-1, &status, WNOHANG);
    if (left >= 0 || errno != ECHILD)
        hd_stray_kill(NULL, 0, 0); /* all that are children of this process */
    _exit(0);
}

_Noreturn static void keep(pid_t pid, int sock)
{
    int status = 0, fd = (int)syscall(SYS_pidfd_open, pid, 0);
    bool is_over = false;
    for (;;) {
        struct pollfd p[] = {{sock, POLLIN, 0}, {is_over ? -1 : fd, POLLIN, 0}};
        if (poll(p, 2, -1) < 0)
            continue;
        if (p[0].revents)
            clean_up(pid);
        if (p[1].revents && waitpid(pid, &status, WNOHANG) == pid) {
            is_over = true;
            if (write(sock, &status, sizeof status) != sizeof status)
                clean_up(pid);
        }
    }
}

_Noreturn static void keeper(void (*become)(void *self), void *self, int sock)
{
    sigset_t none;
    setsid(); /* without a terminal: a command that asks for one is told, and not stopped */
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    put_signals(SIG_DFL);
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        become(self);
        _exit(126);
    }
    put_signals(SIG_IGN);
    if (pid < 0)
        _exit(126);
    close_others(sock); /* the other ends must see us close */
    setpgid(pid, pid);  /* both sides do it: whoever comes first */
    keep(pid, sock);
}

/* ---- in heddle ---------------------------------------------------------------------------- */

int hd_script_proc_become(struct hd_script_proc *p, void (*become)(void *self), void *self)
{
    int sock[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sock))
        return -errno;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        keeper(become, self, sock[1]);
    int e = pid < 0 ? -errno : 0;
    close(sock[1]);
    if (e) {
        close(sock[0]);
        return e;
    }
    p->fd = sock[0];
    p->pid = pid;
    p->is_over = false;
    return 0;
}

int hd_script_proc_start(struct hd_script_proc *p, char *const *argv, bool is_shell,
                         char *const *extra, const char *cwd)
{
    hd_script_proc_release(p);
    int out = memfd_create("heddle-command", MFD_CLOEXEC);
    if (out < 0)
        return -errno;
    struct command c = {argv, is_shell, extra, cwd, out};
    int e = hd_script_proc_become(p, command, &c);
    if (e)
        close(out);
    else
        p->out = out;
    return e;
}

bool hd_script_proc_poll(struct hd_script_proc *p)
{
    int status;
    if (p->is_over || !p->pid)
        return true;
    ssize_t n = recv(p->fd, &status, sizeof status, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    p->status = n == sizeof status ? status : SIGKILL; /* somebody killed the keeper */
    p->is_over = true;
    return true;
}

void hd_script_proc_end(struct hd_script_proc *p)
{
    if (!p->pid)
        return;
    close(p->fd);
    while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    p->pid = 0;
    if (!p->is_over)
        p->status = SIGKILL;
    p->is_over = true;
}

void hd_script_proc_release(struct hd_script_proc *p)
{
    hd_script_proc_end(p);
    if (p->out > 0)
        close(p->out);
    memset(p, 0, sizeof *p);
}

void hd_script_last_words(int fd, char *buf, size_t size)
{
    struct stat st;
    buf[0] = '\0';
    if (fd < 0 || fstat(fd, &st))
        return;
    off_t from = st.st_size > (off_t)(size - 1) ? st.st_size - (off_t)(size - 1) : 0;
    ssize_t n = pread(fd, buf, size - 1, from);
    buf[n > 0 ? n : 0] = '\0';
    for (size_t end = strlen(buf); end && (buf[end - 1] == '\n' || buf[end - 1] == ' '); end--)
        buf[end - 1] = '\0';
    for (char *p = buf; *p; p++)
        if ((u8)*p < ' ')
            *p = ' ';
}
