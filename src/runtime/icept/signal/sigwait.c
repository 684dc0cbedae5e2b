/* sigwait.c: calls that wait for a signal: pause, sigsuspend, sigwait &
 * co., signalfd.
 *
 * Usually only this process can send what they wait for: then they are SIGWAIT
 * operations, and waiting for ever is a deadlock. Once it has made a child, a
 * signal may come from outside (SIGCHLD, to begin with): then they are waits for
 * the outside world.
 */
#include "runtime/icept/signal/signals.h"

#include "runtime/icept/io/io_result.h"
#include "runtime/icept/process/child.h"
#include "runtime/icept/signal/sig_descriptor.h"
#include "runtime/libc/sys.h"
#include "runtime/icept/io/transfer.h"
#include "runtime/libc/user_mem.h"
#include "runtime/icept/string/string_access.h"

static int never(void *arg) { return 0; }

/* Until a handler has run. */
static int suspend(u64 site)
{
    struct hd_wait w = {.probe = never};
    int err;
    do {
        if (hd_io_is_shared) {
            err = hd_wait_full(&w, HD_NEVER, -1, site, HD_IO_FLAGS,
                               HD_WAIT_EXTERNAL | HD_WAIT_NO_RESTART);
        } else {
            struct hd_op op = hd_op_make(HD_EV_SIGWAIT, site, 0);
            op.flags = HD_IO_FLAGS;
            err = hd_gate(&op).err;
        }
    } while (err != EINTR);
    return (int)hd_fail(EINTR);
}

HD_EXPORT int pause(void) { return hd_on() ? suspend(HD_SITE()) : HD_REAL(pause)(); }

static int suspend_with(u64 mask, u64 site)
{
    sigset_t set;
    hd_sig_to_set(&set, mask);
    u64 before = hd_sig_enter_mask(&set);
    int r = suspend(site);
    hd_sig_leave_mask(&set, before);
    return r;
}

HD_EXPORT int sigsuspend(const sigset_t *mask)
{
    u64 bits;
    if (!hd_on())
        return HD_REAL(sigsuspend)(mask);
    if (!hd_user_read(&bits, mask, sizeof bits))
        return (int)hd_fail(EFAULT);
    return suspend_with(bits, HD_SITE());
}

/* sigpause has two meanings; __xpg_sigpause is what programs get today. */
HD_EXPORT int __xpg_sigpause(int signo);
HD_EXPORT int __xpg_sigpause(int signo)
{
    if (signo < 1 || signo > 64)
        return (int)hd_fail(EINVAL);
    sigset_t set;
    if (hd_on())
        return suspend_with(hd_sig_mask() & ~hd_sig_bit(signo), HD_SITE());
    HD_REAL(sigprocmask)(SIG_BLOCK, NULL, &set);
    *(u64 *)&set &= ~hd_sig_bit(signo);
    return HD_REAL(sigsuspend)(&set);
}

/* ---- sigwait -------------------------------------------------------------------- */

struct accepting {
    u16 tid;
    u64 set;
};

static int is_there(void *arg)
{
    const struct accepting *a = arg;
    const struct hd_sched *s = &hd_rt.sched;
    u64 real = 0;
    hd_sys(SYS_rt_sigpending, &real, 8);
    return ((s->thread[a->tid].sig_pending | s->sig_process | real) & a->set) != 0;
}

/* The same for what the kernel delivers to another thread. */
static bool has_come(void *arg)
{
    const struct accepting *a = arg;
    if ((a->set & hd_sig_bit(SIGCHLD)) && !is_there(arg))
        hd_child_make_up();
    if (__atomic_load_n(&hd_sig_arrived, __ATOMIC_SEQ_CST))
        hd_sig_poll();
    return is_there(arg);
}

/* Takes one of `set` that is pending now: ours first, then the kernel's. 0: none. */
static int take(u64 set, siginfo_t *info)
{
    struct hd_sched *s = &hd_rt.sched;
    struct hd_sthread *th = &s->thread[hd_tls.tid];
    u64 mine = (th->sig_pending | s->sig_process) & set;
    if (mine) {
        int signo = __builtin_ctzll(mine) + 1;
        if (th->sig_pending & hd_sig_bit(signo))
            hd_sched_signals_taken(th, hd_sig_bit(signo));
        else
            s->sig_process &= ~hd_sig_bit(signo);
        return hd_sig_take_info(signo, info) ? signo : 0;
    }
    struct timespec zero = {0, 0};
    long r = hd_sys(SYS_rt_sigtimedwait, &set, info, &zero, 8);
    if (r <= 0)
        return 0;
    hd_child_signals += r == SIGCHLD;
    hd_sig_descriptor_read();
    if (hd_sig_is_foreign(info)) /* our own come this way once there is a signalfd */
        hd_uncontrolled(HD_UNC_SIGNAL, "a signal from outside");
    return (int)r;
}

