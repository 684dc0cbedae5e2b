/* wait_io.c: waiting for the outside world; see wait_io.h.
 *
 *   waiter                       holder of the baton
 *   poll: not ready
 *   post IO (arg 0), parks
 *                                write(): hd_io_dirty
 *                                decides: refresh -> io_ready(waiter)
 *   resumed, polls again:
 *   another reader may have been faster, then it waits on
 *
 * A wait lives on its thread's stack. A thread that left by cancellation or
 * longjmp cannot take its entry back, so an entry counts only while the
 * scheduler says that its thread is pending on a blocking IO operation.
 */
#include "runtime/icept/io/wait/wait_io.h"

#include "runtime/icept/io/io_result.h"
#include "runtime/icept/io/io_step.h"
#include "runtime/icept/process/child.h"
#include "runtime/icept/process/child_clock.h"
#include "runtime/icept/io/fdinfo.h"
#include "runtime/icept/signal/signals.h"
#include "runtime/icept/signal/sig_descriptor.h"
#include "runtime/libc/sys.h"
#include "runtime/core/watchdog.h"

#define MAX_POLLED 4096        /* descriptors in one poll; more are asked per thread */
#define SLICE_MIN_NS 50000     /* real waiting is cut into slices, growing from here ... */
#define SLICE_PROBE_NS 2000000 /* ... to here if something can only be asked, not awaited */
#define SLICE_MAX_NS 20000000  /* ... or here: signals may reach another kernel thread */

bool hd_io_dirty;
u32 hd_io_waiting;
bool hd_io_is_shared;

struct slot {
    const struct hd_wait *w;
    u8 how;
    bool is_listed;
};
static struct slot slot[HD_MAX_THREADS];
static u16 listed[HD_MAX_THREADS];
static struct pollfd polled[MAX_POLLED];

/* ---- the waiting thread ------------------------------------------------ */

static bool is_ready(const struct hd_wait *w)
{
    if (w->probe)
        return w->probe(w->arg) != 0;
    return w->n && hd_sys(SYS_poll, w->fds, w->n, 0) > 0;
}

static void enlist(u16 t, const struct hd_wait *w, u8 how)
{
    slot[t].w = w;
    slot[t].how = how;
    if (!slot[t].is_listed) {
        slot[t].is_listed = true;
        listed[hd_io_waiting++] = t;
    }
}

static void delist(u16 t)
{
    slot[t].w = NULL;
    if (!slot[t].is_listed)
        return;
    slot[t].is_listed = false;
    for (u32 i = 0; i < hd_io_waiting; i++)
        if (listed[i] == t) { /* keeps the order, which is part of the schedule */
            hd_io_waiting--;
            for (; i < hd_io_waiting; i++)
                listed[i] = listed[i + 1];
        }
}

static bool may_get_external_input(const struct hd_wait *w)
{
    if (hd_io_is_shared)
        return true;
    for (u32 i = 0; i < w->n; i++)
        if (w->fds[i].fd >= 0 && !hd_fd_is_internal(w->fds[i].fd))
            return true;
    return false;
}

static bool waits_for_peer(const struct hd_wait *w)
{
    for (u32 i = 0; i < w->n; i++)
        if (w->fds[i].fd >= 0 && (hd_io_is_shared || hd_fd_has_peer(w->fds[i].fd)))
            return true;
    return false;
}

/* Somebody who runs in real time may end this wait. */
static bool is_real(const struct hd_wait *w, u8 how)
{
    return (how & HD_WAIT_EXTERNAL) || (may_get_external_input(w) && waits_for_peer(w));
}

/* Goes on when the script says so; the caller then waits for what was there. Its time may
 * have come first in the recorded run, and what it waited for right after that. */
static void follow_io_result(u64 step, s64 deadline, int fd_for_event, u64 site, u8 op_flags)
{
    do {
        struct hd_op op = hd_op_make(HD_EV_IO, site, (u64)(s64)fd_for_event);
        op.flags = op_flags & ~HD_OP_INTERRUPTIBLE;
        op.arg = 1;
        if (deadline != HD_NEVER && deadline > hd_rt.sched.now) {
            op.deadline = deadline;
            op.flags |= HD_OP_TIMED;
        }
        hd_gate(&op);
    } while (hd_rt.sched.step < step); /* others may have been faster */
}

