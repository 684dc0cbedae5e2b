/* depend.h: do two operations of different threads have anything to do with each
 * other? Shared by the scheduler (which keeps sleeping threads out of a run) and
 * the search in the host (which finds orders worth reversing), so that both
 * agree.
 *
 * hd_act_depends: false only if the two commute in every state where both can
 * go, and neither lets the other go or stops it. hd_act_may_swap: a came before
 * b; false only if b cannot have been possible before a: a made way for it.
 * A reader-writer lock that prefers writers is not told exactly (posting a
 * write lock stops readers); the scheduler marks such runs.
 */
#ifndef HD_DEPEND_H
#define HD_DEPEND_H

#include "event/effect.h"

enum {
    HD_ACT_DONE = 1,      /* carried out: arg is its result */
    HD_ACT_GIVES_UP = 2,  /* does not wait for ever: timed, or a try */
    HD_ACT_LAST = 4,      /* ended the process: what others would have done is lost */
    HD_ACT_READ_HOLD = 8, /* RW_UNLOCK of a read lock */
    HD_ACT_ROBUST = 16,   /* of a robust mutex: the end of its owner matters */
    HD_ACT_LAST_UNIT = 32, /* SEM_WAIT that took the last unit */
    HD_ACT_RECURSIVE = 64, /* LOCK or TRYLOCK of a mutex of that type */
};

struct hd_act {
    u16 tid;
    u8 kind;  /* enum hd_evkind; FREE: of `size` bytes */
    u8 flags; /* HD_ACT_* */
    u32 size; /* bytes of memory kinds */
    u64 obj;
    u32 arg;
};

#define HD_ACT_LARGE (1u << 20) /* what an access of 255 or more bytes is taken for */

/* What an operation acts on. Different spaces never meet, but for futex words. */
HD_INLINE enum hd_space hd_act_space(u8 kind)
{
    enum hd_space space = hd_space_of(kind);
    return space < HD_SPACE_NOTE ? space : HD_SPACE_NONE; /* notes are no operations */
}

HD_INLINE bool hd_act_reads(u8 kind) { return kind == HD_EV_READ || kind == HD_EV_ALOAD; }

HD_INLINE bool hd_act_overlaps(const struct hd_act *a, const struct hd_act *b)
{
    return a->obj < b->obj + b->size && b->obj < a->obj + a->size;
}

/* Tried and did not get it: nothing changed. */
HD_INLINE bool hd_act_failed(const struct hd_act *a)
{
    return (a->flags & HD_ACT_DONE) && a->arg && a->arg != EOWNERDEAD;
}

/* ---- one space each; same object ------------------------------------------------ */

static inline bool hd_depends_rwlock(const struct hd_act *a, const struct hd_act *b)
{
    bool a_reads = a->kind == HD_EV_RDLOCK || a->kind == HD_EV_TRYRDLOCK;
    bool b_reads = b->kind == HD_EV_RDLOCK || b->kind == HD_EV_TRYRDLOCK;
    bool a_gives = a->kind == HD_EV_RW_UNLOCK, b_gives = b->kind == HD_EV_RW_UNLOCK;
    if (a_reads && b_reads)
        return false;
    if (a_gives && b_gives)
        return false; /* readers both; a writer would be alone */
    if (a_gives && b_reads)
        return !(a->flags & HD_ACT_READ_HOLD);
    if (b_gives && a_reads)
        return !(b->flags & HD_ACT_READ_HOLD);
    return !(hd_act_failed(a) && hd_act_failed(b));
}

static inline bool hd_depends_cond(const struct hd_act *a, const struct hd_act *b)
{
    bool a_waits = a->kind == HD_EV_COND_WAIT || a->kind == HD_EV_COND_WAKE;
    bool b_waits = b->kind == HD_EV_COND_WAIT || b->kind == HD_EV_COND_WAKE;
    bool a_wakes = a->kind == HD_EV_COND_SIGNAL || a->kind == HD_EV_COND_BROADCAST;
    bool b_wakes = b->kind == HD_EV_COND_SIGNAL || b->kind == HD_EV_COND_BROADCAST;
    /* Who is woken is a choice, so neither the order of arrival nor that of two
     * wakers matters; no call tells the program how many it woke. */
    return !((a_waits && b_waits) || (a_wakes && b_wakes));
}

