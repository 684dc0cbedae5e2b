/* learning_rate.h: which runs learn, of those that may; see learning_rate.c. */
#ifndef HD_LEARNING_RATE_H
#define HD_LEARNING_RATE_H

#include "runtime/core/rt.h"

/* In the server: run number `i` of a batch is about to begin, the one before has ended.
 * Takes HD_MODE_LEARN out of the mode or puts it back. */
void hd_learning_rate_begin(struct hd_config *cfg, u32 i);

#endif
