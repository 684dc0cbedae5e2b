/* show.c: what the target prints, copied to our own stdout and stderr.
 *
 * The target always writes into files in memory, never to the terminal: whether its
 * output is a terminal decides how stdio buffers, and so when it writes; a run shown
 * on a terminal and its replay in a pipe must be one and the same.
 */
#include "process/show.h"
#include "text/write.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

static void copy(int from, int to, u64 *at)
{
    char buf[16384];
    ssize_t n;
    if (to == STDOUT_FILENO)
        fflush(stdout);
    while ((n = pread(from, buf, sizeof buf, (off_t)*at)) > 0) {
        *at += (u64)n;
        if (hd_write_all(to, buf, (size_t)n))
            return;
    }
}

void hd_show_begin(struct hd_worker *w)
{
    if (!w->is_visible)
        return;
    /* The server empties them, too, but maybe after we have looked. */
    if (ftruncate(w->out_fd, 0) || ftruncate(w->err_fd, 0))
        w->is_visible = false;
    w->copied[0] = w->copied[1] = 0;
}

void hd_show(struct hd_worker *w)
{
    if (!w->is_visible)
        return;
    copy(w->out_fd, STDOUT_FILENO, &w->copied[0]);
    copy(w->err_fd, STDERR_FILENO, &w->copied[1]);
}

int hd_show_beside(struct hd_worker *w)
{
    pid_t parent = getpid(), pid = fork();
    if (pid)
        return pid < 0 ? -errno : 0;
    signal(SIGINT, SIG_IGN); /* gdb's business */
    signal(SIGQUIT, SIG_IGN);
    w->is_visible = true;
    do {
        hd_show(w);
        usleep(20000);
    } while (getppid() == parent);
    hd_show(w);
    _exit(0);
}
