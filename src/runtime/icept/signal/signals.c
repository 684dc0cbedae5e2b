/* signals.c: dispositions, masks, sending and delivery; see signals.h.
 *
 *   sender                         scheduler              receiver
 *   hd_sig_send: remember siginfo
 *   gate(KILL) ---------------->   pending bit
 *                                  picks the receiver --> res.signal
 *                                                         hd_sig_run_pending:
 *                                                         the handler, with its mask
 *
 * The kernel's mask follows the program's, except for faults: signalfd, exec'd
 * programs and signals from outside behave as without us. Faults keep die.c's
 * handler, which asks for the program's (hd_sig_user_handler).
 */
#include "runtime/icept/signal/signals.h"

#include <ucontext.h>

#include "runtime/icept/io/fifo.h"
#include "runtime/icept/io/io_result.h"
#include "runtime/core/gate.h"
#include "runtime/icept/signal/altstack.h"
#include "runtime/icept/signal/sig_descriptor.h"
#include "runtime/icept/signal/sig_info.h"
#include "runtime/icept/signal/unsafe.h"
#include "runtime/libc/sys.h"
#include "runtime/core/verdict.h"
#include "runtime/icept/io/io_step.h"
#include "runtime/icept/io/wait/wait_io.h"

#define N_SIGNALS 64
/* Signals libc keeps for itself; one of them stands for a cancellation here. */
#define RESERVED (hd_sig_bit(32) | hd_sig_bit(33))

static struct sigaction action[N_SIGNALS + 1]; /* what the program asked for */
static u64 is_known;                           /* bits: action[] is filled in */

/* ---- dispositions ------------------------------------------------------------ */

static void on_signal(int signo, siginfo_t *info, void *context)
{
    const struct sigaction *a = &action[signo];
    if (HD_LIKELY(hd_sys(SYS_getpid, 0) == hd_verdict_pid))
        hd_sig_arrive(signo, info);
    else if (a->sa_flags & SA_SIGINFO) /* a child that shares our memory */
        a->sa_sigaction(signo, info, context);
    else
        a->sa_handler(signo);
}

static bool is_function(const struct sigaction *a)
{
    return (a->sa_flags & SA_SIGINFO) || (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN);
}

/* Tells the kernel: a handler becomes our trampoline. */
static int install(int signo, const struct sigaction *a)
{
    if (hd_verdict_owns(signo))
        return 0;
    struct sigaction real = *a;
    if (is_function(a)) {
        real.sa_sigaction = on_signal;
        real.sa_flags =
            SA_SIGINFO | SA_RESTART | (a->sa_flags & (SA_ONSTACK | SA_NOCLDSTOP | SA_NOCLDWAIT));
        hd_memset(&real.sa_mask, 0xff, sizeof real.sa_mask);
    }
    return HD_REAL(sigaction)(signo, &real, NULL) ? errno : 0;
}

const struct sigaction *hd_sig_get(int signo)
{
    if (!(is_known & hd_sig_bit(signo))) {
        is_known |= hd_sig_bit(signo);
        if (!hd_verdict_owns(signo)) { /* inherited, or set before we came */
            HD_REAL(sigaction)(signo, NULL, &action[signo]);
            if (is_function(&action[signo]))
                install(signo, &action[signo]);
        }
    }
    return &action[signo];
}

static bool default_is_ignore(int signo)
{
    return signo == SIGCHLD || signo == SIGURG || signo == SIGWINCH || signo == SIGCONT;
}

static bool default_is_stop(int signo)
{
    return signo == SIGSTOP || signo == SIGTSTP || signo == SIGTTIN || signo == SIGTTOU;
}

static bool is_ignored(int signo)
{
    const struct sigaction *a = hd_sig_get(signo);
    if (is_function(a))
        return false;
    return a->sa_handler == SIG_IGN || default_is_ignore(signo);
}

bool hd_sig_ends(int signo)
{
    const struct sigaction *a = hd_sig_get(signo);
    return !is_function(a) && a->sa_handler == SIG_DFL && !default_is_ignore(signo) && !default_is_stop(signo);
}

static void discard(int signo)
{
    struct hd_sched *s = &hd_rt.sched;
    s->sig_process &= ~hd_sig_bit(signo);
    for (u32 t = 0; t < s->n_threads; t++)
        hd_sched_signals_taken(&s->thread[t], hd_sig_bit(signo));
    hd_sig_info_drop(signo);
    hd_timer_dropped(signo);
}

int hd_sig_set(int signo, const struct sigaction *act)
{
    int before = errno, err = EINVAL;
    if (signo > 0 && signo <= N_SIGNALS && signo != SIGKILL && signo != SIGSTOP &&
        !(hd_sig_bit(signo) & RESERVED))
        err = install(signo, act);
    errno = before;
    if (err)
        return err;
    is_known |= hd_sig_bit(signo);
    action[signo] = *act;
    hd_unsafe_on |= is_function(act);
    if (is_ignored(signo))
        discard(signo);
    return 0;
}

