/* site.h: which accesses matter: the first test of every memory hook.
 *
 * A site is the return address of a hook call. Its slot in the shared site
 * table says what to do; for the great majority that is nothing, and the hook
 * ends after one load and one compare.
 */
#ifndef HD_SITE_H
#define HD_SITE_H

#include "runtime/core/rt.h"
#include "runtime/filter/filter.h"

extern HD_HIDDEN struct hd_site *hd_sites; /* the table; an empty one while off */
extern HD_HIDDEN u64 hd_site_shadow_checks; /* accesses looked at in this run, but for repeats */

HD_INLINE struct hd_site *hd_site_first(u64 pc)
{
    return &hd_sites[(pc >> 2) & (HD_SHM_SITES - 1)];
}
HD_INLINE bool hd_site_is_quiet(const struct hd_site *s, u64 pc)
{
    return HD_LIKELY(s->pc == pc && !s->flags);
}

/* access.c: all other sites; `s` = hd_site_first(pc). */
void hd_site_slow_read(u64 addr, u32 size, u64 pc, struct hd_site *s);
void hd_site_slow_write(u64 addr, u32 size, u64 pc, struct hd_site *s);
void hd_site_slow_both(u64 addr, u32 size, u64 pc, struct hd_site *s); /* a read, then a write */

/* THE hot path: `size` bytes at `addr` are about to be accessed. tests/cli/hook_code.sh
 * counts its instructions. */
HD_INLINE void hd_site_access(u64 addr, u32 size, bool is_write, u64 pc)
{
    struct hd_site *s = hd_site_first(pc);
    if (hd_site_is_quiet(s, pc))
        return;
    if (is_write)
        hd_site_slow_write(addr, size, pc, s);
    else
        hd_site_slow_read(addr, size, pc, s);
}

/* An atomic operation has taken place. */
void hd_site_atomic(u64 addr, u32 size, bool is_write, u64 pc);

void hd_site_init(void);
/* A batch begins: what the host knows of sites comes into the table; ... In the server. */
void hd_site_take_marks(void);
/* ... a run begins: makes `flags` from `known` and the mode. In the server. */
void hd_site_begin(void);
/* Accesses are not streamed for now: only scheduling points are events; ... or they are again. */
void hd_site_silence(bool is_silent);
/* The run is long: calls of hooks with nothing to do leave the code, unless it learns. */
void hd_site_patch_quiet(void);
/* Of all sites met so far. */
void hd_site_change_all(enum hd_filter_change change);
/* In a learning run: accesses of `s` teach nothing more for now, they are not looked at ... */
void hd_site_rest(struct hd_site *s);
/* ... until all that rest are looked at again. */
void hd_site_look_again(void);
extern HD_HIDDEN u32 hd_site_n_resting;
/* Accesses that a thread has looked at since it synchronized, before any of its sites rests. */
#define HD_SITE_LOOKS (1u << 17)
/* The slot of pc, made if need be; NULL if the table is full around it. */
struct hd_site *hd_site_find(u64 pc);
/* Found by shadow.c: site `index` conflicts with another thread's. */
void hd_site_mark(u32 index, u8 known);

#endif