int hd_wait_full(const struct hd_wait *w, s64 deadline, int fd_for_event, u64 site, u8 op_flags,
                 u8 how)
{
    static const struct hd_wait nothing;
    struct hd_sched *s = &hd_rt.sched;
    u16 t = hd_tls.tid;
    hd_io_progress(t);
    const struct hd_io_result *a = how & HD_WAIT_RECORDED ? hd_io_result_next(fd_for_event) : NULL;
    if (a && !hd_io_result_is_none(a)) {
        follow_io_result(a->step, deadline, fd_for_event, site, op_flags);
        return 0;
    }
    if (a)
        w = &nothing; /* what may have come by now came later */
    for (;;) {
        hd_sig_descriptor_flush(); /* what came before this thread had begun */
        hd_sig_has_looked(t);
        bool ready = is_ready(w);
        bool blocks = !ready && deadline > s->now;
        struct hd_op op = hd_op_make(HD_EV_IO, site, (u64)(s64)fd_for_event);
        op.flags = op_flags;
        op.arg = !blocks;
        if (blocks) {
            op.deadline = deadline;
            if (deadline != HD_NEVER)
                op.flags |= HD_OP_TIMED | (is_real(w, how) ? HD_OP_EXTERNAL : 0);
            enlist(t, w, how);
        } else {
            op.flags &= ~HD_OP_INTERRUPTIBLE; /* the kernel prefers data to EINTR, too */
        }
        u64 step = s->step;
        struct hd_res r = hd_gate(&op);
        delist(t);
        if (r.err == EINTR)
            return EINTR;
        if ((ready && s->step == step + 1) || is_ready(w))
            return 0;
        if (r.err == ETIMEDOUT || deadline <= s->now)
            return ETIMEDOUT;
    }
}

int hd_wait_io(const struct hd_wait *w, s64 deadline, int fd_for_event, u64 site, u8 op_flags)
{
    return hd_wait_full(w, deadline, fd_for_event, site, op_flags, w->probe ? HD_WAIT_EXTERNAL : 0);
}

struct hd_wait_aside hd_wait_put_aside(u16 t)
{
    struct hd_wait_aside aside = {slot[t].w, slot[t].how};
    delist(t);
    return aside;
}

void hd_wait_take_up(u16 t, struct hd_wait_aside aside)
{
    if (!aside.w)
        return;
    enlist(t, aside.w, aside.how);
    hd_io_dirty = true; /* it may have become ready meanwhile */
}

bool hd_wait_never_restarts(u16 t) { return slot[t].w && (slot[t].how & HD_WAIT_NO_RESTART); }

/* ---- the holder of the baton -------------------------------------------- */

static bool is_waiting(u16 t)
{
    const struct hd_sthread *th = &hd_rt.sched.thread[t];
    return slot[t].w && th->state == HD_T_PENDING && th->op.kind == HD_EV_IO && !th->op.arg;
}

/* Drops entries of threads that left without saying so. */
static void drop_strays(void)
{
    u32 kept = 0;
    for (u32 i = 0; i < hd_io_waiting; i++) {
        u16 t = listed[i];
        if (is_waiting(t))
            listed[kept++] = t;
        else
            slot[t] = (struct slot){0};
    }
    hd_io_waiting = kept;
}

static void report_ready(u16 t, bool ready)
{
    struct hd_sched *s = &hd_rt.sched;
    ready |= hd_sig_has_news(t);
    if (s->thread[t].io_ready != ready)
        hd_sched_io_ready(s, t, ready);
}

/* All descriptors of all waits that poll() can answer, in one array. A wait
 * with a probe adds its descriptors, if any, as hints for when to ask. */
static u32 gather(bool with_hints)
{
    u32 n = 0;
    for (u32 i = 0; i < hd_io_waiting; i++) {
        const struct hd_wait *w = slot[listed[i]].w;
        if ((w->probe && !with_hints) || w->n > MAX_POLLED - n)
            continue;
        hd_memcpy(polled + n, w->fds, w->n * sizeof *polled);
        n += w->n;
    }
    return n;
}

void hd_io_refresh(void)
{
    hd_io_dirty = false;
    drop_strays();
    u32 n = gather(false);
    for (u32 i = 0; i < n; i++)
        polled[i].revents = 0;
    if (n)
        hd_sys(SYS_poll, polled, n, 0);
    u32 at = 0;
    for (u32 i = 0; i < hd_io_waiting; i++) {
        u16 t = listed[i];
        const struct hd_wait *w = slot[t].w;
        if (w->probe || w->n > MAX_POLLED - at) {
            report_ready(t, is_ready(w));
            continue;
        }
        bool ready = false;
        for (u32 k = 0; k < w->n; k++)
            ready |= polled[at + k].revents != 0;
        at += w->n;
        report_ready(t, ready);
    }
}

