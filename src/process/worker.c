/* worker.c: the host's side of the conversation with one fork server (shm.h).
 *
 *   host     cfg, cmd -> 'C'                                      verdict?
 *   server               run, run, run (stops if not clean) -> 'D'
 *
 * While a batch is under way the host only looks at the clock: a run that takes
 * longer than allowed is killed, and the server reports its end as usual.
 */
#include "process/command.h"
#include "process/stray.h"
#include "process/show.h"
#include "process/interrupt.h"
#include "process/memory.h"
#include "process/oracle.h"
#include "process/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/stop.h"

#define GRACE_NS 5000000000ll /* beyond the time limit before the server itself counts as stuck */
#define MS 1000000ll
#define POLL_MS 250           /* at least this often, for the clock */
#define SHOW_MS 50            /* ... where a person reads what the program prints */
#define DRAIN_MS 4            /* ... where a ring may fill up, */
#define DRAIN_NS 300000ll     /* ... and at first after this, for short runs of a batch */
#define DRAIN_BUSY 8192       /* events at a time that mean: look again at once */

s64 hd_monotonic_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (s64)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

int hd_worker_send(struct hd_worker *w, u64 first_run, u32 count)
{
    struct hd_shm_host *m = w->host;
    m->cmd = w->sent = (struct hd_command){HD_CMD_RUN, count, first_run, m->cmd.number + 1};
    w->runs_before = m->runs_read = hd_worker_runs(w);
    m->ring_read = 0; /* the server begins anew, too */
    hd_snapshot_clear(&w->run);
    w->timed_out = false;
    hd_show_begin(w);
    if (w->around && !hd_around_begin(w)) {
        w->is_busy = w->is_refused = true; /* whoever waits for it learns of it */
        return 0;
    }
    return w->phases ? w->phases->begin(w) : hd_worker_go(w);
}

int hd_worker_go(struct hd_worker *w)
{
    w->sent_cfg = w->host->cfg;
    w->sent_ns = w->progress_ns = hd_monotonic_ns();
    w->progress_runs = 0;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    ssize_t n;
    do
        n = write(w->cmd_fd, "C", 1);
    while (n < 0 && errno == EINTR);
    if (n != 1)
        return n < 0 ? -errno : -EIO;
    w->is_busy = true;
    return 0;
}

u64 hd_worker_runs(const struct hd_worker *w)
{
    return __atomic_load_n(&w->run.shm.server->runs_done, __ATOMIC_ACQUIRE);
}

u64 hd_worker_done(const struct hd_worker *w)
{
    return HD_MIN(hd_worker_runs(w) - w->runs_before, (u64)w->sent.count);
}

int hd_worker_child(const struct hd_worker *w)
{
    return (int)__atomic_load_n(&w->run.shm.server->child, __ATOMIC_ACQUIRE);
}

/* When the present run began; no old date while the first child is made. */
static s64 started_ns(const struct hd_worker *w, s64 now)
{
    s64 ns = __atomic_load_n(&w->run.shm.server->run_started_ns, __ATOMIC_ACQUIRE);
    return ns > now ? w->progress_ns : HD_MAX(ns, w->sent_ns);
}

void hd_worker_take_back(struct hd_worker *w)
{
    hd_snapshot_take(&w->run, &w->sent_cfg, &w->sent, w->runs_before + hd_worker_done(w));
    w->run.started_ns = started_ns(w, hd_monotonic_ns());
}

/* Kills the running child if it is over its time. */
static void watch_clock(struct hd_worker *w, u32 timeout_ms)
{
    s64 now = hd_monotonic_ns(), limit = (s64)timeout_ms * 1000000;
    u64 done = hd_worker_done(w);
    int child = hd_worker_child(w);
    s64 started = started_ns(w, now);
    if (done > w->progress_runs) {
        w->progress_runs = done;
        w->progress_ns = now;
    }
    if (child > 0 && now - started > limit && hd_worker_child(w) == child &&
        hd_stray_parent(child) == w->pid) {
        w->timed_out = true;
        kill(child, SIGKILL);
    }
    if (now - w->progress_ns > limit + GRACE_NS)
        kill(-w->pid, SIGKILL); /* seen as a dead server by the caller */
}

/* The host's word on a run it killed. */
static void judge_killed(struct hd_worker *w)
{
    struct hd_verdict *v = &w->run.verdict;
    bool by_kill = v->kind == HD_V_NONE || (v->kind == HD_V_SIGNAL && v->signo == SIGKILL) ||
                   (WIFSIGNALED(v->status) && WTERMSIG(v->status) == SIGKILL);
    if (!w->timed_out)
        return;
    w->timed_out = by_kill;
    if (by_kill) {
        v->kind = HD_V_LIMIT;
        v->limit = HD_RUN_LIMIT_TIME;
        v->msg[0] = '\0';
    }
}

static bool finish(struct hd_worker *w)
{
    w->is_busy = false;
    hd_show(w);
    if (w->oracle)
        hd_oracle_judge(w->oracle, w);
    w->ended_ns = hd_monotonic_ns();
    hd_around_end(w);
    return true;
}

static bool is_finished(struct hd_worker *w, short reply, short ended)
{
    char byte = 0;
    if ((reply & POLLIN) && read(w->reply_fd, &byte, 1) == 1 && byte == 'D') {
        hd_worker_take_back(w);
        judge_killed(w);
        if (w->phases)
            w->phases->ended(w);
        else
            return finish(w);
    }
    if ((ended & POLLIN) && w->phases && w->phases->gone) {
        w->phases->gone(w);
    } else if ((ended & POLLIN) || ((reply & POLLHUP) && !(reply & POLLIN))) {
        hd_worker_take_back(w);
        w->is_busy = false;
        w->is_dead = true;
        return true;
    }
    return w->phases && w->phases->step(w) && finish(w);
}