static inline bool hd_depends_sem(const struct hd_act *a, const struct hd_act *b)
{
    if (a->kind == b->kind && (a->kind == HD_EV_SEM_POST || a->kind == HD_EV_SEM_GETVALUE))
        return false;
    return !(hd_act_failed(a) && hd_act_failed(b) && a->kind != HD_EV_SEM_GETVALUE &&
             b->kind != HD_EV_SEM_GETVALUE);
}

static inline bool hd_depends_once(const struct hd_act *a, const struct hd_act *b)
{
    bool a_passes = a->kind == HD_EV_ONCE_BEGIN && (a->flags & HD_ACT_DONE) && !a->arg;
    bool b_passes = b->kind == HD_EV_ONCE_BEGIN && (b->flags & HD_ACT_DONE) && !b->arg;
    return !(a_passes && b_passes);
}

static inline bool hd_depends_futex(const struct hd_act *a, const struct hd_act *b)
{
    bool a_waits = a->kind == HD_EV_FUTEX_WAIT || a->kind == HD_EV_FUTEX_WOKEN;
    bool b_waits = b->kind == HD_EV_FUTEX_WAIT || b->kind == HD_EV_FUTEX_WOKEN;
    return !(a_waits && b_waits);
}

/* One of the two is of space THREAD. */
static inline bool hd_depends_thread(const struct hd_act *a, const struct hd_act *b)
{
    if (a->kind == HD_EV_CREATE && a->obj == b->tid)
        return true;
    if (a->kind == HD_EV_JOIN || a->kind == HD_EV_DETACH) {
        if (b->kind == HD_EV_EXIT)
            return a->kind == HD_EV_JOIN && a->obj == b->tid;
        return (b->kind == HD_EV_JOIN || b->kind == HD_EV_DETACH || b->kind == HD_EV_CREATE) &&
               a->obj == b->obj;
    }
    return a->kind == HD_EV_EXIT && (b->flags & HD_ACT_ROBUST);
}

/* Acts on anything a thread does: signals, the end of the process. */
HD_INLINE bool hd_act_is_wild(const struct hd_act *a)
{
    return (a->flags & HD_ACT_LAST) || a->kind == HD_EV_KILL || a->kind == HD_EV_HANDLER ||
           a->kind == HD_EV_FUTEX_REQUEUE;
}

static inline bool hd_depends_wild(const struct hd_act *a, const struct hd_act *b)
{
    if ((a->flags & HD_ACT_LAST) || a->kind == HD_EV_HANDLER)
        return true;
    if (a->kind == HD_EV_KILL)
        return a->obj == b->tid || a->obj == ~(u64)0 || b->kind == HD_EV_KILL ||
               b->kind == HD_EV_SIGWAIT;
    return a->kind == HD_EV_FUTEX_REQUEUE && hd_act_space(b->kind) == HD_SPACE_FUTEX;
}

/* Pre: of different threads. */
static inline bool hd_act_depends(const struct hd_act *a, const struct hd_act *b)
{
    if (hd_depends_wild(a, b) || hd_depends_wild(b, a))
        return true;
    enum hd_space x = hd_act_space(a->kind), y = hd_act_space(b->kind);
    if (x == HD_SPACE_THREAD || y == HD_SPACE_THREAD)
        return hd_depends_thread(a, b) || hd_depends_thread(b, a);
    if (x == HD_SPACE_MEMORY && y == HD_SPACE_MEMORY)
        return !(hd_act_reads(a->kind) && hd_act_reads(b->kind)) && hd_act_overlaps(a, b);
    if (x == HD_SPACE_MEMORY && b->kind == HD_EV_FUTEX_WAIT)
        return !hd_act_reads(a->kind) && a->obj < b->obj + 4 && b->obj < a->obj + a->size;
    if (y == HD_SPACE_MEMORY && a->kind == HD_EV_FUTEX_WAIT)
        return !hd_act_reads(b->kind) && b->obj < a->obj + 4 && a->obj < b->obj + b->size;
    if (x == HD_SPACE_NONE || x != y)
        return false;
    if (x == HD_SPACE_IO) /* a pipe has two descriptors */
        return a->size != HD_IO_LOOKS || b->size != HD_IO_LOOKS;
    if (x == HD_SPACE_SIGNAL)
        return true;
    if (a->obj != b->obj)
        return false;
    switch (x) {
    case HD_SPACE_MUTEX: return !(hd_act_failed(a) && hd_act_failed(b));
    case HD_SPACE_RWLOCK: return hd_depends_rwlock(a, b);
    case HD_SPACE_COND: return hd_depends_cond(a, b);
    case HD_SPACE_BARRIER: return a->kind != HD_EV_BARRIER_LEAVE || b->kind != HD_EV_BARRIER_LEAVE;
    case HD_SPACE_SEM: return hd_depends_sem(a, b);
    case HD_SPACE_ONCE: return hd_depends_once(a, b);
    default: return hd_depends_futex(a, b);
    }
}

