/* tried.h: which races runs were driven into, in which order, and what came of it: of earlier
 * campaigns on the same store, and of this one.
 *
 *   in vain         not driven again under the same input, nor under any once three inputs have
 *                   tried; unless runs have shown more of it since (less doubt)
 *   brought about   the saved schedule of its finding is followed again, once; what both orders do
 *                   is known. If it cannot be followed, it is driven as if it were new
 *
 * Two races are one if they have the same lines and variable, as for people (hd_race_key).
 */
#ifndef HD_TRIED_H
#define HD_TRIED_H

#include "campaign/race/explorer.h"
#include "store/store.h"

enum hd_tried_kind { HD_TRIED_PAIR, HD_TRIED_TRIPLE, HD_TRIED_TWO, HD_TRIED_LOCKS };

struct hd_tried {
    enum hd_tried_kind kind;
    char *key;
    u64 site[HD_STORE_SITES]; /* identities */
    char *variable;
    u32 doubt;
    bool is_here;          /* earlier campaigns tried it under this input, */
    u32 class;             /* ... and this came of it; 0 = not brought about */
    struct hd_race race;   /* its results */
    char finding[24];
    u32 in_vain;           /* inputs under which it was not brought about */
    u64 runs[2];           /* of this campaign: as named, turned round */
    bool is_new;           /* to be stored */
};

/* What the store knows; and to the store, at the end. */
void hd_tried_load(struct hd_explorer *x);
void hd_tried_save(struct hd_explorer *x);

/* Its number; it is made if need be. `pc` are addresses of the sites in this process. */
u32 hd_tried_get(struct hd_explorer *x, enum hd_tried_kind kind, const u64 *site, const u64 *pc, u32 n,
                 const char *variable);
/* It need not be driven, as it was in vain before. Counted. */
bool hd_tried_is_vain(struct hd_explorer *x, u32 tried, u32 doubt);
/* Brought about before, and no finding: it did no harm, or is like others. Counted. */
bool hd_tried_is_harmless(struct hd_explorer *x, u32 tried);

/* Fills in the steps in which the run that just ended shows it; false: it does not. */
typedef bool hd_tried_show(struct hd_explorer *x, const struct hd_event *ev, u32 n, void *self,
                           u32 step[4]);
/* The schedule of its finding again: true with the finding, and what is known of it. Counted. */
bool hd_tried_again(struct hd_explorer *x, u32 tried, hd_tried_show *show, void *self,
                    struct hd_finding *f);

/* It was driven with `doubt`, and could not be brought about; or it was, and that came of it. */
void hd_tried_note(struct hd_explorer *x, u32 tried, u32 doubt, const struct hd_race *race);
/* What came of it is told in another way. */
void hd_tried_class(struct hd_explorer *x, u32 tried, const struct hd_race *race);
/* It is this finding now; NULL: it is not shown, so nothing is stored about it. */
void hd_tried_found(struct hd_explorer *x, u32 tried, const char *id);

/* What other inputs of the suite have settled is done (x->done), and what this one settles is known to those after it. */
void hd_tried_recall(struct hd_explorer *x);
void hd_tried_remember(struct hd_explorer *x);
/* ... and is not asked about (hd_race_pair.is_known). */
void hd_tried_mark_known(struct hd_explorer *x);

#endif
