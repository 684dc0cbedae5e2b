/* point.h: a plain access or an atomic operation that is a scheduling point: by the short way
 * (sched/long/quiet.c) where it is known that the thread goes on, else through the gate. */
#ifndef HD_POINT_H
#define HD_POINT_H

#include "runtime/core/rt.h"

/* As hd_gate. */
void hd_point(struct hd_op *op);

#endif
