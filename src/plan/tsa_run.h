/* tsa_run.h: a campaign under strategy tsa: which pairs of lock calls could follow
 * on each other, estimated anew after every run, and which of them no run has shown
 * yet: those go to the target before each run (event/pairs.h).
 *
 *   begin(w)  uncovered pairs -> table in shared memory
 *   (run)     events -> predictor (tap of cover.h)
 *   end(w)    after hd_cover_end: new estimates join
 */
#ifndef HD_TSA_RUN_H
#define HD_TSA_RUN_H

#include "cover/cover.h"

struct hd_tsa_run;

/* Is this the index of strategy tsa? */
bool hd_tsa_run_wants(u32 strategy);

/* Taps `cover`, which must observe syncpair and live longer; NULL: it does not. */
struct hd_tsa_run *hd_tsa_run_open(struct hd_cover *cover);
/* What is left is remembered; before hd_cover_finish. */
void hd_tsa_run_save(struct hd_tsa_run *r);
void hd_tsa_run_close(struct hd_tsa_run *r);

void hd_tsa_run_begin(struct hd_tsa_run *r, struct hd_worker *w);
void hd_tsa_run_end(struct hd_tsa_run *r, struct hd_worker *w);

/* Nothing is left to go for, or the curve of syncpair is flat (observe/saturate.h). */
bool hd_tsa_run_is_saturated(const struct hd_tsa_run *r);

/* Pairs predicted, not covered, and not given up. */
u32 hd_tsa_run_left(const struct hd_tsa_run *r);

#endif
