/* run.c: the command around one worker's runs (struct hd_phases).
 *
 *   begin     the command is started, 'C' waits for whoever becomes the server
 *   step      processes ask; the one that is meant gets the shared memory (ATTACHED)
 *   ended     'D': its run is over, and the command goes on
 *   step      the command is over: the verdict
 *
 * The program's own failure counts, whatever the command makes of it. That it only ended with a
 * status other than 0 is the command's business: a test may be there to see that. A command that
 * fails although the program did not is a finding as well.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "children/children.h"
#include "process/inherit.h"
#include "process/stray.h"
#include "script/script.h"

#define CUT_SIGNAL SIGSYS       /* makes the runtime write down where every thread is */
#define CUT_NS 500000000ll      /* until a run that was cut is killed for good */
#define POLL_MS 20              /* how often the clock is looked at */
#define REPLAY_PATIENCE_MS 2000 /* as for scripts: others may need longer to come than they did */
#define LOOSE_PATIENCE_MS 200

struct hd_children_run {
    const struct hd_children *of;
    struct hd_children_command command;
    char ask[HD_ASK_NAME];
    char **env;
    struct hd_listener listener;
    int epoll, cmd_read, reply_write;
    struct hd_script_proc proc;
    /* of the present run */
    u32 asked;         /* processes so far that could be meant */
    bool is_busy, is_attached, has_ended, is_lost, is_cut, is_late;
    s64 deadline_ns, cut_ns;
    char how[96];      /* the command ended, in words; "" = well */
};

/* ---- a worker ---------------------------------------------------------------------------- */

static void detach(struct hd_worker *w)
{
    struct hd_children_run *r = w->children;
    if (!r)
        return;
    hd_script_proc_release(&r->proc);
    hd_children_listen_end(&r->listener);
    int *fd[] = {&r->epoll, &r->cmd_read, &r->reply_write};
    for (u32 i = 0; i < HD_COUNT(fd); i++)
        if (*fd[i] >= 0)
            close(*fd[i]);
    hd_launch_env_free(r->env);
    free(r);
    w->children = NULL;
}

static int attach(struct hd_worker *w, struct hd_launch *l, struct hd_error *err)
{
    int cmd[2] = {-1, -1}, reply[2] = {-1, -1};
    struct hd_children_run *r = calloc(1, sizeof *r);
    if (!r)
        return hd_error_set(err, -ENOMEM, "out of memory");
    w->children = r;
    r->of = l->children;
    r->cmd_read = r->reply_write = -1;
    r->epoll = epoll_create1(EPOLL_CLOEXEC);
    int e = hd_children_listen(&r->listener, r->ask);
    if (r->epoll < 0 || e || pipe2(cmd, O_CLOEXEC) || pipe2(reply, O_CLOEXEC))
        return hd_error_set(err, -EMFILE, "out of descriptors while starting");
    epoll_ctl(r->epoll, EPOLL_CTL_ADD, r->listener.fd, &(struct epoll_event){.events = EPOLLIN});
    w->cmd_fd = cmd[1];
    w->reply_fd = reply[0];
    r->cmd_read = cmd[0];
    r->reply_write = reply[1];
    r->command = (struct hd_children_command){
        .argv = l->argv, .cwd = l->cwd, .inherited = w->inherited, .more = l->env,
        .out = w->out_fd, .err = w->err_fd, .in = -1, .ask = r->ask};
    r->env = hd_children_env(&r->command, err);
    return r->env ? 0 : -ENOENT;
}

/* ---- a run begins ------------------------------------------------------------------------ */

static void empty(int fd)
{
    if (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET))
        return; /* a memfd: both succeed */
}

/* A command for a process that never came. */
static void drop_command(const struct hd_children_run *r)
{
    struct pollfd p = {r->cmd_read, POLLIN, 0};
    char byte;
    while (poll(&p, 1, 0) > 0 && read(r->cmd_read, &byte, 1) == 1)
        ;
}

static void configure(const struct hd_worker *w, struct hd_config *cfg)
{
    const struct hd_children *of = w->children->of;
    cfg->mode |= HD_MODE_DRIVEN | HD_MODE_STARTED;
    cfg->is_forked = of->is_forked;
    if (!(cfg->mode & HD_MODE_REPLAY))
        cfg->instance = of->instance[w->sent.first_run % of->n_instances];
    else if (!cfg->instance || cfg->mode & HD_MODE_SEARCH)
        cfg->instance = of->instance[0];
    if (cfg->mode & HD_MODE_REPLAY)
        cfg->patience_ms =
            HD_MAX(cfg->patience_ms,
                   cfg->mode & HD_MODE_STRICT ? (u32)REPLAY_PATIENCE_MS : (u32)LOOSE_PATIENCE_MS);
}

