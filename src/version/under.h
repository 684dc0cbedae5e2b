/* under.h: which locks a program's code holds where, told from the code alone: calls of locks and jumps of a
 * function in the order of their addresses, and calls between functions.
 *
 *   hd_under_function, hd_under_add ...   the code as it is read
 *   hd_under_taken ...                   functions that pointers may call
 *   hd_under_solve                       sets the locks of all uses (fingerprint.h)
 *
 * A lock counts as held where every way through the code that leads there has taken it and not given it
 * up: in the function itself, in functions it calls (a wrapper that locks), or in all that call it by
 * name. A function that gives up a lock which is not known by its name (std::unique_lock keeps a pointer) is not
 * taken for one that ends with a lock held. Where a way cannot be told (a jump by a table), the order of the code stands for it.
 */
#ifndef HD_UNDER_H
#define HD_UNDER_H

#include "version/fingerprint.h"

enum hd_under_kind {
    HD_UNDER_USE,     /* .use */
    HD_UNDER_LOCK,    /* .lock */
    HD_UNDER_UNLOCK,  /* .lock; .lock.lock 0 = not known which */
    HD_UNDER_CALL,    /* .to: a function */
    HD_UNDER_BRANCH,  /* .to, or what comes next */
    HD_UNDER_JUMP,    /* .to, 0 = not known */
    HD_UNDER_RETURN,
    HD_UNDER_END,     /* it does not go on: abort() */
};

struct hd_under_point {
    enum hd_under_kind kind;
    u64 at;
    u64 to;
    u32 use;         /* number in the list of uses */
    struct hd_use_lock lock;
};

struct hd_under {
    HD_VEC(struct hd_under_point) point; /* by function, by address */
    HD_VEC(u32) first;                  /* of each function */
    HD_VEC(u64) taken;                  /* addresses */
};

void hd_under_function(struct hd_under *h);
void hd_under_add(struct hd_under *h, const struct hd_under_point *p);
void hd_under_taken(struct hd_under *h, u64 address);
void hd_under_solve(struct hd_under *h, struct hd_fingerprints *f);
void hd_under_release(struct hd_under *h);

#endif
