/* atomic.c: atomic operations: a scheduling point, then the operation
 * itself, sequentially consistent whatever order was asked for (one thread
 * runs at a time). The order asked for is in the event: what it orders is
 * worked out in order/ and filter/hb.c.
 *
 * An update that changes nothing (failed compare-exchange, exchange of the
 * same value) marks its site: the same thread trying again there is spinning.
 */
#include "runtime/hook/atomic.h"

#include "runtime/core/gate.h"
#include "runtime/filter/pass.h"
#include "runtime/filter/site.h"
#include "runtime/heap/heap_check.h"
#include "runtime/hook/point.h"

typedef unsigned __int128 u128;

/* Of the compiler's number; above its low bits are hints for lock elision. */
HD_INLINE u32 order_of(int mo)
{
    static const u8 order[] = {
        [__ATOMIC_RELAXED] = HD_MO_RELAXED, [__ATOMIC_CONSUME] = HD_MO_CONSUME,
        [__ATOMIC_ACQUIRE] = HD_MO_ACQUIRE, [__ATOMIC_RELEASE] = HD_MO_RELEASE,
        [__ATOMIC_ACQ_REL] = HD_MO_ACQ_REL, [__ATOMIC_SEQ_CST] = HD_MO_SEQ_CST, [6] = 0, [7] = 0,
    };
    return order[mo & 7];
}

HD_INLINE u32 compare_order(int mo, int fail)
{
    return order_of(mo) | HD_MO_COMPARES | order_of(fail) << HD_MO_FAILURE;
}

static void atomic_point(u8 kind, const volatile void *addr, u32 size, u64 site, u32 order,
                         u128 expected)
{
    struct hd_op op = hd_op_make(kind, site, (u64)addr);
    op.size = (u16)size;
    op.arg = order;
    op.arg2 = (u64)expected;
    op.obj2 = (u64)(expected >> 64);
    if (hd_tls.idle_site == site)
        op.flags = HD_OP_PLAIN_SPIN;
    hd_point(&op);
    hd_heap_check(op.obj, size, kind != HD_EV_ALOAD, site); /* another thread may have freed it */
    hd_site_atomic(op.obj, size, kind != HD_EV_ALOAD, site);
}

HD_INLINE void fruit(u64 site, bool changed)
{
    hd_tls.idle_site = changed ? 0 : site;
}

#define POINT(kind, size, order, expected)                                                         \
    do {                                                                                           \
        if (!hd_pass_leaves_out_atomic() && HD_LIKELY(hd_on()) && !hd_tls.ignore)                  \
            atomic_point(kind, a, size, HD_SITE(), order, expected);                               \
    } while (0)

#define LOAD_STORE(bits, type)                                                                     \
    HD_EXPORT type __tsan_atomic##bits##_load(const volatile type *a, int mo);                     \
    HD_EXPORT type __tsan_atomic##bits##_load(const volatile type *a, int mo)                      \
    {                                                                                              \
        POINT(HD_EV_ALOAD, bits / 8, order_of(mo), 0);                                             \
        return LOAD##bits(a);                                                                      \
    }                                                                                              \
    HD_EXPORT void __tsan_atomic##bits##_store(volatile type *a, type v, int mo);                  \
    HD_EXPORT void __tsan_atomic##bits##_store(volatile type *a, type v, int mo)                   \
    {                                                                                              \
        POINT(HD_EV_ASTORE, bits / 8, order_of(mo), 0);                                            \
        STORE##bits(a, v);                                                                         \
    }