/* Takes what the targets have put into their rings; returns how long to wait. What is
 * taken while a run goes on need not be taken while nothing does. Where events come they
 * are looked for often: a target whose ring is full stands still. */
static s64 drain(struct hd_worker *w, u32 n, s64 *quiet_since)
{
    for (u32 i = 0; i < n; i++) {
        if (!w[i].drain || !w[i].is_busy)
            continue;
        u64 events = w[i].drain(w[i].drain_self); /* one call is for all of them */
        s64 now = hd_monotonic_ns();
        if (events)
            *quiet_since = now;
        if (events >= DRAIN_BUSY)
            return 0;
        return HD_MAX(DRAIN_NS, HD_MIN((now - *quiet_since) / 4, DRAIN_MS * MS));
    }
    return POLL_MS * MS;
}

int hd_workers_wait(struct hd_worker *w, u32 n, u32 timeout_ms, s64 until_ns)
{
    struct pollfd *p = calloc(3 * (size_t)n + 1, sizeof *p);
    int ret = -2;
    s64 quiet_since = hd_monotonic_ns();
    if (!p)
        return -2;
    for (u32 i = 0; i < n; i++)
        if (w[i].is_busy && w[i].is_refused) {
            w[i].is_refused = w[i].is_busy = w[i].is_set_up = false;
            w[i].ended_ns = hd_monotonic_ns();
            free(p);
            return (int)i;
        }
    for (;;) {
        s64 wait_ns = drain(w, n, &quiet_since);
        s64 left = until_ns - hd_monotonic_ns();
        for (u32 i = 0; i < n; i++) {
            p[2 * i] = (struct pollfd){w[i].is_busy ? w[i].reply_fd : -1, POLLIN, 0};
            p[2 * i + 1] = (struct pollfd){w[i].is_busy ? w[i].pidfd : -1, POLLIN, 0};
            p[2 * n + 1 + i] = (struct pollfd){w[i].phases ? w[i].phases->fd(&w[i]) : -1, POLLIN, 0};
            hd_show(&w[i]);
            if (w[i].is_visible)
                wait_ns = HD_MIN(wait_ns, SHOW_MS * MS);
            if (w[i].phases)
                wait_ns = w[i].phases->poll_ms(&w[i], HD_MAX(wait_ns, MS) / MS) * MS;
        }
        p[2 * n] = (struct pollfd){hd_interrupt_count() ? -1 : hd_interrupt_fd(), POLLIN, 0};
        u32 seen = hd_interrupt_count();
        wait_ns = HD_MAX(HD_MIN(left, wait_ns), (s64)0);
        struct timespec ts = {wait_ns / (1000 * MS), wait_ns % (1000 * MS)};
        int k = ppoll(p, 3 * n + 1, &ts, NULL);
        for (u32 i = 0; i < n; i++)
            if (w[i].is_busy && (k > 0 || w[i].phases) &&
                is_finished(&w[i], p[2 * i].revents, p[2 * i + 1].revents)) {
                ret = (int)i;
                goto out;
            }
        if (hd_interrupt_count() != seen) {
            ret = -1;
            goto out;
        }
        for (u32 i = 0; i < n; i++)
            if (w[i].is_busy && (!w[i].phases || w[i].phases->is_timed(&w[i])))
                watch_clock(&w[i], timeout_ms);
        if (hd_monotonic_ns() >= until_ns)
            goto out;
    }
out:
    free(p);
    return ret;
}

bool hd_worker_await(struct hd_worker *w, u32 timeout_ms)
{
    while (w->is_busy && !hd_stop_is_late())
        hd_workers_wait(w, 1, timeout_ms, hd_monotonic_ns() + POLL_MS * MS);
    if (w->is_busy) {
        hd_worker_end(w);
        hd_worker_take_back(w);
        w->is_busy = false;
        w->is_dead = true;
    }
    return !w->is_dead;
}

void hd_worker_end(struct hd_worker *w)
{
    if (w->pid <= 0)
        return;
    if (!w->is_busy && w->cmd_fd >= 0 && w->pidfd >= 0) {
        w->host->cmd.cmd = HD_CMD_QUIT;
        struct pollfd p = {w->pidfd, POLLIN, 0};
        if (write(w->cmd_fd, "C", 1) == 1)
            poll(&p, 1, 200);
    }
    kill(-w->pid, SIGKILL);
    kill(w->pid, SIGKILL);
    while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    kill(-w->pid, SIGKILL); /* a run that was forked meanwhile */
    hd_interrupt_remove(w->pid);
    w->pid = 0;
}

void hd_worker_stop(struct hd_worker *w)
{
    int *fd[] = {&w->host_fd, &w->shm_fd, &w->cmd_fd, &w->reply_fd, &w->out_fd,
                 &w->err_fd, &w->in_fd,  &w->script_fd, &w->pidfd};
    hd_worker_end(w);
    hd_around_end(w); /* of a run that was cut off */
    if (w->phases)
        w->phases->detach(w);
    hd_memory_release(&w->run.shm);
    hd_snapshot_release(&w->run);
    w->host = NULL;
    for (u32 i = 0; i < HD_COUNT(fd); i++) {
        if (*fd[i] >= 0)
            close(*fd[i]);
        *fd[i] = -1;
    }
    w->is_busy = false;
}
