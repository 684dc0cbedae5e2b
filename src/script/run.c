/* run.c: the phases around one worker's runs; see script.h.
 *
 *   SETUP -> START -> READY -> DRIVE -> CHECK -> STOP_COMMAND -> STOP -> LATE -> TEARDOWN
 *              |         \       |        /             /          ^
 *           'C' to     a phase failed: CUT ------------/   'D' from the server
 *
 * Nothing here waits: step looks at what has happened and moves on, and
 * is called again when the descriptor or the clock says so, while the same loop
 * empties the rings of all workers.
 *
 * A failure of a phase ends the run on the spot (CUT): what comes after it would
 * only blur the schedule that led there. The signal used for it is one that makes
 * the runtime write down where every thread is. The program's own failure counts
 * for more than that of a phase, which is mostly its consequence.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stop.h"
#include "process/stray.h"
#include "script/state.h"

#define CUT_SIGNAL SIGSYS
#define CUT_NS 500000000ll      /* until the run is killed for good */
#define POLL_FIRST_NS 1000000ll /* how often readiness is asked for: from this ... */
#define POLL_LAST_NS 20000000ll /* ... to this */
#define REPLAY_PATIENCE_MS 2000 /* a driver may need longer to come than it did */
#define LOOSE_PATIENCE_MS 200   /* ... where the schedule is not meant for the very run */

/* ---- the program ------------------------------------------------------------------------- */

static int child_of(const struct hd_worker *w)
{
    int child = hd_worker_child(w);
    return child && hd_stray_parent(child) == w->pid ? child : 0;
}

static void send_signal(const struct hd_worker *w, int signo)
{
    int child = child_of(w);
    if (child)
        kill(child, signo);
}

/* Was that a good end? Then its verdict is a clean one. */
static bool has_ended_well(struct hd_worker *w)
{
    const struct hd_script_run *r = w->script;
    const struct hd_script_file *s = r->in->script;
    struct hd_verdict *v = &w->run.verdict;
    bool is = v->kind == HD_V_CLEAN;
    if (v->kind == HD_V_EXIT) {
        is = hd_script_is_fine(&s->stop.phase, v->status);
        for (u32 i = 0; i < s->n_exit_ok; i++)
            is |= WIFEXITED(v->status) && WEXITSTATUS(v->status) == s->exit_ok[i];
    }
    if (r->is_stopped && (v->kind == HD_V_SIGNAL || v->kind == HD_V_NONE))
        is = WIFSIGNALED(v->status) && WTERMSIG(v->status) == s->stop.signo;
    if (is)
        v->kind = HD_V_CLEAN;
    return is;
}

/* Did it end because we cut it? */
static bool was_cut(const struct hd_worker *w)
{
    const struct hd_verdict *v = &w->run.verdict;
    if (!w->script->is_cut)
        return false;
    return v->kind == HD_V_NONE || v->kind == HD_V_LIMIT ||
           ((v->kind == HD_V_BUG || v->kind == HD_V_SIGNAL) && v->signo == CUT_SIGNAL);
}

/* ---- from phase to phase ----------------------------------------------------------------------
 */

/* For the runtime: is somebody there whose answers take real time? */
static void publish_state(struct hd_worker *w)
{
    const struct hd_script_input *in = w->script->in;
    enum hd_script_state s = w->script->state;
    bool is_driving = s == HD_SCRIPT_DRIVE || s == HD_SCRIPT_CHECK || s == HD_SCRIPT_STOP_COMMAND;
    /* What the setup left behind may still come. */
    bool is_over = s == HD_SCRIPT_STOP && in->drive.n && !in->script->setup.n;
    enum hd_driving how = is_driving ? HD_DRIVING : is_over ? HD_DRIVING_IS_OVER : HD_DRIVING_NOT_YET;
    __atomic_store_n(&w->host->is_driving, how, __ATOMIC_RELAXED);
    hd_script_watch(w);
}

static void enter(struct hd_script_run *r, enum hd_script_state state, u32 timeout_ms)
{
    s64 now = hd_monotonic_ns();
    r->state = state;
    r->deadline_ns = now + (s64)timeout_ms * 1000000;
    r->poll_ns = now;
    r->pause_ns = POLL_FIRST_NS;
    r->again_ns = 0;
}

static void end_drivers(struct hd_script_run *r)
{
    for (u32 i = 0; i < r->in->drive.n; i++)
        hd_script_proc_release(&r->drive[i]);
}

