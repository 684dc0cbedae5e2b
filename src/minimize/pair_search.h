/* pair_search.h: the search for the deciding pair, shared by its two files:
 *
 *   pair_odd.c          reads of values that no read of a passing run sees
 *   pair_candidates.c   the events of the failing run, and pairs of them worth a test
 *   pair_search.c    the tests
 */
#ifndef HD_PAIR_SEARCH_H
#define HD_PAIR_SEARCH_H

#include "minimize/shrink.h"

#define HD_PAIR_SEARCH_MOST 96
#define HD_PAIR_SEARCH_ODD 12

struct hd_pair {
    u32 first, second; /* indices in struct hd_pair_search's events */
};

struct hd_pair_search {
    const struct hd_shrunk *s;
    const struct hd_runner *r;
    /* Steps of the failing run; then, with step 0, what threads were about to do,
     * and what they did later in a run that passed. */
    HD_VEC(struct hd_event) e;
    HD_VEC(u32) more;     /* steps its thread needs for e[i], if e[i].step is 0 */
    u32 n_steps, n_pending; /* events so far */
    u16 failed;           /* as in struct hd_ran */
    struct hd_pair pair[HD_PAIR_SEARCH_MOST];
    u32 n_pairs;
    struct hd_pair odd[HD_PAIR_SEARCH_ODD]; /* tested before those */
    u32 n_odd;
    struct hd_list script, cut, close;
    bool has_future, is_over;
    u64 compared;         /* pairs of events, while candidates are made */
};

/* Fills h->e from a run of h->s->list; makes runs of its own. */
void hd_pair_search_take(struct hd_pair_search *h, const struct hd_ran *ran);
/* What threads that were cut short by the failure, or led astray, do instead in a run
 * that passes. */
void hd_pair_search_future(struct hd_pair_search *h, const struct hd_ran *ran);
/* Fills h->pair, the most promising first. */
void hd_pair_search_propose(struct hd_pair_search *h);
/* Fills h->odd: reads that see a write (by its place) which they never see in `ran`, a run
 * that passes, with the write that came too late for them or the one that came too early. */
void hd_pair_search_odd(struct hd_pair_search *h, const struct hd_ran *ran);
/* Adds pairs with what only happens in a run that passes. */
void hd_pair_search_propose_future(struct hd_pair_search *h);

bool hd_pair_search_same_object(const struct hd_event *a, const struct hd_event *b);
bool hd_pair_search_conflicts(const struct hd_event *a, const struct hd_event *b);
/* Does the thread of e[i] take a lock there? */
bool hd_pair_search_takes(const struct hd_event *e);
/* The step from which FIRST's thread is held back: FIRST's own, or that of a lock it
 * holds then and SECOND's thread needs before SECOND. */
u64 hd_pair_search_from(const struct hd_pair_search *h, const struct hd_pair *p);
/* The pair of other events inside the critical sections that two events on a lock
 * begin; false if there is none. */
bool hd_pair_search_inside(const struct hd_pair_search *h, const struct hd_pair *p,
                           struct hd_pair *out);

#endif
