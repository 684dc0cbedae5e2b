/* heap.c: the allocator inside the target: lock, owners, events.
 *
 * Works from the first call of the loader on, with and without control, and
 * for threads that do not hold the baton; hence the lock. Nothing that could
 * be a scheduling point happens while it is held.
 *
 * A free is a write to the block as far as others are concerned: it is
 * announced like one, so that a schedule in which somebody else's use comes
 * after it can be found.
 */
#include "runtime/heap/heap.h"

#include "runtime/hook/caller.h"
#include "runtime/heap/heap_guard.h"
#include "runtime/filter/shadow.h"
#include "runtime/hook/detail.h"
#include "runtime/libc/sys.h"

#define REGION_AT 0x600000000000ull
#define REGION_BYTES ((u64)128 << 30)
#define SPINS 64

struct hd_heap hd_heap;
struct hd_stacks hd_heap_stacks;
bool hd_heap_oracle = true;
u64 hd_heap_watched;
bool hd_heap_clears;

void hd_heap_watch(bool is_on)
{
    hd_heap_oracle = is_on;
    hd_heap_watched = is_on ? hd_heap.bytes : 0;
}

/* ---- lock: taken by one exchange, given back by a plain store ---------------- */

static HD_COLD void lock_wait(void)
{
    for (u32 round = 0;; round++) {
        for (u32 i = 0; i < SPINS; i++) {
            if (!__atomic_load_n(&hd_heap.lock, __ATOMIC_RELAXED) &&
                !__atomic_exchange_n(&hd_heap.lock, 1, __ATOMIC_ACQUIRE))
                return;
            __builtin_ia32_pause();
        }
        /* No waking: the holder stays some nanoseconds unless it lost its core. */
        struct timespec ts = {0, round < 100 ? 0 : 50000};
        hd_sys(round < 100 ? SYS_sched_yield : SYS_nanosleep, &ts, 0);
    }
}

HD_INLINE void lock(void)
{
    if (HD_UNLIKELY(__atomic_exchange_n(&hd_heap.lock, 1, __ATOMIC_ACQUIRE)))
        lock_wait();
}

HD_INLINE void unlock(void) { __atomic_store_n(&hd_heap.lock, 0, __ATOMIC_RELEASE); }

void hd_heap_lock(void) { lock(); }
void hd_heap_unlock(void) { unlock(); }

/* Nobody is inside while fork copies the heap. Registered first: locked after
 * and unlocked before the handlers of others, which may allocate. */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                             void *dso);
__attribute__((constructor(101))) static void follow_forks(void)
{
    __register_atfork(hd_heap_lock, hd_heap_unlock, hd_heap_unlock, NULL);
}

/* ---- who and where ------------------------------------------------------------ */

/* The caller, for the record. Pre: lock held. */
HD_INLINE struct hd_heap_who who(u64 site)
{
    if (!hd_rt.is_on)
        return (struct hd_heap_who){HD_HEAP_NO_TID, 0};
    struct hd_heap_who w = {hd_tls.is_known ? hd_tls.tid : HD_HEAP_NO_TID, 0};
    if (HD_LIKELY(hd_heap_oracle)) {
        u64 pc[HD_HEAP_DEPTH];
        u32 n = hd_caller_stack(pc, HD_HEAP_DEPTH, site);
        w.stack = hd_stacks_put(&hd_heap_stacks, pc, n);
    }
    return w;
}

/* ---- memory --------------------------------------------------------------------- */

static void clear(void *p, size_t n)
{
    if (n > 512) {
        hd_memset(p, 0, n);
        return;
    }
    u64 *w = p; /* not beyond n: a pattern is there (heap_guard.h) */
    for (size_t i = 0; i + 8 <= n; i += 8)
        w[i / 8] = 0;
    for (size_t i = n & ~(size_t)7; i < n; i++)
        ((u8 *)p)[i] = 0;
}

static void copy(void *to, const void *from, size_t n)
{
    if (HD_REAL(memcpy))
        HD_REAL(memcpy)(to, from, n);
    else
        hd_memcpy(to, from, n);
}

static HD_COLD bool make(void)
{
    bool is_made = !hd_heap_init(&hd_heap, REGION_AT, REGION_BYTES);
    hd_heap_watch(hd_heap_oracle);
    return is_made;
}

/* What heap_core found in a block that left the quarantine. Pre: lock held. */
HD_INLINE u64 take_broken(void)
{
    u64 broken = hd_heap.broken;
    if (HD_UNLIKELY(broken))
        hd_heap.broken = 0;
    return broken;
}

HD_INLINE void *allocate(size_t size, size_t align, bool is_cleared, u64 site)
{
    bool is_zero;
    u64 at = 0;
    lock();
    if (HD_LIKELY(hd_heap.bytes) || make())
        at = hd_heap_take_fast(&hd_heap, size, align, who(site), &is_zero);
    if (HD_LIKELY(hd_heap_oracle && at)) {
        struct hd_heap_ref ref;
        hd_heap_lookup(&hd_heap, at, &ref);
        if (HD_LIKELY(ref.meta))
            hd_guard_set(&ref);
    }
    u64 broken = take_broken();
    unlock();
    if (HD_UNLIKELY(broken))
        hd_heap_noticed(broken, HD_NOTICED_REUSE, site);
    if (HD_UNLIKELY(!at))
        return NULL;
    if ((is_cleared || HD_UNLIKELY(hd_heap_clears)) && !is_zero)
        clear((void *)at, size);
    if (hd_on()) {
        hd_shadow_clear(at, size);
        hd_note(HD_EV_ALLOC, site, at, size);
    }
    return (void *)at;
}

