/* signal.c: the signal calls of libc, on top of signals.c. */
#include "runtime/icept/signal/signals.h"

#include "runtime/core/gate.h"
#include "runtime/icept/signal/sig_info.h"
#include "runtime/libc/sys.h"
#include "runtime/icept/io/transfer.h"
#include "runtime/icept/string/string_access.h"
#include "runtime/libc/user_mem.h"

static u64 interrupting; /* siginterrupt(): signals whose signal() does not restart */

static bool is_signal(int signo) { return signo > 0 && signo <= 64 && signo != 32 && signo != 33; }

/* ---- dispositions -------------------------------------------------------------- */

HD_EXPORT int sigaction(int signo, const struct sigaction *act, struct sigaction *old)
{
    if (!hd_on())
        return HD_REAL(sigaction)(signo, act, old);
    if (!is_signal(signo))
        return (int)hd_fail(EINVAL);
    struct sigaction before = *hd_sig_get(signo);
    int err = act ? hd_sig_set(signo, act) : 0;
    if (err)
        return (int)hd_fail(err);
    if (old) {
        hd_writes(old, sizeof *old, HD_SITE());
        *old = before;
    }
    return 0;
}
HD_ALIAS(__sigaction, sigaction);

/* The rarer calls below are made of sigaction and sigprocmask in either case. */
static sighandler_t set_handler(int signo, sighandler_t handler, int flags, u64 mask)
{
    struct sigaction a = {.sa_handler = handler, .sa_flags = flags}, old;
    if (handler == SIG_ERR || !is_signal(signo)) {
        errno = EINVAL;
        return SIG_ERR;
    }
    hd_sig_to_set(&a.sa_mask, mask);
    return sigaction(signo, &a, &old) ? SIG_ERR : old.sa_handler;
}

HD_EXPORT sighandler_t signal(int signo, sighandler_t handler)
{
    if (!hd_on())
        return HD_REAL(signal)(signo, handler);
    u64 bit = is_signal(signo) ? hd_sig_bit(signo) : 0;
    return set_handler(signo, handler, interrupting & bit ? 0 : SA_RESTART, bit);
}
HD_ALIAS(bsd_signal, signal);
HD_ALIAS(ssignal, signal);

HD_EXPORT sighandler_t __sysv_signal(int signo, sighandler_t handler)
{
    if (!hd_on())
        return HD_REAL(__sysv_signal)(signo, handler);
    return set_handler(signo, handler, SA_RESETHAND | SA_NODEFER, 0);
}
HD_ALIAS(sysv_signal, __sysv_signal);

HD_EXPORT int siginterrupt(int signo, int on)
{
    struct sigaction a;
    if (!is_signal(signo))
        return (int)hd_fail(EINVAL);
    if (sigaction(signo, NULL, &a))
        return -1;
    if (on) {
        interrupting |= hd_sig_bit(signo);
        a.sa_flags &= ~SA_RESTART;
    } else {
        interrupting &= ~hd_sig_bit(signo);
        a.sa_flags |= SA_RESTART;
    }
    return sigaction(signo, &a, NULL);
}

HD_EXPORT int sigignore(int signo) { return set_handler(signo, SIG_IGN, 0, 0) == SIG_ERR ? -1 : 0; }

/* ---- masks ----------------------------------------------------------------------- */

static int change_mask(int how, const sigset_t *set, sigset_t *old, u64 site)
{
    u64 before = hd_sig_mask();
    if (set) {
        u64 bits = hd_sig_bits(set);
        switch (how) {
        case SIG_BLOCK:
            bits |= before;
            break;
        case SIG_UNBLOCK:
            bits = before & ~bits;
            break;
        case SIG_SETMASK:
            break;
        default:
            return EINVAL;
        }
        hd_sig_set_mask(bits);
    }
    if (old) {
        hd_writes(old, sizeof *old, site);
        hd_sig_to_set(old, before);
    }
    if (set)
        hd_sig_deliver_now();
    return 0;
}

HD_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    return hd_on() ? change_mask(how, set, old, HD_SITE()) : HD_REAL(pthread_sigmask)(how, set, old);
}

HD_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    if (!hd_on())
        return HD_REAL(sigprocmask)(how, set, old);
    int err = change_mask(how, set, old, HD_SITE());
    return err ? (int)hd_fail(err) : 0;
}

/* One signal more or less in the mask: the System V calls. */
static int change_one(int how, int signo)
{
    sigset_t set;
    if (!is_signal(signo))
        return (int)hd_fail(EINVAL);
    hd_sig_to_set(&set, hd_sig_bit(signo));
    return sigprocmask(how, &set, NULL);
}

HD_EXPORT int sighold(int signo) { return change_one(SIG_BLOCK, signo); }

HD_EXPORT int sigrelse(int signo) { return change_one(SIG_UNBLOCK, signo); }

