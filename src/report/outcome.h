/* outcome.h: what a campaign without a finding says, in words. Only what was counted is
 * said, and what was not looked at is not claimed. */
#ifndef HD_REPORT_OUTCOME_H
#define HD_REPORT_OUTCOME_H

#include "base/base.h"

struct hd_outcome {
    u64 runs;
    double seconds;
    u32 threads;
    bool is_interrupted;
    u64 suppressed;       /* runs with a finding that is not shown */
    bool has_checked_races; /* in every run, to its end */
    u32 races;            /* pairs of accesses seen that could race: */
    u32 races_unconfirmed, races_left; /* not brought together by any run; not tried */
    /* Orders of events (metric iroot). */
    bool has_orders;      /* they were observed */
    bool is_predicted;    /* ... and what could happen besides was worked out */
    u64 tested, is_new;   /* by all campaigns of this build; by this one first */
    u64 unreached;        /* were aimed at, in vain */
    u64 waiting;          /* were not, as some part of them was not shown */
    u64 left;             /* were not aimed at often enough, or not at all */
    /* Good-Turing: of the last `window` runs, how many orders came up in one run alone. */
    u64 singles, window;  /* window 0: no estimate */
    /* What was not explored. */
    bool is_instrumented;
    u32 relaxed, weaker;  /* atomic operations in the code: relaxed; acquire, release, ... */
    u32 uncontrolled;     /* bits 1 << HD_UNC_* */
    const char *call;     /* behind the first of them, "" = not known */
    u64 cut, limited;     /* runs observed in part; ended by a limit of ours */
};

/* Sentence number `line`; false: there are no more. */
bool hd_outcome_line(const struct hd_outcome *o, u32 line, char *buf, size_t size);

/* "12,345": into a buffer of at least 28 bytes, which it returns. */
char *hd_outcome_count(char *buf, u64 n);

#endif
