/* heap_core.h: the allocator behind malloc, as plain data and functions: no
 * threads, no libc, no runtime state, so that a unit test can drive it.
 *
 *   region  [ small zone: units of 1 KiB | large zone: grains of 64 KiB ]
 *   aux     [ unit tables | spans | block records | stacks ]  private
 *
 * A span is a stretch of one zone: a row of equal blocks, one large block, or
 * free. The zone's table maps each unit to its span, so the block at any
 * address is found in constant time. All state about a block lives in its
 * record outside the region: the program cannot damage it, free() touches no
 * page of the block, and a freed block keeps where it was allocated and freed.
 * Addresses depend only on the sequence of calls (and the base).
 */
#ifndef HD_HEAP_CORE_H
#define HD_HEAP_CORE_H

#include "base/base.h"

#define HD_HEAP_UNIT_SHIFT 10
#define HD_HEAP_GRAIN_SHIFT 16
#define HD_HEAP_SMALL_MAX (256u << 10) /* largest block of a size class */
#define HD_HEAP_CLASSES 52
#define HD_HEAP_BINS 128
/* At least one byte behind every block belongs to nobody: an overflow by one
 * is seen even when the size fills its class. */
#define HD_HEAP_PAD 1
#define HD_HEAP_QUARANTINE 4096             /* freed blocks held back */
#define HD_HEAP_QUARANTINE_BYTES (1u << 20) /* ... and their bytes */
#define HD_HEAP_QUARANTINE_LARGE (64u << 10) /* what a block above that counts */
#define HD_HEAP_DEPTH 9                     /* call site and 8 frames */
#define HD_HEAP_NO_TID 0x1fff

enum hd_heap_state {
    HD_BLOCK_NEVER,       /* not given out yet */
    HD_BLOCK_LIVE,
    HD_BLOCK_QUARANTINED, /* freed, not to be given out soon */
    HD_BLOCK_FREE,        /* freed, may be given out again */
};

/* Record of one block; kept until the block is given out again. 16 bytes. */
struct hd_heap_meta {
    u64 size : 19;      /* asked for (small blocks) */
    u64 state : 2;      /* enum hd_heap_state */
    u64 next : 13;      /* FREE: next free block of the span */
    u64 alloc_tid : 13; /* HD_HEAP_NO_TID = a thread we do not know */
    u64 free_tid : 13;
    u32 alloc_stack, free_stack; /* heap_stack.h, 0 = not known */
};

enum hd_heap_span_kind {
    HD_SPAN_NONE, /* descriptor not in use */
    HD_SPAN_RUN,  /* free stretch */
    HD_SPAN_SMALL,
    HD_SPAN_LARGE,
};

struct hd_heap_span {
    u64 start, bytes; /* offset from the region's base, length */
    union {
        struct {
            struct hd_heap_meta *meta; /* [n] */
            u32 block;                 /* bytes per block */
            u32 magic;                 /* to divide by `block`: hd_heap_index */
            u16 n;                     /* blocks; 0 in a RUN */
            u16 bump;                  /* blocks from here on are NEVER */
            u16 free;                  /* first free block or HD_HEAP_NIL */
            u16 used;                  /* neither NEVER nor FREE */
        };
        struct {
            struct hd_heap_meta own;
            u64 size; /* LARGE: asked for; RUN: dirty bytes */
        };
    };
    u32 next, prev; /* list of the class (not full) or bin (RUN) */
    u8 kind, class;
    bool is_dirty;  /* memory may be other than zero */
};
#define HD_HEAP_NIL 0x1fff

struct hd_heap_class {
    u32 block, magic;
    u32 head;  /* spans with a block to give */
    u32 made;  /* spans made so far: later ones are larger */
};

struct hd_heap_zone {
    u64 start, end; /* offsets from the base */
    u64 top;        /* from here on nothing is in use */
    u64 high;       /* from here on nothing was ever written */
    u64 trim;       /* dirty bytes of a run that are worth a system call */
    u32 shift;
    u32 *table;     /* [(offset - start) >> shift] -> span, stale where unused */
    u64 bins_used[HD_HEAP_BINS / 64];
    u32 bin[HD_HEAP_BINS];
};

struct hd_heap {
    u64 base, bytes; /* the region; bytes 0 = not yet made */
    u32 lock;        /* for the user of the heap; here to share a page */
    u64 small_end;
    struct hd_heap_span *spans; /* [0] stays empty: what table entry 0 means */
    struct hd_heap_zone small, large;
    struct hd_heap_class class[HD_HEAP_CLASSES];
    u64 live_bytes, live_blocks;
    u32 n_spans, max_spans;
    u32 cached_span;            /* list of unused descriptors */
    char *meta_next, *meta_end; /* records are carved from here */
    void *meta_cached[HD_HEAP_CLASSES + 1];
    u64 aux, aux_bytes;
    u32 q_first, q_n;
    u64 q_bytes;
    u64 broken;      /* a byte that was written while its block was in quarantine, found when
                        the block left; 0 = none. The user of the heap clears it */
    u64 q[HD_HEAP_QUARANTINE];
};

