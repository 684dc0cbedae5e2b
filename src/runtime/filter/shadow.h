/* shadow.h: learns which sites touch memory that several threads use; see
 * shadow.c. */
#ifndef HD_SHADOW_H
#define HD_SHADOW_H

#include "runtime/filter/exclusive.h"
#include "runtime/filter/filter.h"
#include "runtime/filter/hb.h"
#include "runtime/filter/site_sets.h"

void hd_shadow_init(void);
/* The run begins in a fresh child. */
void hd_shadow_begin(void);

/* All accesses of a segment (hb.h) at a site, numbered when the first one comes; one of many cells
 * needs no more than the number. */
struct hd_visit {
    u32 segment, site; /* site: slot number */
};
#define HD_VISITS (1u << 22) /* then all cells are forgotten and the numbers begin anew */
extern HD_HIDDEN struct hd_visit *hd_visits; /* [0]: nobody, segment 0 */
/* Numbers of the latest: threads that take turns at a site keep theirs. */
#define HD_VISITS_LATE (1u << 16)
extern HD_HIDDEN struct hd_visit_late {
    u32 segment, site, visit;
} hd_visit_late[HD_VISITS_LATE];
u32 hd_visit_new(u32 site, u32 seg, struct hd_visit_late *late);

HD_INLINE u32 hd_visit_of(u32 site, u32 seg)
{
    struct hd_visit_late *late = &hd_visit_late[(site + seg * 0x9e3779b1u) % HD_VISITS_LATE];
    bool is_it = late->segment == seg && late->site == site;
    return HD_LIKELY(is_it) ? late->visit : hd_visit_new(site, seg, late);
}

/* Who touched 4 bytes of the program last, or 8: as long as all accesses were to both
 * halves at once the lower cell stands for them (HD_CELL_WIDE), the upper one is empty.
 * `what` packs the visits of the last write and of the last read since, the set of all sites
 * (site_sets.h), and marks. */
struct hd_cell {
    u64 what;
};
#define HD_CELLS ((u64)1 << 33)
/* Cells of upper halves lie together, so far behind those of lower ones: where nobody touches a
 * half by itself they take no memory. Not at the same place of a page: the processor would take a
 * read of the one for a read of what was just written to the other. */
#define HD_CELL_UPPER (HD_CELLS / 2 + 264)
#define HD_CELL_VISIT (HD_VISITS - 1ull)
#define HD_CELL_READ 22                   /* shift of the reading visit; writing: 0 */
#define HD_CELL_VISITS (HD_CELL_VISIT | HD_CELL_VISIT << HD_CELL_READ)
#define HD_CELL_SET 44                    /* shift of the set */
#define HD_CELL_SETS (HD_SITE_SETS_SETS - 1ull)
#define HD_CELL_WIDE (1ull << 60)         /* of the lower half: stands for both. Above: filter.h */
_Static_assert(HD_VISITS <= 1u << HD_CELL_READ && HD_SITE_SETS_SETS <= 1u << 16, "cell layout");
extern HD_HIDDEN struct hd_cell *hd_cells;   /* NULL: could not be had; then nothing is learned */

HD_INLINE u32 hd_cell_set(u64 what) { return (u32)(what >> HD_CELL_SET & HD_CELL_SETS); }
/* Numbers of the visits, 0 = none. */
HD_INLINE u32 hd_cell_writer(u64 what) { return (u32)(what & HD_CELL_VISIT); }
HD_INLINE u32 hd_cell_reader(u64 what) { return (u32)(what >> HD_CELL_READ & HD_CELL_VISIT); }

/* `what` after a write: nobody has read it since. */
HD_INLINE u64 hd_cell_written(u64 what, u32 visit, u32 set)
{
    return (what & (HD_CELL_MARKS | HD_CELL_WIDE)) | visit | (u64)set << HD_CELL_SET;
}
HD_INLINE u64 hd_cell_read(u64 what, u32 visit, u32 set)
{
    return (what & (HD_CELL_MARKS | HD_CELL_WIDE | HD_CELL_MANY | HD_CELL_VISIT)) |
           (u64)visit << HD_CELL_READ |
           (u64)set << HD_CELL_SET;
}

HD_INLINE struct hd_cell *hd_shadow_low(u64 addr)
{
    return &hd_cells[addr >> 3 & (HD_CELLS / 2 - 1)];
}
/* ... of the half that has the address. */
HD_INLINE struct hd_cell *hd_shadow_half(struct hd_cell *low, u64 addr)
{
    return addr & 4 ? low + HD_CELL_UPPER : low;
}
/* Does an access within 8 bytes touch both halves? */
HD_INLINE bool hd_shadow_is_wide(u64 addr, u32 size) { return (addr & 3) + size > 4; }
HD_INLINE bool hd_cell_is_empty(const struct hd_cell *c) { return !c->what; }

enum hd_quick {
    HD_QUICK_NO,  /* another thread may be concerned: hd_shadow_access */
    HD_QUICK_OLD, /* the same thread did the same before in this segment, and nobody since */
    HD_QUICK_OWN, /* noted; nobody but this thread was here, if anybody, or all is known */
};

