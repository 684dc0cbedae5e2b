/* run.c: the command around one worker's runs (struct hd_phases).
 *
 *   begin     the command is started, 'C' waits for whoever becomes the server
 *   step      processes ask; the one that is meant gets the shared memory (ATTACHED)
 *   ended     'D': its run is over, and the command goes on
 *   step      the command is over: the verdict
 *
 * Other processes of the command may be controlled in the same runs (companion.c). The first that
 * fails is what the run is about.
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

#include "children/companion.h"
#include "process/inherit.h"
#include "process/stray.h"
#include "script/script.h"

#define CUT_SIGNAL SIGSYS       /* makes the runtime write down where every thread is */
#define CUT_NS 500000000ll      /* until a run that was cut is killed for good */
#define POLL_MS 20              /* how often the clock is looked at */
#define AFTER_NS 1000000000ll   /* for the command, when one of several processes has failed */

struct hd_children_run {
    const struct hd_children *of;
    struct hd_children_command command;
    char ask[HD_ASK_NAME];
    char **env;
    struct hd_listener listener;
    int epoll;
    struct hd_pipe_ends ends;
    struct hd_script_proc proc;
    struct hd_companions beside;
    struct hd_companion *turned; /* that the worker is about now; NULL = about what is meant */
    HD_VEC(struct hd_process) known; /* all that may be meant or beside */
    /* of the present run */
    struct hd_process meant;
    u32 place;         /* in the order in which the processes ended, from 1 */
    struct hd_arrivals arrivals;
    struct hd_companion *failed; /* before the one that is meant did; NULL = none */
    bool has_failed;   /* one of several, and the command has little time left */
    bool is_busy, is_attached, has_ended, is_lost, is_cut, is_late;
    s64 deadline_ns, cut_ns, over_ns; /* over_ns: when the command ended, 0 = not yet */
    char how[96];      /* the command ended, in words; "" = well */
};

/* ---- a worker ---------------------------------------------------------------------------- */

static void detach(struct hd_worker *w)
{
    struct hd_children_run *r = w->children;
    if (!r)
        return;
    if (r->turned)
        hd_children_turn(w, true);
    hd_script_proc_release(&r->proc);
    hd_children_listen_end(&r->listener);
    hd_companions_release(&r->beside);
    hd_pipe_ends_close(&r->ends);
    if (r->epoll >= 0)
        close(r->epoll);
    hd_launch_env_free(r->env);
    hd_arrivals_release(&r->arrivals);
    hd_vec_release(&r->known);
    free(r);
    w->children = NULL;
}

