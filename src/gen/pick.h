/* pick.h: what pick.c and pick_map.c share. */
#ifndef HD_GEN_PICK_H
#define HD_GEN_PICK_H

#include "gen/gen.h"

bool hd_gen_add_whole(struct hd_gen *g, struct hd_wire_test *t, u32 op, u32 thread);
struct hd_gen_pair *hd_gen_pair_of(struct hd_gen *g, u32 a, u32 b);
/* Small = rarely side by side so far. */
u64 hd_gen_pair_score(struct hd_gen *g, u32 a, u32 b);

/* A pair with its rank: small is good; ties by chance. */
struct hd_gen_ranked {
    u64 score, chance;
    u32 a, b;
};
/* One that was never tried (score 0), else one of the best. */
const struct hd_gen_ranked *hd_gen_draw_ranked(struct hd_gen *g, struct hd_gen_ranked *list, u32 n);
/* Two threads with these calls, and maybe others around them. False: no room. */
bool hd_gen_add_pair(struct hd_gen *g, struct hd_wire_test *t, u32 a, u32 b);

/* ---- pick_map.c ------------------------------------------------------------------------------ */

/* Calls that touch the same memory; false: none are known. */
bool hd_gen_pick_map(struct hd_gen *g, struct hd_wire_test *t);

#endif
