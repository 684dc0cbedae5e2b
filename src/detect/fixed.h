/* fixed.h: pairs of accesses that come in one order in every run, as far as one run tells
 * (predict/must.h): who was created or woken by whom; what was read of what the other thread had
 * written; a block of memory that had to come into being first. On the list of a run's events,
 * without threads.
 *
 * It is no proof: a run does not show what another path would do. So whoever asks tries such a pair
 * later than others, and less often.
 */
#ifndef HD_FIXED_H
#define HD_FIXED_H

#include "base/map.h"
#include "predict/must.h"

/* An access at one of the sites, and where it stands in the order. */
struct hd_fixed_access {
    u32 event;        /* index */
    u32 epoch, clock;
    u32 next;         /* the one before at the same site, number + 1 */
};

struct hd_fixed {
    const struct hd_event *ev;
    struct hd_set set;
    struct hd_feed feed;
    struct hd_must order;
    struct hd_map last; /* by site: number + 1 of its last access; 0 = wanted, none so far */
    HD_VEC(struct hd_fixed_access) at;
    u64 work;         /* pairs of accesses compared so far */
};

enum hd_fixed_is {
    HD_FIXED_UNSEEN, /* the run has no two accesses that conflict */
    HD_FIXED_OPEN,   /* some could come the other way round */
    HD_FIXED_ORDERED /* none could */
};

/* The list must begin with the run, and stay until the release. Only accesses at sites that
 * were asked for are kept: hd_fixed_want each, then hd_fixed_read. */
void hd_fixed_init(struct hd_fixed *s, const struct hd_event *ev);
void hd_fixed_want(struct hd_fixed *s, u64 site);
void hd_fixed_read(struct hd_fixed *s, u32 n);
void hd_fixed_release(struct hd_fixed *s);

/* Accesses at these two sites, by two threads. Compares about `most` of them. */
enum hd_fixed_is hd_fixed_ask(struct hd_fixed *s, const u64 site[2], u64 most);

#endif