/* A block found by address. */
struct hd_heap_ref {
    struct hd_heap_span *span;
    struct hd_heap_meta *meta; /* NULL: no block there */
    u32 index;
    u64 start;    /* address */
    u64 size;     /* asked for */
    u64 capacity; /* up to the next block */
};

/* Who does it: for the record. */
struct hd_heap_who {
    u32 tid;   /* HD_HEAP_NO_TID = not known */
    u32 stack; /* heap_stack.h, 0 = not known */
};

/* Reserves up to `bytes` of address space at `hint` if that is free, less or
 * elsewhere if not. 0 or a negative errno. */
int hd_heap_init(struct hd_heap *h, u64 hint, u64 bytes);

/* The address of a block of `size` bytes at a multiple of `align` (power of
 * two), or 0. *is_zero: the memory is known to be zero. */
u64 hd_heap_take(struct hd_heap *h, u64 size, u64 align, struct hd_heap_who who, bool *is_zero);

enum hd_heap_how {
    HD_FREE_NOW,        /* may be given out by the next call */
    HD_FREE_QUARANTINE, /* after a while */
    HD_FREE_NEVER,      /* not any more: freed at a moment chance decided */
};
/* Pre: ref is of a LIVE block. */
void hd_heap_give(struct hd_heap *h, const struct hd_heap_ref *ref, enum hd_heap_how how,
                  struct hd_heap_who who);

/* True if the LIVE block could be made `size` bytes long where it is; `who` is
 * then who allocated it. */
bool hd_heap_resize(struct hd_heap *h, struct hd_heap_ref *ref, u64 size, struct hd_heap_who who);

/* Gives memory of free stretches back to the system; true if there was any. */
bool hd_heap_trim(struct hd_heap *h);

/* A byte that was overwritten in a pattern (heap_guard.h) of a block that is live or
 * quarantined, or 0. Slow. Pre: live blocks have theirs (hd_guard_set). */
u64 hd_heap_find_broken(const struct hd_heap *h);

/* Executable invariants; false and *why set if one is broken. Slow. */
bool hd_heap_is_valid(const struct hd_heap *h, const char **why);

/* ---- runs (heap_run.c) --------------------------------------------------- */
/* Span of `units` units of the zone at a multiple of `align` units, or 0. The
 * caller sets its kind; table entries are filled. */
u32 hd_heap_run_take(struct hd_heap *h, struct hd_heap_zone *z, u64 units, u64 align);
void hd_heap_run_give(struct hd_heap *h, struct hd_heap_zone *z, u32 id, bool is_dirty);
/* Makes the span longer at its end if the neighbour is free, or shorter. */
bool hd_heap_run_resize(struct hd_heap *h, struct hd_heap_zone *z, u32 id, u64 units);
bool hd_heap_run_trim(struct hd_heap *h, struct hd_heap_zone *z);

/* ---- out of line parts of the inlines below (heap_core.c) ------------------- */
u64 hd_heap_take_slow(struct hd_heap *h, u64 size, u64 align, struct hd_heap_who who,
                      bool *is_zero);
void hd_heap_span_full(struct hd_heap *h, u32 id);
void hd_heap_recycle_rare(struct hd_heap *h, struct hd_heap_span *s, bool was_full);

/* ---- inlines for the hot paths -------------------------------------------- */

/* Block number inside a SMALL span: (rel/16) / (block/16) by multiplication.
 * Exact because (rel/16) * (block/16) < 2^31. */
HD_INLINE u32 hd_heap_index(const struct hd_heap_span *s, u64 rel)
{
    return (u32)(((rel >> 4) * s->magic) >> 31);
}

HD_INLINE struct hd_heap_span *hd_heap_span_of(const struct hd_heap *h, u64 off)
{
    if (HD_LIKELY(off < h->small_end))
        return &h->spans[h->small.table[off >> HD_HEAP_UNIT_SHIFT]];
    return &h->spans[h->large.table[(off - h->small_end) >> HD_HEAP_GRAIN_SHIFT]];
}

HD_INLINE u64 hd_heap_quarantine_cost(const struct hd_heap_ref *ref)
{
    return ref->capacity > HD_HEAP_QUARANTINE_BYTES ? HD_HEAP_QUARANTINE_LARGE : ref->capacity;
}

/* Size classes: 16, 32, ... 128, then four per doubling to 256 KiB. */
HD_INLINE u32 hd_heap_class_of(u64 n)
{
    if (n <= 128)
        return n ? (u32)((n - 1) >> 4) : 0;
    u32 log = 63 - (u32)__builtin_clzll(n - 1);
    return 8 + (log - 7) * 4 + (u32)((n - 1) >> (log - 2) & 3);
}

