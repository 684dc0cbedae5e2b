/* companion.c: the other processes of a command that are controlled in a run (companion.h).
 *
 *   begin    each has a configuration of its own: a strategy drawn by chance from the run's seed and
 *            its number, or, in a replay, the record of its process; 'C' waits in its pipe
 *   attach   its process has asked, and gets the shared memory
 *   step     'D': it has ended; or it is gone
 *   turn     it failed: the worker is about it now
 *
 * Each has shared memory of its own that lives as long as the worker, so what it learned of the
 * program stays from run to run. It has no director and no coverage: each program's own campaign is
 * where it is the one that runs are about.
 */
#include "children/companion.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/rng.h"
#include "process/stray.h"
#include "strategy/strategy.h"

#define REPLAY_PATIENCE_MS 2000 /* as for scripts */
#define LOOSE_PATIENCE_MS 200
#define LEARN_FIRST 8           /* runs in which shared memory is looked for, */
#define LEARN_PERIOD 256        /* ... and of each so many */
#define LEARN_RUNS 32
#define STREAM_FIRST 1000       /* of their streams of chance: no other uses these */
/* Of a run, not of the one it is about. */
#define OWN_MODES                                                                                  \
    (HD_MODE_REPLAY | HD_MODE_STRICT | HD_MODE_LEARN | HD_MODE_STREAM | HD_MODE_SEARCH |           \
     HD_MODE_DETAIL | HD_MODE_ALL_EVENTS | HD_MODE_FUNCTIONS | HD_MODE_VALUES | HD_MODE_SLOW)

/* ---- pipes ------------------------------------------------------------------------------- */

int hd_pipe_ends_make(struct hd_pipe_ends *ends, struct hd_worker *w)
{
    int cmd[2] = {-1, -1}, reply[2] = {-1, -1};
    *ends = (struct hd_pipe_ends){-1, -1};
    if (pipe2(cmd, O_CLOEXEC) || pipe2(reply, O_CLOEXEC)) {
        int e = -errno;
        for (u32 i = 0; i < 2; i++)
            if (cmd[i] >= 0)
                close(cmd[i]);
        return e;
    }
    w->cmd_fd = cmd[1];
    w->reply_fd = reply[0];
    *ends = (struct hd_pipe_ends){cmd[0], reply[1]};
    return 0;
}

void hd_pipe_ends_close(struct hd_pipe_ends *ends)
{
    if (ends->cmd_read >= 0)
        close(ends->cmd_read);
    if (ends->reply_write >= 0)
        close(ends->reply_write);
    *ends = (struct hd_pipe_ends){-1, -1};
}

void hd_pipe_ends_empty(const struct hd_pipe_ends *ends)
{
    struct pollfd p = {ends->cmd_read, POLLIN, 0};
    char byte;
    while (poll(&p, 1, 0) > 0 && read(ends->cmd_read, &byte, 1) == 1)
        ;
}

/* ---- all of them ------------------------------------------------------------------------- */

static int make(struct hd_companion *k, const struct hd_process *who, const struct hd_launch *l,
                u32 number, int epoll, struct hd_error *err)
{
    struct hd_launch own = {.cfg = l->cfg, .stdin_fd = -1, .index = l->index + number + 1,
                            .inherited = l->inherited};
    k->who = *who;
    k->ends = (struct hd_pipe_ends){-1, -1};
    int e = hd_worker_prepare(&k->w, &own, err);
    if (!e && (e = hd_pipe_ends_make(&k->ends, &k->w)))
        hd_error_set(err, e, "out of descriptors while starting");
    if (!e)
        epoll_ctl(epoll, EPOLL_CTL_ADD, k->w.reply_fd, &(struct epoll_event){.events = EPOLLIN});
    return e;
}

static int make_clock(struct hd_companions *c)
{
    c->clock_fd = memfd_create("heddle-clock", MFD_CLOEXEC);
    if (c->clock_fd < 0 || ftruncate(c->clock_fd, sizeof *c->clock))
        return -errno;
    void *p = mmap(NULL, sizeof *c->clock, PROT_READ | PROT_WRITE, MAP_SHARED, c->clock_fd, 0);
    if (p == MAP_FAILED)
        return -errno;
    c->clock = p;
    return 0;
}

