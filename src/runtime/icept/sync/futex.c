/* futex.c: futex(2), reached through syscall(): how std::atomic::wait,
 * std::future and hand-made locks block. The model is src/sched/sync/sync_futex.c.
 *
 * The comparison of FUTEX_CMP_REQUEUE and the update of FUTEX_WAKE_OP are steps
 * of their own before the wake-up, not one with it; a thread that acts between
 * the two sees an order the kernel would not show, but loses no wake-up.
 * Futexes with priority inheritance are locks whose word holds the owner's
 * thread id. Priorities mean nothing here: who gets one is a choice as for any
 * lock. Those that are moved between words (FUTEX_*_REQUEUE_PI) stay the kernel's.
 */
#include "runtime/icept/sync/sync.h"
#include "runtime/libc/sys.h"
#include "runtime/libc/user_mem.h"

#include <linux/futex.h>

#define NS 1000000000ll

/* The arguments by the names of futex(2). */
struct call {
    u32 *addr, *addr2;
    u32 val, val3;
    u32 val2; /* in the place of the timeout */
    const struct timespec *timeout;
    bool is_realtime;
    u64 site;
};

/* Makes a timed operation of `op` if the call has a timeout. 0, or -errno for a bad one. */
static long take_timeout(struct hd_op *op, const struct call *c, bool is_absolute)
{
    if (!c->timeout)
        return 0;
    if (!hd_user_can_read(c->timeout, sizeof *c->timeout))
        return -EFAULT;
    hd_access(c->timeout, sizeof *c->timeout, false, c->site);
    if (!hd_timespec_is_valid(c->timeout) || c->timeout->tv_sec < 0)
        return -EINVAL;
    op->flags |= HD_OP_TIMED;
    if (is_absolute)
        op->deadline = hd_deadline_abs(c->is_realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC,
                                       c->timeout);
    else if (c->timeout->tv_sec < HD_NEVER / NS)
        op->deadline = hd_deadline_rel(c->timeout->tv_sec * NS + c->timeout->tv_nsec);
    return 0;
}

static long wait_bits(const struct call *c, bool is_absolute, u32 bits)
{
    struct hd_op op = hd_op_make(HD_EV_FUTEX_WAIT, c->site, (u64)c->addr);
    op.arg = c->val;
    op.arg2 = bits;
    op.flags = HD_OP_INTERRUPTIBLE;
    if (bits == 0)
        return -EINVAL;
    long r = take_timeout(&op, c, is_absolute);
    return r ? r : -hd_gate(&op).err;
}

static u64 wake_bits(u32 *addr, u32 count, u32 bits, u64 site)
{
    struct hd_op op = hd_op_make(HD_EV_FUTEX_WAKE, site, (u64)addr);
    op.arg = (s32)count > 0 ? count : 1; /* the kernel, too, counts after waking */
    op.arg2 = bits;
    struct hd_res res = hd_gate(&op);
    if (HD_UNLIKELY(res.err == HD_HANDED_OVER)) {
        long n = hd_sys(SYS_futex, addr, FUTEX_WAKE_BITSET, count, 0, 0, bits);
        return n > 0 ? (u64)n : 0;
    }
    return res.woken;
}

static long requeue(const struct call *c)
{
    if ((s32)c->val < 0 || (s32)c->val2 < 0)
        return -EINVAL;
    struct hd_op op = hd_op_make(HD_EV_FUTEX_REQUEUE, c->site, (u64)c->addr);
    op.obj2 = (u64)c->addr2;
    op.arg = c->val;
    op.arg2 = c->val2;
    struct hd_res res = hd_gate(&op);
    if (HD_UNLIKELY(res.err == HD_HANDED_OVER))
        return hd_sys(SYS_futex, c->addr, FUTEX_REQUEUE, c->val, c->val2, c->addr2, 0);
    return (long)res.value;
}

