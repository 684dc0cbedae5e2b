/* heap_check.h: is what the program touches inside a live block?
 *
 * heap_check.c decides which accesses are checked; it changes no event and no choice, so
 * a replay may check more than the run did. See docs/heap.md.
 *   the first HD_HEAP_SHORT accesses of a run    all; if the program's runs are known to be
 *                                                longer, in learning runs, which are slow in
 *                                                any case, and one in HD_HEAP_SELDOM
 *   later ones                                   those of sites that were not clean
 *                                                HD_HEAP_CLEAN times yet, in this run or in
 *                                                an earlier one, then samples
 *   a replay (HD_MODE_HEAP_ALL)                  all
 * Writes nobody checked are noticed by patterns (heap_guard.h).
 */
#ifndef HD_HEAP_CHECK_H
#define HD_HEAP_CHECK_H

#include "runtime/heap/heap.h"

#define HD_HEAP_SHORT (2 << 20) /* accesses */
#define HD_HEAP_SELDOM 8
#define HD_HEAP_CLEAN 1024      /* checks of a site in a long run before it is sampled */
#define HD_HEAP_SAMPLE 64       /* checks of a site in each sample */
#define HD_HEAP_INTERVAL (1 << 15) /* decisions between two samples */

extern HD_HIDDEN s64 hd_heap_left; /* accesses until the run counts as long */
extern bool hd_heap_is_long;      /* runs of this program are, as far as is known */
extern bool hd_heap_is_sampled;   /* and in the next one not even the beginning is checked whole */

/* The server is about to start run number `run`; hd_rt.run->stats are still those of the run before.
 * True: the flags of sites must be made anew. */
bool hd_heap_check_plan(u64 run);
/* A run begins in a fresh child. */
void hd_heap_check_begin(void);
HD_COLD void hd_heap_count_long(struct hd_site *s);
/* Baton held, at a decision of a run that is_heap_sampled. */
HD_COLD void hd_heap_decided(void);

/* The program is about to touch memory. Returns if that is fine, if the memory is not
 * the heap's, or if this thread is not under control; reports and ends the run if not. */
HD_INLINE void hd_heap_check(u64 addr, u32 size, bool is_write, u64 site)
{
    u64 off = addr - hd_heap.base;
    if (HD_LIKELY(off >= hd_heap_watched) || HD_LIKELY(hd_heap_is_live(&hd_heap, off, size)))
        return;
    hd_heap_bad_access(addr, size, is_write, site);
}

/* One access of site `s` was checked. */
HD_INLINE void hd_heap_count(struct hd_site *s)
{
    if (HD_UNLIKELY(--hd_heap_left < 0))
        hd_heap_count_long(s);
}

#endif
