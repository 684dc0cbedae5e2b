/* shadow.h: learns which sites touch memory that several threads use; see
 * shadow.c. */
#ifndef HD_SHADOW_H
#define HD_SHADOW_H

#include "runtime/touched.h"

void hd_shadow_init(void);
/* The run begins in a fresh child. */
void hd_shadow_begin(void);

/* Who touched 8 bytes of the program last, as (segment, site). */
struct hd_cell {
    u32 wseg, wsite, rseg, rsite;
};
#define HD_CELLS ((u64)1 << 32)
#define HD_CELL_RACY 0x80000000u   /* in wsite: raced on, in this run or an earlier one */
#define HD_CELL_SHARED 0x40000000u /* in wsite: several threads, in order */
#define HD_CELL_MARKS (HD_CELL_RACY | HD_CELL_SHARED)
#define HD_CELL_MANY 0x80000000u   /* in rsite: several threads have read it since the last write */
extern struct hd_cell *hd_cells;   /* NULL: could not be had; then nothing is learned */

/* The quick test: the same thread touched it before in this segment and nothing
 * has happened to it since, so this access teaches nothing. */
HD_INLINE bool hd_shadow_is_old(u32 site, u64 addr, u32 size, bool is_write)
{
    struct hd_cell *c = &hd_cells[(addr >> 3) & (HD_CELLS - 1)];
    u32 seg = hd_tls.segment;
    if ((addr & 7) + size > 8 || !seg || c->wsite & HD_CELL_MARKS ||
        !hd_touched_has((u64)(c - hd_cells), site))
        return false;
    if (is_write) {
        if (c->wseg != seg || (c->rseg && c->rseg != seg) || c->rsite & HD_CELL_MANY)
            return false;
        c->wsite = site;
        c->rseg = 0; /* so that a read of what was freed meanwhile is not old */
        return true;
    }
    if (c->rseg != seg)
        return false;
    c->rsite = site | (c->rsite & HD_CELL_MANY);
    return true;
}

/* Site `site` (slot number) accesses memory: compare with earlier accesses by
 * other threads and mark the sites that conflict. */
void hd_shadow_access(u32 site, u64 addr, u32 size, bool is_write);

/* A block is given out anew: earlier accesses were to another object. */
void hd_shadow_clear(u64 addr, u64 len);

/* Follow synchronization: every executed event. */
void hd_shadow_sync(const struct hd_event *ev);

#endif