bool hd_sig_has_receiver(void)
{
    const struct hd_sched *s = &hd_rt.sched;
    for (int signo = 1; signo <= N_SIGNALS; signo++)
        if ((is_known & hd_sig_bit(signo)) && is_function(&action[signo]))
            return true;
    for (u32 t = 0; t < s->n_threads; t++)
        if (s->thread[t].state == HD_T_PENDING && s->thread[t].op.kind == HD_EV_SIGWAIT)
            return true;
    return false;
}

bool hd_sig_user_handler(int signo, struct sigaction *out)
{
    if (signo < 1 || signo > N_SIGNALS || !(is_known & hd_sig_bit(signo)) ||
        !is_function(&action[signo]))
        return false;
    *out = action[signo];
    return true;
}

void hd_sig_release_child(void)
{
    u64 mask = hd_sig_mask();
    for (int signo = 1; signo <= N_SIGNALS; signo++) {
        struct sigaction dfl = {.sa_handler = SIG_DFL};
        if (is_known & hd_sig_bit(signo))
            HD_REAL(sigaction)(signo, &action[signo], NULL);
        else if (hd_verdict_owns(signo))
            HD_REAL(sigaction)(signo, &dfl, NULL);
    }
    hd_altstack_release();
    hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
}

/* ---- masks --------------------------------------------------------------------- */

static u64 fault_bits(void)
{
    u64 set = 0;
    for (int signo = 1; signo < 32; signo++)
        if (hd_verdict_owns(signo))
            set |= hd_sig_bit(signo);
    return set;
}

u64 hd_sig_mask(void) { return hd_rt.sched.thread[hd_tls.tid].sig_blocked & ~RESERVED; }

void hd_sig_set_mask(u64 mask)
{
    struct hd_sched *s = &hd_rt.sched;
    u64 kept = s->thread[hd_tls.tid].sig_blocked & RESERVED;
    mask &= ~(RESERVED | hd_sig_bit(SIGKILL) | hd_sig_bit(SIGSTOP));
    hd_sched_sigmask(s, hd_tls.tid, mask | kept);
    u64 real = mask & ~fault_bits();
    hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &real, 0, 8);
    hd_sig_descriptor_flush();
}

u64 hd_sig_enter_mask(const sigset_t *mask)
{
    u64 before = hd_sig_mask();
    if (mask)
        hd_sig_set_mask(hd_sig_bits(mask));
    return before;
}

void hd_sig_leave_mask(const sigset_t *mask, u64 before)
{
    if (!mask)
        return;
    int err = errno; /* the call's result is set after handlers ran */
    hd_sig_set_mask(before);
    hd_sig_deliver_now();
    errno = err;
}

/* ---- siginfo -------------------------------------------------------------------- */

bool hd_sig_take_info(int signo, siginfo_t *out)
{
    bool has_more;
    u16 more;
    if (!hd_sig_info_take(hd_tls.tid, signo, out, &has_more, &more))
        return false;
    if (out->si_code == SI_TIMER || (signo == SIGALRM && out->si_code == SI_KERNEL))
        hd_timer_taken(out);
    if (!has_more)
        hd_rt.sched.sig_foreign &= ~hd_sig_bit(signo);
    if (has_more) /* one more of a queued signal: pending again */
        hd_sched_signal(&hd_rt.sched, more, (u32)signo);
    return true;
}

u64 hd_sig_all_pending(void)
{
    const struct hd_sched *s = &hd_rt.sched;
    u64 real = 0;
    hd_sys(SYS_rt_sigpending, &real, 8);
    return (s->thread[hd_tls.tid].sig_pending | s->sig_process | real) & ~RESERVED;
}

/* ---- sending --------------------------------------------------------------------------- */

static bool is_blocked(u16 tid, int signo)
{
    u16 t = tid == HD_NO_THREAD ? 0 : tid; /* Linux asks the main thread */
    return hd_rt.sched.thread[t].sig_blocked & hd_sig_bit(signo);
}

bool hd_sig_post(u16 tid, int signo, const siginfo_t *info)
{
    if (is_ignored(signo) && !is_blocked(tid, signo))
        return false;
    bool is_new = hd_sig_info_add(tid, signo, info);
    hd_sched_signal(&hd_rt.sched, tid, (u32)signo);
    return is_new;
}

/* Signals only the kernel can act on. */
static bool is_for_kernel(u16 tid, int signo)
{
    if (signo == SIGKILL || signo == SIGSTOP)
        return true;
    if (hd_sig_by_descriptor(tid, signo))
        return true;
    return default_is_stop(signo) && !is_function(hd_sig_get(signo)) && !is_ignored(signo);
}

