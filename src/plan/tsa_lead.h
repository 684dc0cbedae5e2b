/* tsa_lead.h: runs that brought a pair are kept, and later ones follow them for a while:
 * up to a call that is the first one of a pair still missing, or to a little before it.
 * What led there (a full buffer, an empty pool) is hard to come by otherwise. Runs are
 * kept as their choices and followed loosely.
 */
#ifndef HD_TSA_LEAD_H
#define HD_TSA_LEAD_H

#include "base/rng.h"
#include "base/vec.h"
#include "event/snapshot.h"

/* A lock call of a run. */
struct hd_tsa_call {
    u64 site; /* identity */
    u32 step;
};

struct hd_tsa_lead {
    struct hd_choice *choice;
    struct hd_tsa_call *call;
    u32 n, n_calls;
};

struct hd_tsa_leads {
    HD_VEC(struct hd_tsa_lead) at;
    size_t bytes;
};

/* The run that has just ended. One that is too long, or too much for memory, is not. */
void hd_tsa_leads_add(struct hd_tsa_leads *l, struct hd_snapshot *run,
                      const struct hd_tsa_call *call, size_t n_calls);
/* Makes the next run follow one up to a call of `site`; false: none has it. */
bool hd_tsa_leads_follow(const struct hd_tsa_leads *l, struct hd_rng *rng, u64 site,
                         struct hd_shm_host *m);
void hd_tsa_leads_release(struct hd_tsa_leads *l);

#endif