/* a came before b and they depend on each other. */
static inline bool hd_act_may_swap(const struct hd_act *a, const struct hd_act *b)
{
    if (a->kind == HD_EV_CREATE && a->obj == b->tid)
        return false;
    if (b->flags & HD_ACT_GIVES_UP)
        return true;
    if (hd_may(b->kind, HD_TAKES) && hd_may(b->kind, HD_BLOCKS)) {
        bool made_way = hd_may(a->kind, HD_GIVES) && hd_space_of(a->kind) == hd_space_of(b->kind);
        made_way |= a->kind == HD_EV_EXIT && b->kind == HD_EV_LOCK;
        /* a try that failed: the lock was not free there either */
        bool was_taken = a->kind == HD_EV_TRYLOCK && hd_act_failed(a) && b->kind == HD_EV_LOCK;
        return (!made_way && !was_taken) || hd_act_failed(b);
    }
    if (b->kind == HD_EV_SEM_WAIT)
        return !(a->kind == HD_EV_SEM_TRYWAIT && hd_act_failed(a));
    if (b->kind == HD_EV_JOIN)
        return (a->kind != HD_EV_EXIT && a->kind != HD_EV_CREATE) || hd_act_failed(b);
    return b->kind != HD_EV_ONCE_BEGIN || a->kind != HD_EV_ONCE_END;
}

/* ---- from operations ------------------------------------------------------------ */

HD_INLINE u32 hd_act_size(u32 size) { return size >= 255 ? HD_ACT_LARGE : size ? size : 1; }

HD_INLINE bool hd_op_gives_up(const struct hd_op *op)
{
    return (op->flags & HD_OP_TIMED) || (op->kind == HD_EV_JOIN && op->arg == 1);
}

HD_INLINE bool hd_op_is_robust(const struct hd_op *op)
{
    return op->kind >= HD_EV_LOCK && op->kind <= HD_EV_UNLOCK && (op->arg & HD_MTX_ROBUST);
}

/* What a pending operation would do: one act, or two (a cond wait). */
static inline u32 hd_act_of_op(struct hd_act *to, u16 tid, const struct hd_op *op)
{
    u8 flags = (u8)((hd_op_gives_up(op) ? HD_ACT_GIVES_UP : 0) |
                    (hd_op_is_robust(op) ? HD_ACT_ROBUST : 0));
    to[0] = (struct hd_act){.tid = tid,
                            .kind = op->kind,
                            .flags = flags,
                            .size = hd_act_size(op->size),
                            .obj = op->obj,
                            .arg = op->kind == HD_EV_KILL ? (u32)op->arg : 0};
    if (op->kind == HD_EV_FREE)
        to[0].size = (u32)HD_MIN(HD_MAX(op->arg, (u64)1), (u64)HD_ACT_LARGE);
    if (op->kind != HD_EV_COND_WAIT)
        return 1;
    to[1] = (struct hd_act){.tid = tid, .kind = HD_EV_UNLOCK, .size = 1, .obj = op->obj2};
    return 2;
}

static inline bool hd_acts_depend(const struct hd_act *a, u32 n, const struct hd_act *b, u32 m)
{
    for (u32 i = 0; i < n; i++)
        for (u32 k = 0; k < m; k++)
            if (hd_act_depends(&a[i], &b[k]))
                return true;
    return false;
}

#endif