int hd_companions_make(struct hd_companions *c, const struct hd_children *of,
                       const struct hd_launch *l, int epoll, struct hd_error *err)
{
    u32 n = HD_MIN(of->n_beside, (u32)HD_CHILDREN_BESIDE);
    int e = 0;
    *c = (struct hd_companions){.epoll = epoll, .clock_fd = -1};
    if ((e = make_clock(c)))
        return hd_error_set(err, e, "cannot set up shared memory: %s", strerror(-e));
    if (!n)
        return 0;
    c->at = calloc(n, sizeof *c->at);
    if (!c->at)
        return hd_error_set(err, -ENOMEM, "out of memory");
    for (; c->n < n && !e; c->n++)
        e = make(&c->at[c->n], &of->beside[c->n], l, c->n, epoll, err);
    return e;
}

static void forget(struct hd_companion *k)
{
    if (k->w.pidfd >= 0)
        close(k->w.pidfd);
    k->w.pidfd = -1;
    k->w.pid = 0; /* none of our own children */
    k->w.is_busy = false;
}

void hd_companions_release(struct hd_companions *c)
{
    for (u32 i = 0; i < c->n; i++) {
        struct hd_companion *k = &c->at[i];
        forget(k);
        if (k->is_aside)
            free(k->before.sites);
        hd_pipe_ends_close(&k->ends);
        hd_worker_stop(&k->w);
    }
    if (c->clock)
        munmap(c->clock, sizeof *c->clock);
    if (c->clock_fd > 0)
        close(c->clock_fd);
    free(c->at);
    *c = (struct hd_companions){.clock_fd = -1};
}

/* ---- a run begins ------------------------------------------------------------------------ */

void hd_children_be_patient(struct hd_config *cfg)
{
    u32 least = cfg->mode & HD_MODE_STRICT ? REPLAY_PATIENCE_MS : LOOSE_PATIENCE_MS;
    if (cfg->mode & HD_MODE_REPLAY)
        cfg->patience_ms = HD_MAX(cfg->patience_ms, least);
}

/* By chance: a run without preemption is one of the ways, so that it is not always both of two
 * processes that are disturbed. */
static void draw(struct hd_companion *k, const struct hd_worker *w, u32 number)
{
    static const struct {
        const char *name;
        u64 param;
    } way[] = {{"random", 0}, {"pct", 3}, {"pos", 0}, {"stay", 0}};
    struct hd_config *cfg = &k->w.host->cfg;
    s32 cpu = cfg->cpu;
    *cfg = w->host->cfg;
    struct hd_rng rng = hd_rng_make(cfg->seed, w->sent.first_run, STREAM_FIRST + number);
    u64 drawn = hd_rng_below(&rng, HD_COUNT(way));
    bool is_learning = k->runs < LEARN_FIRST || k->runs % LEARN_PERIOD < LEARN_RUNS;
    cfg->cpu = cpu;
    cfg->mode = (cfg->mode & ~(u32)OWN_MODES) | (is_learning ? HD_MODE_LEARN : 0);
    cfg->strategy = hd_strategy_index(hd_strategy_find(way[drawn].name));
    cfg->strategy_param = way[drawn].param;
    cfg->seed = hd_rng_next(&rng);
    cfg->data_seed += number + 1; /* no two of them make the same name of a temporary file */
    cfg->proof_step = 0;
    k->w.host->script_n = k->w.host->n_script_io_results = 0;
}

static const struct hd_replay *record_of(const struct hd_companion *k, const struct hd_worker *w)
{
    for (u32 i = 0; i < w->run.n_others; i++) {
        struct hd_process p = hd_process_of(&w->run.others[i].cfg, w->run.others[i].program);
        if (hd_process_is_same(&p, &k->who))
            return &w->run.others[i];
    }
    return NULL;
}

/* As strictly as the one that the run is about. */
static int follow(struct hd_companion *k, const struct hd_replay *r, const struct hd_config *meant)
{
    struct hd_config *cfg = &k->w.host->cfg;
    if (!k->is_aside && hd_worker_remember(&k->before, &k->w))
        return -ENOMEM;
    k->is_aside = true;
    cfg->mode &= ~(u32)OWN_MODES;
    int e = hd_replay_to_shm(r, &k->w.run);
    if (!(meant->mode & HD_MODE_STRICT)) {
        cfg->mode &= ~(u32)HD_MODE_STRICT;
        cfg->strategy = hd_strategy_index(hd_strategy_find("stay"));
        cfg->strategy_param = 0;
    } else {
        const struct hd_strategy *s = hd_strategy_find(r->strategy);
        cfg->strategy = s ? hd_strategy_index(s) : 0;
    }
    return e;
}

static void put_back(struct hd_companion *k)
{
    if (k->is_aside)
        hd_worker_put_back(&k->before, &k->w);
    k->is_aside = false;
}