/* A command alone, or over to the next state at once. */
static void begin_one(struct hd_worker *w, enum hd_script_state state,
                      const struct hd_script_phase *p)
{
    enter(w->script, state, p->timeout_ms);
    hd_script_start(w, &w->script->one, &p->command[0]);
}

static void teardown(struct hd_worker *w)
{
    struct hd_script_run *r = w->script;
    const struct hd_script_phase *p = &r->in->script->teardown;
    end_drivers(r);
    hd_script_proc_end(&r->one);
    if (p->n)
        begin_one(w, HD_SCRIPT_TEARDOWN, p);
    else
        enter(r, HD_SCRIPT_TEARDOWN, 0);
}

static void cut(struct hd_worker *w)
{
    struct hd_script_run *r = w->script;
    end_drivers(r);
    hd_script_proc_end(&r->one);
    if (r->has_ended) {
        teardown(w);
        return;
    }
    r->is_cut = true;
    send_signal(w, CUT_SIGNAL);
    enter(r, HD_SCRIPT_CUT, 0);
    r->deadline_ns += CUT_NS;
}

static void stop(struct hd_worker *w)
{
    struct hd_script_run *r = w->script;
    const struct hd_script_stop *s = &r->in->script->stop;
    if (r->state != HD_SCRIPT_STOP_COMMAND && s->phase.n && !r->has_ended) {
        begin_one(w, HD_SCRIPT_STOP_COMMAND, &s->phase);
        return;
    }
    enter(r, HD_SCRIPT_STOP, s->phase.timeout_ms);
    if (!s->signo && !s->phase.n &&
        !r->in->drive.n) /* it ends by itself, --timeout has an eye on it */
        r->deadline_ns = INT64_MAX;
    if (s->signo && !r->has_ended) {
        r->is_stopped = true;
        send_signal(w, s->signo);
    }
}

static void check(struct hd_worker *w)
{
    struct hd_script_run *r = w->script;
    bool is_driven = r->in->drive.n || r->in->script->stop.signo || r->in->script->stop.phase.n;
    end_drivers(r);
    if (r->in->check.n && !r->in->is_checked_late && is_driven)
        begin_one(w, HD_SCRIPT_CHECK, &r->in->check);
    else
        stop(w);
}

static void drive(struct hd_worker *w)
{
    struct hd_script_run *r = w->script;
    r->was_ready = true;
    enter(r, HD_SCRIPT_DRIVE, r->in->drive.timeout_ms);
    for (u32 i = 0; i < r->in->drive.n; i++)
        hd_script_start(w, &r->drive[i], &r->in->drive.command[i]);
}

/* What a check at the end is to judge, if the run went well so far. */
static void late(struct hd_worker *w)
{
    struct hd_script_run *r = w->script;
    bool is_driven = r->in->drive.n || r->in->script->stop.signo || r->in->script->stop.phase.n;
    if (!r->kind && r->in->check.n && (r->in->is_checked_late || !is_driven))
        begin_one(w, HD_SCRIPT_LATE, &r->in->check);
    else
        teardown(w);
}

static void program_ended(struct hd_worker *w)
{
    struct hd_script_run *r = w->script;
    bool is_well = has_ended_well(w);
    bool is_exit = w->run.verdict.kind == HD_V_EXIT;
    bool is_early = r->state == HD_SCRIPT_START || r->state == HD_SCRIPT_READY;
    if (is_early && (is_well || (is_exit && !r->was_ready)) &&
        r->in->script->ready.kind != HD_READY_NONE && !hd_script_is_there(w))
        hd_script_not_ready(w, true);
    if (!is_well || r->kind)
        teardown(w);
    else if (is_early && r->in->drive.n)
        drive(w); /* which will hardly work, and says so */
    else if (is_early || r->state == HD_SCRIPT_STOP)
        late(w); /* else whoever is at work sees that it is gone */
}

/* All drivers at once; true: done, well or not. */
static bool drivers_done(struct hd_worker *w, bool is_late)
{
    struct hd_script_run *r = w->script;
    const struct hd_script_phase *p = &r->in->drive;
    u32 left = 0;
    for (u32 i = 0; i < p->n && !r->kind; i++) {
        struct hd_script_proc *d = &r->drive[i];
        if (!d->pid)
            continue; /* judged */
        if (hd_script_proc_poll(d)) {
            hd_script_judge(r, "driver", p, i, d, HD_V_CHECK);
            hd_script_proc_end(d);
        } else {
            left++;
        }
    }
    for (u32 i = 0; is_late && i < p->n && !r->kind; i++)
        if (r->drive[i].pid)
            hd_script_judge(r, "driver", p, i, &r->drive[i], hd_script_late_kind(w));
    return r->kind || !left;
}

