/* child.c: see child.h. */
#include "runtime/icept/process/child.h"

#include "runtime/core/gate.h"
#include "runtime/core/stop.h"
#include "runtime/icept/process/child_clock.h"
#include "runtime/icept/signal/signals.h"
#include "runtime/icept/sync/sync.h"
#include "runtime/libc/sys.h"
#include "runtime/icept/io/wait/wait_io.h"

#define GRACE_NS 100000000
#define PART 64 /* children of one piece of the table */

static struct part {
    struct part *next;
    pid_t pid[PART];
} first, *last = &first;
static u32 n_children, n_left; /* made; not waited for */

void hd_child_expect(void)
{
    hd_io_dirty = true;
    hd_child_clock_before();
    if (hd_io_is_shared)
        return;
    hd_io_is_shared = true;
    hd_sched_sigwait_again(&hd_rt.sched);
}

void hd_child_made(pid_t pid)
{
    if (pid <= 0)
        return;
    if (n_children && n_children % PART == 0) {
        last->next = hd_arena_alloc(NULL, sizeof *last);
        last = last->next;
    }
    last->pid[n_children++ % PART] = pid;
    n_left++;
    hd_stop_watch_single();
    hd_child_clock_made();
}

void hd_child_reaped(pid_t pid)
{
    bool is_due;
    if (!n_left || (pid > 0 && !hd_child_number(pid)))
        return;
    n_left = pid > 0 ? n_left - 1 : 0;
    if (n_left)
        return;
    /* Once more: what the last one read is not later than what the parent reads now. */
    hd_inside_begin();
    hd_sched_clock_read(&hd_rt.sched, hd_tls.tid, hd_child_clock_now(), &is_due);
    hd_inside_end();
    hd_rt.sched.is_beside_real = hd_child_clock_is_common();
}

u32 hd_child_number(pid_t pid)
{
    u32 found = 0, i = 0; /* the newest: process numbers are used again */
    for (const struct part *p = &first; p && i < n_children; p = p->next)
        for (u32 k = 0; k < PART && i < n_children; k++)
            if (++i, p->pid[k] == pid)
                found = i;
    return found;
}

pid_t hd_child_pid(u32 number)
{
    const struct part *p = &first;
    if (!number || number > n_children)
        return -1;
    for (number--; number >= PART; number -= PART)
        p = p->next;
    return p->pid[number];
}

static bool is_alive(pid_t pid)
{
    siginfo_t info;
    info.si_pid = 0;
    return !hd_sys(SYS_waitid, P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT, 0) && !info.si_pid;
}

/* A signal may be on its way: the kernel may have given it to a thread that is parked
 * and must run first. `since`: when it was first asked at this step. */
static bool may_be_on_its_way(void)
{
    static u64 step = ~(u64)0;
    static s64 since;
    struct timespec ts;
    hd_sys(SYS_clock_gettime, CLOCK_MONOTONIC, &ts);
    s64 now = ts.tv_sec * 1000000000ll + ts.tv_nsec;
    if (step != hd_rt.sched.step) {
        step = hd_rt.sched.step;
        since = now;
    }
    return now - since < GRACE_NS || __atomic_load_n(&hd_sig_arrived, __ATOMIC_SEQ_CST);
}

bool hd_child_runs(void)
{
    if (hd_child_clock_is_beside())
        return true;
    for (u32 i = n_left ? n_children : 0; i; i--)
        if (is_alive(hd_child_pid(i)))
            return true;
    return false;
}

bool hd_child_may_signal(void)
{
    if (!hd_io_is_shared || !hd_sig_has_receiver())
        return false;
    if (hd_rt.server->cfg.mode & HD_MODE_DRIVEN)
        return true;
    for (u32 i = n_children; i; i--)
        if (is_alive(hd_child_pid(i)))
            return true;
    return n_children && may_be_on_its_way();
}

u32 hd_child_signals;

bool hd_child_make_up(void)
{
    u32 ended = 0;
    pid_t pid = 0;
    for (u32 i = 1; i <= n_children; i++)
        if (!is_alive(hd_child_pid(i))) {
            ended++;
            pid = hd_child_pid(i);
        }
    if (ended <= hd_child_signals)
        return false;
    siginfo_t info = {.si_signo = SIGCHLD, .si_code = CLD_EXITED};
    info.si_pid = pid;
    hd_sig_arrive(SIGCHLD, &info);
    return true;
}
