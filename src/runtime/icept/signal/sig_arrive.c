/* sig_arrive.c: signals that the kernel delivers: those of other processes, and
 * what a call of ours causes (SIGPIPE). They may reach any kernel thread at any
 * moment, so the handler only writes them down; the holder of the baton passes them
 * to the scheduler.
 *
 *   any thread, any moment            holder of the baton
 *   reserve an entry (CAS)
 *   fill it, mark it ready
 *   hd_sig_arrived |= bit             hd_sig_poll: takes entries in order
 */
#include "runtime/icept/signal/signals.h"

#include "runtime/icept/process/child.h"
#include "runtime/libc/sys.h"

#define ROOM 1024u /* beyond that signals of one number are merged */

u64 hd_sig_arrived;
static struct arrival {
    u32 is_ready;
    u16 tid;
    siginfo_t info;
} arrival[ROOM];
static u32 n_reserved, n_taken;
static u64 merged; /* signals that found no room: bit n-1 */

static bool reserve(u32 *at)
{
    u32 n = __atomic_load_n(&n_reserved, __ATOMIC_SEQ_CST);
    do {
        if (n - __atomic_load_n(&n_taken, __ATOMIC_SEQ_CST) >= ROOM)
            return false;
    } while (!__atomic_compare_exchange_n(&n_reserved, &n, n + 1, false, __ATOMIC_SEQ_CST,
                                          __ATOMIC_SEQ_CST));
    *at = n % ROOM;
    return true;
}

void hd_sig_arrive(int signo, const siginfo_t *info)
{
    bool is_own_doing = signo == SIGPIPE || signo == SIGXFSZ; /* of the call this thread is in */
    u32 at;
    if (reserve(&at)) {
        arrival[at].tid = is_own_doing && hd_tls.is_known ? hd_tls.tid : HD_NO_THREAD;
        arrival[at].info = *info;
        __atomic_store_n(&arrival[at].is_ready, 1, __ATOMIC_RELEASE);
    } else {
        __atomic_fetch_or(&merged, hd_sig_bit(signo), __ATOMIC_SEQ_CST);
    }
    __atomic_fetch_or(&hd_sig_arrived, hd_sig_bit(signo), __ATOMIC_SEQ_CST);
}

bool hd_sig_is_foreign(const siginfo_t *info)
{
    if (hd_timer_sent(info))
        return false; /* ours, by way of a signalfd */
    return info->si_code > 0 || info->si_pid != (pid_t)hd_sys(SYS_getpid, 0);
}

static void pass_on(u16 tid, int signo, const siginfo_t *info)
{
    bool is_own_doing = tid != HD_NO_THREAD;
    if (!info || (hd_sig_is_foreign(info) && !is_own_doing)) {
        hd_uncontrolled(HD_UNC_SIGNAL, "a signal from outside");
        hd_rt.sched.sig_foreign |= hd_sig_bit(signo);
        hd_child_signals += signo == SIGCHLD;
    }
    hd_sig_post(tid, signo, info);
}

void hd_sig_poll(void)
{
    __atomic_store_n(&hd_sig_arrived, 0, __ATOMIC_SEQ_CST);
    struct arrival *a;
    while ((a = &arrival[n_taken % ROOM]), __atomic_load_n(&a->is_ready, __ATOMIC_ACQUIRE)) {
        siginfo_t info = a->info;
        u16 tid = a->tid;
        __atomic_store_n(&a->is_ready, 0, __ATOMIC_SEQ_CST);
        __atomic_store_n(&n_taken, n_taken + 1, __ATOMIC_SEQ_CST);
        pass_on(tid, info.si_signo, &info);
    }
    for (u64 set = __atomic_exchange_n(&merged, 0, __ATOMIC_SEQ_CST); set; set &= set - 1)
        pass_on(HD_NO_THREAD, __builtin_ctzll(set) + 1, NULL);
}
