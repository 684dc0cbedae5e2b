/* unregistered.c: threads nobody announced: made inside a library by a call that
 * does not pass through us (getaddrinfo_a, SIGEV_THREAD timers, raw clone).
 * When one reaches an interceptor it asks for a number; the holder of the baton
 * gives it one at its next decision, and from then on it is a thread like any
 * other. If no decision comes, it goes on uncontrolled: never a hang.
 */
#include "runtime/core/gate.h"
#include "runtime/icept/sync/key.h"
#include "runtime/core/park.h"
#include "runtime/libc/sys.h"
#include "runtime/core/watchdog.h"

#define WAITING_MAX 64
#define PATIENCE_NS 200000000
#define EXPECT_NS 2000000 /* between looks for one that may come ... */
#define EXPECT_MAX 1500   /* ... so often while nobody else can run */

u32 hd_n_unregistered;
static u32 requests, served;
static u16 served_tid[WAITING_MAX];

void hd_adopt_unregistered(void)
{
    while (served != __atomic_load_n(&requests, __ATOMIC_ACQUIRE)) {
        served_tid[served % WAITING_MAX] = hd_sched_adopt(&hd_rt.sched);
        __atomic_store_n(&served, served + 1, __ATOMIC_RELEASE);
        __atomic_sub_fetch(&hd_n_unregistered, 1, __ATOMIC_SEQ_CST);
        hd_park_wake(&served);
    }
}

static bool is_ours(s32 kernel_tid)
{
    for (u32 t = 0; t < hd_rt.sched.n_threads; t++)
        if (hd_thread[t].kernel_tid == kernel_tid && hd_thread[t].is_live)
            return true;
    return false;
}

/* Is there a kernel thread that is none of ours? */
static bool is_any_unknown(void)
{
    struct entry { u64 inode, offset; u16 length; u8 type; char name[]; };
    char buf[4096] __attribute__((aligned(8)));
    long fd = hd_sys(SYS_open, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), n;
    bool found = false;
    while (fd >= 0 && !found && (n = hd_sys(SYS_getdents64, fd, buf, sizeof buf)) > 0)
        for (long at = 0; at < n && !found; at += ((struct entry *)(buf + at))->length) {
            s32 tid = 0;
            for (const char *c = ((struct entry *)(buf + at))->name; *c >= '0' && *c <= '9'; c++)
                tid = tid * 10 + (*c - '0');
            found = tid && !is_ours(tid);
        }
    if (fd >= 0)
        hd_sys(SYS_close, fd);
    return found;
}

bool hd_unregistered_may_come(void)
{
    static u64 step = ~(u64)0;
    static u32 n_asked;
    if (hd_n_unregistered)
        return true;
    if (step != hd_rt.sched.step) {
        step = hd_rt.sched.step;
        n_asked = 0;
    }
    if (n_asked >= EXPECT_MAX || !is_any_unknown())
        return false;
    n_asked++;
    u32 now = __atomic_load_n(&requests, __ATOMIC_ACQUIRE);
    hd_park_sleep(&requests, now, EXPECT_NS);
    return true;
}

HD_COLD bool hd_on_slow(void)
{
    if (hd_tls.info) /* has ended for us: what it does now is libc's business */
        return false;
    hd_tls.inside++;
    hd_uncontrolled(HD_UNC_UNREGISTERED, "a thread made inside a library");
    u32 ticket = __atomic_fetch_add(&requests, 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&hd_n_unregistered, 1, __ATOMIC_SEQ_CST);
    hd_park_wake(&requests);
    u32 now = __atomic_load_n(&served, __ATOMIC_ACQUIRE);
    if ((s32)(now - ticket) <= 0)
        hd_park_sleep(&served, now, PATIENCE_NS);
    now = __atomic_load_n(&served, __ATOMIC_ACQUIRE);
    u16 t = (s32)(now - ticket) > 0 ? served_tid[ticket % WAITING_MAX] : HD_NO_THREAD;
    if (t == HD_NO_THREAD)
        return false; /* `inside` stays up: this thread is never controlled */
    u64 here = (u64)__builtin_frame_address(0);
    hd_thread_enter(t, here - (1 << 20), here + 4096);
    hd_key_thread_begin(); /* so that its end is noticed */
    hd_park_wait(t);
    hd_tls.inside--;
    return true;
}
