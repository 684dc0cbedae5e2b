/* map_source.h: memory-access patterns that some schedule could show and no run has shown, as goals
 * for runs: two attempts each, patterns by how often their instances were reached. For the director
 * map (map.c), and for any director that mixes goals of several sources.
 *
 *   init; for each run { look }; pick ... ran; save; release
 */
#ifndef HD_MAP_SOURCE_H
#define HD_MAP_SOURCE_H

#include "cover/cover.h"
#include "plan/map/map_instance.h"

struct hd_map_candidate {
    struct hd_element is;
    u8 tries;
    bool is_feasible, is_covered;
    s64 row; /* in the store */
};

struct hd_map_source {
    struct hd_cover *cover;
    struct hd_rng rng;
    struct hd_map known; /* hash -> index in all */
    HD_VEC(struct hd_map_candidate) all;
    HD_VEC(u32) open; /* feasible, not covered, not tried out */
    u32 yield[HD_MAP_PATTERNS + 1], tried[HD_MAP_PATTERNS + 1];
    bool is_news; /* something became feasible; the user's to clear */
};

void hd_map_source_init(struct hd_map_source *s, struct hd_cover *cover, u64 seed);
void hd_map_source_release(struct hd_map_source *s);
/* The events of a run have come: what its accesses could form. */
void hd_map_source_update(struct hd_map_source *s, struct hd_map_run *run);
/* A goal for run i of the worker's next batch, which is to be under strategy map; its number, 0 =
 * none is left. */
u32 hd_map_source_pick(struct hd_map_source *s, struct hd_worker *w, u32 i);
/* The run for which that number was picked is over. */
void hd_map_source_ran(struct hd_map_source *s, u32 number);
/* What could be and was not shown is remembered, so that coverage can tell how much there is. */
void hd_map_source_save(struct hd_map_source *s);

#endif
