/* recheck.h: a run whose heap accesses were only sampled, checked in full; see recheck.c. */
#ifndef HD_MINIMIZE_RECHECK_H
#define HD_MINIMIZE_RECHECK_H

#include "report/finding.h"

/* If not every access of f's run was checked against the heap, follows it once
 * more with all checked; *f becomes what is found then, if that is a heap error. */
void hd_recheck(struct hd_finding *f, struct hd_worker *w, u32 timeout_ms);

#endif
