/* oracle.h: what judges a run besides the program itself: a command of the
 * user's (--check) and the output it must have (--expect-stdout).
 *
 * A worker that has an oracle calls it whenever a run ends well (worker.c), so
 * campaign, confirmation, replay and everything else built on workers see its
 * word as the run's verdict.
 */
#ifndef HD_ORACLE_H
#define HD_ORACLE_H

#include "error/error.h"
#include "process/worker.h"

struct hd_oracle {
    const char *check;       /* for sh -c; NULL = none */
    const char *expect;      /* file that says what stdout must be; NULL = none */
    char *expected;          /* its content */
    size_t n_expected;
    char *own_check;         /* owned copy of `check`, if read from a file */
    char *own_expect;
    const int *exit_ok;      /* statuses besides 0 with which a run ends well */
    u32 n_exit_ok;
    bool is_any_exit_ok;
    u32 timeout_ms;          /* for the command */
};

/* Reads the expected output. 0 or negative errno with a sentence in err. */
int hd_oracle_open(struct hd_oracle *o, const char *check, const char *expect,
                   struct hd_error *err);
/* What was saved beside a replay file (HD_ORACLE_*); leaves o empty if nothing was. */
int hd_oracle_beside(struct hd_oracle *o, const char *replay_file, struct hd_error *err);
void hd_oracle_release(struct hd_oracle *o);
bool hd_oracle_is_empty(const struct hd_oracle *o);

/* The run that just ended in `w`: if it ended well and the oracle says otherwise,
 * its verdict becomes HD_V_CHECK or HD_V_OUTPUT, with a message whose first line
 * is the same for the same failure. HD_V_ENV and w->is_check_bad if the command
 * could not be run. */
void hd_oracle_judge(const struct hd_oracle *o, struct hd_worker *w);

/* Is this the end of a run with which nothing is wrong? exit_ok: statuses besides 0. */
bool hd_verdict_is_clean(const struct hd_verdict *v, const int *exit_ok, u32 n_exit_ok);

/* Names of the files in a finding's folder. */
#define HD_ORACLE_CHECK "check.sh"
#define HD_ORACLE_EXPECTED "expected-stdout.txt"

#endif
