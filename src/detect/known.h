/* known.h: which possible races, and which accesses between two others, the inputs of a suite have shown so far.
 * By places alone, as people and the papers count them: whoever looks for what is new stops when runs bring none of it
 * (plan/look/look.c).
 */
#ifndef HD_KNOWN_H
#define HD_KNOWN_H

#include "detect/races.h"

struct hd_known {
    struct hd_map by_sites;
};

void hd_known_release(struct hd_known *k);
/* Adds all of r from these numbers on, which move to its end. How many of them are new. */
struct hd_known_upto {
    size_t pairs, triples;
};
u32 hd_known_add(struct hd_known *k, const struct hd_races *r, struct hd_known_upto *from);

#endif
