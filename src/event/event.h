/* event.h: THE CONTRACT between target and host: events and pending operations.
 *
 * A thread *is* its pending operation: before it does anything another thread
 * could notice it states a struct hd_op; the scheduler decides when that takes
 * effect; the effect is recorded as a struct hd_event.
 */
#ifndef HD_EVENT_H
#define HD_EVENT_H

#include "base/base.h"

#define HD_MAX_THREADS 4096 /* created in one run, in all */
#define HD_NO_THREAD 0xffffu
#define HD_NEVER INT64_MAX  /* a deadline that never comes */

enum hd_evkind {
#define HD_EV(name, ...) HD_EV_##name,
#include "event/event.def"
#undef HD_EV
    HD_EV_COUNT
};

enum hd_evclass {
    HD_CLASS_LOCAL,
    HD_CLASS_READ,
    HD_CLASS_WRITE,
    HD_CLASS_RMW,
    HD_CLASS_ACQ,
    HD_CLASS_REL,
    HD_CLASS_WAITS,
    HD_CLASS_WAKES,
    HD_CLASS_ORDER,
};

/* The rest of what a kind means is in event/effect.h. Name for people ("lock"), and class; `kind` < HD_EV_COUNT. */
const char *hd_event_text(u8 kind);
enum hd_evclass hd_event_class(u8 kind);

/* Recorded, never a scheduling point. */
HD_INLINE bool hd_event_is_note(u8 kind)
{
    return (kind >= HD_EV_HB_RELEASE && kind <= HD_EV_NOTE) ||
           (kind >= HD_EV_BENIGN && kind <= HD_EV_ATOMIC_END);
}

/* True if the two kinds on the same object do not commute: at least one
 * writes, or both are synchronization on that object. Different threads and
 * overlapping objects are the caller's to check. */
bool hd_event_conflicts(u8 a, u8 b);

/* One executed step. 32 bytes, plain data, lives in shared memory. */
struct hd_event {
    u32 step;  /* position in the run, from 1 */
    u16 tid;   /* thread number in order of creation, main = 0 */
    u8 kind;   /* enum hd_evkind */
    u8 size;   /* bytes touched (memory kinds), 255 = that or more (hd_event_bytes); locks: see event.def */
    u64 site;  /* return address of the hook or interceptor call */
    u64 obj;   /* see event.def */
    u32 ctx;   /* hash of the innermost return addresses (hd_config.context) */
    u32 arg;   /* see event.def */
};
_Static_assert(sizeof(struct hd_event) == 32, "shared layout");
/* In the ring, with HD_MODE_VALUES: above so many bits of `arg` of an access of 1, 2, 4 or 8
 * bytes there is a hash of what was in memory before it. Whoever reads the ring gets them apart
 * (snapshot.h). */
#define HD_ARG_BITS 12
HD_INLINE bool hd_event_has_value(const struct hd_event *ev)
{
    return ev->kind <= HD_EV_ARMW && (ev->size == 1 || ev->size == 2 || ev->size == 4 || ev->size == 8);
}
/* Bytes that a READ or WRITE touches. One of HD_EVENT_WIDE or more (memcpy, read) has their number in
 * place of a value. */
#define HD_EVENT_WIDE 255u
#define HD_EVENT_WIDEST ((1u << (32 - HD_ARG_BITS)) - 1)
HD_INLINE u32 hd_event_wide_arg(u64 bytes)
{
    return bytes < HD_EVENT_WIDE ? 0 : (u32)HD_MIN(bytes, (u64)HD_EVENT_WIDEST) << HD_ARG_BITS;
}
HD_INLINE u32 hd_event_bytes(const struct hd_event *ev)
{
    u32 wide = ev->kind <= HD_EV_WRITE && ev->size == HD_EVENT_WIDE ? ev->arg >> HD_ARG_BITS : 0;
    return HD_MAX(wide, HD_MAX((u32)ev->size, 1u));
}
/* ... and `arg` of a write has this flag if its site is not known to touch memory of several threads:
 * it says what the thread knows by itself, and is for the corpus alone (plan/corpus/corpus.h). */
#define HD_ARG_OWN (1u << 11)
HD_INLINE bool hd_event_is_own(const struct hd_event *ev)
{
    return ev->kind == HD_EV_WRITE && ev->arg & HD_ARG_OWN;
}
#define HD_CTX_DEPTH 5 /* unless asked otherwise */
#define HD_CTX_MOST 16

/* `arg` of atomic operations and fences: the memory order. 0 is the strongest, so that what
 * does not say is never taken for less. */
enum hd_memory_order {
    HD_MO_SEQ_CST,
    HD_MO_RELAXED,
    HD_MO_CONSUME,
    HD_MO_ACQUIRE,
    HD_MO_RELEASE,
    HD_MO_ACQ_REL,
    HD_MO_PLAIN, /* of no event: an access that is not atomic, where one that is might stand */
    HD_MO_MASK = 7,
    HD_MO_FAILED = 8, /* flag: a compare-exchange that changed nothing; the order is that of its load */
    /* only in `arg` of the operation: it is one, `arg2` and `obj2` are the value it expects, */
    HD_MO_COMPARES = 16,
    HD_MO_FAILURE = 5, /* and its order if it fails is from this bit on */
};

/* What a thread is about to do. */
struct hd_op {
    u8 kind;      /* enum hd_evkind */
    u8 flags;     /* HD_OP_* */
    u16 size;     /* bytes (memory kinds), HD_IO_* (IO) */
    u32 ctx;
    u64 site;
    u64 obj;      /* object address or thread number */
    u64 obj2;     /* COND_WAIT: the mutex; FUTEX_REQUEUE: second address */
    s64 deadline; /* absolute virtual ns after which the wait gives up, or HD_NEVER */
    u64 arg;      /* kind-specific, see sched.h */
    u64 arg2;
};

enum {
    HD_OP_TIMED = 1,         /* deadline counts (HD_NEVER otherwise) */
    HD_OP_INTERRUPTIBLE = 2, /* a handled signal ends it with EINTR */
    HD_OP_CANCEL = 4,        /* a cancellation point */
    HD_OP_PLAIN_SPIN = 8,    /* retry of a loop the runtime knows to be spinning */
    HD_OP_EXTERNAL = 16,     /* IO: another process may end it, so its timeout never comes early */
};

/* What an IO operation does, in `size`. */
enum {
    HD_IO_CLOSES = 1, /* the descriptor */
    HD_IO_LOOKS = 2,  /* at a file, and changes nothing: two of these commute */
    HD_IO_CHANGES = 3, /* a file or a folder; like a look it does not wait */
};

/* Mutex attributes, in `arg` of mutex ops (models are created lazily). */
enum {
    HD_MTX_NORMAL = 0,
    HD_MTX_RECURSIVE = 1,
    HD_MTX_ERRORCHECK = 2,
    HD_MTX_SPIN = 3,
    HD_MTX_TYPE = 3,   /* mask */
    HD_MTX_ROBUST = 4, /* flag */
};

#endif