void hd_companions_put_back(struct hd_companions *c)
{
    for (u32 i = 0; i < c->n; i++)
        put_back(&c->at[i]);
}

static bool is_taken(const struct hd_companions *c, u32 i)
{
    for (u32 k = 0; k < i; k++)
        if (c->at[k].is_wanted && hd_process_is_same(&c->at[k].who, &c->at[i].who))
            return true;
    return false;
}

static int begin(struct hd_companions *c, u32 i, struct hd_worker *w)
{
    struct hd_companion *k = &c->at[i];
    bool is_replay = w->host->cfg.mode & HD_MODE_REPLAY && w->run.n_others;
    const struct hd_replay *r = is_replay ? record_of(k, w) : NULL;
    int e = 0;
    if (is_replay && !r)
        k->is_wanted = false; /* it was not there, or not controlled */
    if (!k->is_wanted)
        return 0;
    if (r) {
        e = follow(k, r, &w->host->cfg);
    } else {
        put_back(k);
        draw(k, w, i);
    }
    struct hd_config *cfg = &k->w.host->cfg;
    cfg->mode |= HD_MODE_DRIVEN | HD_MODE_STARTED | HD_MODE_BESIDE;
    hd_process_to_config(&k->who, cfg);
    hd_children_be_patient(cfg);
    k->w.host->is_driving = HD_DRIVING;
    k->w.host->plan.n = 0;
    return e ? e : hd_worker_send(&k->w, w->sent.first_run, 1);
}

int hd_companions_begin(struct hd_companions *c, struct hd_worker *w, const struct hd_process *meant)
{
    int e = 0;
    c->ended = 0;
    c->clock->ahead_ns = -hd_monotonic_ns();
    for (u32 i = 0; i < c->n && !e; i++) {
        struct hd_companion *k = &c->at[i];
        hd_pipe_ends_empty(&k->ends);
        k->is_attached = k->has_ended = k->is_lost = k->is_cut = false;
        k->place = 0;
        k->is_wanted = !hd_process_is_same(&k->who, meant) && !is_taken(c, i);
        e = begin(c, i, w);
    }
    w->run.n_others = 0; /* whoever had them may give them back */
    return e;
}

/* ---- it comes, and ends ------------------------------------------------------------------ */

/* One that others are with is not alone before they have come. */
static void tell(struct hd_worker *w, const struct hd_process *who, u32 there, u32 to_come)
{
    u32 n = there + (who->is_together ? to_come : 0);
    __atomic_store_n(&w->host->n_beside, n, __ATOMIC_RELAXED);
}

void hd_companions_tell(struct hd_companions *c, struct hd_worker *w, const struct hd_process *meant,
                        bool is_meant_to_come, bool is_meant_there)
{
    u32 there = is_meant_there, to_come = is_meant_to_come && meant->is_together;
    for (u32 i = 0; i < c->n; i++) {
        const struct hd_companion *k = &c->at[i];
        there += k->is_attached && !k->has_ended;
        to_come += k->is_wanted && !k->is_attached && k->who.is_together;
    }
    if (c->n)
        tell(w, meant, there - is_meant_there, to_come - (is_meant_to_come && meant->is_together));
    for (u32 i = 0; i < c->n; i++) {
        struct hd_companion *k = &c->at[i];
        bool is_there = k->is_attached && !k->has_ended;
        bool comes = k->is_wanted && !k->is_attached && k->who.is_together;
        tell(&k->w, &k->who, there - is_there, to_come - comes);
    }
}

void hd_companion_attach(struct hd_companions *c, struct hd_companion *k, int to, int pid,
                         const char *runtime)
{
    const int fds[HD_ASK_FDS] = {k->w.shm_fd, k->ends.cmd_read, k->ends.reply_write, k->w.host_fd,
                                 c->clock_fd, k->w.run.shm.log_fd, k->w.script_fd};
    k->w.pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    k->is_attached = hd_children_reply(to, HD_REPLY_CONTROL, runtime, fds) && k->w.pidfd >= 0;
    if (!k->is_attached) {
        forget(k);
        return;
    }
    k->w.pid = pid;
    k->runs++;
    epoll_ctl(c->epoll, EPOLL_CTL_ADD, k->w.pidfd, &(struct epoll_event){.events = EPOLLIN});
}

bool hd_companions_miss(const struct hd_companions *c)
{
    for (u32 i = 0; i < c->n; i++)
        if (c->at[i].is_wanted && c->at[i].is_aside && !c->at[i].is_attached)
            return true;
    return false;
}