/* The one command of this state; true: it is over, well or not. */
static bool one_done(struct hd_worker *w, const char *name, const struct hd_script_phase *p,
                     struct hd_script_proc *proc, u32 kind, bool is_late)
{
    struct hd_script_run *r = w->script;
    if (!proc->pid)
        return true; /* could not be started: said */
    bool is_over = hd_script_proc_poll(proc);
    if (!is_over && !is_late)
        return false;
    hd_script_judge(r, name, p, 0, proc, is_over || kind != HD_V_CHECK ? kind : hd_script_late_kind(w));
    return true;
}

static void give_verdict(struct hd_worker *w)
{
    struct hd_script_run *r = w->script;
    struct hd_verdict *v = &w->run.verdict;
    hd_script_proc_end(&r->one);
    hd_script_proc_end(&r->setup);
    bool is_cut = was_cut(w);
    if (r->kind && (is_cut || v->kind == HD_V_CLEAN || !r->has_begun ||
                    (r->kind == HD_V_ENV && v->kind == HD_V_EXIT))) {
        v->kind = r->kind;
        v->limit = r->kind == HD_V_LIMIT ? HD_RUN_LIMIT_TIME : HD_RUN_LIMIT_NONE;
        v->pc = 0;
        v->tid = 0;
        v->signo = 0;
        memcpy(v->msg, r->msg, sizeof v->msg);
        w->is_check_bad = r->kind == HD_V_ENV;
        w->timed_out = is_cut;
    }
    r->state = HD_SCRIPT_DONE;
}

/* The command of this state is over. */
static void stop_or_cut(struct hd_worker *w)
{
    hd_script_proc_end(&w->script->one);
    if (w->script->kind)
        cut(w);
    else
        stop(w);
}

static void await_end(struct hd_worker *w, bool is_late)
{
    struct hd_script_run *r = w->script;
    const struct hd_script_file *s = r->in->script;
    if (r->has_ended) {
        late(w);
    } else if (is_late) {
        hd_script_fail(r, hd_script_late_kind(w), "The program did not end within %g s of %s",
                       HD_SECONDS(s->stop.phase.timeout_ms),
                       s->stop.signo     ? s->stop.name
                       : s->stop.phase.n ? s->stop.phase.command[0].text
                                         : "the end of its drivers");
        cut(w);
    }
}

/* One look; true: something has changed, look again. */
static bool poll_once(struct hd_worker *w)
{
    struct hd_script_run *r = w->script;
    const struct hd_script_file *s = r->in->script;
    s64 now = hd_monotonic_ns();
    bool is_late = now >= r->deadline_ns;
    enum hd_script_state before = r->state;
    switch (r->state) {
    case HD_SCRIPT_SETUP:
        if (!one_done(w, "setup", &s->setup, &r->setup, HD_V_ENV, is_late))
            return false;
        if (r->kind || hd_script_is_taken(w)) {
            teardown(w);
            break;
        }
        enter(r, HD_SCRIPT_START, 0);
        r->has_begun = true;
        hd_worker_go(w); /* if it cannot hear, its end is seen by others */
        break;
    case HD_SCRIPT_START:
        if (!r->has_ended && !child_of(w))
            return false;
        enter(r, HD_SCRIPT_READY, s->ready.phase.timeout_ms);
        break;
    case HD_SCRIPT_READY:
        if (hd_script_is_ready(w, now))
            drive(w);
        else if (is_late)
            hd_script_not_ready(w, false);
        if (r->kind)
            cut(w);
        break;
    case HD_SCRIPT_DRIVE:
        if (!drivers_done(w, is_late))
            return false;
        if (r->kind)
            cut(w);
        else
            check(w);
        break;
    case HD_SCRIPT_CHECK:
        if (!one_done(w, "check", &r->in->check, &r->one, HD_V_CHECK, is_late))
            return false;
        stop_or_cut(w);
        break;
    case HD_SCRIPT_STOP_COMMAND:
        if (!one_done(w, "stop command", &s->stop.phase, &r->one, HD_V_CHECK, is_late))
            return false;
        stop_or_cut(w);
        break;
    case HD_SCRIPT_STOP:
        await_end(w, is_late);
        break;
    case HD_SCRIPT_CUT:
        if (is_late) {
            send_signal(w, SIGKILL);
            r->deadline_ns = now + CUT_NS;
        }
        break;
    case HD_SCRIPT_LATE:
        if (!one_done(w, "check", &r->in->check, &r->one, HD_V_CHECK, is_late))
            return false;
        teardown(w);
        break;
    case HD_SCRIPT_TEARDOWN:
        if (s->teardown.n && !one_done(w, "teardown", &s->teardown, &r->one, HD_V_ENV, is_late))
            return false;
        give_verdict(w);
        break;
    case HD_SCRIPT_DONE:
        break;
    }
    return r->state != before;
}

