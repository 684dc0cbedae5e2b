/* pass.h: with HD_MODE_FUNCTIONS: a thread enters or leaves a function. Cheap, for a host that
 * wants to know which functions run at the same time and nothing else (observe/cfp.c): the same
 * function at the same locks and the same logical time (create, join, barrier) is streamed
 * once. Everything else an instrumented program calls leaves the code when it is first
 * called (patch.h).
 */
#ifndef HD_PASS_H
#define HD_PASS_H

#include "runtime/core/rt.h"

#define HD_PASSES 512
#define HD_PASS_ATOMICS 1024 /* waiting takes microseconds longer, work no longer than its hooks do */

/* A thread, in one run. */
struct hd_pass {
    u64 stamp;           /* where it is: locks held and logical time */
    u64 locks;           /* sum over the mutexes it holds */
    u64 epoch;
    u64 reported[HD_PASSES]; /* site ^ stamp */
};
extern HD_HIDDEN struct hd_pass hd_pass[HD_MAX_THREADS];
extern HD_HIDDEN bool hd_pass_is_on;

void hd_pass_slow(u64 pc, u64 what, u64 *slot);

/* The function around `pc` is entered or left. */
HD_INLINE void hd_pass_at(u64 pc)
{
    struct hd_pass *p = &hd_pass[hd_tls.tid];
    u64 what = pc ^ p->stamp, *slot = &p->reported[what * 0x9e3779b97f4a7c15ull >> 55];
    if (HD_UNLIKELY(*slot != what))
        hd_pass_slow(pc, what, slot);
}

/* Atomic operations order no functions (the logical time is that of create, join and barrier), so
 * they are no steps; but one in HD_PASS_ATOMICS of a thread, so that who waits by looping gives way. */
HD_INLINE bool hd_pass_leaves_out_atomic(void)
{
    return HD_UNLIKELY(hd_pass_is_on) && ++hd_tls.atomics % HD_PASS_ATOMICS;
}

/* A run begins; in the server. */
void hd_pass_begin(void);
/* The shadow stack of a thread; NULL while functions are told: nobody will look at it. */
struct hd_frame *hd_pass_frames(u16 tid);
/* An event that others can notice has taken place. */
void hd_pass_sync(const struct hd_event *ev);

#endif
