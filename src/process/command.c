/* command.c: see command.h. */
#include "process/command.h"
#include "process/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stop.h"

#define POLL_MS 250 /* between two looks whether it is time to stop */
#define NOT_STARTED 100

int hd_read_file(const char *path, char **text, size_t *n)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int e = fstat(fd, &st) ? -errno : S_ISDIR(st.st_mode) ? -EISDIR : 0;
    size_t cap = e ? 0 : (size_t)st.st_size + 1, at = 0;
    char *buf = e ? NULL : malloc(cap + 1);
    if (!e && !buf)
        e = -ENOMEM;
    while (!e) {
        ssize_t k = read(fd, buf + at, cap - at);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            e = -errno;
        if (k <= 0)
            break;
        at += (size_t)k;
        if (at == cap) { /* a pipe, or it grew */
            char *grown = realloc(buf, 2 * cap + 1);
            if (!grown) {
                e = -ENOMEM;
                break;
            }
            buf = grown;
            cap *= 2;
        }
    }
    close(fd);
    if (e) {
        free(buf);
        return e;
    }
    buf[at] = '\0';
    *text = buf;
    *n = at;
    return 0;
}

_Noreturn static void child(const char *text, const struct hd_worker *w, const char *cwd, int out,
                            int host)
{
    char path[64];
    sigset_t none;
    setpgid(0, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    hd_signals_default();
    snprintf(path, sizeof path, "/proc/%d/fd/%d", host, w->out_fd);
    setenv("HEDDLE_STDOUT", path, 1);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", host, w->err_fd);
    setenv("HEDDLE_STDERR", path, 1);
    snprintf(path, sizeof path, "%llu", (unsigned long long)w->host->cmd.first_run);
    setenv("HEDDLE_RUN", path, 1);
    snprintf(path, sizeof path, "%u", w->index);
    setenv("HEDDLE_WORKER", path, 1);
    int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
        _exit(126);
    if (cwd && chdir(cwd)) {
        dprintf(2, "cannot enter %s: %s", cwd, strerror(errno));
        _exit(126);
    }
    execl("/bin/sh", "sh", "-c", text, (char *)NULL);
    _exit(126);
}

/* See hd_command_run. */
static int await(int pid, u32 timeout_ms)
{
    int status = 0;
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    s64 until = hd_monotonic_ns() + (s64)timeout_ms * 1000000;
    bool is_late = false, is_over = false;
    for (;;) {
        struct pollfd p = {fd, POLLIN, 0};
        s64 left = (until - hd_monotonic_ns()) / 1000000;
        is_over |= !is_late && hd_stop_is_late();
        if ((left <= 0 || is_over) && !is_late) {
            is_late = true;
            kill(-pid, SIGKILL);
            kill(pid, SIGKILL);
        }
        int n = poll(&p, 1, is_late ? -1 : (int)HD_MIN(left + 1, (s64)POLL_MS));
        if (n > 0)
            break;
    }
    close(fd);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    kill(-pid, SIGKILL); /* what it left running in the background */
    return is_over ? HD_COMMAND_CUT : is_late ? HD_COMMAND_LATE : status;
}

/* What it said, in one line. */
static void read_words(int fd, char *buf, size_t size)
{
    ssize_t n = pread(fd, buf, size - 1, 0);
    buf[n > 0 ? n : 0] = '\0';
    for (size_t end = strlen(buf); end && (buf[end - 1] == '\n' || buf[end - 1] == ' '); end--)
        buf[end - 1] = '\0';
    for (char *p = buf; *p; p++)
        if ((u8)*p < ' ')
            *p = ' ';
}

int hd_command_run(const struct hd_worker *w, const char *text, const char *cwd, u32 timeout_ms,
                   char words[HD_COMMAND_WORDS])
{
    int out = memfd_create("heddle-command", MFD_CLOEXEC), host = (int)getpid();
    words[0] = '\0';
    fflush(NULL);
    pid_t pid = out < 0 ? -1 : fork();
    if (pid == 0)
        child(text, w, cwd, out, host);
    if (pid < 0) {
        int e = errno;
        if (out >= 0)
            close(out);
        return -e - NOT_STARTED;
    }
    hd_interrupt_add(pid);
    int status = await(pid, timeout_ms);
    hd_interrupt_remove(pid);
    read_words(out, words, HD_COMMAND_WORDS);
    close(out);
    return status;
}

void hd_command_how(int status, u32 timeout_ms, char *buf, size_t size)
{
    if (status <= -NOT_STARTED)
        snprintf(buf, size, "could not be started: %s", strerror(-status - NOT_STARTED));
    else if (status == HD_COMMAND_LATE)
        snprintf(buf, size, "did not end within %g s", timeout_ms / 1e3);
    else if (WIFSIGNALED(status))
        snprintf(buf, size, "was ended by %s", strsignal(WTERMSIG(status)));
    else
        snprintf(buf, size, "ended with status %d", WEXITSTATUS(status));
}

bool hd_command_is_missing(int status)
{
    return status <= -NOT_STARTED ||
           (status >= 0 && WIFEXITED(status) &&
            (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127));
}