/* Was it somebody else's segment? */
HD_INLINE bool hd_shadow_is_foreign(u32 x, u32 seg) { return x && (x ^ seg) >> HD_SEGMENT_BITS; }

/* hd_cell_row[].known of memory with these marks. */
HD_INLINE u8 hd_shadow_known(u64 what)
{
    if (what & HD_CELL_RACY)
        return HD_SITE_EVENT | HD_SITE_POINT;
    return what & HD_CELL_SHARED ? HD_SITE_EVENT : 0;
}

/* Nothing is learned from an access after these of other threads: that the memory is
 * shared is known (with all sites that were there, and by the caller of this one), and
 * they came before. */
HD_INLINE bool hd_shadow_is_settled(u64 what, u32 wseg, u32 rseg)
{
    return what & HD_CELL_SHARED && (!wseg || hd_hb_is_ordered(wseg)) &&
           (!rseg || hd_hb_is_ordered(rseg));
}

/* The memory is shared: who must hear of it? It was handed to the calling thread just now,
 * not for the first time (`is_again`), or has come to have another set of sites. */
HD_INLINE void hd_shadow_pass(u64 addr, u64 what, u32 set, bool is_again)
{
    if (is_again || what & HD_CELL_RACY)
        hd_exclusive_share(addr, what & HD_CELL_WIDE);
    else if (hd_exclusive)
        hd_exclusive_hand_over(addr, what & HD_CELL_WIDE, hd_site_sets_cells(set));
}

/* The quick way, for an access within 8 bytes in segment `seg` < HD_SEGMENT_QUICK: does what
 * hd_shadow_access would, if neither the state of the cell nor any site's changes but to
 * EXCLUSIVE and READ_SHARED. `known`: what the site is known as; `is_streamed`:
 * hd_site_sets_is_on. */
HD_INLINE enum hd_quick hd_shadow_quick(u32 site, u8 known, u64 addr, u32 size, u32 seg,
                                        bool is_write, bool is_streamed)
{
    u32 visit = hd_visit_of(site, seg); /* first: cells may be forgotten */
    struct hd_cell *low = hd_shadow_low(addr), *c = low;
    u64 wide = low->what & HD_CELL_WIDE;
    if (hd_shadow_is_wide(addr, size)) {
        if (!wide && HD_UNLIKELY(!(hd_cell_is_empty(low) & hd_cell_is_empty(low + HD_CELL_UPPER))))
            return HD_QUICK_NO;
        wide = HD_CELL_WIDE;
    } else {
        if (HD_UNLIKELY(wide))
            return HD_QUICK_NO;
        c = hd_shadow_half(low, addr);
    }
    u64 what = c->what | wide;
    u32 writer = hd_cell_writer(what), reader = hd_cell_reader(what);
    if (HD_UNLIKELY(what & HD_CELL_MARKS) && hd_shadow_known(what) & ~known)
        return HD_QUICK_NO;
    /* Once more the last access of the cell, by the same site: nothing changes. */
    if ((is_write ? writer == visit && !reader : reader == visit) &&
        (!is_streamed || hd_cell_set(what)))
        return HD_QUICK_OLD;
    u32 wseg = hd_visits[writer].segment, rseg = hd_visits[reader].segment;
    bool is_old = is_write ? wseg == seg && (!rseg || rseg == seg) : rseg == seg;
    bool is_foreign = hd_shadow_is_foreign(wseg, seg) || hd_shadow_is_foreign(rseg, seg);
    if (((is_foreign && !is_old) || (is_write && what & HD_CELL_MANY)) &&
        !hd_shadow_is_settled(what, wseg, is_write ? rseg : 0))
        return HD_QUICK_NO;
    u32 set = hd_cell_set(what), next = set;
    if (is_streamed) {
        if (HD_UNLIKELY(!(next = hd_site_sets_next(set, site))))
            return HD_QUICK_NO;
        if (!set && hd_exclusive)
            hd_exclusive_touch(addr, wide);
        if (what & HD_CELL_SHARED) {
            bool is_again = hd_shadow_is_foreign(rseg ? rseg : wseg, seg);
            if (is_again || next != set)
                hd_shadow_pass(addr, what, next, is_again);
        }
    }
    if (is_write) {
        c->what = hd_cell_written(what, visit, next);
    } else {
        if (hd_shadow_is_foreign(rseg, seg))
            what |= HD_CELL_MANY;
        c->what = hd_cell_read(what, visit, next);
    }
    return is_old && next == set ? HD_QUICK_OLD : HD_QUICK_OWN;
}

/* Site `site` (slot number) accesses memory: compare with earlier accesses by
 * other threads and mark the sites that conflict. `is_always_recorded`: the host hears of it in any
 * case. */
void hd_shadow_access(u32 site, u64 addr, u32 size, bool is_write, bool is_always_recorded);

/* A block is given out anew: earlier accesses were to another object. */
void hd_shadow_clear(u64 addr, u64 len);

/* Follow synchronization: every executed event. */
void hd_shadow_sync(const struct hd_event *ev);

#endif
