/* sig_descriptor.c: see sig_descriptor.h. */
#include "runtime/icept/signal/sig_descriptor.h"

#include "runtime/core/gate.h"
#include "runtime/icept/io/wait/wait_io.h"
#include "runtime/icept/signal/sig_info.h"
#include "runtime/icept/signal/signals.h"
#include "runtime/libc/sys.h"

u64 hd_sig_descriptors;
static bool has_news[HD_MAX_THREADS];

bool hd_sig_has_news(u16 t) { return has_news[t]; }
void hd_sig_has_looked(u16 t) { has_news[t] = false; }

/* Can thread t take the signal in another way: by a handler or in sigwait? */
static bool takes(u16 t, u64 bit)
{
    const struct hd_sthread *th = &hd_rt.sched.thread[t];
    return !(th->sig_blocked & bit) ||
           (th->state == HD_T_PENDING && th->op.kind == HD_EV_SIGWAIT && (th->op.arg & bit));
}

/* Is there a thread of the kernel, whatever the time it takes to make one? */
static bool is_there(u16 t)
{
    const struct hd_sthread *th = &hd_rt.sched.thread[t];
    bool begins = th->state == HD_T_NEW || (th->state == HD_T_PENDING && th->op.kind == HD_EV_START);
    return hd_thread[t].is_live && !begins && th->state != HD_T_FREE && th->state != HD_T_FINISHED;
}

bool hd_sig_by_descriptor(u16 tid, int signo)
{
    const struct hd_sched *s = &hd_rt.sched;
    u64 bit = hd_sig_bit(signo);
    if (HD_LIKELY(!(hd_sig_descriptors & bit)))
        return false;
    if (tid != HD_NO_THREAD)
        return is_there(tid) && !takes(tid, bit);
    for (u32 t = 0; t < s->n_threads; t++)
        if (s->thread[t].state != HD_T_FREE && s->thread[t].state != HD_T_FINISHED &&
            takes((u16)t, bit))
            return false;
    return true;
}

int hd_sig_send_really(u16 tid, int signo, const siginfo_t *info)
{
    long pid = hd_sys(SYS_getpid, 0), r;
    siginfo_t copy;
    if (info)
        copy = *info;
    hd_io_dirty = true;
    if (tid != HD_NO_THREAD)
        has_news[tid] = true;
    if (info && (info->si_code >= 0 || info->si_code == SI_TKILL))
        info = NULL; /* these the kernel writes itself */
    if (tid == HD_NO_THREAD)
        r = info ? hd_sys(SYS_rt_sigqueueinfo, pid, signo, &copy) : hd_sys(SYS_kill, pid, signo);
    else if (info)
        r = hd_sys(SYS_rt_tgsigqueueinfo, pid, hd_thread[tid].kernel_tid, signo, &copy);
    else
        r = hd_sys(SYS_tgkill, pid, hd_thread[tid].kernel_tid, signo);
    return (int)-r;
}

/* All of signo that is pending for tid. */
static void move(u16 tid, int signo)
{
    struct hd_sched *s = &hd_rt.sched;
    siginfo_t info;
    if (tid == HD_NO_THREAD)
        s->sig_process &= ~hd_sig_bit(signo);
    else
        hd_sched_signals_taken(&s->thread[tid], hd_sig_bit(signo));
    while (hd_sig_info_pop(tid, signo, &info))
        hd_sig_send_really(tid, signo, &info);
}

static void move_all(u16 tid, u64 pending)
{
    for (u64 set = pending & hd_sig_descriptors; set; set &= set - 1) {
        int signo = __builtin_ctzll(set) + 1;
        if (hd_sig_by_descriptor(tid, signo))
            move(tid, signo);
    }
}

void hd_sig_descriptor_flush(void)
{
    const struct hd_sched *s = &hd_rt.sched;
    if (HD_LIKELY(!hd_sig_descriptors))
        return;
    move_all(HD_NO_THREAD, s->sig_process & ~s->sig_foreign);
    for (u32 t = 0; t < s->n_threads; t++)
        move_all((u16)t, s->thread[t].sig_pending);
}

void hd_sig_descriptor_add(u64 set)
{
    hd_sig_descriptors |= set;
    hd_sig_descriptor_flush();
}

void hd_sig_descriptor_read(void)
{
    const struct hd_sched *s = &hd_rt.sched;
    u64 pending = s->sig_process, real = 0;
    hd_sys(SYS_rt_sigpending, &real, 8);
    for (u32 t = 0; t < s->n_threads; t++)
        pending |= s->thread[t].sig_pending;
    hd_timer_read(hd_sig_descriptors & ~(pending | real));
}
