/* judge.h: runs that say what a race or an atomicity violation does. Each follows the run that showed it
 * up to the accesses and goes on in one of their orders, then without preemption, in several ways
 * (`variant`). Their ends are compared: verdict, exit status, output. What a program prints also differs
 * by itself (times, addresses): if the same schedule gives two outputs, output says nothing.
 */
#ifndef HD_JUDGE_H
#define HD_JUDGE_H

#include "campaign/race/races.h"
#include "minimize/shrink.h"
#include "process/confirm.h"
#include "report/finding.h"

#define HD_JUDGE_TIMES 20 /* runs of an order, at most */

struct hd_outcome {
    bool is_there;
    u32 kind;
    s32 status;
    size_t n;
    char *out; /* to be freed */
};

struct hd_judge {
    const struct hd_campaign_opts *o;
    struct hd_worker *w;
    struct hd_replay base; /* program, sites and configuration; no schedule */
    struct hd_list script[3];
    u32 from;              /* of three accesses: the step behind which orders differ */
    u16 tid[2];            /* ... and whose they are */
    bool has_output;       /* it depends on the schedule alone */
    bool wants_memory;     /* runs say what they leave there */
    u32 sound; /* orders (bits) of which a run had each access checked against the heap: the others of a long program need not */
};

/* False: nothing can be run. Else to be ended. */
bool hd_judge_begin(struct hd_judge *j, const struct hd_finding *f, struct hd_worker_state *before,
                    struct hd_finding *failed);
void hd_judge_end(struct hd_judge *j, struct hd_worker_state *before, struct hd_finding *f,
                  const struct hd_finding *failed);
/* Does output depend on the schedule alone? Runs script[0] twice. */
void hd_judge_try_output(struct hd_judge *j);

struct hd_outcome hd_judge_run(struct hd_judge *j, u32 order, u64 variant);
/* The run that just ended failed: it is *failed, unless there is one. */
void hd_judge_take(struct hd_judge *j, struct hd_finding *f, struct hd_finding *failed);

bool hd_judge_is_same(const struct hd_judge *j, const struct hd_outcome *a, const struct hd_outcome *b);
/* So many of the n are like the first. */
u32 hd_judge_count(const struct hd_judge *j, const struct hd_outcome *r, u32 n);
/* Failures come of the order: of n runs each, one order has so many more of them that chance (which of the others goes on
 * later) hardly explains it: five of ten against none, once in sixty. */
bool hd_judge_decides(const u32 fails[2], u32 n);
/* What a is, beside b. */
void hd_judge_describe(const struct hd_judge *j, char *to, size_t size, const struct hd_outcome *a,
                       const struct hd_outcome *b);
/* The threads of the first two accesses. */
bool hd_judge_threads(const struct hd_finding *f, u16 tid[2]);

#endif
