/* map.h: the three parts of the MAP metric: map.c (one variable, patterns 1-8),
 * map_two.c (two variables, 9-17), map_possible.c (T_C). */
#ifndef HD_OBSERVE_MAP_H
#define HD_OBSERVE_MAP_H

#include "observe/observe.h"

/* ---- map_possible.c: sites that touch one variable form a class ----------------- */

enum { HD_MAPCOV_READS = 1, HD_MAPCOV_WRITES = 2 };

struct hd_mapcov_site {
    u32 up;      /* union-find; itself = root; 0 = not seen */
    u8 does;     /* HD_MAPCOV_READS, HD_MAPCOV_WRITES */
    bool is_many; /* root: two variables of the class were alive in one run */
    u64 generation; /* root: the object met last, and its run */
    u64 run;
};

struct hd_mapcov_sites {
    struct hd_mapcov_site *at; /* by site number */
    u32 cap;
    u32 changes;               /* counts up with everything that is not known yet */
};

/* Sites a and b (may be one) touch one variable, this object. */
void hd_mapcov_sites_join(struct hd_mapcov_sites *m, u32 a, u32 b, u64 generation, u64 run);
/* Site a reads or writes shared memory. */
void hd_mapcov_sites_does(struct hd_mapcov_sites *m, u32 a, u8 does);
/* x and y are two variables of one class. */
void hd_mapcov_sites_many(struct hd_mapcov_sites *m, u32 x, u32 y);
u64 hd_mapcov_sites_possible(const struct hd_mapcov_sites *m);

/* ---- map_two.c ------------------------------------------------------------------- */

enum hd_mapcov_conflict { HD_MAPCOV_WW, HD_MAPCOV_WR, HD_MAPCOV_RW };

/* A conflict: thread a at site_a, later thread b at site_b, on one object; how
 * often is described by four of its moments: a_first < b_first, a_last < b_last. */
struct hd_mapcov_pair {
    u64 generation;
    u32 id; /* record of the element the two sites are */
    u32 site_a, site_b;
    u32 a_first, a_last, b_first, b_last;
    u16 a, b;
    u8 kind;
    u8 next, prev; /* in its list, + 1 */
    u8 same;       /* the next one in its chain, + 1 */
};

#define HD_MAPCOV_LISTS 32
#define HD_MAPCOV_PAIRS 48
#define HD_MAPCOV_CHAINS 64

struct hd_mapcov_two {
    struct hd_mapcov_sites *sites;
    u32 n, next;
    u8 list[HD_MAPCOV_LISTS];   /* by threads: first pair + 1 */
    u8 chain[HD_MAPCOV_CHAINS]; /* by all that makes it another one: likewise */
    struct hd_mapcov_pair pair[HD_MAPCOV_PAIRS];
};

/* Pattern 1, 2 or 3; its record. */
HD_INLINE u32 hd_mapcov_show_pair(struct hd_observing *io, u8 kind, u32 a, u32 b)
{
    u8 sub = kind == HD_MAPCOV_RW ? 1 : kind == HD_MAPCOV_WR ? 2 : 3;
    return hd_observe_pair(io, HD_METRIC_map, sub, a, b);
}

void hd_mapcov_two_begin(struct hd_mapcov_two *m);
/* A conflict of the event s with thread `tid` at `now`, `site`. `id`: record of the element
 * they are, if it has been shown and its sites are known; 0 = not yet. */
void hd_mapcov_two_add(struct hd_mapcov_two *m, struct hd_observing *io, const struct hd_seen *s,
                       u64 generation, u8 kind, u16 tid, u32 now, u32 site, u32 id);
/* All conflicts of the event with what other threads did last. */
void hd_mapcov_two_event(struct hd_mapcov_two *m, struct hd_observing *io, const struct hd_seen *s);

#endif
