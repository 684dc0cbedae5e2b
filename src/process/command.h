/* command.h: a command of the user's beside a run: --check (oracle.c), --setup and
 * --cleanup (setup.c). It runs in a process group of its own with an empty input; what
 * it prints is kept for messages. HEDDLE_STDOUT and HEDDLE_STDERR name files with what
 * the run printed, HEDDLE_RUN its number, HEDDLE_WORKER the worker. */
#ifndef HD_COMMAND_H
#define HD_COMMAND_H

#include "error/error.h"
#include "process/worker.h"

#define HD_COMMAND_WORDS 301 /* bytes of its output in a message, with the end */
#define HD_COMMAND_LATE (-1) /* it did not end in time */
#define HD_COMMAND_CUT (-2)  /* it was ended because the campaign is over (base/stop.h) */

/* sh -c `text` in folder `cwd` (NULL = where we are). Status as waitpid gives it, one of
 * HD_COMMAND_*, or negative errno - 100 if it could not be started. */
int hd_command_run(const struct hd_worker *w, const char *text, const char *cwd, u32 timeout_ms,
                   char words[HD_COMMAND_WORDS]);
/* "ended with status 3", for a status other than 0. */
void hd_command_how(int status, u32 timeout_ms, char *buf, size_t size);
/* Could the command itself not be run? */
bool hd_command_is_missing(int status);

/* A whole file, zero-terminated, malloced. 0 or negative errno. */
int hd_read_file(const char *path, char **text, size_t *n);

/* ---- setup.c ------------------------------------------------------------------------ */

/* What is run before and after each run. */
struct hd_around {
    const char *setup, *cleanup; /* for sh -c; NULL = none */
    char *own[2];                /* owned copies, if read from files */
    u32 timeout_ms;
};
#define HD_AROUND_SETUP "setup.sh" /* files in a finding's folder */
#define HD_AROUND_CLEANUP "cleanup.sh"

bool hd_around_is_empty(const struct hd_around *a);
/* What was saved beside a replay file, where the options did not say otherwise. */
int hd_around_beside(struct hd_around *a, const char *replay_file, struct hd_error *err);
void hd_around_release(struct hd_around *a);

/* Before a run. False: it must not begin; the verdict is HD_V_ENV with the reason. */
bool hd_around_begin(struct hd_worker *w);
/* After one, however it ended; does nothing if there was no begin. */
void hd_around_end(struct hd_worker *w);

#endif
