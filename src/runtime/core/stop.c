/* stop.c: a thread that runs for long without a scheduling point (plain counting, system
 * calls nobody intercepts, code without hooks) lets nobody else run and no time pass.
 * A parked thread notices (watchdog.c) and asks it to stop; it yields, and the clock
 * moves by the time it ran. Both are one entry of the log (HD_CHOICE_STOP).
 *
 *   runner R                           parked W
 *   counts ...                         same step, 60 ms of R's processor time
 *                                      asks: every hook polls from now on
 *   hook: YIELD, clock moves           (no hook came: a signal)
 *   signal handler: the same, unless inside the runtime
 *
 * A replay stops R after the same processor time, or at its next scheduling point, which
 * comes first; never where the record has no stop. The event has no site, so it does not
 * matter where R was.
 */
#include "runtime/core/stop.h"

#include <errno.h>
#include <signal.h>
#include <ucontext.h>

#include "runtime/core/gate.h"
#include "runtime/core/park.h"
#include "runtime/filter/site.h"
#include "runtime/icept/signal/signals.h"
#include "runtime/libc/sys.h"

#define SIG_STOP_US 32 /* libc's for cancellation, which is modelled here: programs cannot
                          block or handle it */
#define TICK_NS 60000000ll
#define MAX_TRIES 12   /* ... to stop it outside libc */
#define SA_RESTORER 0x04000000ul

static struct {
    u64 step;    /* the run's step the question belongs to, plus 1; 0 = none */
    s64 ns;
    u16 tid;
    u16 times;
} asked;

s64 hd_stop_cpu_ns(s32 kernel_tid)
{
    struct timespec ts = {0, 0};
    s32 clock = (s32)((~(u32)kernel_tid << 3) | 6); /* as pthread_getcpuclockid */
    if (hd_sys(SYS_clock_gettime, (long)clock, &ts) < 0)
        return 0;
    return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

/* The calling thread holds the baton and is not inside the runtime. */
static void stop_here(s64 ns)
{
    int before = errno;
    struct hd_op op = hd_op_make(HD_EV_YIELD, 0, 0);
    hd_tls.inside++;
    hd_uncontrolled(HD_UNC_SPIN, "a long stretch without a scheduling point");
    hd_sched_stopped(&hd_rt.sched, hd_tls.tid, ns);
    hd_tls.inside--;
    hd_gate(&op);
    errno = before;
}

static bool is_asked(void)
{
    return __atomic_load_n(&asked.step, __ATOMIC_ACQUIRE) == hd_rt.sched.step + 1 &&
           asked.tid == hd_tls.tid && __atomic_load_n(&hd_baton, __ATOMIC_RELAXED) == hd_tls.tid;
}

void hd_stop_poll(void)
{
    if (!is_asked())
        return;
    __atomic_store_n(&asked.step, 0, __ATOMIC_RELEASE);
    stop_here(asked.ns);
}

void hd_stop_scripted(void) { stop_here(0); }

/* Is pc in the module that `fn` is in? */
static bool is_beside(u64 pc, u64 fn)
{
    const struct hd_module *m = hd_shm_modules(hd_rt.run);
    u32 n = HD_MIN(hd_rt.run->n_modules, HD_SHM_MODULES);
    for (u32 i = 0; i < n; i++)
        if (fn - m[i].start < m[i].end - m[i].start)
            return pc - m[i].start < m[i].end - m[i].start;
    return false;
}

/* The only thread, with a signal to come: nobody is parked who could notice, so the kernel
 * does. Two ticks in the same step: it is asked. */
static void tick(void)
{
    static u64 last_step, ran;
    const struct hd_sched *s = &hd_rt.sched;
    ran = last_step == s->step + 1 ? ran + TICK_NS : 0;
    last_step = s->step + 1;
    s64 wanted = hd_sched_wants_stop(s, hd_tls.tid);
    bool is_due = hd_timer_next() != HD_NEVER || __atomic_load_n(&hd_sig_arrived, __ATOMIC_SEQ_CST);
    if (s->n_live != 1 || !ran || !(wanted ? (s64)ran >= wanted : is_due && !hd_sched_is_followed(s)))
        return;
    asked.tid = hd_tls.tid;
    asked.times = (u16)HD_MIN(ran / TICK_NS, (u64)MAX_TRIES);
    asked.ns = (s64)ran;
    __atomic_store_n(&asked.step, s->step + 1, __ATOMIC_RELEASE);
}

static void on_signal(int signo, siginfo_t *info, void *context)
{
    u64 pc = (u64)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    if (!hd_rt.is_on || hd_tls.inside || !hd_tls.is_known)
        return;
    if (info->si_code == SI_TIMER)
        tick();
    /* It may hold a lock there that others, or its own handlers, want: the heap's, one of
     * libc's. It is asked again soon. */
    if (is_beside(pc, (u64)hd_stop_poll) ||
        (asked.times < MAX_TRIES && is_beside(pc, (u64)HD_REAL(nanosleep))))
        return;
    hd_stop_poll();
}

__asm__(".text\n"
        ".type hd_stop_return, @function\n"
        "hd_stop_return:\n"
        "    mov $15, %eax\n"
        "    syscall\n"
        ".size hd_stop_return, .-hd_stop_return\n");
extern void hd_stop_return(void) __attribute__((visibility("hidden")));

static void install(void)
{
    struct {
        void (*handler)(int, siginfo_t *, void *);
        u64 flags;
        void (*restorer)(void);
        u64 mask;
    } act = {on_signal, SA_SIGINFO | SA_NODEFER | SA_RESTART | SA_RESTORER, hd_stop_return, 0}, libcs = {0};
    hd_sys(SYS_rt_sigaction, SIGSEGV, 0, &libcs, 8);
    if (libcs.restorer) /* a call by libc, not by us: dispatch.c */
        act.restorer = libcs.restorer;
    hd_sys(SYS_rt_sigaction, SIG_STOP_US, &act, 0, 8);
}

void hd_stop_watch_single(void)
{
    static s32 pid; /* a forked run has no timer of its server's */
    s32 self = (s32)hd_sys(SYS_getpid, 0);
    if (hd_rt.sched.n_live != 1 || pid == self)
        return;
    pid = self;
    install();
    struct sigevent ev = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIG_STOP_US};
    ev._sigev_un._tid = (s32)hd_sys(SYS_gettid, 0);
    struct itimerspec every = {{0, TICK_NS}, {0, TICK_NS}};
    int id;
    if (hd_sys(SYS_timer_create, CLOCK_PROCESS_CPUTIME_ID, &ev, &id) == 0)
        hd_sys(SYS_timer_settime, id, 0, &every, 0);
}

void hd_stop_ask(u16 holder, u64 step, s64 ns)
{
    if (asked.step != step + 1 || asked.tid != holder) {
        asked.tid = holder;
        asked.times = 0;
        asked.ns = ns;
        __atomic_store_n(&asked.step, step + 1, __ATOMIC_RELEASE);
        hd_site_change_all(HD_CHANGE_STOP_ASKED);
        return;
    }
    asked.times++;
    asked.ns = ns;
    install(); /* libc sets its own when it first cancels or creates */
    hd_sys(SYS_tgkill, hd_sys(SYS_getpid, 0), hd_thread[holder].kernel_tid, SIG_STOP_US);
}
