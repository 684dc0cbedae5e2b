/* touched.c: sets of sites, one per 8 bytes of the program, for learning.
 *
 * A cell (shadow.c) knows the last read and the last write alone. When memory
 * turns out to be shared, the accesses before them were events, too: coverage
 * counts what happened before the last access, and 8 bytes may hold two
 * variables. So each cell has the set of all sites that touched it.
 *
 * Sets are numbers: a node is its greatest site and the set of the others, and
 * equal sets are one node. There are few: code touches like memory alike. A full
 * table or set takes no more; such sites are learned by their own conflicts.
 */
#include "runtime/touched.h"

#include <sys/mman.h>

#include "runtime/shadow.h"
#include "runtime/site.h"
#include "runtime/sys.h"

#define TOUCHED_AT 0x202000000000ull
#define SETS (1u << 16)
#define SLOTS (2 * SETS)
#define DEEPEST 48
#define CLEAR_BY_HAND 16384

struct set {
    u32 rest;      /* set of the other sites, all smaller */
    u32 site;
    u16 size;
    bool is_marked; /* all of its sites are */
};

u32 *hd_touched;
struct hd_touched_pair hd_touched_memo[HD_TOUCHED_MEMO];
static u32 *cells;
static struct set sets[SETS];
static u32 slots[SLOTS]; /* number of a set, 0 = free */
static u32 n_sets;       /* 0 is the empty one */

void hd_touched_init(void)
{
    long at = hd_sys(SYS_mmap, TOUCHED_AT, HD_CELLS * sizeof *cells, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    cells = at == (long)TOUCHED_AT ? (u32 *)at : NULL;
}

void hd_touched_begin(void)
{
    u32 need = HD_MODE_LEARN | HD_MODE_STREAM;
    hd_touched = (hd_rt.shm->cfg.mode & need) == need ? cells : NULL;
}

static u32 node(u32 rest, u32 site)
{
    u32 at = (rest * 0x9e3779b1u ^ site * 0x85ebca6bu) % SLOTS;
    for (; slots[at]; at = (at + 1) % SLOTS)
        if (sets[slots[at]].rest == rest && sets[slots[at]].site == site)
            return slots[at];
    if (n_sets == SETS - 1)
        return 0;
    sets[++n_sets] = (struct set){rest, site, (u16)(sets[rest].size + 1), false};
    return slots[at] = n_sets;
}

static bool has(u32 set, u32 site)
{
    while (set && sets[set].site > site)
        set = sets[set].rest;
    return set && sets[set].site == site;
}

/* The set with the site; 0: there is no room for it. */
static u32 with(u32 set, u32 site)
{
    u32 above[DEEPEST], n = 0;
    if (sets[set].size >= DEEPEST)
        return 0;
    for (; set && sets[set].site > site; set = sets[set].rest)
        above[n++] = sets[set].site;
    u32 made = node(set, site);
    while (n && made)
        made = node(made, above[--n]);
    return made;
}

void hd_touched_add(u64 cell, u32 site)
{
    if (!hd_touched)
        return;
    u32 set = hd_touched[cell];
    if (!set || !has(set, site)) {
        u32 more = with(set, site);
        if (!more)
            return;
        set = hd_touched[cell] = more;
    }
    hd_touched_memo[(set * 31 + site) % HD_TOUCHED_MEMO] = (struct hd_touched_pair){set, site};
}

void hd_touched_mark(u64 cell)
{
    if (!hd_touched)
        return;
    for (u32 i = hd_touched[cell]; i && !sets[i].is_marked; i = sets[i].rest) {
        sets[i].is_marked = true;
        hd_site_mark(sets[i].site, HD_SITE_EVENT);
    }
}

void hd_touched_clear(u64 first, u64 last)
{
    if (!hd_touched)
        return;
    if (last - first > CLEAR_BY_HAND) { /* the kernel forgets whole pages at once */
        u64 lo = HD_ALIGN_UP(first, 1024), hi = last & ~1023ull;
        hd_sys(SYS_madvise, (u64)&hd_touched[lo], (hi - lo) * sizeof *hd_touched, MADV_DONTNEED);
        for (; first < lo; first++)
            hd_touched[first] = 0;
        first = hi;
    }
    for (; first < last; first++)
        if (hd_touched[first])
            hd_touched[first] = 0;
}