/* POSIX: a process signal that only the sender can take is delivered before
 * kill() returns. */
static bool claim(int signo)
{
    struct hd_sched *s = &hd_rt.sched;
    u64 bit = hd_sig_bit(signo);
    u16 self = hd_tls.tid;
    if (!(s->sig_process & bit) || (s->thread[self].sig_blocked & bit))
        return false;
    for (u32 t = 0; t < s->n_threads; t++) {
        const struct hd_sthread *th = &s->thread[t];
        if (t == self || th->state == HD_T_FREE || th->state == HD_T_FINISHED)
            continue;
        bool waits =
            th->state == HD_T_PENDING && th->op.kind == HD_EV_SIGWAIT && (th->op.arg & bit);
        if (waits || !(th->sig_blocked & bit))
            return false;
    }
    s->sig_process &= ~bit;
    s->thread[self].sig_pending |= bit;
    return true;
}

/* The caller takes a signal from outside before its next step, as in the recorded run
 * if there is one: then it is waited for. */
struct expected {
    u64 bit;
};

static bool is_here(void *arg)
{
    const struct expected *e = arg;
    if (__atomic_load_n(&hd_sig_arrived, __ATOMIC_SEQ_CST))
        hd_sig_poll();
    return hd_rt.sched.sig_process & e->bit;
}

static void claim_foreign(u64 set)
{
    const struct hd_io_result *a;
    if (!hd_io_result_is_replayed()) {
        for (set &= hd_rt.sched.sig_foreign; set; set &= set - 1) {
            int signo = __builtin_ctzll(set) + 1;
            if (claim(signo))
                hd_io_result_note(HD_IO_RESULT_SIGNAL, signo);
        }
        return;
    }
    while ((a = hd_io_result_take(HD_IO_RESULT_SIGNAL))) {
        struct expected e = {hd_sig_bit((int)(a->value & 63))};
        if (hd_io_result_until(is_here, &e))
            claim((int)(a->value & 63));
    }
}

void hd_sig_deliver_now(void)
{
    struct hd_sthread *th = &hd_rt.sched.thread[hd_tls.tid];
    for (;;) {
        if (__atomic_load_n(&hd_sig_arrived, __ATOMIC_SEQ_CST))
            hd_sig_poll();
        u64 set = hd_rt.sched.sig_process & ~th->sig_blocked & ~RESERVED;
        if (HD_UNLIKELY(hd_io_is_shared))
            claim_foreign(set);
        for (set &= ~hd_rt.sched.sig_foreign; set; set &= set - 1)
            claim(__builtin_ctzll(set) + 1);
        if (!(th->sig_pending & ~th->sig_blocked & ~RESERVED))
            return;
        hd_sig_run_pending();
    }
}

int hd_sig_send(u16 tid, int signo, const siginfo_t *info, u64 site)
{
    if (!signo)
        return 0;
    if (signo < 0 || signo > N_SIGNALS || (hd_sig_bit(signo) & RESERVED))
        return EINVAL;
    hd_io_dirty = true;
    if (is_for_kernel(tid, signo)) {
        hd_io_quiet_step(-1, site);
        if (signo == SIGKILL)
            hd_verdict_signal(signo);
        if (is_for_kernel(tid, signo))
            return hd_sig_send_really(tid, signo, info);
        hd_sig_post(tid, signo, info); /* somebody has begun to wait for it */
        hd_sig_deliver_now();
        return 0;
    }
    if (is_ignored(signo) && !is_blocked(tid, signo)) {
        hd_io_quiet_step(-1, site);
        return 0;
    }
    u64 to = tid == HD_NO_THREAD ? ~(u64)0 : tid;
    int err = hd_gate_obj(HD_EV_KILL, site, (void *)to, (u64)signo).err;
    if (!err) /* nobody has run since it became pending */
        hd_sig_info_add(tid, signo, info);
    hd_sig_descriptor_flush();
    hd_sig_deliver_now();
    return err;
}

/* ---- delivery --------------------------------------------------------------------------- */

/* The default action of most signals. The kernel does it, so that the parent
 * sees the status it would see without us. */
static _Noreturn void end_by(int signo, const siginfo_t *info)
{
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        u64 mask;
    } dfl = {0};
    u64 none = 0;
    if (hd_verdict_owns(signo) && hd_sig_is_foreign(info))
        hd_verdict_sent(signo, info);
    hd_stats_publish();
    if (!hd_verdict_owns(signo))
        hd_sys(SYS_rt_sigaction, signo, &dfl, 0, 8);
    hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, 8);
    hd_sys(SYS_tgkill, hd_sys(SYS_getpid, 0), hd_sys(SYS_gettid, 0), signo);
    for (;;)
        hd_sys(SYS_exit_group, 128 + signo);
}