/* A scheduling point before the runtime itself touches a futex word. */
static void word_step(u8 kind, u32 *addr, u64 site)
{
    struct hd_op op = hd_op_make(kind, site, (u64)addr);
    op.size = sizeof *addr;
    hd_gate(&op);
}

static u32 wake_op_result(u32 how, u32 old, u32 arg)
{
    switch (how) {
    case FUTEX_OP_SET:
        return arg;
    case FUTEX_OP_ADD:
        return old + arg;
    case FUTEX_OP_OR:
        return old | arg;
    case FUTEX_OP_ANDN:
        return old & ~arg;
    default: /* FUTEX_OP_XOR */
        return old ^ arg;
    }
}

static bool wake_op_compare(u32 how, s32 old, s32 arg)
{
    switch (how) {
    case FUTEX_OP_CMP_EQ:
        return old == arg;
    case FUTEX_OP_CMP_NE:
        return old != arg;
    case FUTEX_OP_CMP_LT:
        return old < arg;
    case FUTEX_OP_CMP_LE:
        return old <= arg;
    case FUTEX_OP_CMP_GT:
        return old > arg;
    default: /* FUTEX_OP_CMP_GE */
        return old >= arg;
    }
}

/* val3 is: op (4 bits), comparison (4), operand (12), comparand (12). */
static long wake_op(const struct call *c)
{
    u32 how = c->val3 >> 28, compare = c->val3 >> 24 & 15;
    s32 operand = (s32)(c->val3 << 8) >> 20, comparand = (s32)(c->val3 << 20) >> 20;
    if (how & FUTEX_OP_OPARG_SHIFT)
        operand = (s32)(1u << (operand & 31));
    how &= 7;
    if (how > FUTEX_OP_XOR || compare > FUTEX_OP_CMP_GE)
        return -ENOSYS;
    word_step(HD_EV_ARMW, c->addr2, c->site);
    u32 old = *c->addr2;
    *c->addr2 = wake_op_result(how, old, (u32)operand);
    u64 woken = wake_bits(c->addr, c->val, FUTEX_BITSET_MATCH_ANY, c->site);
    if (wake_op_compare(compare, (s32)old, comparand))
        woken += wake_bits(c->addr2, c->val2, FUTEX_BITSET_MATCH_ANY, c->site);
    return (long)woken;
}

/* FUTEX_LOCK_PI, or FUTEX_TRYLOCK_PI if not `waits`. FUTEX_WAITERS stays in the word of a lock that
 * was waited for, as in the kernel, so that its owner comes to unlock_pi. No signal ends the wait. */
static long lock_pi(const struct call *c, bool waits)
{
    u32 me = (u32)hd_sys(SYS_gettid, 0);
    struct hd_op wait = hd_op_make(HD_EV_FUTEX_WAIT, c->site, (u64)c->addr);
    wait.arg2 = FUTEX_BITSET_MATCH_ANY;
    long r = waits ? take_timeout(&wait, c, true) : 0;
    while (r == 0 || r == -EAGAIN) {
        word_step(HD_EV_ARMW, c->addr, c->site);
        u32 old = *c->addr, owner = old & FUTEX_TID_MASK;
        if (owner == 0) {
            *c->addr = old | me;
            return 0;
        }
        if (owner == me)
            return -EDEADLK;
        if (hd_sys(SYS_tkill, owner, 0) == -ESRCH)
            return -ESRCH;
        if (!waits)
            return -EAGAIN;
        *c->addr = old | FUTEX_WAITERS;
        wait.arg = *c->addr;
        r = -hd_gate(&wait).err;
    }
    return r;
}

/* Until the thread that is woken has the lock its word is FUTEX_WAITERS alone: not 0, so that
 * others come to lock_pi as well. */
