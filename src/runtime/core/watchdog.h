/* watchdog.h: notices a baton holder that is stuck; see watchdog.c. */
#ifndef HD_WATCHDOG_H
#define HD_WATCHDOG_H

#include "runtime/core/rt.h"
#include "runtime/core/stop.h"

/* How often a parked thread looks: the more there are, the less, or a crowd of
 * them would take the core away from the one that runs. */
#define HD_WATCH_PERIOD_NS 20000000
#define HD_WATCH_SPIN_NS 2000000 /* once a thread had to be stopped (stop.h) */
/* Who gave the baton away last: then twice that, and so on. Longer than a tick of the kernel
 * (4 ms): an earlier timer is programmed into the hardware and taken out at every hand-over,
 * which in a virtual machine doubles their cost. */
#define HD_WATCH_FIRST_NS 5000000
#define HD_WATCH_THREADS 32
HD_INLINE s64 hd_watch_period(void)
{
    u32 n = __atomic_load_n(&hd_rt.sched.n_live, __ATOMIC_RELAXED);
    if (HD_UNLIKELY(hd_stop_is_known()))
        return HD_WATCH_SPIN_NS;
    return (s64)HD_WATCH_PERIOD_NS * (1 + n / HD_WATCH_THREADS);
}

/* What a parked thread saw when it looked last. */
struct hd_watch {
    u32 holder;
    u64 step;
    s64 ns;      /* without progress */
    s64 cpu_ns;  /* processor time of the holder when that began, -1 = not known yet */
};
void hd_watch_begin(struct hd_watch *w);

/* Called by parked thread `self` after each period (of `ns`) without the baton.
 * True: self has taken the baton and was picked to go on. */
bool hd_watchdog(u16 self, struct hd_watch *w, s64 ns);

/* The calling thread came to the gate without the baton (it was stuck, or is a
 * thread nobody announced): queue until it is picked. */
void hd_come_back(u16 self);

/* Threads outside that have come back and wait to be posted; and a word that
 * changes when one does. */
extern u32 hd_n_blocked_outside;
extern u32 hd_back_word;
void hd_post_returned(void);

/* Threads made inside a library that wait for a number (unregistered.c). */
extern u32 hd_n_unregistered;
void hd_adopt_unregistered(void);
/* Nobody can run: is there a thread that is none of ours, and may become one? Waits for it
 * for a moment. */
bool hd_unregistered_may_come(void);

/* Set while the holder waits for I/O inside the runtime: not stuck. */
extern bool hd_is_waiting;

#endif
