/* exclusive.c: which memory is streamed to the host, over all runs of this server.
 *
 * Sites are too coarse for loops over much memory: one site walks through rows that
 * nobody else sees and through the row at the border. Learned by shadow.c, kept in memory
 * that all runs share; left out by access.c (filter.def, table 3):
 *
 *   exclusive   Memory of one thread says nothing about threads, so once a site was
 *           streamed often in a run, its accesses to such memory are left out. What has
 *           only been met in this run is not known yet: another thread may still come.
 *   redundant   Memory that one thread handed to one other, in order: an array that main fills
 *           and a worker works on. Where the same sites went over more than HD_EXCLUSIVE_MANY
 *           cells like that, all they show is what any of them shows. The first ones are
 *           streamed, and one in 16 of the others; of the rest nothing, whoever does it
 *           (half of what happened to a cell would be something that did not happen).
 *           So no site with accesses to it may be a point, and no goal set: those are
 *           streamed everywhere. What is a point changes; `redundant_points` says how many
 *           there were when the last run began to learn.
 *
 * Where a run puts something else at an address than all runs before, what happened there
 * is missed once.
 */
#include "runtime/filter/exclusive.h"

#include <sys/mman.h>

#include "runtime/libc/sys.h"

#define EXCLUSIVE_AT 0x240000000000ull
#define SAMPLE_BITS 4 /* one in 16 */

u8 *hd_exclusive;
u32 hd_exclusive_now;
u8 hd_exclusive_kinds[256];
bool hd_exclusive_is_filter;

void hd_exclusive_init(void)
{
    long at = hd_sys(SYS_mmap, EXCLUSIVE_AT, HD_EXCLUSIVE_BYTES, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    hd_exclusive = at == (long)EXCLUSIVE_AT ? (u8 *)at : NULL;
}

static u8 kind_of(u32 mark, bool is_sampled)
{
    if (mark == HD_EXCLUSIVE_REDUNDANT)
        return is_sampled ? HD_MEMORY_SAMPLED : HD_MEMORY_ANY;
    return mark && mark != hd_exclusive_now && mark <= HD_EXCLUSIVE_MARKS ? HD_MEMORY_OWN
                                                                          : HD_MEMORY_ANY;
}

void hd_exclusive_begin(void)
{
    struct hd_shm_run *m = hd_rt.run;
    u32 mode = hd_rt.server->cfg.mode, points = m->n_marks + 1;
    bool is_sampled = m->redundant_points == points && !hd_rt.host->plan.n_goals;
    hd_exclusive_is_filter =
        hd_exclusive && mode & HD_MODE_STREAM && !(mode & (HD_MODE_NO_FILTER | HD_MODE_ALL_EVENTS));
    hd_exclusive_now = mode & HD_MODE_LEARN ? (u32)(hd_rt.server->run % HD_EXCLUSIVE_MARKS) + 1 : 0;
    if (mode & HD_MODE_LEARN)
        m->redundant_points = points;
    if (!hd_exclusive_is_filter)
        return;
    for (u32 i = 0; i < 256; i++) {
        u8 low = kind_of(i & 15, is_sampled), high = kind_of(i >> 4, is_sampled);
        hd_exclusive_kinds[i] = low == high ? low : HD_MEMORY_ANY;
    }
}

void hd_exclusive_hand_over(u64 addr, bool is_wide, u32 cells)
{
    bool is_sample = !((addr >> 3) * 0x9e3779b97f4a7c15ull >> (64 - SAMPLE_BITS));
    if (cells <= HD_EXCLUSIVE_MANY || is_sample) {
        hd_exclusive_share(addr, is_wide);
        return;
    }
    u8 *at = hd_exclusive_at(addr);
    u32 all = is_wide ? 0xff : 15u << (addr & 4), redundant = all & (HD_EXCLUSIVE_REDUNDANT * 0x11);
    bool is_shared = (*at & 15) == HD_EXCLUSIVE_SHARED || *at >> 4 == HD_EXCLUSIVE_SHARED;
    if (is_wide && is_shared)
        *at = 0xff;
    else if ((*at & all) != all)
        *at = (u8)((*at & ~all) | redundant);
}
