/* site_sets.c: sets of sites, one per 8 bytes of the program, for learning.
 *
 * A cell (shadow.c) knows the last read and the last write alone. When memory
 * turns out to be shared, the accesses before them were events, too: coverage
 * counts what happened before the last access, and 8 bytes may hold two
 * variables. So each cell has the set of all sites that touched it.
 *
 * Sets are numbers: a node is the site that joined last and the set of the others. Equal sets are one
 * node, whatever the order their sites came in: each has a hash, the sum of its sites', by which it is
 * found in one step (64 bits of 65536 sets: two that differ have the same once in 2^33 runs). There
 * are few: code treats similar memory the same way. A full
 * table or set takes no more; such sites are learned by their own conflicts.
 *
 * Each run is a process of its own, to which a page costs as much as a thousand
 * instructions. So the tables begin small.
 */
#include "runtime/filter/site_sets.h"

#include "runtime/filter/site.h"

#define SETS HD_SITE_SETS_SETS
#define SLOTS (2 * SETS)
#define SLOTS_FIRST 512 /* four times as many, four times */
#define DEEPEST 48

_Static_assert(SLOTS_FIRST * 4 * 4 * 4 * 4 == SLOTS, "growth ends at the size of the table");

struct set {
    u64 hash;      /* of all its sites */
    u64 bloom;     /* a bit of each */
    u32 rest;      /* set of the other sites */
    u32 site;
    u32 cells; /* that came to have it, by hd_site_sets_cells */
    u16 size;
    bool is_marked; /* all of its sites are */
    bool is_always_recorded;
};

bool hd_site_sets_is_on;
struct hd_site_sets_step hd_site_sets_memo[HD_SITE_SETS_MEMO];
struct hd_site_sets_last hd_site_sets_last[HD_SHM_SITES];
u32 hd_site_sets_shift = 24;
static struct set sets[SETS];
static u32 slots[SLOTS];  /* number of a set, 0 = free */
static u32 n_slots = SLOTS_FIRST;
static u32 n_sets;        /* 0 is the empty one */

static u64 hash_of(u32 site)
{
    u64 h = (site + 1) * 0x9e3779b97f4a7c15ull;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93ull;
    return h ^ h >> 32;
}

/* The slot of a set, or the free one where it would go. */
static u32 *slot_of(u64 hash)
{
    u32 at = (u32)hash & (n_slots - 1);
    while (slots[at] && sets[slots[at]].hash != hash)
        at = (at + 1) & (n_slots - 1);
    return &slots[at];
}

static HD_COLD void grow(void)
{
    hd_memset(slots, 0, n_slots * sizeof *slots);
    n_slots *= 4;
    hd_site_sets_shift = HD_MAX(hd_site_sets_shift - 2, HD_SITE_SETS_SHIFT);
    for (u32 i = 1; i <= n_sets; i++)
        *slot_of(sets[i].hash) = i;
}

static bool is_always_recorded(u32 site)
{
    return site == HD_SITE_SETS_ALWAYS || hd_sites[site].known & (HD_SITE_POINT | HD_SITE_SPIN);
}

/* Pre: the site is not one of the others. 0: there is no room. */
static u32 node(u32 rest, u32 site)
{
    u64 own = hash_of(site), hash = sets[rest].hash + own;
    u32 *slot = slot_of(hash), size = sets[rest].size + 1u;
    if (*slot)
        return *slot;
    if (n_sets == SETS - 1) {
        hd_rt.run->redundant_points = 0; /* equal sets need not mean equal accesses from here on */
        return 0;
    }
    bool is_full = size == DEEPEST; /* the same */
    sets[++n_sets] = (struct set){.hash = hash,
                                  .bloom = sets[rest].bloom | (u64)1 << (own >> 58),
                                  .rest = rest,
                                  .site = site,
                                  .size = (u16)size,
                                  .is_always_recorded = sets[rest].is_always_recorded ||
                                                        is_always_recorded(site) || is_full};
    *slot = n_sets;
    if (n_sets >= n_slots / 2 && n_slots < SLOTS)
        grow();
    return n_sets;
}

void hd_site_sets_begin(void)
{
    u32 need = HD_MODE_LEARN | HD_MODE_STREAM;
    hd_site_sets_is_on = (hd_rt.server->cfg.mode & need) == need;
    if (hd_site_sets_is_on)
        node(0, HD_SITE_SETS_ALWAYS); /* there must be room for this one */
}

static bool has(u32 set, u32 site)
{
    if (!(sets[set].bloom >> (hash_of(site) >> 58) & 1))
        return false;
    while (set && sets[set].site != site)
        set = sets[set].rest;
    return set;
}

u32 hd_site_sets_add(u32 set, u32 site)
{
    if (!hd_site_sets_is_on)
        return set;
    const struct hd_site_sets_step *known = hd_site_sets_slot(set, site);
    if (known->set == set && known->site == site && known->next)
        return known->next;
    u32 next = set && has(set, site) ? set : sets[set].size < DEEPEST ? node(set, site) : 0;
    if (!next) /* no room, nor will there be */
        next = set ? set : node(0, HD_SITE_SETS_ALWAYS);
    *hd_site_sets_slot(set, site) =
        (struct hd_site_sets_step){.set = set, .site = site, .next = next};
    return next;
}

u32 hd_site_sets_cells(u32 set)
{
    return set && !sets[set].is_always_recorded ? ++sets[set].cells : 0;
}

void hd_site_sets_mark(u32 set)
{
    for (; set && !sets[set].is_marked; set = sets[set].rest) {
        sets[set].is_marked = true;
        if (sets[set].site != HD_SITE_SETS_ALWAYS)
            hd_site_mark(sets[set].site, HD_SITE_EVENT);
    }
}
