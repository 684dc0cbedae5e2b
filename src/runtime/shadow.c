/* shadow.c: learns which sites conflict with another thread's, and which of
 * these need a scheduling point.
 *
 * Every 8 bytes of the program have a cell: who wrote and who read it last, as
 * (segment, site). A segment is a stretch of one thread between two of its
 * synchronizations. Two accesses of different threads, one of them a write:
 *   ordered by locks, create, join, ... (hb.c)   -> shared
 *   not ordered                                  -> a race: scheduling point
 * Memory once raced on is remembered, variables also over runs (shm->racy):
 * every site that touches it is a scheduling point, also those that the one
 * conflict seen did not involve.
 *
 *   cell(addr) = base + ((addr >> 3) & (HD_CELLS - 1)) * 16     64 GiB, sparse
 * Program, heap and libraries do not meet in the low 35 address bits.
 */
#include "runtime/shadow.h"

#include <sys/mman.h>

#include "runtime/gate.h"
#include "runtime/hb.h"
#include "runtime/heap.h"
#include "runtime/site.h"
#include "runtime/sys.h"

#define SHADOW_AT 0x200000000000ull
#define CLEAR_BY_HAND 4096
#define RANGE_MAX 65536 /* of a longer memcpy only the ends are looked at */

struct hd_cell *hd_cells;

void hd_shadow_init(void)
{
    long at = hd_sys(SYS_mmap, SHADOW_AT, HD_CELLS * sizeof(struct hd_cell), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    hd_cells = at == (long)SHADOW_AT ? (struct hd_cell *)at : NULL;
    hd_touched_init();
}

static struct hd_cell *cell_of(u64 addr) { return &hd_cells[(addr >> 3) & (HD_CELLS - 1)]; }

void hd_shadow_begin(void)
{
    hd_hb_begin();
    hd_touched_begin();
    const struct hd_shm *m = hd_rt.shm;
    if (!hd_cells || !(m->cfg.mode & HD_MODE_LEARN))
        return;
    for (u32 i = 0; i < m->n_racy; i++)
        cell_of(m->racy[i])->wsite |= HD_CELL_RACY;
}

static void remember(struct hd_cell *c, u64 addr)
{
    struct hd_shm *m = hd_rt.shm;
    if (c->wsite & HD_CELL_RACY)
        return;
    c->wsite |= HD_CELL_RACY;
    /* A heap address may be another object in the next run. */
    if (m->n_racy < HD_SHM_RACY && !hd_heap_has(addr))
        m->racy[m->n_racy++] = addr;
}

static void conflict(struct hd_cell *c, u32 seg, u32 other_site, u32 site, u64 addr)
{
    if (!seg || hd_hb_is_mine(seg))
        return;
    if (addr - hd_tls.stack_lo < hd_tls.stack_hi - hd_tls.stack_lo && hd_hb_is_before_me(seg))
        return; /* an earlier thread's use of the same stack memory */
    u8 known = HD_SITE_EVENT;
    c->wsite |= HD_CELL_SHARED;
    hd_touched_mark((u64)(c - hd_cells));
    if (hd_hb_is_racing(seg)) {
        known |= HD_SITE_POINT;
        remember(c, addr);
    }
    hd_site_mark(site, known);
    hd_site_mark(other_site & ~HD_CELL_MARKS, known);
}

static void access_cell(struct hd_cell *c, u32 seg, u32 site, u64 addr, bool is_write)
{
    hd_touched_add((u64)(c - hd_cells), site);
    if (c->wsite & HD_CELL_MARKS)
        hd_site_mark(site, c->wsite & HD_CELL_RACY ? HD_SITE_EVENT | HD_SITE_POINT : HD_SITE_EVENT);
    conflict(c, c->wseg, c->wsite, site, addr);
    if (is_write) {
        conflict(c, c->rseg, c->rsite, site, addr);
        if (c->rsite & HD_CELL_MANY) { /* one of them is not this thread */
            c->wsite |= HD_CELL_SHARED;
            hd_touched_mark((u64)(c - hd_cells));
        }
        c->wseg = seg;
        c->wsite = site | (c->wsite & HD_CELL_MARKS);
        c->rseg = c->rsite = 0;
    } else {
        bool is_many = c->rsite & HD_CELL_MANY || (c->rseg && !hd_hb_is_mine(c->rseg));
        c->rseg = seg;
        c->rsite = site | (is_many ? HD_CELL_MANY : 0);
    }
}

void hd_shadow_access(u32 site, u64 addr, u32 size, bool is_write)
{
    if (!hd_cells)
        return;
    u32 seg = hd_hb_segment();
    u64 first = addr >> 3, last = (addr + size - 1) >> 3;
    for (u64 g = first; g <= last; g++) {
        access_cell(cell_of(g << 3), seg, site, g << 3, is_write);
        if (g - first == RANGE_MAX / 16 && last - g > RANGE_MAX / 16)
            g = last - RANGE_MAX / 16;
    }
}

void hd_shadow_clear(u64 addr, u64 len)
{
    if (!hd_cells || !hd_rt.is_on || !(hd_rt.shm->cfg.mode & HD_MODE_LEARN))
        return;
    struct hd_cell *c = cell_of(addr), *end = c + (len + 7) / 8;
    end = HD_MIN(end, hd_cells + HD_CELLS);
    hd_touched_clear((u64)(c - hd_cells), (u64)(end - hd_cells));
    if (len > CLEAR_BY_HAND) { /* the kernel forgets whole pages at once */
        u64 lo = HD_ALIGN_UP((u64)c, 4096), hi = (u64)end & ~4095ull;
        hd_sys(SYS_madvise, lo, hi - lo, MADV_DONTNEED);
        for (; (u64)c < lo; c++)
            *c = (struct hd_cell){0};
        c = (struct hd_cell *)hi;
    }
    for (; c < end; c++)
        if (c->wseg | c->wsite | c->rseg | c->rsite)
            *c = (struct hd_cell){0};
}

void hd_shadow_sync(const struct hd_event *ev) { hd_hb_event(ev); }
