/* map_pattern.h: the 17 memory-access patterns (ALGORITHMS of MAP coverage, ASE 2019) as data,
 * and as goals of the strategy `map`. */
#ifndef HD_MAP_PATTERN_H
#define HD_MAP_PATTERN_H

#include "event/goal.h"

#define HD_MAP_PATTERNS 17

struct hd_map_pattern {
    u8 n, n_vars;
    struct {
        u8 role, var; /* thread a or b, variable x or y */
        bool is_write;
    } step[HD_GOAL_EVENTS];
};

/* By number, 1 to HD_MAP_PATTERNS: the `sub` of elements of the metric. */
extern const struct hd_map_pattern hd_map_pattern[HD_MAP_PATTERNS + 1];

/* The pattern over these return addresses, one per step. */
void hd_map_goal(u32 pattern, const u64 *pc, struct hd_goal *out);

#endif
