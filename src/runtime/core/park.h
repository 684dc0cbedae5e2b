/* park.h: the engine below the gate: how the baton moves between threads.
 *
 * Kernel threads wait on one futex word each (park_kernel.c). Strategies,
 * replay and the gate do not know which engine is below.
 */
#ifndef HD_PARK_H
#define HD_PARK_H

#include "runtime/core/rt.h"

/* The thread that holds the baton. Written by the holder when it hands over,
 * and by the watchdog when the holder is stuck. */
extern u32 hd_baton;

/* Gives the baton to `to`, which is parked or about to park. */
void hd_park_pass(u16 to);

/* Waits until thread `self` is given the baton. While waiting it looks after a
 * holder that makes no progress (watchdog.c). */
void hd_park_wait(u16 self);

/* A word to wait for changes of, for threads coming back from outside. */
void hd_park_sleep(u32 *word, u32 value, s64 ns);
void hd_park_wake(u32 *word);

#endif
