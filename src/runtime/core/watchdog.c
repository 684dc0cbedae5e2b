/* watchdog.c: a thread that blocks in a system call nobody foresaw holds the
 * baton for ever. No helper thread is needed to notice: every parked thread
 * wakes now and then, and if the holder made no step meanwhile and sleeps in
 * the kernel, the parked thread takes the baton and marks the run.
 *
 *   holder H (stuck)                      parked W
 *                                         sees: same holder, same step, state S
 *                                         baton = W            (H lost it)
 *                                         membarrier
 *                                         H inside the runtime? give it back
 *                                         H becomes OUTSIDE, W decides who goes
 *   returns, reaches a gate:
 *   baton != H -> hd_come_back: queues
 *
 * The membarrier makes H's plain store "I am inside" visible to W, or W's
 * taking visible to H: no fence is needed on H's fast path.
 */
#include "runtime/core/watchdog.h"

#include <linux/membarrier.h>

#include "runtime/core/gate.h"
#include "runtime/core/park.h"
#include "runtime/icept/signal/signals.h"
#include "runtime/core/stop.h"
#include "runtime/libc/sys.h"

/* Asleep so long without a step: stuck, */
#define STUCK_NS 60000000ll
#define STUCK_FUTEX_NS 3000000ll    /* in futex(2): only another thread can wake it. */
/* Running so long without a step, in processor time: stop it, */
#define STOP_TIMED_NS 60000000ll    /* if somebody waits for time to pass, */
#define STOP_ANY_NS 1000000000ll    /* if not: it may be working, others can wait, */
#define STOP_AGAIN_NS 4000000ll     /* if the program is known to have such stretches. */

u32 hd_n_blocked_outside;
u32 hd_back_word;
bool hd_is_waiting;
static u8 has_returned[HD_MAX_THREADS];

/* State letter and current system call of a kernel thread. */
static char kernel_state(s32 ktid, char *call, size_t size)
{
    char path[64] = "/proc/self/task/", text[256];
    if (!ktid)
        return '?'; /* it was created and has not run yet */
    size_t at = hd_strlen(path);
    at += hd_put_u64(path + at, (u64)ktid);
    hd_memcpy(path + at, "/stat", 6);
    long fd = hd_sys(SYS_open, path, 0, 0);
    if (fd < 0)
        return '?';
    long n = hd_sys(SYS_read, fd, text, sizeof text - 1);
    hd_sys(SYS_close, fd);
    if (n <= 0)
        return '?';
    text[n] = 0;
    long i = n; /* the state follows the last ')' */
    while (i > 0 && text[i] != ')')
        i--;
    char state = i + 2 < n ? text[i + 2] : '?';

    hd_memcpy(path + at, "/syscall", 9);
    hd_memcpy(call, "system call ?", 14);
    fd = hd_sys(SYS_open, path, 0, 0);
    if (fd >= 0) {
        n = hd_sys(SYS_read, fd, text, sizeof text - 1);
        hd_sys(SYS_close, fd);
        size_t k = 12;
        for (long j = 0; j < n && text[j] != ' ' && text[j] != '\n' && k < size - 1; j++)
            call[k++] = text[j];
        call[k] = 0;
    }
    return state;
}

static bool is_futex(const char *call)
{
    static const char name[] = "system call 202"; /* of this machine */
    return !hd_memcmp(call, name, sizeof name);
}

