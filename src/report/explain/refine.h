/* refine.h: what kind of "nothing goes on any more" a deadlock or hang is. */
#ifndef HD_REFINE_H
#define HD_REFINE_H

#include "report/finding.h"

enum hd_refined_kind {
    HD_REFINED_NONE,
    HD_REFINED_LOST_WAKEUP, /* event[0] the wait of tid[0], event[1] the wake-up it missed,
                             * event[2] the wait to which the wrong waiter went back */
    HD_REFINED_LIVELOCK,    /* tid[i] goes round for ever, event[i] is a step of it */
    HD_REFINED_SPIN,        /* tid[0] looks at the same thing for ever, last in event[0] */
};

#define HD_REFINED_THREADS 8

struct hd_refined {
    enum hd_refined_kind kind;
    u32 n;                         /* threads listed */
    u16 tid[HD_REFINED_THREADS];
    u32 event[HD_REFINED_THREADS]; /* indices in f->events, */
    u32 n_events;                  /* ... so many */
    u32 n_woken;                   /* LOST_WAKEUP: threads that event[1] woke, */
    u16 woken;                     /* ... the one if it was one and is known, HD_NO_THREAD */
    bool is_wrong_waiter;          /* ... which went back to waiting at once */
    bool is_hopeless;              /* SPIN: nobody was about to change what is looked at */
};

/* Pure function of the events and threads. NONE for every other verdict. */
void hd_refine(const struct hd_finding *f, struct hd_refined *r);

#endif