/* Is the thread the script wants ready (or nobody wanted, and any is)? */
static bool is_enough(u16 wanted)
{
    for (u32 i = 0; i < hd_io_waiting; i++)
        if (hd_rt.sched.thread[listed[i]].io_ready &&
            (wanted == HD_NO_THREAD || wanted == listed[i]))
            return true;
    return false;
}

/* A loose script wants a thread that is not ready, and others are: no time passes for it. */
static bool others_can(u16 wanted)
{
    return wanted != HD_NO_THREAD && !hd_rt.sched.script.strict && is_enough(HD_NO_THREAD);
}

static s64 real_ns(void)
{
    struct timespec ts;
    hd_sys(SYS_clock_gettime, CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

/* Waits at most `ns` for one of the gathered descriptors. Signals are blocked
 * between the last look at hd_sig_arrived and the wait, so none is missed. */
static void wait_really(s64 ns, u32 n)
{
    u64 all = ~0ull, before;
    hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, 8);
    if (!__atomic_load_n(&hd_sig_arrived, __ATOMIC_SEQ_CST)) {
        struct timespec ts = {ns / 1000000000, ns % 1000000000};
        hd_sys(SYS_ppoll, polled, n, &ts, &before, 8);
    }
    hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &before, 0, 8);
}

void hd_io_await_signal(void) { wait_really(SLICE_MAX_NS / 10, 0); }

/* Is the script's next choice to give a thread a signal from outside? */
static bool wants_signal(void)
{
    const struct hd_sched *s = &hd_rt.sched;
    return s->script_pos < s->script.n &&
           s->script.choice[s->script_pos].kind == HD_CHOICE_FOREIGN;
}

/* ---- waiting for real --------------------------------------------------------- */

/* What the threads that wait depend on. */
struct outlook {
    bool is_external; /* others than this process may end a wait */
    bool has_peer;   /* ... and one of them is there: time is real */
    bool has_probe;
};

bool hd_io_has_children(void *self)
{
    siginfo_t info;
    if (!hd_io_is_shared)
        return false;
    if (hd_child_clock_is_beside())
        return true;
    long r = hd_sys(SYS_waitid, P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL, 0);
    return r != -ECHILD;
}

static struct outlook outlook_now(void)
{
    struct outlook o = {.is_external = hd_n_blocked_outside != 0 || wants_signal(),
                        .has_peer = hd_n_blocked_outside != 0};
    bool is_driven = hd_rt.server->cfg.mode & HD_MODE_DRIVEN;
    for (u32 i = 0; i < hd_io_waiting; i++) {
        const struct slot *sl = &slot[listed[i]];
        bool is_external = (sl->how & HD_WAIT_EXTERNAL) || may_get_external_input(sl->w);
        o.is_external |= is_external;
        o.has_probe |= sl->w->probe != NULL;
        if (is_external && !is_driven && !o.has_peer)
            o.has_peer = waits_for_peer(sl->w);
    }
    if (o.is_external && is_driven)
        o.has_peer |= __atomic_load_n(&hd_rt.host->is_driving, __ATOMIC_RELAXED) == HD_DRIVING;
    if (hd_rt.sched.is_beside_real && !o.has_peer && hd_child_runs())
        o.is_external = o.has_peer = true;
    return o;
}

/* Real time has passed for the program. Less than a millisecond is kept for later: a
 * busy server would have an entry in its log for every request. */
static void pass(s64 ns)
{
    static s64 owed;
    owed += ns;
    if (owed < 1000000)
        return;
    hd_sched_clock_move(&hd_rt.sched, hd_rt.sched.now + owed);
    owed = 0;
}

void hd_io_spin_beside_real(void)
{
    static u32 seen;
    static s64 since;
    u32 spins = hd_rt.sched.real_spins;
    s64 now = spins != seen ? real_ns() : 0;
    if (since && now)
        pass(now - since);
    since = now;
    seen = spins;
}

void hd_io_follow_clock(void)
{
    static u64 seen = ~(u64)0;
    const struct hd_sched *s = &hd_rt.sched;
    const struct hd_choice *c = &s->script.choice[s->script_pos];
    if (!hd_sched_is_followed(s) || c->kind != HD_CHOICE_CLOCK || seen == s->script_base + s->script_pos)
        return;
    seen = s->script_base + s->script_pos;
    s64 granted = c->count * 1000ll, start = real_ns();
    for (s64 left = granted; left > 0 && hd_child_runs(); left = granted - (real_ns() - start))
        wait_really(HD_MIN(left, SLICE_PROBE_NS), 0);
}

