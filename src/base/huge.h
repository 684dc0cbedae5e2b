/* huge.h: large arrays of records that are a cache line or more, host only. They begin at a
 * line, and lie in pages of 2 MiB where they are very large: such a page takes one entry of the
 * processor's table of pages where small ones take 512. Smaller arrays would take much more memory
 * than they use of it. */
#ifndef HD_HUGE_H
#define HD_HUGE_H

#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HD_HUGE_PAGE ((size_t)2 << 20)
#define HD_HUGE_FROM (8 * HD_HUGE_PAGE)

/* A block of `want` bytes that begins with the `had` bytes of the old one, which is gone;
 * the rest is not set. For free(). */
static inline void *hd_huge_grow(void *old, size_t had, size_t want)
{
    size_t unit = want >= HD_HUGE_FROM ? HD_HUGE_PAGE : 64;
    void *at = aligned_alloc(unit, HD_ALIGN_UP(want, unit));
    HD_ASSERT(at != NULL);
    if (unit == HD_HUGE_PAGE)
        madvise(at, HD_ALIGN_UP(want, unit), MADV_HUGEPAGE);
    if (had)
        memcpy(at, old, had);
    free(old);
    return at;
}

#endif
