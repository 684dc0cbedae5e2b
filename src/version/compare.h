/* compare.h: what changed between two builds, function by function. */
#ifndef HD_COMPARE_H
#define HD_COMPARE_H

#include "version/fingerprint.h"

enum hd_change {
    HD_SAME,     /* the same code under the same name */
    HD_RENAMED,  /* the same code under another name */
    HD_CHANGED,  /* other code under the same name */
    HD_ADDED,    /* only in the new build */
    HD_REMOVED,  /* only in the old one */
};

struct hd_compared {
    enum hd_change change;
    u32 before, after; /* index in each list; HD_NO_FUNCTION */
    bool is_inside;    /* HD_CHANGED: only in code that was inlined into it, the rest is the same */
};
#define HD_NO_FUNCTION UINT32_MAX

struct hd_comparison {
    HD_VEC(struct hd_compared) v; /* in the order of the new build, removed ones last */
    u32 count[HD_REMOVED + 1];
};

/* Functions of the same name (static ones of several files) are told apart by their code, and
 * those that are left by their order. */
void hd_compare(struct hd_comparison *c, const struct hd_fingerprints *before,
                const struct hd_fingerprints *after);
/* Of a piece of a function that is the same but for such code: the piece of the old build with the same code, also
 * around it; HD_NO_FUNCTION: it is another one. */
u32 hd_compare_piece(const struct hd_compared *c, const struct hd_fingerprints *before,
                     const struct hd_fingerprints *after, u32 piece);
void hd_comparison_release(struct hd_comparison *c);

#endif
