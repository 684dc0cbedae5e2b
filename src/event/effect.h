/* effect.h: what an event means, as data. The columns of event.def say which object
 * a kind acts on and what it does to it; hd_effects says what one event did.
 *
 *   LOCK m, arg 0       -> ACQUIRES | TAKES | BLOCKS on a MUTEX
 *   TRYLOCK m, EBUSY    -> nothing: it did not succeed
 *   COND_SIGNAL, arg 0  -> nothing is released: nobody was woken
 *   ASTORE, relaxed     -> WRITES | ATOMIC: it releases nothing by itself
 *
 * Whoever computes an order, a lockset or a dependence works from effects and does
 * not list kinds. Used on both sides of the process boundary; signal-safe.
 */
#ifndef HD_EFFECT_H
#define HD_EFFECT_H

#include <errno.h>

#include "event/event.h"

/* What `obj` names. Objects of different spaces are never the same object. */
enum hd_space {
    HD_SPACE_NONE,
    HD_SPACE_MEMORY,  /* an address; a futex word is one as well */
    HD_SPACE_MUTEX,
    HD_SPACE_RWLOCK,
    HD_SPACE_COND,
    HD_SPACE_BARRIER,
    HD_SPACE_SEM,
    HD_SPACE_ONCE,
    HD_SPACE_FUTEX,
    HD_SPACE_THREAD,
    HD_SPACE_IO,
    HD_SPACE_SIGNAL,  /* `arg` is the signal, `obj` the thread it is sent to */
    HD_SPACE_NOTE,    /* annotations of the program */
    HD_SPACE_HEAP,    /* a block */
    HD_SPACE_FENCE,   /* nothing in particular: all that its thread does */
    HD_SPACES
};

enum hd_effect_bit {
    HD_READS = 1,
    HD_WRITES = 2,
    HD_ATOMIC = 4,     /* the access is atomic: `arg` is its memory order */
    HD_ACQUIRES = 8,   /* what was released on the object happens before what follows */
    HD_RELEASES = 16,  /* what came before happens before who acquires the object later */
    HD_TAKES = 32,     /* the thread holds the lock from now on */
    HD_GIVES = 64,     /* ... and no longer */
    HD_SHARED = 128,   /* together with other readers */
    HD_WAITS = 256,    /* begins to wait; another event says how that ended */
    HD_BLOCKS = 512,   /* may have to wait before it can happen */
    HD_COUNTS = 1024,  /* `arg` is how many threads it woke */
    HD_BEGINS = 2048,  /* a new generation of the object begins */
    HD_ENDS = 4096,    /* its generation ends */
    /* what it says about getting on (sched/spin.c); without one of these it is progress,
     * unless it only reads */
    HD_TRIES = 8192,   /* without success it is a try that got nowhere */
    HD_WEAK = 16384,   /* progress, but not if it goes on for long */
    HD_IDLE = 32768,   /* neither */
};

enum hd_done {
    HD_DONE_ALWAYS,
    HD_DONE_NO_ERROR,
    HD_DONE_OWNED,
};

struct hd_meaning {
    u16 effects;
    u8 space;
    u8 done;
    u8 class;
};
/* By kind. What is no kind, in a record that was overwritten, does nothing. */
extern const struct hd_meaning hd_meaning[256];

HD_INLINE enum hd_space hd_space_of(u8 kind) { return hd_meaning[kind].space; }
HD_INLINE bool hd_may(u8 kind, u32 effects) { return (hd_meaning[kind].effects & effects) != 0; }

HD_INLINE bool hd_has_succeeded(u8 kind, u32 arg)
{
    u8 done = hd_meaning[kind].done;
    return !arg || done == HD_DONE_ALWAYS || (done == HD_DONE_OWNED && arg == EOWNERDEAD);
}

/* Effects of an atomic operation with that memory order. */
HD_INLINE u32 hd_effects_ordered(u32 effects, u32 arg)
{
    static const u16 lacks[HD_MO_MASK + 1] = {
        [HD_MO_RELAXED] = HD_ACQUIRES | HD_RELEASES,
        [HD_MO_CONSUME] = HD_RELEASES,
        [HD_MO_ACQUIRE] = HD_RELEASES,
        [HD_MO_RELEASE] = HD_ACQUIRES,
    };
    if (arg & HD_MO_FAILED)
        effects &= ~(u32)(HD_WRITES | HD_RELEASES);
    return effects & ~(u32)lacks[arg & HD_MO_MASK];
}

/* What this event did. */
HD_INLINE u32 hd_effects(const struct hd_event *ev)
{
    u32 effects = hd_meaning[ev->kind].effects;
    if (effects & HD_ATOMIC)
        return ev->arg ? hd_effects_ordered(effects, ev->arg) : effects;
    if (HD_UNLIKELY(!hd_has_succeeded(ev->kind, ev->arg)))
        return 0;
    return effects & HD_COUNTS && !ev->arg ? effects & ~(u32)HD_RELEASES : effects;
}

#endif