static bool take_baton(u16 self, u32 holder)
{
    u32 expected = holder;
    if (!__atomic_compare_exchange_n(&hd_baton, &expected, self, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST))
        return false;
    hd_sys(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    const struct hd_tls *tls = hd_thread[holder].tls;
    if (tls && __atomic_load_n(&tls->inside, __ATOMIC_SEQ_CST)) {
        __atomic_store_n(&hd_baton, holder, __ATOMIC_SEQ_CST);
        if (__atomic_exchange_n(&has_returned[holder], 0, __ATOMIC_SEQ_CST))
            hd_park_pass((u16)holder); /* it has noticed, and waits */
        return false;
    }
    return true;
}

/* A script says itself where a thread is stopped. Who follows a loose one may have come to where
 * the recorded run never was. */
static bool may_stop(u16 holder, s64 ran)
{
    const struct hd_sched *s = &hd_rt.sched;
    s64 wanted = hd_sched_wants_stop(s, holder);
    if (wanted)
        return ran >= HD_MIN(wanted, STOP_AGAIN_NS);
    if (hd_sched_is_followed(s))
        return false;
    bool is_timed = s->n_timed || hd_timer_next() != HD_NEVER;
    return ran >= (hd_stop_is_known() ? STOP_AGAIN_NS : is_timed ? STOP_TIMED_NS : STOP_ANY_NS);
}

void hd_watch_begin(struct hd_watch *w)
{
    *w = (struct hd_watch){.holder = __atomic_load_n(&hd_baton, __ATOMIC_SEQ_CST),
                           .step = __atomic_load_n(&hd_rt.sched.step, __ATOMIC_RELAXED),
                           .cpu_ns = -1};
}

bool hd_watchdog(u16 self, struct hd_watch *w, s64 ns)
{
    u32 holder = __atomic_load_n(&hd_baton, __ATOMIC_SEQ_CST);
    u64 step = __atomic_load_n(&hd_rt.sched.step, __ATOMIC_RELAXED);
    if (!hd_rt.is_on || holder == self)
        return false;
    if (holder != w->holder || step != w->step || __atomic_load_n(&hd_is_waiting, __ATOMIC_RELAXED)) {
        *w = (struct hd_watch){.holder = holder, .step = step,
                               .cpu_ns = hd_stop_cpu_ns(hd_thread[holder].kernel_tid)};
        return false;
    }
    w->ns += ns;
    if (w->ns < STUCK_FUTEX_NS)
        return false;
    char call[64];
    char state = kernel_state(hd_thread[holder].kernel_tid, call, sizeof call);
    if (state == 'R') {
        s64 cpu = hd_stop_cpu_ns(hd_thread[holder].kernel_tid);
        if (w->cpu_ns < 0)
            w->cpu_ns = cpu;
        s64 ran = cpu - w->cpu_ns;
        if (may_stop((u16)holder, ran))
            hd_stop_ask((u16)holder, step, ran);
        return false;
    }
    if (state != 'S' || w->ns < (is_futex(call) ? STUCK_FUTEX_NS : STUCK_NS) ||
        !take_baton(self, holder))
        return false;
    hd_tls.inside++;
    hd_uncontrolled(HD_UNC_BLOCKED, call);
    hd_sched_blocked_outside(&hd_rt.sched, (u16)holder);
    has_returned[holder] = 0;
    hd_n_blocked_outside++;
    u16 next = hd_decide();
    hd_tls.inside--;
    if (next == self)
        return true;
    hd_park_pass(next);
    *w = (struct hd_watch){0};
    return false;
}

void hd_post_returned(void)
{
    struct hd_sched *s = &hd_rt.sched;
    for (u32 t = 0; t < s->n_threads; t++) {
        if (s->thread[t].state != HD_T_BLOCKED_OUTSIDE || !__atomic_load_n(&has_returned[t], __ATOMIC_SEQ_CST))
            continue;
        struct hd_op op = hd_op_make(HD_EV_RETURN, 0, 0);
        has_returned[t] = 0;
        hd_n_blocked_outside--;
        hd_sched_post(s, (u16)t, &op);
    }
}

void hd_come_back(u16 self)
{
    __atomic_store_n(&has_returned[self], 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&hd_baton, __ATOMIC_SEQ_CST) == self &&
        __atomic_exchange_n(&has_returned[self], 0, __ATOMIC_SEQ_CST))
        return; /* given back before anybody knew that it was missed */
    __atomic_add_fetch(&hd_back_word, 1, __ATOMIC_SEQ_CST);
    hd_park_wake(&hd_back_word);
    hd_park_wait(self);
}