static long unlock_pi(const struct call *c)
{
    word_step(HD_EV_ARMW, c->addr, c->site);
    u32 old = *c->addr;
    if ((old & FUTEX_TID_MASK) != (u32)hd_sys(SYS_gettid, 0))
        return -EPERM;
    bool is_awaited = (old & FUTEX_WAITERS) && wake_bits(c->addr, 1, FUTEX_BITSET_MATCH_ANY, c->site);
    __atomic_store_n(c->addr, is_awaited ? FUTEX_WAITERS : 0, __ATOMIC_SEQ_CST);
    return 0;
}

/* Another process takes part, or the kernel has to keep the owner. */
static long in_kernel(const long arg[6], const struct call *c)
{
    struct timespec real;
    const struct timespec *ts = c->timeout;
    u32 cmd = arg[1] & FUTEX_CMD_MASK;
    if (ts && (cmd == FUTEX_WAIT_BITSET || cmd == FUTEX_LOCK_PI || cmd == FUTEX_LOCK_PI2))
        ts = hd_abstime_real(c->is_realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC, ts, &real);
    return hd_sys(SYS_futex, arg[0], arg[1], arg[2], ts, arg[4], arg[5]);
}

/* A wait that is handed over: the kernel looks at the value anew. */
static long or_in_kernel(long r, const long arg[6], const struct call *c)
{
    return r == -HD_HANDED_OVER ? in_kernel(arg, c) : r;
}

long hd_futex(const long arg[6], u64 site)
{
    struct call c = {
        .addr = (u32 *)arg[0], .addr2 = (u32 *)arg[4],
        .val = (u32)arg[2], .val2 = (u32)arg[3], .val3 = (u32)arg[5],
        .timeout = (const struct timespec *)arg[3],
        .is_realtime = arg[1] & FUTEX_CLOCK_REALTIME, .site = site,
    };
    if (!c.addr || (u64)c.addr % sizeof *c.addr)
        return c.addr ? -EINVAL : -EFAULT;
    u32 cmd = arg[1] & FUTEX_CMD_MASK;
    c.is_realtime |= cmd == FUTEX_LOCK_PI; /* it has no other clock */
    if (cmd != FUTEX_WAKE && cmd != FUTEX_WAKE_BITSET && !hd_user_can_read(c.addr, sizeof *c.addr))
        return -EFAULT;
    if ((cmd == FUTEX_WAKE_OP || cmd == FUTEX_CMP_REQUEUE) &&
        !hd_user_can_read(c.addr2, sizeof *c.addr2))
        return -EFAULT;
    if (!(arg[1] & FUTEX_PRIVATE_FLAG) && hd_is_foreign(c.addr, true, "futex"))
        return in_kernel(arg, &c);
    switch (cmd) {
    case FUTEX_WAIT:
        return or_in_kernel(wait_bits(&c, false, FUTEX_BITSET_MATCH_ANY), arg, &c);
    case FUTEX_WAIT_BITSET:
        return or_in_kernel(wait_bits(&c, true, c.val3), arg, &c);
    case FUTEX_WAKE:
        return (long)wake_bits(c.addr, c.val, FUTEX_BITSET_MATCH_ANY, site);
    case FUTEX_WAKE_BITSET:
        return c.val3 ? (long)wake_bits(c.addr, c.val, c.val3, site) : -EINVAL;
    case FUTEX_CMP_REQUEUE:
        word_step(HD_EV_ALOAD, c.addr, site);
        if (__atomic_load_n(c.addr, __ATOMIC_ACQUIRE) != c.val3)
            return -EAGAIN;
        return requeue(&c);
    case FUTEX_REQUEUE:
        return requeue(&c);
    case FUTEX_WAKE_OP:
        return wake_op(&c);
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
        return or_in_kernel(lock_pi(&c, true), arg, &c);
    case FUTEX_TRYLOCK_PI:
        return lock_pi(&c, false);
    case FUTEX_UNLOCK_PI:
        return unlock_pi(&c);
    default:
        hd_uncontrolled(HD_UNC_BLOCKED, "futex");
        return in_kernel(arg, &c);
    }
}