static int begin(struct hd_worker *w)
{
    struct hd_children_run *r = w->children;
    configure(w, &w->host->cfg);
    w->host->is_driving = 1;
    drop_command(r);
    empty(w->out_fd);
    empty(w->err_fd);
    r->asked = 0;
    r->is_attached = r->has_ended = r->is_lost = r->is_cut = r->is_late = false;
    r->how[0] = '\0';
    r->deadline_ns = hd_monotonic_ns() + (s64)r->of->timeout_ms * 1000000;
    r->command.in = hd_children_input(w->in_fd);
    int e = r->command.in < 0 ? -errno : hd_children_start(&r->proc, &r->command, r->env);
    if (r->command.in >= 0)
        close(r->command.in);
    if (!e)
        e = hd_worker_go(w);
    if (e)
        return e;
    epoll_ctl(r->epoll, EPOLL_CTL_ADD, r->proc.fd, &(struct epoll_event){.events = EPOLLIN});
    r->is_busy = w->is_busy = true;
    return 0;
}

/* ---- processes ask ----------------------------------------------------------------------- */

static bool is_meant(struct hd_children_run *r, const struct hd_ask *a, const struct hd_config *cfg)
{
    bool is_forked = cfg->is_forked;
    if (r->is_attached || strcmp(a->exe, r->of->program))
        return false;
    if (is_forked ? a->kind != HD_ASK_THREADS || !a->is_forked : a->kind != HD_ASK_START)
        return false;
    return ++r->asked == cfg->instance;
}

static void reply_to_asks(struct hd_worker *w)
{
    struct hd_children_run *r = w->children;
    const int fds[HD_ASK_FDS] = {w->shm_fd, r->cmd_read, r->reply_write, w->host_fd};
    struct hd_ask a;
    char runtime[512];
    int pid, to;
    while (hd_children_asked(&r->listener, &a, &pid, &to)) {
        hd_children_runtime(&a, runtime, sizeof runtime);
        bool is_known = runtime[0] || a.kind == HD_ASK_THREADS;
        if (!is_known || !is_meant(r, &a, &w->sent_cfg)) {
            hd_children_reply(to, runtime[0] ? HD_REPLY_PASSIVE : HD_REPLY_FREE, runtime, NULL);
            continue;
        }
        w->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
        r->is_attached = hd_children_reply(to, HD_REPLY_CONTROL, runtime, fds) && w->pidfd >= 0;
        w->pid = r->is_attached ? pid : 0;
    }
}

/* ---- its end ------------------------------------------------------------------------------- */

static void forget(struct hd_worker *w)
{
    if (w->pidfd >= 0)
        close(w->pidfd);
    w->pidfd = -1;
    w->pid = 0;
}

static void ended(struct hd_worker *w)
{
    w->children->has_ended = true;
    forget(w);
}

/* The process is no more. Its 'D', if there is one, comes first. */
static void gone(struct hd_worker *w)
{
    struct pollfd p = {w->reply_fd, POLLIN, 0};
    w->children->is_lost = poll(&p, 1, 0) <= 0;
    if (w->children->is_lost)
        forget(w);
    else if (w->pidfd >= 0) {
        close(w->pidfd);
        w->pidfd = -1;
    }
}

static void set_verdict(struct hd_worker *w, u32 kind, const char *text)
{
    struct hd_verdict *v = &w->run.verdict;
    memset(v, 0, sizeof *v);
    v->kind = kind;
    snprintf(v->msg, sizeof v->msg, "%.*s", (int)sizeof v->msg - 1, text);
}

static bool is_fine(const struct hd_children *of, int status)
{
    if (!WIFEXITED(status))
        return false;
    for (u32 i = 0; i < of->n_exit_ok; i++)
        if (WEXITSTATUS(status) == of->exit_ok[i])
            return true;
    return !WEXITSTATUS(status);
}

static void last_words(const struct hd_worker *w, char *buf, size_t size)
{
    hd_script_last_words(w->err_fd, buf, size);
    if (!buf[0])
        hd_script_last_words(w->out_fd, buf, size);
}