/* The script has nobody left who would come, and no thread waits for somebody who is there. */
static bool is_left_alone(void)
{
    if (__atomic_load_n(&hd_rt.host->is_driving, __ATOMIC_RELAXED) != HD_DRIVING_IS_OVER ||
        hd_n_blocked_outside || hd_io_has_children(NULL))
        return false;
    bool is = true;
    for (u32 i = 0; i < hd_io_waiting && is; i++) {
        const struct slot *sl = &slot[listed[i]];
        is = !(sl->how & HD_WAIT_EXTERNAL);
        for (u32 k = 0; k < sl->w->n && is; k++)
            is = sl->w->fds[k].fd < 0 || !hd_fd_is_connected(sl->w->fds[k].fd);
    }
    return is;
}

/* How long to wait for real. */
static s64 patience_for(u16 wanted, s64 deadline, const struct outlook *o)
{
    const struct hd_sched *s = &hd_rt.sched;
    s64 patience = (s64)hd_rt.server->cfg.patience_ms * 1000000, granted = HD_NEVER;
    if (deadline != HD_NEVER) {
        granted = HD_MAX(deadline - s->now, 0);
        if (!o->has_peer)
            granted = HD_MIN(granted, wanted == HD_NO_THREAD && is_left_alone() ? SLICE_MIN_NS : patience);
    } else if (wanted != HD_NO_THREAD) { /* then the scheduler goes on without the script */
        granted = s->script.strict ? HD_MAX(patience, HD_SURE_NS) : patience;
    }
    return HD_MIN(granted, s->io_patience);
}

/* True: something came, or nothing will. */
static bool wait_for_world(u16 wanted, s64 granted, const struct outlook *o, s64 start)
{
    s64 slice = SLICE_MIN_NS, waited = 0;
    s64 slice_max = o->has_probe ? SLICE_PROBE_NS : SLICE_MAX_NS;
    u32 back = __atomic_load_n(&hd_back_word, __ATOMIC_SEQ_CST);
    while (waited < granted) {
        u32 n = gather(true);
        wait_really(HD_MIN(slice, granted - waited), n);
        if (__atomic_load_n(&hd_sig_arrived, __ATOMIC_SEQ_CST) ||
            __atomic_load_n(&hd_back_word, __ATOMIC_SEQ_CST) != back)
            return true;
        hd_io_refresh();
        waited = real_ns() - start;
        if (waited > SLICE_MAX_NS && wants_signal() && hd_child_make_up())
            return true;
        if (is_enough(wanted)) {
            hd_uncontrolled(HD_UNC_IO, "input from another process");
            return true;
        }
        if (o->has_peer && !(hd_rt.server->cfg.mode & HD_MODE_REPLAY) && !outlook_now().has_peer)
            return true; /* whoever was there has left: ask again */
        if (slice < slice_max)
            slice *= 2;
    }
    return false;
}

void hd_io_block(u16 wanted)
{
    struct hd_sched *s = &hd_rt.sched;
    hd_io_refresh();
    if (is_enough(wanted))
        return;
    struct outlook o = outlook_now();
    s64 deadline = s->io_deadline;
    if (others_can(wanted) ||
        (wanted != HD_NO_THREAD && (s->script.strict || wants_signal() || s->thread[wanted].op.deadline <= deadline)))
        deadline = HD_NEVER; /* the script's clock entries, or its own, which the scheduler
                                lets pass if need be */
    if (!o.is_external) {
        if (s->io_patience != HD_NEVER)
            return;
        if (deadline != HD_NEVER)
            hd_sched_clock_move(s, deadline);
        else if (wanted == HD_NO_THREAD && !is_enough(HD_NO_THREAD))
            hd_die_unreachable();
        return;
    }
    static u64 asked_step = ~(u64)0; /* by a script, since when */
    static s64 asked_since;
    s64 start = real_ns();
    if (wanted == HD_NO_THREAD || asked_step != s->step) {
        asked_step = s->step;
        asked_since = start;
    } else if (start - asked_since > HD_SURE_NS) {
        return; /* timers tick, but what is wanted does not come */
    }
    bool has_come = wait_for_world(wanted, patience_for(wanted, deadline, &o), &o, start);
    bool is_idle = wanted == HD_NO_THREAD && s->io_patience == HD_NEVER;
    if (!has_come && deadline != HD_NEVER && !others_can(wanted))
        hd_sched_clock_move(s, deadline);
    else if (is_idle && o.has_peer)
        pass(real_ns() - start);
}
