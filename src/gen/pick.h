/* pick.h: what pick.c and pick_map.c share. */
#ifndef HD_GEN_PICK_H
#define HD_GEN_PICK_H

#include "gen/gen.h"

bool hd_gen_add_whole(struct hd_gen *g, struct hd_wire_test *t, u32 op, u32 thread);
struct hd_gen_pair *hd_gen_pair_of(struct hd_gen *g, u32 a, u32 b);
/* Small = rarely side by side so far. */
u64 hd_gen_pair_score(struct hd_gen *g, u32 a, u32 b);

/* ---- pick_map.c ------------------------------------------------------------------------------ */

/* Calls for a pattern that no run has shown; false: none is left, or nothing is known. */
bool hd_gen_pick_map(struct hd_gen *g, struct hd_wire_test *t);
/* Patterns that the calls of t can form, as goals of up to n of its runs. */
void hd_gen_map_goals(struct hd_gen *g, const struct hd_wire_test *t, struct hd_gen_how *how,
                      u32 n);

#endif
