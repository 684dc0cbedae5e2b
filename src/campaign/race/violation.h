/* violation.h: accesses of one thread that are meant as one piece, and what another thread may do in
 * between: three accesses (atomicity.c), or four to two variables (two.c). Runs are driven there;
 * then the run is compared with those in which the other thread comes before the piece or after it.
 *
 * A finding: in a block of heddle_atomic_begin whatever comes of it; elsewhere if the result is one
 * that neither of the two orders has, or if the run fails and they do not. Who only reads in between may
 * well see a state that is neither that before nor that after (a job that is begun and not done). So
 * its result counts only if before and after it has the same: something that should always hold.
 */
#ifndef HD_VIOLATION_H
#define HD_VIOLATION_H

#include "campaign/race/tried.h"

#define HD_VIOLATION_ATTEMPTS 4
#define HD_VIOLATION_WINDOW 64 /* steps of a thread between its accesses */

struct hd_violation {
    enum hd_tried_kind kind;
    u32 n;             /* accesses */
    u64 site[4];       /* identities */
    u64 at[4];         /* their addresses */
    u64 var;           /* the variable, 0 = several */
    bool is_exposed;   /* some run has shown it */
    bool in_block;
    bool is_observed;  /* the other thread only reads */
    u32 attempts;
    u32 tried;         /* its number (tried.h), once it is open */
    /* The nth attempt: a goal for the next run; */
    void (*set_up)(struct hd_explorer *x, const struct hd_violation *v, u32 nth);
    /* ... that goal alone, among others. */
    void (*set_goal)(const struct hd_violation *v, u32 nth, struct hd_goal *g);
    /* In which steps does the run show it? `self` is v. */
    hd_tried_show *show;
    /* What else a run tells; may allow more attempts. NULL = nothing. */
    void (*look)(struct hd_violation *v, const struct hd_event *ev, u32 n);
};

/* False: it need not be driven, since it is known what comes of it, or its code is not loaded. */
bool hd_violation_open(struct hd_explorer *x, struct hd_violation *v);
/* Drives runs there; keeps the finding, if it is one. */
void hd_violation_drive(struct hd_explorer *x, struct hd_violation *v);

/* Several in one run: in a suite what no run has shown shares its runs, as possible races do (race_joint.c).
 * Those that are added stay where they are until hd_violations_drive. */
struct hd_violations {
    struct hd_violation *at[HD_GOALS];
    u32 n;
};
bool hd_violation_shares(const struct hd_explorer *x, const struct hd_violation *v);
/* Drives one run into all of them, and empties the list. */
void hd_violations_drive(struct hd_explorer *x, struct hd_violations *g);

#endif