/* ---- for the worker ----------------------------------------------------------------------------
 */

static bool step(struct hd_worker *w)
{
    struct hd_script_run *r = w->script;
    while (r->state != HD_SCRIPT_DONE && poll_once(w))
        publish_state(w);
    publish_state(w);
    r->poll_ns = hd_monotonic_ns() + r->pause_ns;
    r->pause_ns = HD_MIN(2 * r->pause_ns, POLL_LAST_NS);
    return r->state == HD_SCRIPT_DONE;
}

static int begin(struct hd_worker *w)
{
    struct hd_script_run *r = w->script;
    struct hd_config *cfg = &w->host->cfg;
    hd_vec_clear(&r->log);
    r->kind = 0;
    int e = hd_script_clean(r);
    if (e)
        hd_script_fail(r, HD_V_ENV, "the script's folder %s cannot be emptied: %s", r->tmp,
                       strerror(-e));
    r->has_begun = r->has_ended = r->is_cut = r->is_stopped = false;
    r->vars.run = w->host->cmd.first_run;
    r->vars.has_run = true;
    cfg->mode |= HD_MODE_DRIVEN;
    if (cfg->mode & HD_MODE_REPLAY)
        cfg->patience_ms =
            HD_MAX(cfg->patience_ms,
                   cfg->mode & HD_MODE_STRICT ? (u32)REPLAY_PATIENCE_MS : (u32)LOOSE_PATIENCE_MS);
    enter(r, HD_SCRIPT_SETUP, r->in->script->setup.timeout_ms);
    if (r->in->script->setup.n && !r->kind)
        hd_script_start(w, &r->setup, &r->in->script->setup.command[0]);
    w->is_busy = true;
    step(w);
    return 0;
}

static void ended(struct hd_worker *w)
{
    w->script->has_ended = true;
    if (w->script->state == HD_SCRIPT_CUT)
        teardown(w);
    else
        program_ended(w);
}

static bool is_timed(const struct hd_worker *w)
{
    return w->script->has_begun && !w->script->has_ended;
}

static int poll_fd(const struct hd_worker *w) { return w->script ? w->script->epoll : -1; }

static s64 poll_ms(const struct hd_worker *w, s64 at_most)
{
    const struct hd_script_run *r = w->script;
    if (!r || !w->is_busy)
        return at_most;
    bool is_asking = r->state == HD_SCRIPT_START || r->state == HD_SCRIPT_READY;
    s64 due = is_asking ? HD_MIN(r->poll_ns, r->deadline_ns) : r->deadline_ns;
    s64 ms = (due - hd_monotonic_ns()) / 1000000 + 1;
    return HD_MAX(HD_MIN(ms, at_most), (s64)0);
}

/* Tears down, whatever is under way, and waits for it. */
void hd_script_abort(struct hd_worker *w)
{
    struct hd_script_run *r = w->script;
    if (!r || r->state == HD_SCRIPT_DONE)
        return;
    r->has_ended = true;
    if (r->state != HD_SCRIPT_TEARDOWN)
        teardown(w);
    while (r->state == HD_SCRIPT_TEARDOWN && !step(w)) {
        struct epoll_event e;
        if (hd_stop_is_late()) { /* a teardown that hangs does not hold up the end */
            hd_script_proc_end(&r->one);
            hd_script_proc_end(&r->setup);
            r->state = HD_SCRIPT_DONE;
            break;
        }
        epoll_wait(r->epoll, &e, 1, 20);
    }
}

const struct hd_phases hd_script_phases = {
    .attach = hd_script_attach, .detach = hd_script_detach, .begin = begin, .ended = ended,
    .step = step, .is_timed = is_timed, .fd = poll_fd, .poll_ms = poll_ms,
};
