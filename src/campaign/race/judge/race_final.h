/* race_final.h: what two runs left in memory (event/result.h: struct hd_final), compared. Numbers
 * count; where things are does not: a pointer to a block is as good as one to another block, and of
 * the heap it counts which numbers the blocks hold that variables lead to, not how they are linked.
 * Padding, variables with reserved names (counters of a coverage build) and what differs between two
 * runs of the same schedule do not count. */
#ifndef HD_RACE_FINAL_H
#define HD_RACE_FINAL_H

#include "base/vec.h"
#include "event/snapshot.h"
#include "symbol/symbol.h"

/* Words of one run, by place. */
struct hd_race_final {
    bool is_there;
    struct hd_final is;
    struct hd_final_word *at; /* .is.n of them */
};
void hd_race_final_take(struct hd_race_final *r, struct hd_snapshot *s);
void hd_race_final_release(struct hd_race_final *r);

/* What does not count. */
struct hd_race_final_mask {
    HD_VEC(u64) where;
    bool is_heap;
};
/* Two runs of the same schedule. */
void hd_race_final_mask(struct hd_race_final_mask *m, const struct hd_race_final *a,
                        const struct hd_race_final *b);
void hd_race_final_mask_release(struct hd_race_final_mask *m);

struct hd_race_final_change {
    u64 where;  /* as in hd_final_word; of a heap block of the first run; 0 = of the heap in general */
    u64 byte;   /* of a variable: the first that differs */
    struct hd_final_word word[2]; /* .where 0: it was 0 */
};
/* Do they differ in something that counts? `first`: the variable to look at first, an address. */
bool hd_race_final_differ(const struct hd_race_final *a, const struct hd_race_final *b,
                          const struct hd_race_final_mask *m, struct hd_symbols *s, u64 first,
                          struct hd_race_final_change *c);
/* The word of the run at a place; .where 0: it is 0. */
struct hd_final_word hd_race_final_at(const struct hd_race_final *r, u64 where);
/* "`hits` is 3 at the end" in the run whose list is `r`, number `which` of the two. */
void hd_race_final_say(const struct hd_race_final *r, const struct hd_race_final_change *c, u32 which,
                       struct hd_symbols *s, char *buf, size_t size);

#endif
