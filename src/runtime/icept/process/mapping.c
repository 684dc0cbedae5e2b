/* mapping.c: memory that is unmapped: as with free, that is a write of all of it, and what comes
 * to the same addresses later is other memory. */
#include "runtime/hook/detail.h"
#include "runtime/core/rt.h"

#define CHECKED_BYTES ((size_t)1 << 20) /* bytes of a large one */

HD_EXPORT int munmap(void *p, size_t n)
{
    if (!hd_on())
        return HD_REAL(munmap)(p, n);
    u64 site = HD_SITE();
    hd_access(p, HD_MIN(n, CHECKED_BYTES), true, site); /* another thread may run here */
    hd_detail_end();                                 /* its value is still there */
    int r = HD_REAL(munmap)(p, n);
    if (!r)
        hd_note(HD_EV_FREE, site, (u64)p, (u32)HD_MIN(n, (size_t)UINT32_MAX));
    return r;
}
