/* once.c: pthread_once, call_once, and the guards of C++ statics
 * (Itanium C++ ABI: first byte 1 = initialized). Modelled by ONCE_BEGIN and
 * ONCE_END (src/sched/sync/sync_once.c); the control word is kept as the real
 * functions would, for forked children and for the compiler's inline test.
 *
 * A control word that is zero (neither running nor done) may lie where another
 * one was done before (a once_flag on the stack) or have been reset: what the
 * model knows about it is forgotten first.
 *
 * A routine may be left by an exception or a cancellation; then the next
 * caller runs it. That is noticed by the personality function of the frame
 * that calls it: it needs no landing pad, so no compiler flag and no
 * unwinding library.
 */
#include "runtime/icept/sync/sync.h"
#include "runtime/started/earlier.h"
#include "runtime/libc/sys.h"

#include <linux/futex.h>

enum {
    ONCE_RUNS = 1,
    ONCE_DONE = 2, /* all that glibc tests */
    ONCE_OURS = 4, /* done under control: the model knows it */
};

struct once_frame {
    struct once_frame *up;
    int *control;
    u64 site;
    void (*routine)(void); /* of a real call, without control when it began; else NULL */
};
static __thread struct once_frame *innermost __attribute__((tls_model("initial-exec")));

HD_INLINE int load(const int *p)
{
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

HD_INLINE void store(int *p, int value)
{
    __atomic_store_n(p, value, __ATOMIC_RELEASE);
}

/* void hd_once_call(void (*routine)(void)): a plain call in a frame whose
 * personality is ours. */
void hd_once_call(void (*routine)(void)) __attribute__((visibility("hidden")));
__asm__(".text\n"
        ".hidden hd_once_call\n"
        ".globl hd_once_call\n"
        ".type hd_once_call, @function\n"
        "hd_once_call:\n"
        "    .cfi_startproc\n"
        "    .cfi_personality 0x1b, hd_once_personality\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    call *%rdi\n"
        "    addq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size hd_once_call, .-hd_once_call\n");

/* The routine is over, or was left. */
static void leave(struct once_frame *f, bool is_left)
{
    if (!hd_on() && f->routine) {
        hd_earlier_gave(0, f->control);
        return; /* the real call says it to others */
    }
    if (!is_left)
        store(f->control, ONCE_DONE | ONCE_OURS);
    if (hd_on())
        hd_gate_obj(HD_EV_ONCE_END, f->site, f->control, is_left);
    if (is_left)
        store(f->control, 0); /* in one step with ONCE_END: see begin() */
}

enum { UNWIND_CLEANUP_PHASE = 2, UNWIND_CONTINUE = 8 }; /* of the C++ ABI */

__attribute__((visibility("hidden"), used)) int
hd_once_personality(int version, int actions, u64 class, void *exception, void *context)
{
    struct once_frame *f = innermost;
    if ((actions & UNWIND_CLEANUP_PHASE) && f) {
        innermost = f->up;
        leave(f, true);
    }
    return UNWIND_CONTINUE;
}

static void run(int *control, void (*routine)(void), u64 site)
{
    struct once_frame f = {.up = innermost, .control = control, .site = site};
    store(control, ONCE_RUNS);
    innermost = &f;
    hd_once_call(routine);
    innermost = f.up;
    leave(&f, false);
}

/* ---- without control --------------------------------------------------------- */

static void call_real(void) { HD_REAL(pthread_once)(innermost->control, innermost->routine); }

/* Control may begin in the middle of the routine: at a thread that it makes. */
static void once_plain(int *control, void (*routine)(void), u64 site)
{
    struct once_frame f = {.up = innermost, .control = control, .site = site, .routine = routine};
    if (!hd_earlier_is_noted || load(control) & ONCE_DONE) {
        HD_REAL(pthread_once)(control, routine);
        return;
    }
    hd_earlier_took(0, HD_EV_ONCE_BEGIN, control, 0, site);
    innermost = &f;
    hd_once_call(call_real);
    innermost = f.up;
    leave(&f, false);
}

/* ---- calls -------------------------------------------------------------------- */


/* True if the caller is to run the routine. While the word is zero nobody runs
 * it; others may be about to, and then the model is theirs already and stays. */
static bool begin(int *control, u64 site)
{
    if (!load(control)) {
        hd_inside_begin();
        hd_sched_forget(&hd_rt.sched, (u64)control, sizeof *control);
        hd_inside_end();
    }
    return hd_gate_obj(HD_EV_ONCE_BEGIN, site, control, 0).value;
}

static void once(int *control, void (*routine)(void), u64 site)
{
    if ((load(control) & (ONCE_DONE | ONCE_OURS)) == ONCE_DONE)
        return; /* before we took control: the model does not know */
    if (begin(control, site))
        run(control, routine, site);
}

HD_EXPORT int pthread_once(pthread_once_t *control, void (*routine)(void))
{
    if (hd_on())
        once(control, routine, HD_SITE());
    else
        once_plain(control, routine, HD_SITE());
    return 0;
}
HD_ALIAS(__pthread_once, pthread_once);

HD_EXPORT void call_once(once_flag *flag, void (*routine)(void))
{
    if (hd_on())
        once((int *)flag, routine, HD_SITE());
    else
        once_plain((int *)flag, routine, HD_SITE());
}

/* ---- guards ---------------------------------------------------------------- */

enum { GUARD_DONE = 1, GUARD_RUNS = 1 << 8, GUARD_WAITERS = 1 << 16 };

/* Without control. The real functions live in the C++ library, which need not
 * be there when ours starts; so this is a complete implementation. */
static int acquire_plain(int *g, u64 site)
{
    for (;;) {
        int v = 0;
        if (__atomic_compare_exchange_n(g, &v, GUARD_RUNS, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_ACQUIRE)) {
            hd_earlier_took(0, HD_EV_ONCE_BEGIN, g, 0, site);
            return 1;
        }
        if (v & GUARD_DONE)
            return 0;
        int waits = v | GUARD_WAITERS;
        if (v == waits || __atomic_compare_exchange_n(g, &v, waits, false, __ATOMIC_ACQUIRE,
                                                      __ATOMIC_ACQUIRE))
            hd_sys(SYS_futex, g, FUTEX_WAIT_PRIVATE, waits, 0);
    }
}

static void leave_plain(int *g, int value)
{
    hd_earlier_gave(0, g);
    if (__atomic_exchange_n(g, value, __ATOMIC_ACQ_REL) & GUARD_WAITERS)
        hd_sys(SYS_futex, g, FUTEX_WAKE_PRIVATE, INT_MAX);
}

/* The compiler's inline test reads the first byte as an atomic: so do we. */
static void guard_step(u8 kind, int *g, u64 site)
{
    struct hd_op op = hd_op_make(kind, site, (u64)g);
    op.size = 1;
    hd_gate(&op);
}

int __cxa_guard_acquire(u64 *guard);
void __cxa_guard_release(u64 *guard);
void __cxa_guard_abort(u64 *guard);

HD_EXPORT int __cxa_guard_acquire(u64 *guard)
{
    int *g = (int *)guard;
    if (!hd_on())
        return acquire_plain(g, HD_SITE());
    u64 site = HD_SITE();
    if (load(g) & GUARD_DONE) {
        guard_step(HD_EV_ALOAD, g, site);
        return 0;
    }
    if (!begin(g, site))
        return 0;
    store(g, GUARD_RUNS);
    return 1;
}

HD_EXPORT void __cxa_guard_release(u64 *guard)
{
    int *g = (int *)guard;
    if (!hd_on()) {
        leave_plain(g, GUARD_DONE);
        return;
    }
    u64 site = HD_SITE();
    guard_step(HD_EV_ASTORE, g, site);
    store(g, GUARD_DONE);
    hd_gate_obj(HD_EV_ONCE_END, site, g, 0);
}

HD_EXPORT void __cxa_guard_abort(u64 *guard)
{
    int *g = (int *)guard;
    if (!hd_on()) {
        leave_plain(g, 0);
        return;
    }
    hd_gate_obj(HD_EV_ONCE_END, HD_SITE(), g, 1);
    store(g, 0);
}
