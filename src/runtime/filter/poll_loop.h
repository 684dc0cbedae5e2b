/* poll_loop.h: a thread that reads the same few plain addresses again and again
 * waits for somebody to change them: let others run. Counted, not timed, and by
 * addresses being equal or not: repeatable, wherever they lie.
 *
 * Two tests. The quick one, for every access, remembers eight addresses by their
 * offset in a cache line; variables at the same offset of different lines displace
 * one another there. So one stretch of accesses in sixteen is looked at by the
 * exact one, a set of all addresses read in that stretch.
 */
#ifndef HD_POLL_LOOP_H
#define HD_POLL_LOOP_H

#include "runtime/core/rt.h"

#define HD_POLL_READS 2000    /* reads in a row of what was read before: a loop */
#define HD_POLL_CYCLE 65536u  /* accesses, of which ... */
#define HD_POLL_WINDOW 4096u  /* ... the last so many are looked at exactly */

/* The exact test: is this access one too many? */
bool hd_poll_loop_exact(u64 addr, bool is_write);

/* True if the calling thread polls; hd_tls.spin_hits says so, too, until reset. */
HD_INLINE bool hd_poll_loop(u64 addr, bool is_write)
{
    u64 *slot = &hd_tls.spin_addr[(addr >> 3) & 7];
    bool is_known = *slot == addr && !is_write;
    *slot = addr;
    hd_tls.spin_hits = is_known ? hd_tls.spin_hits + 1 : 0;
    if (HD_UNLIKELY(++hd_tls.spin_count > HD_POLL_CYCLE - HD_POLL_WINDOW) &&
        hd_poll_loop_exact(addr, is_write))
        return true;
    return hd_tls.spin_hits >= HD_POLL_READS;
}

#endif