void *hd_malloc(size_t size, size_t align, u64 site) { return allocate(size, align, false, site); }
void *hd_calloc(size_t size, u64 site) { return allocate(size, 16, true, site); }

/* Under control: is p a live block? Says so to the others before it goes. */
static void announce(u64 p, u64 site)
{
    struct hd_heap_ref ref;
    hd_heap_lookup(&hd_heap, p, &ref);
    if (HD_UNLIKELY(!ref.meta || ref.start != p || ref.meta->state != HD_BLOCK_LIVE))
        hd_heap_bad_free(p, &ref, site);
    if (ref.size)
        hd_access((void *)p, ref.size, true, site); /* another thread may run here */
}

static enum hd_heap_how how_to_free(void)
{
    if (!hd_rt.is_on)
        return HD_FREE_NOW;
    /* A thread that has left us frees its last things without the baton, when
     * is up to the kernel: addresses must not depend on it. */
    if (!hd_tls.is_known)
        return HD_FREE_NEVER;
    return hd_heap_oracle ? HD_FREE_QUARANTINE : HD_FREE_NOW;
}

static void release(u64 p, bool is_on, u64 site)
{
    struct hd_heap_ref ref;
    if (is_on)
        hd_detail_end(); /* the last access's value is still there */
    lock();
    hd_heap_lookup(&hd_heap, p, &ref);
    if (HD_UNLIKELY(!ref.meta || ref.start != p || ref.meta->state != HD_BLOCK_LIVE)) {
        unlock();
        hd_heap_bad_free(p, &ref, site);
    }
    u64 broken = HD_LIKELY(hd_heap_oracle) && is_on ? hd_guard_broken(&ref) : 0;
    if (HD_UNLIKELY(broken)) {
        unlock();
        hd_heap_noticed(broken, HD_NOTICED_FREE, site);
        lock();
    }
    hd_heap_give_fast(&hd_heap, &ref, how_to_free(), who(site));
    broken = take_broken();
    unlock();
    if (HD_UNLIKELY(broken))
        hd_heap_noticed(broken, HD_NOTICED_REUSE, site);
    if (is_on) {
        hd_epoch++; /* what was fine a moment ago is not */
        if (hd_rt.sched.objects && ref.size >= sizeof(u32))
            hd_sched_forget(&hd_rt.sched, p, ref.size);
        hd_note(HD_EV_FREE, site, p, ref.size);
    }
}

void hd_free(void *p, u64 site)
{
    if (!p)
        return;
    bool is_on = hd_on();
    if (is_on)
        announce((u64)p, site);
    release((u64)p, is_on, site);
}

/* True if it could be done where the block is; *old: its size so far. */
static bool resize(u64 p, size_t size, u64 site, u64 *old)
{
    struct hd_heap_ref ref;
    lock();
    hd_heap_lookup(&hd_heap, p, &ref);
    if (HD_UNLIKELY(!ref.meta || ref.start != p || ref.meta->state != HD_BLOCK_LIVE)) {
        unlock();
        hd_heap_bad_free(p, &ref, site);
    }
    *old = ref.size;
    u64 broken = HD_LIKELY(hd_heap_oracle) ? hd_guard_broken(&ref) : 0;
    bool is_done = !broken && hd_heap_resize(&hd_heap, &ref, size, who(site));
    if (is_done && hd_heap_oracle)
        hd_guard_set(&ref);
    unlock();
    if (HD_UNLIKELY(broken))
        hd_heap_noticed(broken, HD_NOTICED_FREE, site);
    return is_done;
}

void *hd_realloc(void *p, size_t size, u64 site)
{
    bool is_on = hd_on();
    if (is_on)
        announce((u64)p, site);
    u64 old;
    if (resize((u64)p, size, site, &old)) {
        if (is_on) {
            if (size > old)
                hd_shadow_clear((u64)p + old, size - old);
            hd_note(HD_EV_ALLOC, site, (u64)p, size);
        }
        return p;
    }
    void *to = hd_malloc(size, 16, site);
    if (!to)
        return NULL;
    copy(to, p, HD_MIN(old, size));
    release((u64)p, is_on, site);
    return to;
}

void hd_heap_verify(void)
{
    if (!hd_heap_oracle || !hd_on())
        return;
    lock();
    u64 broken = hd_heap_find_broken(&hd_heap);
    unlock();
    if (broken)
        hd_heap_noticed(broken, HD_NOTICED_END, 0);
}

size_t hd_heap_size(const void *p)
{
    struct hd_heap_ref ref;
    hd_heap_lookup(&hd_heap, (u64)p, &ref);
    return ref.meta && ref.start == (u64)p && ref.meta->state == HD_BLOCK_LIVE ? ref.size : 0;
}

static u16 tid_of(u32 tid) { return tid == HD_HEAP_NO_TID ? HD_NO_THREAD : (u16)tid; }

bool hd_heap_find(u64 addr, struct hd_heap_block *out)
{
    struct hd_heap_ref ref;
    hd_heap_lookup(&hd_heap, addr, &ref);
    if (!ref.meta || ref.meta->state == HD_BLOCK_NEVER)
        return false;
    bool was_freed = ref.meta->state != HD_BLOCK_LIVE;
    *out = (struct hd_heap_block){
        .start = ref.start,
        .size = ref.size,
        .state = ref.meta->state,
        .alloc_tid = tid_of(ref.meta->alloc_tid),
        .free_tid = was_freed ? tid_of(ref.meta->free_tid) : HD_NO_THREAD,
        .alloc = hd_stacks_get(&hd_heap_stacks, ref.meta->alloc_stack),
        .freed = was_freed ? hd_stacks_get(&hd_heap_stacks, ref.meta->free_stack) : NULL,
    };
    return true;
}