HD_EXPORT sighandler_t sigset(int signo, sighandler_t handler)
{
    struct sigaction a;
    sigset_t before;
    if (!is_signal(signo) || sigaction(signo, NULL, &a) || sigprocmask(SIG_BLOCK, NULL, &before)) {
        errno = EINVAL;
        return SIG_ERR;
    }
    if (handler != SIG_HOLD && set_handler(signo, handler, 0, 0) == SIG_ERR)
        return SIG_ERR;
    change_one(handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, signo);
    return hd_sig_bits(&before) & hd_sig_bit(signo) ? SIG_HOLD : a.sa_handler;
}

/* BSD: masks of the first 32 signals as an int. */
static int change_first(int how, int bits)
{
    sigset_t set, old;
    hd_sig_to_set(&set, (u32)bits);
    sigprocmask(how, &set, &old);
    return (int)hd_sig_bits(&old);
}

HD_EXPORT int sigblock(int bits) { return change_first(SIG_BLOCK, bits); }

HD_EXPORT int sigsetmask(int bits) { return change_first(SIG_SETMASK, bits); }

HD_EXPORT int sigpending(sigset_t *set)
{
    if (!hd_on())
        return HD_REAL(sigpending)(set);
    hd_io_query(HD_SITE());
    hd_access(set, sizeof(u64), true, HD_SITE());
    u64 pending = hd_sig_all_pending() & hd_sig_mask();
    return hd_user_write(set, &pending, sizeof pending) ? 0 : (int)hd_fail(EFAULT);
}

/* ---- sending ------------------------------------------------------------------------ */

static bool is_this_process(pid_t pid) { return pid == (pid_t)hd_sys(SYS_getpid, 0); }

static int sent(int err) { return err ? (int)hd_fail(err) : 0; }

HD_EXPORT int raise(int signo)
{
    if (!hd_on())
        return HD_REAL(raise)(signo);
    return sent(hd_sig_send(hd_tls.tid, signo, NULL, HD_SITE()));
}
HD_ALIAS(gsignal, raise);

HD_EXPORT int kill(pid_t pid, int signo)
{
    if (!hd_on())
        return HD_REAL(kill)(pid, signo);
    u64 site = HD_SITE();
    if (is_this_process(pid))
        return sent(hd_sig_send(HD_NO_THREAD, signo, NULL, site));
    hd_io_quiet_step(-1, site); /* to others; a group's signal comes back by the kernel */
    hd_io_dirty = true;
    return HD_REAL(kill)(pid, signo);
}

HD_EXPORT int killpg(pid_t group, int signo)
{
    if (!hd_on())
        return HD_REAL(killpg)(group, signo);
    hd_io_quiet_step(-1, HD_SITE());
    hd_io_dirty = true;
    return HD_REAL(killpg)(group, signo);
}

HD_EXPORT int tgkill(pid_t pid, pid_t kernel_tid, int signo)
{
    if (!hd_on())
        return HD_REAL(tgkill)(pid, kernel_tid, signo);
    if (is_this_process(pid))
        for (u32 t = hd_rt.sched.n_threads; t-- > 0;)
            if (hd_thread[t].is_live && hd_thread[t].kernel_tid == kernel_tid)
                return sent(hd_sig_send((u16)t, signo, NULL, HD_SITE()));
    return HD_REAL(tgkill)(pid, kernel_tid, signo);
}

static siginfo_t queued(int signo, union sigval value)
{
    siginfo_t info = {.si_signo = signo, .si_code = SI_QUEUE};
    info.si_pid = (pid_t)hd_sys(SYS_getpid, 0);
    info.si_uid = (uid_t)hd_sys(SYS_getuid, 0);
    info.si_value = value;
    return info;
}

/* As the kernel: only what is sent by sigqueue and has a place in the queue fails. */
static bool is_queue_full(int signo)
{
    struct rlimit limit;
    return signo >= 32 && signo <= 64 &&
           !hd_sys(SYS_prlimit64, 0, RLIMIT_SIGPENDING, 0, &limit) &&
           hd_sig_info_count() >= limit.rlim_cur;
}

HD_EXPORT int sigqueue(pid_t pid, int signo, const union sigval value)
{
    if (!hd_on() || !is_this_process(pid))
        return HD_REAL(sigqueue)(pid, signo, value);
    if (is_queue_full(signo))
        return (int)hd_fail(EAGAIN);
    siginfo_t info = queued(signo, value);
    return sent(hd_sig_send(HD_NO_THREAD, signo, &info, HD_SITE()));
}

HD_EXPORT int pthread_sigqueue(pthread_t handle, int signo, const union sigval value)
{
    if (!hd_on())
        return HD_REAL(pthread_sigqueue)(handle, signo, value);
    u16 t = handle == pthread_self() ? hd_tls.tid : hd_thread_find(handle);
    if (t == HD_NO_THREAD)
        return ESRCH;
    if (is_queue_full(signo))
        return EAGAIN;
    siginfo_t info = queued(signo, value);
    return hd_thread[t].is_finished ? 0 : hd_sig_send(t, signo, &info, HD_SITE());
}