static int attach(struct hd_worker *w, struct hd_launch *l, struct hd_error *err)
{
    struct hd_children_run *r = calloc(1, sizeof *r);
    if (!r)
        return hd_error_set(err, -ENOMEM, "out of memory");
    w->children = r;
    r->of = l->children;
    r->ends = (struct hd_pipe_ends){-1, -1};
    r->epoll = epoll_create1(EPOLL_CLOEXEC);
    int e = hd_children_listen(&r->listener, r->ask);
    if (r->epoll < 0 || e || hd_pipe_ends_make(&r->ends, w))
        return hd_error_set(err, -EMFILE, "out of descriptors while starting");
    epoll_ctl(r->epoll, EPOLL_CTL_ADD, r->listener.fd, &(struct epoll_event){.events = EPOLLIN});
    epoll_ctl(r->epoll, EPOLL_CTL_ADD, w->reply_fd, &(struct epoll_event){.events = EPOLLIN});
    for (u32 i = 0; i < r->of->n_meant + r->of->n_beside; i++)
        *hd_vec_add(&r->known) = i < r->of->n_meant ? r->of->meant[i] : r->of->beside[i - r->of->n_meant];
    e = hd_companions_make(&r->beside, r->of, l, r->epoll, err);
    if (e)
        return e;
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

/* Which process the run is about: its record says so, or it is somebody's turn. */
static void configure(struct hd_worker *w, struct hd_config *cfg)
{
    struct hd_children_run *r = w->children;
    const struct hd_children *of = r->of;
    bool is_recorded = cfg->mode & HD_MODE_REPLAY && cfg->instance && !(cfg->mode & HD_MODE_SEARCH);
    cfg->mode |= HD_MODE_DRIVEN | HD_MODE_STARTED | (r->beside.n ? HD_MODE_BESIDE : 0);
    if (is_recorded)
        r->meant = hd_process_of(cfg, r->turned ? r->meant.program : of->meant->program);
    else if (!r->turned)
        r->meant = of->meant[cfg->mode & HD_MODE_REPLAY ? 0 : w->sent.first_run % of->n_meant];
    hd_process_to_config(&r->meant, cfg);
    hd_children_be_patient(cfg);
}

static int begin(struct hd_worker *w)
{
    struct hd_children_run *r = w->children;
    configure(w, &w->host->cfg);
    w->host->is_driving = HD_DRIVING;
    w->has_failed_beside = false;
    hd_pipe_ends_empty(&r->ends);
    empty(w->out_fd);
    empty(w->err_fd);
    hd_children_listen_anew(&r->listener);
    r->arrivals.at.n = 0;
    r->failed = NULL;
    r->has_failed = r->is_attached = r->has_ended = r->is_lost = r->is_cut = r->is_late = false;
    r->how[0] = '\0';
    r->over_ns = 0;
    r->deadline_ns = hd_monotonic_ns() + (s64)r->of->timeout_ms * 1000000;
    r->command.in = hd_children_input(w->in_fd);
    int e = r->command.in < 0 ? -errno : hd_children_start(&r->proc, &r->command, r->env);
    if (r->command.in >= 0)
        close(r->command.in);
    if (!e)
        e = hd_companions_begin(&r->beside, w, &r->meant);
    hd_companions_tell(&r->beside, w, &r->meant, true, false); /* before anyone comes */
    if (!e)
        e = hd_worker_go(w);
    if (e)
        return e;
    epoll_ctl(r->epoll, EPOLL_CTL_ADD, r->proc.fd, &(struct epoll_event){.events = EPOLLIN});
    r->is_busy = w->is_busy = true;
    return 0;
}

/* ---- processes ask ----------------------------------------------------------------------- */

static bool is_it(const struct hd_children_run *r, const struct hd_process *p,
                  const struct hd_process *who)
{
    return hd_process_is(p, who, r->known.at, (u32)r->known.n);
}

static struct hd_companion *companion_of(struct hd_children_run *r, const struct hd_process *who)
{
    for (u32 i = 0; i < r->beside.n; i++) {
        struct hd_companion *k = &r->beside.at[i];
        if (k->is_wanted && !k->is_attached && is_it(r, &k->who, who))
            return k;
    }
    return NULL;
}

static void attach_process(struct hd_worker *w, int to, int pid, const char *runtime)
{
    struct hd_children_run *r = w->children;
    const int fds[HD_ASK_FDS] = {w->shm_fd, r->ends.cmd_read, r->ends.reply_write, w->host_fd,
                                 r->beside.clock_fd, w->run.shm.log_fd, w->script_fd};
    w->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    r->is_attached = hd_children_reply(to, HD_REPLY_CONTROL, runtime, fds) && w->pidfd >= 0;
    w->pid = r->is_attached ? pid : 0;
}

static void reply_to_asks(struct hd_worker *w)
{
    struct hd_children_run *r = w->children;
    struct hd_ask a;
    struct hd_process who;
    char runtime[512];
    int pid, to;
    while (hd_children_asked(&r->listener, &a, &pid, &to)) {
        hd_children_runtime(&a, runtime, sizeof runtime);
        bool is_one = (runtime[0] || a.kind == HD_ASK_THREADS) && hd_arrivals_add(&r->arrivals, &a, &who);
        struct hd_companion *k = NULL;
        if (is_one && !r->is_attached && is_it(r, &r->meant, &who))
            attach_process(w, to, pid, runtime);
        else if (is_one && (k = companion_of(r, &who)))
            hd_companion_attach(&r->beside, k, to, pid, runtime);
        else
            hd_children_reply(to, runtime[0] ? HD_REPLY_PASSIVE : HD_REPLY_FREE, runtime, NULL);
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
    w->children->place = ++w->children->beside.ended;
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
                 r->meant.program);
    else if (r->is_attached)
        snprintf(text, sizeof text, "%.250s could not be taken over%s%.198s", r->meant.program, sep, words);
    else
        snprintf(text, sizeof text,
                 "nothing was tested in this run: the command %s before it started %.150s%s%s%.150s",
                 r->is_late   ? "took too long (--timeout)"
                 : r->how[0] ? r->how
                             : "ended",
                 r->meant.program, w->sent_cfg.instance > 1 ? " once more" : "", sep, words);
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

/* The first failure is what the run is about: others may follow from it. */
static void judge_beside(struct hd_worker *w)
{
    struct hd_children_run *r = w->children;
    const struct hd_verdict *v = &w->run.verdict;
    struct hd_companion *k = hd_companions_failed(&r->beside, r->how[0], CUT_SIGNAL);
    bool is_well = !r->has_ended || v->kind == HD_V_CLEAN || v->kind == HD_V_LIMIT ||
                   v->kind == HD_V_CHECK;
    if (!k || (!is_well && r->place < k->place))
        return;
    r->failed = k;
    w->has_failed_beside = true;
    w->is_check_bad = w->is_untested = false;
    if (v->kind == HD_V_CHECK || v->kind == HD_V_ENV)
        set_verdict(w, HD_V_CLEAN, ""); /* that the command failed, or did not come to it, is no
                                           fault of this one */
}

/* ---- from time to time --------------------------------------------------------------------- */

/* Nothing that comes now counts: the command need not take its time. */
static void note_failure(struct hd_worker *w, s64 now)
{
    struct hd_children_run *r = w->children;
    const struct hd_verdict *v = &w->run.verdict;
    bool is_own = r->has_ended && v->kind != HD_V_CLEAN && v->kind != HD_V_EXIT;
    if (!r->beside.n || r->has_failed)
        return;
    r->has_failed = is_own || hd_companions_failed(&r->beside, false, CUT_SIGNAL);
    if (r->has_failed)
        r->deadline_ns = HD_MIN(r->deadline_ns, now + AFTER_NS);
}

/* True: nobody is left that would have to be cut. */
static bool cut_all(struct hd_worker *w, s64 now, bool are_others_over)
{
    struct hd_children_run *r = w->children;
    bool is_left = r->is_attached && !r->has_ended && !r->is_lost;
    if ((!is_left && are_others_over) || now >= r->deadline_ns + 4 * CUT_NS)
        return true;
    bool is_time = !r->is_cut || now > r->cut_ns;
    int signo = r->is_cut ? SIGKILL : CUT_SIGNAL;
    int child = is_left ? hd_worker_child(w) : 0;
    bool is_there = child > 0 && hd_stray_parent(child) == w->pid;
    if (!is_time || (is_left && !is_there))
        return false;
    if (is_there)
        kill(child, signo);
    hd_companions_cut(&r->beside, signo);
    r->is_cut = true;
    r->cut_ns = now + CUT_NS;
    return false;
}

/* The command ended well, and whom the run is about may be among those it left behind: such a
 * process has been forked, and asks as soon as it comes to run. */
static bool is_yet_to_come(struct hd_children_run *r, s64 now)
{
    if (!r->over_ns)
        r->over_ns = now;
    bool is_missing = !r->is_attached || hd_companions_miss(&r->beside);
    return is_missing && is_fine(r->of, r->proc.status) && now < r->over_ns + HD_CHILDREN_COME_NS &&
           now < r->deadline_ns && hd_stray_has_child(r->proc.pid);
}

static bool step(struct hd_worker *w)
{
    struct hd_children_run *r = w->children;
    s64 now = hd_monotonic_ns();
    if (!r->is_busy)
        return true;
    reply_to_asks(w);
    bool are_others_over = hd_companions_step(&r->beside);
    hd_companions_tell(&r->beside, w, &r->meant, !r->is_attached,
                       r->is_attached && !r->has_ended && !r->is_lost);
    note_failure(w, now);
    bool is_over = hd_script_proc_poll(&r->proc);
    if (!is_over && now > r->deadline_ns)
        r->is_late = true;
    if (is_over ? is_yet_to_come(r, now) : !r->is_late)
        return false;
    if (!cut_all(w, now, are_others_over))
        return false;
    if (is_over && !is_fine(r->of, r->proc.status))
        hd_script_how(r->proc.status, r->how, sizeof r->how);
    hd_script_proc_end(&r->proc);
    hd_companions_end(&r->beside);
    forget(w);
    r->is_busy = false;
    judge(w);
    judge_beside(w);
    return true;
}

static bool is_timed(const struct hd_worker *w) { return w->pid > 0; }

static int poll_fd(const struct hd_worker *w) { return w->children ? w->children->epoll : -1; }

static s64 poll_ms(const struct hd_worker *w, s64 at_most)
{
    return w->children && w->is_busy ? HD_MIN(at_most, (s64)POLL_MS) : at_most;
}

/* ---- those beside ---------------------------------------------------------------------------- */

static int others(struct hd_worker *w, struct hd_replay *to)
{
    return hd_companions_records(&w->children->beside, to, w->children->command.argv);
}

bool hd_children_beside(const struct hd_worker *w, u32 i, struct hd_beside *to)
{
    const struct hd_companions *c = w->children ? &w->children->beside : NULL;
    for (u32 k = 0; c && k < c->n; k++) {
        const struct hd_companion *one = &c->at[k];
        u32 before = 0;
        for (u32 j = 0; j < c->n; j++)
            before += c->at[j].has_ended && c->at[j].place < one->place;
        if (!one->has_ended || before != i)
            continue;
        *to = (struct hd_beside){&one->who, &one->w.run.verdict};
        return true;
    }
    return false;
}

void hd_children_turn(struct hd_worker *w, bool is_due)
{
    struct hd_children_run *r = w->children;
    struct hd_companion *k = !r || !is_due ? NULL : r->turned ? r->turned : r->failed;
    if (!k)
        return;
    if (r->turned)
        hd_companions_put_back(&r->beside);
    hd_companion_turn(k, w, &r->meant, &r->ends);
    r->turned = r->turned ? NULL : k;
    w->program = r->turned ? r->meant.program : NULL;
    if (!r->turned)
        w->counted = w->run.totals; /* replays are no runs of the campaign */
}

const struct hd_phases hd_children_phases = {
    .attach = attach, .detach = detach, .begin = begin, .ended = ended, .gone = gone,
    .step = step, .is_timed = is_timed, .fd = poll_fd, .poll_ms = poll_ms, .is_started_by_run = true,
    .others = others,
};
