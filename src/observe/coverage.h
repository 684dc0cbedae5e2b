/* coverage.h: what the runs of a campaign have covered, by several metrics at
 * once. Place in the flow: events of a run -> coverage -> campaign, store.
 *
 *   struct hd_coverage c;
 *   hd_coverage_init(&c, &(struct hd_observe_config){.metrics = 0});
 *   for each run:
 *       hd_coverage_begin_run(&c, run, seconds);
 *       for each event in order: hd_coverage_event(&c, &ev);
 *       hd_coverage_end_run(&c, seconds);
 *   for (u32 i = 0; i < hd_coverage_size(&c); i++) hd_coverage_at(&c, i, &e, &when);
 *   hd_coverage_release(&c);
 *
 * Pure: no I/O, no threads, no clock (the caller says what time it is).
 */
#ifndef HD_COVERAGE_H
#define HD_COVERAGE_H

#include "observe/observe.h"
#include "observe/saturate.h"

struct hd_curve {
    HD_VEC(struct hd_curve_point) point; /* one per run that added something; the
                                            first is (0, 0, 0) or what was loaded */
};

struct hd_coverage {
    struct hd_observing io;
    void *state[HD_METRIC_COUNT];           /* NULL = not selected */
    struct {
        u32 n;
        struct {
            void (*event)(void *state, struct hd_observing *io, const struct hd_seen *s);
            void *state;
        } at[HD_METRIC_COUNT];
    } calls[HD_DOES_COUNT];                 /* who is called for an event */
    struct hd_curve curve[HD_METRIC_COUNT];
    u64 runs, events;
    u64 possible[HD_METRIC_COUNT];          /* said by the caller, 0 = not */
    bool is_running;
    HD_VEC(struct hd_blocked) blocked;
};

struct hd_first_seen {
    u64 run;
    double seconds;
    u32 runs; /* how many runs showed it */
};

void hd_coverage_init(struct hd_coverage *c, const struct hd_observe_config *cfg);
void hd_coverage_release(struct hd_coverage *c);

/* `run` is the caller's number of the run, `seconds` the campaign's time; both
 * never go down. */
void hd_coverage_begin_run(struct hd_coverage *c, u64 run, double seconds);
void hd_coverage_event(struct hd_coverage *c, const struct hd_event *ev);
/* The same by a caller that keeps the numbers of sites itself: they stay. */
u32 hd_coverage_site(struct hd_coverage *c, u64 site);
void hd_coverage_event_at(struct hd_coverage *c, const struct hd_event *ev, u32 site);
/* After the last event, if the run ended in a deadlock: the operation a thread
 * was waiting in (site and obj of the LOCK that never came). */
void hd_coverage_blocked(struct hd_coverage *c, u16 tid, u64 site, u64 obj);
void hd_coverage_end_run(struct hd_coverage *c, double seconds);

/* A run whose events are, one for one, those of an earlier run of the same metrics
 * that met these records (io.met) and left io.changes as it was and still is. */
void hd_coverage_repeat(struct hd_coverage *c, u64 run, double seconds, const u32 *met, size_t n);

/* From the next run on only these of the selected metrics see events; what the
 * others have covered stays. only_pairs: see observe.h. */
void hd_coverage_select(struct hd_coverage *c, u64 metrics, bool only_pairs);

/* Counters of a metric: covered, in this run, new in this run, by sub. */
const struct hd_metric_count *hd_coverage_count(const struct hd_coverage *c, u32 metric);

/* How many elements there could be: what was set, else what the metric itself
 * can tell (map: T_C over the sites met), else 0 = not known. */
u64 hd_coverage_possible(const struct hd_coverage *c, u32 metric);
void hd_coverage_set_possible(struct hd_coverage *c, u32 metric, u64 n);

/* Elements of all metrics in order of appearance, i < hd_coverage_size. `when`
 * may be NULL. */
u32 hd_coverage_size(const struct hd_coverage *c);
void hd_coverage_at(const struct hd_coverage *c, u32 i, struct hd_element *e,
                    struct hd_first_seen *when);
bool hd_coverage_has(struct hd_coverage *c, const struct hd_element *e);

/* An element known from elsewhere. Counts as covered, not as new in a run; one
 * already there keeps the earlier first run and the sum of runs. False: it was
 * there. Pre: no run under way. */
bool hd_coverage_add(struct hd_coverage *c, const struct hd_element *e,
                     const struct hd_first_seen *when);

/* Bytes the set of elements takes. */
size_t hd_coverage_bytes(const struct hd_coverage *c);

#endif
