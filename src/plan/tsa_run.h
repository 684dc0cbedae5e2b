/* tsa_run.h: what --strategy tsa did, for those who ask: how many picks of paused lock calls
 * each of its three rules made, in all runs. */
#ifndef HD_TSA_RUN_H
#define HD_TSA_RUN_H

#include "plan/director.h"

/* False: d is another director. */
bool hd_tsa_by_rule(const struct hd_director *d, u64 by_rule[HD_STRATEGY_RULES]);

#endif
