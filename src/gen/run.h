/* run.h: runs of generated tests: one worker (process/worker.h) with the driver, and the
 * memory through which tests go in and results come out.
 *
 *   open -> { hd_gen_run_batch | hd_gen_run_group }... -> close
 */
#ifndef HD_GEN_RUN_H
#define HD_GEN_RUN_H

#include "cover/cover.h"
#include "gen/test.h"
#include "process/tmp.h"
#include "process/worker.h"

struct hd_gen_watch;

struct hd_gen_run {
    const struct hd_api *api;
    struct hd_target target;
    struct hd_config cfg;
    struct hd_worker w;
    bool is_started;
    char area_path[PATH_MAX];
    char *argv[3];
    int area_fd;
    struct hd_wire_tests *tests; /* shared with the driver: */
    struct hd_wire_results *results;
    u64 next_run;         /* number of the next run: seeds its schedule */
    u64 runs, order_runs; /* with threads, of orders */
    u32 timeout_ms;
    struct hd_cover *cover; /* NULL = not observed */
    u32 restarts;
    bool is_learning; /* runs look for memory that threads share */
};

/* Starts the driver. 0 or negative errno with a sentence. */
int hd_gen_run_open(struct hd_gen_run *r, const struct hd_api *a, const char *program,
                    const char *area_path, const struct hd_config *cfg, struct hd_cover *cover,
                    struct hd_error *err);
void hd_gen_run_close(struct hd_gen_run *r);

/* How one run chooses its schedule. */
struct hd_gen_how {
    const char *strategy;
    struct hd_goals goals;
    u8 pattern; /* of the goal, if it is one of memory accesses; 0 = none */
};

/* One run of each of n <= HD_WIRE_BATCH tests; `how` NULL: each thread goes on as long as it
 * can. `is_observed`: events and coverage are taken. 0 or negative errno with a sentence. */
int hd_gen_run_batch(struct hd_gen_run *r, const struct hd_wire_test *t, u32 n,
                     const struct hd_gen_how *how, bool is_observed, struct hd_gen_outcome *out,
                     struct hd_error *err);
/* Orders of one test, at most HD_WIRE_BATCH, one after the other in one process, not observed.
 * *is_whole: all of them came to their end; else `out` says nothing. */
int hd_gen_run_group(struct hd_gen_run *r, struct hd_wire_test *t, u32 n,
                     struct hd_gen_outcome *out, bool *is_whole, struct hd_error *err);

#endif
