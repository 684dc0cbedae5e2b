/* child_clock.h: clocks in a forked child, which runs in real time: they go on from where
 * the parent's virtual clocks were, and the parent reads nothing earlier than they do. A program started by exec sees the real ones. */
#ifndef HD_CHILD_CLOCK_H
#define HD_CHILD_CLOCK_H

#include "runtime/core/rt.h"

/* In the parent: the latest that a child's clock may show, as virtual time; 0 = it has no
 * children. Before a child is made, and after: */
s64 hd_child_clock_now(void);
void hd_child_clock_before(void);
void hd_child_clock_made(void);

/* HD_MODE_BESIDE: a run begins in which other processes are controlled as well. They share one word,
 * so that none reads an earlier time than another one has read before it. */
void hd_child_clock_join(void);
bool hd_child_clock_is_common(void);
/* ... and one of them is there now. */
bool hd_child_clock_is_beside(void);

/* The calling process becomes an uncontrolled child. */
void hd_child_clock_begin(void);

/* Shown minus real time of a clock, in ns; 0 if this is no such child. */
s64 hd_child_clock_shift(clockid_t clock);

/* A time the child read or was given, shifted by `ns`, in place. */
void hd_child_clock_add(struct timespec *ts, s64 ns);

/* An absolute time of `clock` as the real one has it: `ts`, or `real` filled in. */
const struct timespec *hd_child_clock_real(clockid_t clock, const struct timespec *ts,
                                           struct timespec *real);

#endif
