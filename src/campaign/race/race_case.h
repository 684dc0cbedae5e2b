/* race_case.h: one possible race while runs are driven into it: who drives one at a time
 * (races.c), and who drives several in one run (race_joint.c).
 *
 * Which of the two it is goes by its class: the two functions. Where threads hand data over in a
 * queue, dozens of pairs of lines are ordered for the same reason, which no driving changes. So once
 * CLASS_VAIN pairs of a class were driven in vain and none was ever brought about, or where the order
 * is one that seems to hold in every run (detect/fixed.h) for all of them that were seen, pairs share their runs. Likewise what comes
 * between accesses that are one piece (violation.c): there it is tried once from then on.
 *
 * A suite of inputs (hd_campaign_opts.tested) tests less: what no run showed pending and none tells to be certain shares its
 * runs from the beginning, the hopeless ones one run, and so does what could come between accesses (violation.c). What a run
 * showed and these do not bring about is driven alone, unless that was in vain for others at the same place.
 */
#ifndef HD_RACE_CASE_H
#define HD_RACE_CASE_H

#include "campaign/race/tried.h"

struct hd_race_case {
    const struct hd_race_pair *p;
    u64 site[2]; /* their addresses */
    u32 tried;
    char key[HD_RACE_KEY];
};

/* False: it is not to be driven, since that was done before, or its code is not loaded. */
bool hd_race_case_open(struct hd_explorer *x, const struct hd_race_pair *p, struct hd_race_case *c);
/* `f` is the run that showed it, with both steps. Takes it over. */
void hd_race_case_met(struct hd_explorer *x, const struct hd_race_case *c, struct hd_finding *f);
/* It could not be brought about. `is_over`: all attempts were made. */
void hd_race_case_vain(struct hd_explorer *x, const struct hd_race_case *c, bool is_over);
/* Runs are driven into it alone; then it is one of the two. */
void hd_race_case_drive(struct hd_explorer *x, const struct hd_race_case *c);
/* Its order seems to hold in every run, or others of its class were driven in vain. */
bool hd_race_case_is_hopeless(struct hd_explorer *x, const struct hd_race_case *c);
/* A goal: one access, then the other. */
void hd_race_case_goal(const struct hd_race_case *c, bool is_turned, struct hd_goal *g);

enum hd_race_class_is { HD_CLASS_OPEN, HD_CLASS_VAIN, HD_CLASS_MET };
/* What is known of accesses in these functions. `pc` are addresses of the sites. */
enum hd_race_class_is hd_race_class(struct hd_explorer *x, enum hd_tried_kind kind, const u64 *pc, u32 n);
/* A run was driven into one of them, alone. */
void hd_race_class_note(struct hd_explorer *x, enum hd_tried_kind kind, const u64 *pc, u32 n, bool is_met);

/* The same of places, whatever the other one is: races there that runs showed were driven alone. Copying functions
 * (memcpy) have one with all that ever was in the memory; if three cannot be brought about, more will not be. `site`: identities. */
void hd_race_places_note(struct hd_explorer *x, const u64 site[2], bool is_met);
bool hd_race_places_are_vain(struct hd_explorer *x, const u64 site[2]);

/* Runs were looked at as a whole (race_trace.c): all pairs in the same two functions that they had come in one
 * order in every run, as it seems. */
void hd_race_class_order(struct hd_explorer *x);
bool hd_race_class_is_ordered(struct hd_explorer *x, const u64 site[2]);

/* Those that were deferred (x->later), several in a run. */
void hd_race_joint(struct hd_explorer *x);

#endif
