/* heap_stack.c: a set of call stacks. A program allocates from few places, so
 * a block's record needs one number instead of a list of addresses.
 *
 * The hash table begins with one page and grows: small programs, which run in
 * forked children, should touch few pages.
 */
#include "runtime/heap/heap_stack.h"

#include "runtime/libc/sys.h"

#include <sys/mman.h>

#define FIRST_SLOTS 1024

static const u64 mix[HD_HEAP_DEPTH] = {
    0x9e3779b97f4a7c15ull, 0xbf58476d1ce4e5b9ull, 0x94d049bb133111ebull,
    0xd1342543de82ef95ull, 0xaf251af3b0f025b5ull, 0xda942042e4dd58b5ull,
    0xc2b2ae3d27d4eb4full, 0x165667b19e3779f9ull, 0x27d4eb2f165667c5ull,
};

/* Independent products: the multiplications overlap. */
static u32 hash_of(const u64 *pc, u32 n)
{
    u64 h = n;
    for (u32 i = 0; i < n; i++)
        h += pc[i] * mix[i];
    return (u32)(h >> 32) ^ (u32)h;
}

static bool make(struct hd_stacks *t)
{
    /* All tables that growing can need: 1 + 4 + 16 + ... times the first. */
    u64 stacks = HD_ALIGN_UP(sizeof(struct hd_stack) * (HD_STACKS_MAX + 1), 4096);
    u64 bytes = stacks + 4 * sizeof(u32) * HD_STACKS_MAX * 2;
    long p = hd_sys(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p < 0 && p > -4096)
        return false;
    hd_sys(SYS_madvise, p, bytes, MADV_NOHUGEPAGE);
    t->stack = (struct hd_stack *)p;
    t->slot = (u32 *)(p + (long)stacks);
    t->slots = FIRST_SLOTS;
    t->slot_next = t->slot + FIRST_SLOTS;
    return true;
}

static void grow(struct hd_stacks *t)
{
    t->slot = t->slot_next;
    t->slots *= 4;
    t->slot_next += t->slots;
    for (u32 id = 1; id <= t->n; id++) {
        u32 i = t->stack[id].hash & (t->slots - 1);
        while (t->slot[i])
            i = (i + 1) & (t->slots - 1);
        t->slot[i] = id;
    }
}

static bool is_same(const struct hd_stack *s, u32 hash, const u64 *pc, u32 n)
{
    if (s->hash != hash || s->n != n)
        return false;
    for (u32 i = 0; i < n; i++)
        if (s->pc[i] != pc[i])
            return false;
    return true;
}

u32 hd_stacks_put(struct hd_stacks *t, const u64 *pc, u32 n)
{
    if (HD_UNLIKELY(!t->slot) && !make(t))
        return 0;
    u32 hash = hash_of(pc, n), i = hash & (t->slots - 1);
    for (u32 id; (id = t->slot[i]); i = (i + 1) & (t->slots - 1))
        if (is_same(&t->stack[id], hash, pc, n))
            return id;
    if (t->n == HD_STACKS_MAX)
        return 0;
    u32 id = ++t->n;
    t->slot[i] = id;
    struct hd_stack *s = &t->stack[id];
    s->hash = hash;
    s->n = n;
    for (u32 k = 0; k < n; k++)
        s->pc[k] = pc[k];
    if (t->n > t->slots / 2)
        grow(t);
    return id;
}

const struct hd_stack *hd_stacks_get(const struct hd_stacks *t, u32 id)
{
    return id && id <= t->n ? &t->stack[id] : NULL;
}