static void ended(struct hd_companions *c, struct hd_companion *k)
{
    hd_worker_take_back(&k->w);
    k->has_ended = true;
    k->place = ++c->ended;
    forget(k);
}

bool hd_companions_step(struct hd_companions *c)
{
    bool is_over = true;
    for (u32 i = 0; i < c->n; i++) {
        struct hd_companion *k = &c->at[i];
        struct pollfd p[] = {{k->w.reply_fd, POLLIN, 0}, {k->w.pidfd, POLLIN, 0}};
        char byte = 0;
        if (!k->is_attached || k->has_ended || k->is_lost)
            continue;
        poll(p, HD_COUNT(p), 0);
        if (p[0].revents & POLLIN) {
            if (read(k->w.reply_fd, &byte, 1) == 1 && byte == 'D')
                ended(c, k);
        } else if (p[1].revents & POLLIN) {
            k->is_lost = poll(p, 1, 0) <= 0; /* its word comes before its end */
            if (k->is_lost)
                ended(c, k);
        }
        is_over &= k->has_ended;
    }
    return is_over;
}

void hd_companions_cut(struct hd_companions *c, int signo)
{
    for (u32 i = 0; i < c->n; i++) {
        struct hd_companion *k = &c->at[i];
        int child = k->is_attached && !k->has_ended ? hd_worker_child(&k->w) : 0;
        if (child > 0 && hd_stray_parent(child) == k->w.pid) {
            k->is_cut = true;
            kill(child, signo);
        }
    }
}

void hd_companions_end(struct hd_companions *c)
{
    for (u32 i = 0; i < c->n; i++)
        if (c->at[i].is_attached && !c->at[i].has_ended) {
            c->at[i].is_lost = true;
            ended(c, &c->at[i]);
        }
}

struct hd_companion *hd_companions_failed(struct hd_companions *c, bool is_exit, int cut_signal)
{
    struct hd_companion *first = NULL;
    for (u32 i = 0; i < c->n; i++) {
        struct hd_companion *k = &c->at[i];
        const struct hd_verdict *v = &k->w.run.verdict;
        bool is_well = !k->has_ended || k->is_lost || v->kind == HD_V_CLEAN ||
                       v->kind == HD_V_NONE || (v->kind == HD_V_EXIT && !is_exit);
        if (k->is_cut && (v->signo == (u32)cut_signal || v->signo == SIGKILL))
            is_well = true;
        if (!is_well && (!first || k->place < first->place))
            first = k;
    }
    return first;
}

/* ---- what is made of it ------------------------------------------------------------------ */

#define SWAP(a, b)                                                                                 \
    do {                                                                                           \
        __typeof__(a) was_ = (a);                                                                  \
        (a) = (b);                                                                                 \
        (b) = was_;                                                                                \
    } while (0)

void hd_companion_turn(struct hd_companion *k, struct hd_worker *w, struct hd_process *who,
                       struct hd_pipe_ends *ends)
{
    SWAP(k->w.host, w->host);
    SWAP(k->w.run, w->run);
    SWAP(k->w.host_fd, w->host_fd);
    SWAP(k->w.shm_fd, w->shm_fd);
    SWAP(k->w.script_fd, w->script_fd);
    SWAP(k->w.cmd_fd, w->cmd_fd);
    SWAP(k->w.reply_fd, w->reply_fd);
    SWAP(k->w.sent_cfg, w->sent_cfg);
    SWAP(k->w.sent, w->sent);
    SWAP(k->w.runs_before, w->runs_before);
    SWAP(k->w.sent_ns, w->sent_ns);
    SWAP(k->w.uncontrolled, w->uncontrolled);
    SWAP(k->w.counted, w->counted);
    SWAP(k->w.directed_by, w->directed_by);
    SWAP(k->who, *who);
    SWAP(k->ends, *ends);
}

int hd_companions_records(struct hd_companions *c, struct hd_replay *r, char *const *argv)
{
    r->others = calloc((size_t)c->n + 1, sizeof *r->others);
    if (!r->others)
        return -ENOMEM;
    for (u32 i = 0; i < c->n; i++) {
        struct hd_companion *k = &c->at[i];
        struct hd_replay *to = &r->others[r->n_others];
        if (!k->is_attached || !k->has_ended)
            continue;
        int e = hd_replay_from_run(to, &k->w.run, k->who.program, argv);
        if (e)
            return e;
        const struct hd_strategy *s = hd_strategy_at(k->w.run.cfg.strategy);
        snprintf(to->strategy, sizeof to->strategy, "%s", s ? s->name : "?");
        r->n_others++;
    }
    return 0;
}