/* Where a thread is in handlers, innermost first; lives on its stack. */
struct running {
    struct running *outer;
    bool has_saved; /* the scheduler has put an operation aside for it */
    bool is_alt;    /* it is on the alternate stack */
    struct hd_interrupted by;
};
static struct running *innermost[HD_MAX_THREADS];

const struct hd_interrupted *hd_sig_interrupted(u16 t)
{
    return innermost[t] ? &innermost[t]->by : NULL;
}

static void call_handler(int signo, const struct sigaction *a, siginfo_t *info)
{
    u64 before = hd_sig_mask(), during = before | hd_sig_bits(&a->sa_mask);
    if (!(a->sa_flags & SA_NODEFER))
        during |= hd_sig_bit(signo);
    hd_sig_set_mask(during);
    ucontext_t context; /* a handler without SA_SIGINFO does not look at it */
    hd_memset(&context, 0, sizeof context);
    *(u64 *)&context.uc_sigmask = before;
    int err = errno;
    innermost[hd_tls.tid]->by.signo = (u8)signo;
    hd_altstack_call(a->sa_sigaction, (u64)a->sa_flags, signo, info, &context);
    if (HD_UNLIKELY(errno != err))
        hd_unsafe_errno(&innermost[hd_tls.tid]->by, (u64)a->sa_sigaction, err);
    hd_sig_set_mask(before);
}

/* True if a handler ran; *restart is cleared if it ends the call it came into. */
static bool deliver(int signo, bool *restart)
{
    siginfo_t info;
    struct hd_sched *s = &hd_rt.sched;
    if (!hd_sig_take_info(signo, &info))
        return false;
    if (s->sig_process & ~s->sig_foreign & hd_sig_bit(signo)) { /* the rest before higher ones */
        s->sig_process &= ~hd_sig_bit(signo);
        s->thread[hd_tls.tid].sig_pending |= hd_sig_bit(signo);
    }
    struct sigaction a = *hd_sig_get(signo);
    if (!is_function(&a)) {
        if (!is_ignored(signo))
            end_by(signo, &info);
        return false;
    }
    if (a.sa_flags & SA_RESETHAND) {
        struct sigaction dfl = {.sa_handler = SIG_DFL};
        hd_sig_set(signo, &dfl);
    }
    if (!(a.sa_flags & SA_RESTART))
        *restart = false;
    call_handler(signo, &a, &info);
    return true;
}

void hd_sig_forget_thread(u16 t)
{
    innermost[t] = NULL;
    hd_sig_info_forget(t);
}

void hd_sig_jump(u64 sp, const sigset_t *mask)
{
    u16 t = hd_tls.tid;
    bool is_alt = hd_altstack_has(sp);
    while (innermost[t] && (innermost[t]->is_alt == is_alt ? (u64)innermost[t] < sp : !is_alt)) {
        if (innermost[t]->has_saved)
            hd_sched_abandon(&hd_rt.sched, t);
        hd_fifo_leave();
        innermost[t] = innermost[t]->outer;
    }
    if (mask)
        hd_sig_set_mask(hd_sig_bits(mask));
}

bool hd_sig_run_pending(void)
{
    u16 self = hd_tls.tid;
    struct hd_sthread *th = &hd_rt.sched.thread[self];
    struct running here = {.outer = innermost[self], .has_saved = th->res.signal,
                           .by = {th->op.site, th->op.kind, 0, th->res.signal}};
    here.is_alt = hd_altstack_has((u64)&here);
    innermost[self] = &here;
    bool restart = true, any = false;
    bool never = th->op.kind == HD_EV_SLEEP || th->op.kind == HD_EV_SIGWAIT ||
                 hd_wait_never_restarts(self); /* see signal(7) */
    struct hd_wait_aside aside = hd_wait_put_aside(self);
    u64 given = 0, due;
    if (th->res.signal && th->res.value) /* the scheduler may have taken it off the set */
        given = hd_sig_bit((int)th->res.value) & ~RESERVED;
    th->res.signal = false;
    while ((due = (th->sig_pending & ~th->sig_blocked & ~RESERVED) | given)) {
        int signo = __builtin_ctzll(due) + 1;
        hd_sched_signals_taken(th, hd_sig_bit(signo));
        if (given & hd_sig_bit(signo))
            given = 0;
        else /* the scheduler has recorded only the one it gave */
            hd_note(HD_EV_HANDLER, th->last_site, 0, (u64)signo);
        any |= deliver(signo, &restart);
    }
    hd_wait_take_up(self, aside);
    innermost[self] = here.outer;
    return !any || (restart && !never);
}
