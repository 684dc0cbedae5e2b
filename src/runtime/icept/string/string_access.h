/* string_access.h: what the interceptors of string functions share.
 *
 * Each does: if the call is to be looked at, say which bytes the function will
 * touch (another thread may run at that point), then call the real one. They
 * are called all the time and long before start-up, so everything that can be
 * decided without leaving the function is decided here.
 */
#ifndef HD_STRING_ACCESS_H
#define HD_STRING_ACCESS_H

#include "runtime/heap/heap_check.h"

/* Most strings are here, and nobody else touches it as a rule. Somebody who
 * does is seen on his side. */
HD_INLINE bool hd_is_own_stack(const volatile void *p)
{
    return (u64)p - hd_tls.stack_lo < hd_tls.stack_hi - hd_tls.stack_lo;
}

HD_INLINE void hd_reads(const volatile void *p, size_t n, u64 site)
{
    if (n && !hd_is_own_stack(p))
        hd_access(p, n, false, site);
}

HD_INLINE void hd_writes(volatile void *p, size_t n, u64 site)
{
    if (n && !hd_is_own_stack(p))
        hd_access(p, n, true, site);
}

/* Two places: another thread that ran before the second access may have freed the first. */
HD_INLINE void hd_reads_two(const volatile void *a, size_t n, const volatile void *b, size_t m,
                            u64 site)
{
    hd_reads(a, n, site);
    hd_reads(b, m, site);
    if (n)
        hd_heap_check((u64)a, (u32)HD_MIN(n, (size_t)UINT32_MAX), false, site);
}

HD_INLINE void hd_copies(volatile void *to, size_t n, const volatile void *from, size_t m, u64 site)
{
    hd_reads(from, m, site);
    hd_writes(to, n, site);
    if (m)
        hd_heap_check((u64)from, (u32)HD_MIN(m, (size_t)UINT32_MAX), false, site);
}

/* A second name of an exported function, attributes included. */
#define HD_SECOND_NAME(name, of)                                                                   \
    extern __typeof__(of) name __attribute__((alias(#of), copy(of), visibility("default")))

/* For <_FORTIFY_SOURCE>'s variants. */
_Noreturn void __chk_fail(void);
HD_INLINE void hd_fortify(size_t need, size_t have)
{
    if (HD_UNLIKELY(need > have))
        __chk_fail();
}

#endif
