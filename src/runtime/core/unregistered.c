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

/* Where a thread waits for its number. It may withdraw until the holder has seen it; after that it
 * comes for sure: the scheduler has a thread of that number, and may give it the baton. */
enum { FREE, ASKED, SEEN, ANSWERED };
static struct {
    u32 state;
    u16 tid;
} place[WAITING_MAX];

u32 hd_n_unregistered; /* places where one has asked */
static u32 requests;   /* grows with each */

static bool change(u32 *state, u32 from, u32 to)
{
    return __atomic_compare_exchange_n(state, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

void hd_adopt_unregistered(void)
{
    for (u32 i = 0; i < WAITING_MAX; i++) {
        if (!change(&place[i].state, ASKED, SEEN))
            continue;
        place[i].tid = hd_sched_adopt(&hd_rt.sched);
        __atomic_sub_fetch(&hd_n_unregistered, 1, __ATOMIC_SEQ_CST);
        __atomic_store_n(&place[i].state, ANSWERED, __ATOMIC_SEQ_CST);
        hd_park_wake(&place[i].state);
    }
}

/* Its number, HD_NO_THREAD: none came in time. */
static u16 ask_for_number(void)
{
    u32 i = 0;
    __atomic_add_fetch(&hd_n_unregistered, 1, __ATOMIC_SEQ_CST);
    while (i < WAITING_MAX && !change(&place[i].state, FREE, ASKED))
        i++;
    u32 *state = i < WAITING_MAX ? &place[i].state : NULL;
    if (state) {
        __atomic_add_fetch(&requests, 1, __ATOMIC_SEQ_CST);
        hd_park_wake(&requests);
        hd_park_sleep(state, ASKED, PATIENCE_NS);
    }
    if (!state || change(state, ASKED, FREE)) {
        __atomic_sub_fetch(&hd_n_unregistered, 1, __ATOMIC_SEQ_CST);
        return HD_NO_THREAD;
    }
    while (__atomic_load_n(state, __ATOMIC_SEQ_CST) != ANSWERED)
        hd_park_sleep(state, SEEN, PATIENCE_NS);
    u16 t = place[i].tid;
    __atomic_store_n(state, FREE, __ATOMIC_SEQ_CST);
    return t;
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
    u16 t = ask_for_number();
    if (t == HD_NO_THREAD)
        return false; /* `inside` stays up: this thread is never controlled */
    u64 here = (u64)__builtin_frame_address(0);
    hd_thread_enter(t, here - (1 << 20), here + 4096);
    hd_key_thread_begin(); /* so that its end is noticed */
    hd_park_wait(t);
    hd_tls.inside--;
    return true;
}