/* Every update is a compare-exchange loop over `next(old)`. */
#define UPDATE(bits, type, name, next)                                                             \
    HD_EXPORT type __tsan_atomic##bits##_##name(volatile type *a, type v, int mo);                 \
    HD_EXPORT type __tsan_atomic##bits##_##name(volatile type *a, type v, int mo)                  \
    {                                                                                              \
        POINT(HD_EV_ARMW, bits / 8, order_of(mo), 0);                                              \
        type old = LOAD##bits(a);                                                                  \
        while (!CAS##bits(a, &old, (type)(next)))                                                  \
            ;                                                                                      \
        fruit(HD_SITE(), (type)(next) != old);                                                     \
        return old;                                                                                \
    }

#define COMPARE_EXCHANGE(bits, type)                                                               \
    HD_EXPORT int __tsan_atomic##bits##_compare_exchange_strong(volatile type *a, type *c, type v, \
                                                                int mo, int fail);                 \
    HD_EXPORT int __tsan_atomic##bits##_compare_exchange_strong(volatile type *a, type *c, type v, \
                                                                int mo, int fail)                  \
    {                                                                                              \
        POINT(HD_EV_ARMW, bits / 8, compare_order(mo, fail), *c);                                  \
        bool ok = CAS##bits(a, c, v);                                                              \
        fruit(HD_SITE(), ok);                                                                      \
        return ok;                                                                                 \
    }                                                                                              \
    HD_EXPORT int __tsan_atomic##bits##_compare_exchange_weak(volatile type *a, type *c, type v,   \
                                                              int mo, int fail);                   \
    HD_EXPORT int __tsan_atomic##bits##_compare_exchange_weak(volatile type *a, type *c, type v,   \
                                                              int mo, int fail)                    \
    {                                                                                              \
        POINT(HD_EV_ARMW, bits / 8, compare_order(mo, fail), *c);                                  \
        bool ok = CAS##bits(a, c, v);                                                              \
        fruit(HD_SITE(), ok);                                                                      \
        return ok;                                                                                 \
    }                                                                                              \
    HD_EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type c, type v,    \
                                                              int mo, int fail);                   \
    HD_EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type c, type v,    \
                                                              int mo, int fail)                    \
    {                                                                                              \
        POINT(HD_EV_ARMW, bits / 8, compare_order(mo, fail), c);                                   \
        fruit(HD_SITE(), CAS##bits(a, &c, v));                                                     \
        return c;                                                                                  \
    }

#define LOAD8(a) __atomic_load_n(a, __ATOMIC_SEQ_CST)
#define LOAD16 LOAD8
#define LOAD32 LOAD8
#define LOAD64 LOAD8
#define STORE8(a, v) __atomic_store_n(a, v, __ATOMIC_SEQ_CST)
#define STORE16 STORE8
#define STORE32 STORE8
#define STORE64 STORE8
#define CAS8(a, expected, v)                                                                       \
    __atomic_compare_exchange_n(a, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define CAS16 CAS8
#define CAS32 CAS8
#define CAS64 CAS8

/* 16 bytes: the instruction itself; libatomic would be a dependency. */
static bool CAS128(volatile u128 *a, u128 *expected, u128 v)
{
    u64 lo = (u64)*expected, hi = (u64)(*expected >> 64);
    bool ok;
    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(ok), "+m"(*a), "+a"(lo), "+d"(hi)
                     : "b"((u64)v), "c"((u64)(v >> 64))
                     : "memory");
    if (!ok)
        *expected = (u128)hi << 64 | lo;
    return ok;
}

static u128 LOAD128(const volatile u128 *a)
{
    u128 old = 0;
    CAS128((volatile u128 *)a, &old, 0);
    return old;
}

static void STORE128(volatile u128 *a, u128 v)
{
    u128 old = LOAD128(a);
    while (!CAS128(a, &old, v))
        ;
}

#define ALL(bits, type)                                                                            \
    LOAD_STORE(bits, type)                                                                         \
    UPDATE(bits, type, exchange, v)                                                                \
    UPDATE(bits, type, fetch_add, old + v)                                                         \
    UPDATE(bits, type, fetch_sub, old - v)                                                         \
    UPDATE(bits, type, fetch_and, old & v)                                                         \
    UPDATE(bits, type, fetch_or, old | v)                                                          \
    UPDATE(bits, type, fetch_xor, old ^ v)                                                         \
    UPDATE(bits, type, fetch_nand, ~(old & v))                                                     \
    COMPARE_EXCHANGE(bits, type)

ALL(8, u8)
ALL(16, u16)
ALL(32, u32)
ALL(64, u64)
ALL(128, u128)

HD_EXPORT void __tsan_atomic_thread_fence(int mo);
HD_EXPORT void __tsan_atomic_thread_fence(int mo)
{
    /* Under sequential consistency a fence changes nothing another thread sees: no point. */
    if (HD_LIKELY(hd_on()) && !hd_tls.ignore && !hd_pass_is_on)
        hd_note(HD_EV_FENCE, HD_SITE(), 0, order_of(mo));
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

HD_EXPORT void __tsan_atomic_signal_fence(int mo);
HD_EXPORT void __tsan_atomic_signal_fence(int mo) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

void hd_atomic_before(u64 addr, u32 size, u64 site, const u128 *expected)
{
    u32 order = expected ? compare_order(__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) : order_of(__ATOMIC_SEQ_CST);
    if (!hd_pass_leaves_out_atomic())
        atomic_point(HD_EV_ARMW, (const volatile void *)addr, size, site, order, expected ? *expected : 0);
}

void hd_atomic_comes(u64 site, bool changes) { fruit(site, changes); }