/* Nothing was tested in this run. */
static void no_program(struct hd_worker *w)
{
    const struct hd_children_run *r = w->children;
    char words[200], text[sizeof w->run.verdict.msg];
    last_words(w, words, sizeof words);
    const char *sep = words[0] ? ": " : "";
    if (r->is_lost)
        snprintf(text, sizeof text, "%.300s was killed by another process of the command",
                 r->of->program);
    else if (r->is_attached)
        snprintf(text, sizeof text, "%.250s could not be taken over%s%.198s", r->of->program, sep, words);
    else
        snprintf(text, sizeof text,
                 "nothing was tested in this run: the command %s before it started %.150s%s%s%.150s",
                 r->is_late   ? "took too long (--timeout)"
                 : r->how[0] ? r->how
                             : "ended",
                 r->of->program, w->sent_cfg.instance > 1 ? " once more" : "", sep, words);
    set_verdict(w, HD_V_ENV, text);
    w->is_check_bad = w->is_untested = true;
}

static void judge(struct hd_worker *w)
{
    const struct hd_children_run *r = w->children;
    struct hd_verdict *v = &w->run.verdict;
    bool was_cut = r->is_cut && (v->kind == HD_V_NONE || (v->signo == CUT_SIGNAL &&
                                 (v->kind == HD_V_SIGNAL || v->kind == HD_V_BUG)));
    if (!r->has_ended) {
        no_program(w);
        return;
    }
    w->timed_out |= was_cut;
    if (r->is_late && (was_cut || v->kind == HD_V_CLEAN || v->kind == HD_V_EXIT)) {
        set_verdict(w, HD_V_LIMIT, "");
        v->limit = HD_RUN_LIMIT_TIME;
    } else if (was_cut || v->kind == HD_V_CLEAN || (v->kind == HD_V_EXIT && !r->how[0])) {
        char text[sizeof v->msg], words[200];
        last_words(w, words, sizeof words);
        snprintf(text, sizeof text, "The command `%.100s` %s%s%.198s", r->command.argv[0], r->how,
                 words[0] ? "\n" : "", words);
        int status = v->status;
        set_verdict(w, r->how[0] ? HD_V_CHECK : HD_V_CLEAN, r->how[0] ? text : "");
        v->status = status;
    }
}

/* ---- from time to time --------------------------------------------------------------------- */

/* The command is over, or must be; the program goes on. */
static void cut(struct hd_worker *w, s64 now)
{
    struct hd_children_run *r = w->children;
    int child = hd_worker_child(w);
    if (child <= 0 || hd_stray_parent(child) != w->pid)
        return;
    if (!r->is_cut)
        kill(child, CUT_SIGNAL);
    else if (now > r->cut_ns)
        kill(child, SIGKILL);
    else
        return;
    r->is_cut = true;
    r->cut_ns = now + CUT_NS;
}

static bool step(struct hd_worker *w)
{
    struct hd_children_run *r = w->children;
    s64 now = hd_monotonic_ns();
    if (!r->is_busy)
        return true;
    reply_to_asks(w);
    bool is_over = hd_script_proc_poll(&r->proc);
    if (!is_over && now > r->deadline_ns)
        r->is_late = true;
    if (!is_over && !r->is_late)
        return false;
    if (r->is_attached && !r->has_ended && !r->is_lost && now < r->deadline_ns + 4 * CUT_NS) {
        cut(w, now);
        return false;
    }
    if (is_over && !is_fine(r->of, r->proc.status))
        hd_script_how(r->proc.status, r->how, sizeof r->how);
    hd_script_proc_end(&r->proc);
    forget(w);
    r->is_busy = false;
    judge(w);
    return true;
}

static bool is_timed(const struct hd_worker *w) { return w->pid > 0; }

static int poll_fd(const struct hd_worker *w) { return w->children ? w->children->epoll : -1; }

static s64 poll_ms(const struct hd_worker *w, s64 at_most)
{
    return w->children && w->is_busy ? HD_MIN(at_most, (s64)POLL_MS) : at_most;
}

const struct hd_phases hd_children_phases = {
    .attach = attach, .detach = detach, .begin = begin, .ended = ended, .gone = gone,
    .step = step, .is_timed = is_timed, .fd = poll_fd, .poll_ms = poll_ms, .is_started_by_run = true,
};