/* The block whose memory (with padding) holds addr; ref->meta NULL if none. */
HD_INLINE void hd_heap_lookup(const struct hd_heap *h, u64 addr, struct hd_heap_ref *ref)
{
    u64 off = addr - h->base;
    ref->meta = NULL;
    if (HD_UNLIKELY(off >= h->bytes))
        return;
    struct hd_heap_span *s = hd_heap_span_of(h, off);
    u64 rel = off - s->start;
    if (HD_UNLIKELY(rel >= s->bytes))
        return;
    ref->span = s;
    if (HD_LIKELY(s->kind == HD_SPAN_SMALL)) {
        u32 i = hd_heap_index(s, rel);
        if (HD_UNLIKELY(i >= s->n))
            return;
        ref->meta = &s->meta[i];
        ref->index = i;
        ref->start = h->base + s->start + (u64)i * s->block;
        ref->size = ref->meta->size;
        ref->capacity = s->block;
    } else if (s->kind == HD_SPAN_LARGE) {
        ref->meta = &s->own;
        ref->index = 0;
        ref->start = h->base + s->start;
        ref->size = s->size;
        ref->capacity = s->bytes;
    }
}

/* A block from the span at the head of class c. Pre: there is one. */
HD_INLINE u64 hd_heap_take_head(struct hd_heap *h, u32 c, u64 size, struct hd_heap_who who,
                                bool *is_zero)
{
    u32 id = h->class[c].head;
    struct hd_heap_span *s = &h->spans[id];
    u32 i = s->free;
    *is_zero = false;
    if (i != HD_HEAP_NIL) {
        s->free = s->meta[i].next;
    } else {
        i = s->bump++;
        *is_zero = !s->is_dirty;
    }
    s->meta[i] = (struct hd_heap_meta){
        .size = size, .state = HD_BLOCK_LIVE, .alloc_tid = who.tid, .alloc_stack = who.stack};
    if (HD_UNLIKELY(++s->used == s->n))
        hd_heap_span_full(h, id);
    h->live_bytes += size;
    h->live_blocks++;
    return h->base + s->start + (u64)i * s->block;
}

/* hd_heap_take for what nearly every call asks for. */
HD_INLINE u64 hd_heap_take_fast(struct hd_heap *h, u64 size, u64 align, struct hd_heap_who who,
                                bool *is_zero)
{
    if (HD_LIKELY(align <= 16 && size <= HD_HEAP_SMALL_MAX - HD_HEAP_PAD)) {
        u32 c = hd_heap_class_of(size + HD_HEAP_PAD);
        if (HD_LIKELY(h->class[c].head))
            return hd_heap_take_head(h, c, size, who, is_zero);
    }
    return hd_heap_take_slow(h, size, align, who, is_zero);
}

/* Makes a small block that is not live any more available. */
HD_INLINE void hd_heap_recycle_small(struct hd_heap *h, struct hd_heap_span *s, u32 index,
                                     struct hd_heap_meta m)
{
    bool was_full = s->used == s->n;
    m.state = HD_BLOCK_FREE;
    m.next = s->free;
    s->meta[index] = m;
    s->free = (u16)index;
    s->used--;
    if (HD_UNLIKELY(was_full || !s->used))
        hd_heap_recycle_rare(h, s, was_full);
}

/* hd_heap_give for a small block that need not be kept. */
HD_INLINE void hd_heap_give_fast(struct hd_heap *h, const struct hd_heap_ref *ref,
                                 enum hd_heap_how how, struct hd_heap_who who)
{
    if (HD_UNLIKELY(how != HD_FREE_NOW || ref->span->kind != HD_SPAN_SMALL)) {
        hd_heap_give(h, ref, how, who);
        return;
    }
    struct hd_heap_meta m = *ref->meta;
    m.free_tid = who.tid;
    m.free_stack = who.stack;
    h->live_bytes -= ref->size;
    h->live_blocks--;
    hd_heap_recycle_small(h, ref->span, ref->index, m);
}

/* Are the `size` bytes at offset `off` (< h->bytes) inside one live block? */
HD_INLINE bool hd_heap_is_live(const struct hd_heap *h, u64 off, u64 size)
{
    const struct hd_heap_span *s = hd_heap_span_of(h, off);
    u64 rel = off - s->start;
    if (HD_UNLIKELY(rel >= s->bytes))
        return false;
    if (HD_UNLIKELY(s->kind != HD_SPAN_SMALL))
        return s->kind == HD_SPAN_LARGE && s->own.state == HD_BLOCK_LIVE && rel + size <= s->size;
    u32 i = hd_heap_index(s, rel);
    if (HD_UNLIKELY(i >= s->n))
        return false;
    const struct hd_heap_meta *m = &s->meta[i];
    return m->state == HD_BLOCK_LIVE && rel - (u64)i * s->block + size <= m->size;
}

#endif