/* The signal, or a negative errno. */
static int accept_signal(u64 set, siginfo_t *info, s64 deadline, u64 site)
{
    while (!hd_io_is_shared && !is_there(&(struct accepting){hd_tls.tid, set})) {
        struct hd_op op = hd_op_make(HD_EV_SIGWAIT, site, 0);
        op.arg = set;
        op.deadline = deadline;
        op.flags = HD_IO_FLAGS | (deadline != HD_NEVER ? HD_OP_TIMED : 0);
        struct hd_res r = hd_gate(&op);
        if (r.err == EAGAIN) /* a child was made: wait in the other way */
            continue;
        if (r.err) {
            hd_sig_descriptor_flush();
            return -r.err;
        }
        if (hd_sig_take_info((int)r.value, info))
            return (int)r.value;
    }
    struct accepting a = {hd_tls.tid, set};
    struct hd_wait w = {.probe = is_there, .arg = &a};
    u8 how = hd_io_is_shared ? HD_WAIT_EXTERNAL | HD_WAIT_RECORDED : 0;
    for (;;) {
        int err = hd_wait_full(&w, deadline, -1, site, HD_IO_FLAGS, how | HD_WAIT_NO_RESTART);
        if (err && how)
            hd_io_result_note(-1, err == EINTR ? -EINTR : -ETIMEDOUT);
        if (err)
            return -err;
        const struct hd_io_result *known = how ? hd_io_result_now(-1) : NULL;
        if (known && known->value > 0 && known->value <= 64) { /* this very one */
            a.set = hd_sig_bit((int)known->value) & set;
            hd_io_result_until(has_come, &a);
        }
        int signo = take(a.set, info);
        a.set = set;
        if (!signo)
            continue;
        if (how)
            hd_io_result_note(-1, signo);
        return signo;
    }
}

static int wait_info(const sigset_t *set, siginfo_t *info, s64 deadline, u64 site)
{
    siginfo_t own;
    u64 bits;
    if (!hd_user_read(&bits, set, sizeof bits))
        return (int)hd_fail(EFAULT);
    int r = accept_signal(bits, &own, deadline, site);
    if (r < 0)
        return (int)hd_fail(r == -ETIMEDOUT ? EAGAIN : -r);
    if (own.si_code == SI_TKILL) /* so does glibc */
        own.si_code = SI_USER;
    if (info)
        hd_writes(info, sizeof *info, site);
    if (info && !hd_user_write(info, &own, sizeof own))
        return (int)hd_fail(EFAULT);
    return r;
}

HD_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    return hd_on() ? wait_info(set, info, HD_NEVER, HD_SITE()) : HD_REAL(sigwaitinfo)(set, info);
}

HD_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
    if (!hd_on())
        return HD_REAL(sigtimedwait)(set, info, timeout);
    s64 deadline = HD_NEVER;
    struct timespec ts;
    if (timeout) {
        if (!hd_user_read(&ts, timeout, sizeof ts))
            return (int)hd_fail(EFAULT);
        if (ts.tv_sec < 0 || ts.tv_nsec < 0 || ts.tv_nsec >= 1000000000)
            return (int)hd_fail(EINVAL);
        if (ts.tv_sec < HD_NEVER / 1000000000)
            deadline = hd_deadline_rel(hd_ns_of(ts.tv_sec, ts.tv_nsec));
    }
    return wait_info(set, info, deadline, HD_SITE());
}

HD_EXPORT int sigwait(const sigset_t *set, int *signo)
{
    if (!hd_on())
        return HD_REAL(sigwait)(set, signo);
    siginfo_t info;
    u64 bits;
    if (!hd_user_read(&bits, set, sizeof bits))
        return EFAULT;
    int r;
    do /* is not interrupted: glibc waits on */
        r = accept_signal(bits, &info, HD_NEVER, HD_SITE());
    while (r == -EINTR);
    if (r < 0)
        return -r;
    hd_writes(signo, sizeof *signo, HD_SITE());
    *signo = r;
    return 0;
}

/* Signals sent later to these, while blocked, take the way through the kernel,
 * which makes the descriptor readable. */
HD_EXPORT int signalfd(int fd, const sigset_t *mask, int flags)
{
    int r = HD_REAL(signalfd)(fd, mask, flags);
    if (r >= 0 && hd_on()) {
        hd_fd_mark(r, HD_FD_INTERNAL);
        hd_sig_descriptor_add(hd_sig_bits(mask));
        hd_io_dirty = true;
    }
    return r;
}
