/* campaign.h: many runs of one target: start it, run it, judge, repeat.
 *
 *   target.c, elf.c  is this a program we can take over? (clear errors)
 *   launch.c         start it with the runtime preloaded and shared memory attached
 *   inherit.c        ... and what it is to have from its parent
 *   worker.c         one fork server: send commands, wait, enforce the time limit
 *   show.c           what the target prints, copied to the terminal
 *   stray.c          processes the target left behind
 *   interrupt.c      Ctrl-C
 *   loop.c           the campaign: workers, budget, summary
 *   cover*.c         what the runs cover, remembered (cover.h)
 *   drive*.c         predicts what was not tested and goes for it (drive.h)
 *   command.c        a command beside a run; setup.c: --setup, --cleanup (command.h)
 *   oracle.c         what judges a run besides the program: --check, --expect-stdout
 *   tmp.c            folders of our own, and leftovers of killed campaigns (tmp.h)
 *   script*.c        setup, drivers, checks around the runs of a server (script.h)
 *   found.c          a run that failed: copy, confirm by replay, name
 *   limit.c          runs that a limit of ours ended: inconclusive
 *   leftover.c       a failure because of what earlier runs left behind (leftover.h)
 *   minimize*.c      ... and make small (minimize.h, shrink.h)
 *   save.c           .heddle/findings/<id>/
 *   notes.c          remarks about the runs that are no failure
 *   delay.c          failures that need a thread to be slow (delay.h)
 *   progress.c       the status screen
 */
#ifndef HD_CAMPAIGN_H
#define HD_CAMPAIGN_H

#include "event/replay.h"
#include "event/shm.h"
#include "report/finding.h"
#include "search/search.h"

/* ---- target.c ---------------------------------------------------------- */

enum hd_instrumentation {
    HD_INSTR_NONE,        /* plain program: synchronization only */
    HD_INSTR_GCC,         /* needs libtsan.so.2 (or .0) */
    HD_INSTR_CLANG_SHARED /* needs libclang_rt.tsan-x86_64.so */
};

struct hd_target {
    char path[512];       /* absolute, resolved through PATH */
    enum hd_instrumentation instr;
    char runtime[512];    /* library to preload */
    u8 build_id[32];
    u32 build_id_len;
};

/* 0, or negative errno with a sentence in err saying what is wrong and what to
 * do: missing, not executable, directory, script (names the interpreter line),
 * 32-bit, other machine, static, setuid, clang's static tsan runtime linked in. */
int hd_target_open(struct hd_target *t, const char *name, char *err, size_t size);

/* Build-id of an ELF file; 0 if it has none or cannot be read. */
u32 hd_target_build_id(const char *path, u8 *id, u32 max);

/* Where Heddle's library of that name is: $HEDDLE_LIBDIR, else next to the
 * heddle binary (../lib/heddle), else the installed place. */
int hd_target_runtime(const char *lib, char *out, size_t size, char *err, size_t err_size);

/* ---- launch.c, worker.c ------------------------------------------------- */

struct hd_launch {
    const struct hd_target *target;
    char *const *argv;
    const struct hd_config *cfg;
    int stdin_fd;         /* memfd with the whole of stdin, or -1 for /dev/null */
    u32 index;            /* worker number, also the core it is pinned to */
    const char *cwd;      /* NULL = where we are */
    const struct hd_inherited *inherited; /* NULL = what our caller has; must outlive the worker */
    const struct hd_oracle *oracle; /* see struct hd_worker */
    const struct hd_around *around; /* likewise; NULL = none */
    bool is_shown;        /* likewise */
    char *const *env;     /* NAME=value, over those of our environment; NULL = none */
    const struct hd_script_input *script;        /* NULL = none; then argv, env, cwd are its */
    const struct hd_script_again *script_again;  /* ... but for a replay */
};

struct hd_worker {
    struct hd_shm *shm;
    int shm_fd, cmd_fd, reply_fd, out_fd, err_fd, in_fd;
    int pid;              /* fork server, leader of its own session and group; 0 = none */
    int pidfd;
    u32 index;
    bool is_busy;
    bool is_dead;         /* the server ended in the middle of a batch */
    bool was_restarted;   /* since whoever uses it looked last */
    bool timed_out;       /* the batch ended because the host killed the child */
    s64 progress_ns;      /* when runs_done was last seen to change */
    s64 ended_ns;         /* when the last batch was seen to be over */
    u64 progress_runs;
    u32 uncontrolled;     /* HD_UNC_ASLR if addresses could not be fixed */
    const struct hd_inherited *inherited;
    u32 lost;             /* bit i: limit i of it could not be set */
    bool is_shown;        /* what its runs print is copied to our own output (show.c): */
    u64 shown[2];         /* bytes of stdout and stderr of this run so far */
    const struct hd_oracle *oracle; /* judges runs that ended well, or NULL */
    const struct hd_around *around; /* commands before and after each run (command.h) */
    bool is_set_up;       /* the one before has run, the one after has not */
    bool is_refused;      /* the run must not begin: the verdict says why */
    bool is_check_bad;    /* a command beside it could not be run: verdict HD_V_ENV */
    struct hd_totals counted; /* what hd_campaign_count has taken over so far */
    const char *directed_by;  /* the search that chooses its schedules, NULL = cfg.strategy */
    u64 (*drain)(void *self); /* takes events out of the rings, while anybody waits; returns
                                 how many (cover.c). NULL = nobody listens */
    void *drain_self;
    struct hd_script_run *script; /* phases around its runs (script.h); NULL = none */
    char *const *argv;    /* the program's, where a script makes them; NULL = the campaign's */
    struct hd_launch how; /* it was started; what it points to lives as long */
};

/* Starts the target up to main. 0 or negative errno with a sentence in err. */
int hd_worker_start(struct hd_worker *w, const struct hd_launch *l, char *err, size_t size);
/* Sends a batch; returns at once. */
int hd_worker_send(struct hd_worker *w, u64 first_run, u32 count);
/* ... for run.c: what was sent is to begin now. */
int hd_worker_go(struct hd_worker *w);
/* Waits until one of the workers has finished its batch, killing children that
 * exceed timeout_ms per run; returns its index, -1 on interruption (Ctrl-C),
 * -2 when `until_ns` (monotonic) has passed. Look at is_dead before shm. */
int hd_workers_wait(struct hd_worker *w, u32 n, u32 timeout_ms, s64 until_ns);
/* Waits for what was sent to one worker. False: its server died, or was ended because it
 * is late (base/stop.h); either way w->is_dead. */
bool hd_worker_await(struct hd_worker *w, u32 timeout_ms);
/* Starts a dead worker again, as it was started; its shared memory is a new one, and
 * w->was_restarted is set. 0 or negative errno. */
int hd_worker_restart(struct hd_worker *w);
/* Ends the server and its group; shared memory and descriptors stay. */
void hd_worker_end(struct hd_worker *w);
/* ... and gives them back. */
void hd_worker_stop(struct hd_worker *w);

s64 hd_monotonic_ns(void);

/* Shared memory and captured output only, no process (for --gdb). */
int hd_worker_prepare(struct hd_worker *w, const struct hd_launch *l, char *err, size_t size);
/* Puts the descriptors where the runtime expects them, in this process. */
int hd_launch_descriptors(const struct hd_worker *w);
/* The environment of the target: NULL-terminated, entries from *own on are
 * Heddle's. Free with hd_launch_env_free. */
char **hd_launch_env(const struct hd_launch *l, u32 *own);
void hd_launch_env_free(char **env);

/* Copies all of descriptor `fd` (regular file or pipe) to a memfd. -1 if there
 * is nothing to read: a terminal, or a pipe that stays silent (then *silent). */
int hd_stdin_copy(int fd, bool *silent);

/* ---- inherit.c ------------------------------------------------------------- */

/* At the very start of heddle: what it has now is its caller's. */
void hd_inherit_note(void);
const struct hd_inherited *hd_inherit_caller(void);
/* Then: heddle itself gets by with any stack limit of its caller's. */
void hd_inherit_make_room(void);
/* Before exec of the target. First the limits; returns which could not be set. */
u32 hd_inherit_limits(const struct hd_inherited *h);
/* Then the rest: leaves open 0..2, our own descriptors from HD_SHM_FD on and those of h, and
 * makes what is missing of them. 0 or negative errno. */
int hd_inherit_apply(const struct hd_inherited *h);
/* NAME=value strings of h's environment; the list is the caller's to free, not the strings. */
char **hd_inherit_env(const struct hd_inherited *h);
/* What of a recorded h the target did not get, as "a; b; c" to be freed; NULL = it got all. */
char *hd_inherit_lost(const struct hd_inherited *h, u32 lost);

/* ---- show.c ---------------------------------------------------------------- */

/* Before a run is sent: what the last one printed is not shown again. */
void hd_show_begin(struct hd_worker *w);
/* Copies what the run has printed since the last call, if w->is_shown. */
void hd_show(struct hd_worker *w);
/* The same by a process of its own, as long as this process lives: for gdb, which takes our
 * place. 0 or negative errno. */
int hd_show_beside(struct hd_worker *w);

/* ---- stray.c --------------------------------------------------------------- */

/* Orphans of the target come to us, not to init. */
void hd_stray_adopt(void);
/* Kills and reaps every child of ours that is none of the workers' servers.
 * `group` != 0: only those of that process group. Returns how many. */
u32 hd_stray_kill(const struct hd_worker *w, u32 n, int group);
/* Parent of a process, or -1. */
int hd_stray_parent(int pid);

/* ---- interrupt.c ------------------------------------------------------------ */

/* What a broken pipe or a file over its limit means is said by errno (EPIPE, EFBIG). */
void hd_signals_ignore(void);
/* ... before exec: as programs expect them. Async-signal-safe. */
void hd_signals_default(void);
/* From now on the first SIGINT/SIGTERM/SIGHUP/SIGXCPU is counted, the second ends us. */
void hd_interrupt_catch(void);
void hd_interrupt_release(void);
u32 hd_interrupt_count(void);
/* At this time (monotonic) it is time to stop as well; INT64_MAX = never. */
void hd_interrupt_until(s64 ns);
int hd_interrupt_fd(void);  /* readable once there was one, -1 if not caught */
/* Groups to be killed when the second one comes. */
void hd_interrupt_add(int pid);
void hd_interrupt_remove(int pid);

/* ---- loop.c --------------------------------------------------------------- */

struct hd_campaign;

struct hd_drive;
struct hd_script_input;
#define HD_LEARN_NONE UINT32_MAX

struct hd_campaign_opts {
    const struct hd_target *target;
    char *const *argv;
    struct hd_config cfg;
    u64 runs;             /* 0 = until time */
    double seconds;       /* 0 = until runs */
    u32 timeout_ms;       /* per run */
    u32 jobs;
    bool keep_going;
    const int *exit_ok; u32 n_exit_ok; /* statuses besides 0 that are fine */
    const char *dir;      /* ".heddle" */
    bool quiet, show_output;
    double minimize_seconds; /* for each new finding; 0 = leave it as it was found */
    int stdin_fd;
    const struct hd_oracle *oracle;    /* NULL = none; runs are then given one by one */
    const struct hd_around *around;    /* likewise */
    struct hd_cover *cover;            /* NULL = coverage is not observed */
    const struct hd_script_input *script; /* NULL = none (script.h); needs is_single */
    bool until_saturated;              /* stop when it does not grow any more; one by one, too */
    bool is_single;                    /* give runs one by one in any case */
    struct hd_drive *drive;            /* NULL = cfg.strategy chooses; needs cover. drive.h */
    bool until_done;                   /* stop when it has nothing left to go for */
    const struct hd_search_method *search; /* NULL = cfg.strategy chooses */
    u64 search_param;
    u32 search_learn;                  /* runs by chance before it, at least; HD_LEARN_NONE */
    bool search_fresh;                 /* what earlier campaigns left does not count */
    struct hd_suppressions *suppress;  /* NULL = none */
    const char *command;               /* the command line, for the README of findings */
    /* Called for every new finding, after it was saved. May be NULL. */
    void (*on_finding)(void *self, const struct hd_finding *f, struct hd_symbols *s);
    void *self;
};

struct hd_campaign {
    u64 runs;
    double seconds;
    u64 steps, points, switches;
    u32 max_threads;
    u32 uncontrolled;     /* union over runs */
    char uncontrolled_call[64];
    bool is_instrumented;
    bool interrupted;
    bool is_refused;      /* it failed by itself: before it had a second thread, or because of
                             what earlier runs left behind */
    u64 limited[HD_RUN_LIMIT_COUNT]; /* runs that a limit of ours ended */
    bool is_saturated;    /* that was what ended it */
    bool is_done;         /* ... that nothing was left to go for */
    u64 peak_rss_kib;
    struct hd_finding *findings; u32 n_findings;
    u32 *times;           /* how often findings[i] was met */
    struct hd_symbols *symbols; /* of the target; NULL until the first finding */
    u32 symbols_modules;  /* how many modules it was opened with */
    char save_error[512]; /* why a finding could not be saved, "" = all were */
    u64 suppressed;       /* failed runs that a suppression hides */
    char **notes; u32 n_notes; /* sentences about what is no failure */
    struct hd_finding *remarks; u32 n_remarks; /* fail only if a thread is delayed for long */
    u64 slow_runs, slow_points; /* with delays of any length (delay.h), not among `runs` */
    bool has_far;         /* some timeout is further away than cfg.max_delay_ns */
    char sleep_at[700];   /* a sentence, if nothing but a sleep orders the threads */
    const struct hd_search_method *search_method; /* NULL = no search; search_run.c */
    u64 search_param;
    struct hd_search_result search;
    u32 search_warm, search_restarts; /* runs before it; how often it began again */
    u32 search_rounds;    /* of a loop before it counts as waiting */
    u64 search_before;    /* runs of it done by earlier campaigns */
    bool search_is_kept;  /* what is left of it can go on another time; */
    const char *search_not_kept; /* ... why not, NULL = it need not */
    s64 found_ns;         /* when the last new finding came, 0 = none yet */
    s64 started_ns;
};

/* 0 = went through (look at n_findings), negative errno with a sentence. */
int hd_campaign_run(struct hd_campaign *c, const struct hd_campaign_opts *o, char *err,
                    size_t size);
void hd_campaign_release(struct hd_campaign *c);

/* Was anything tested? NULL, or a sentence that says why not and what to do. */
const char *hd_campaign_untested(const struct hd_campaign *c);

/* ---- limit.c ------------------------------------------------------------------ */

/* Word of an enum hd_run_limit, for JSON. */
const char *hd_limit_word(u32 limit);
/* Takes note of the verdict if it is HD_V_LIMIT. */
void hd_limit_count(struct hd_campaign *c, const struct hd_verdict *v);
u64 hd_limit_runs(const struct hd_campaign *c);
/* Line number `line` of what the summary says of limits; false past the last. */
bool hd_limit_say(const struct hd_campaign *c, u32 line, char *buf, size_t size);
/* NULL, or why a campaign without findings says nothing (exit 98): nothing was tested,
 * every run met a limit, interrupted. */
const char *hd_campaign_inconclusive(const struct hd_campaign *c);

/* Is the verdict of the run that just ended fine? */
bool hd_campaign_is_clean(const struct hd_campaign_opts *o, const struct hd_verdict *v);
/* Adds what the last run left in `w` to the totals; it stands for `runs` runs. */
void hd_campaign_count(struct hd_campaign *c, struct hd_worker *w, u64 runs);

/* ---- found.c ---------------------------------------------------------------- */

#define HD_CONFIRM_TIMES 5

/* Replays r up to *times times on a worker, fewer if it is time to stop; *times is then
 * how often. Returns how often verdict and event hash were the same. A server that dies
 * is started again and the replay it owes repeated; if it does so again and again the
 * worker is left dead. The last run is left in the worker's shared memory; the site table
 * and the configuration are as before. */
u32 hd_confirm(struct hd_worker *w, const struct hd_replay *r, u32 *times, u32 timeout_ms);

/* What replays change in a worker's shared memory and the campaign needs back. */
struct hd_worker_state {
    struct hd_config cfg;
    struct hd_learned learned;
    u32 n_sites;
    struct hd_site *sites; /* the whole table */
};
/* 0 or negative errno; put_back gives the memory back as well. */
int hd_worker_remember(struct hd_worker_state *b, struct hd_worker *w);
void hd_worker_put_back(struct hd_worker_state *b, struct hd_worker *w);

/* Names, confirms, minimizes and saves what was taken from a run that took so long, and
 * tells o->on_finding. It is the campaign's from now on. *is_new is false if the campaign
 * had it already or o->suppress hides it. */
int hd_found_keep(struct hd_campaign *c, const struct hd_campaign_opts *o, struct hd_worker *w,
                  const struct hd_finding *taken, s64 took_ns, bool *is_new, char *err,
                  size_t size);

/* recheck.c: if not every access of f's run was checked against the heap, follows it once
 * more with all checked; *f becomes what is found then, if that is a heap error. */
void hd_recheck(struct hd_finding *f, struct hd_worker *w, u32 timeout_ms);

/* The run that just ended as a finding, not confirmed, not named. */
int hd_found_take(struct hd_finding *f, struct hd_worker *w, const char *program,
                  char *const *argv);

/* ---- save.c ------------------------------------------------------------------ */

/* Writes dir/findings/<id>/ (replay.heddle, report.txt, report.json, stdout.txt,
 * stderr.txt, stdin, README) through a temporary folder, and dir/findings/latest.
 * Sets f->dir, also in the report. stdin_fd may be -1. If that fails what was saved
 * before stays (f->is_outdated). */
int hd_save_finding(struct hd_finding *f, struct hd_symbols *s, const char *dir, int stdin_fd,
                    char *err, size_t size);
/* Copies standard input, if there was any, to dir/name and names it in r. */
int hd_save_input(const char *dir, const char *name, struct hd_replay *r, int stdin_fd);
/* Writes report.txt and report.json of f in `dir` anew. */
int hd_save_reports(const struct hd_finding *f, struct hd_symbols *s, const char *dir);
/* mkdir -p for one level; 0 or negative errno. */
int hd_save_folder(const char *path);

/* ---- notes.c ------------------------------------------------------------------- */

/* Makes sentences of what the worker's runs left in shm->notes and adds them to
 * c->notes, but for what o->suppress hides. */
/* "file:line" of the user's code, relative to where we are. */
void hd_notes_place(struct hd_symbols *s, u64 site, char *buf, size_t size);
void hd_notes_collect(struct hd_campaign *c, const struct hd_campaign_opts *o,
                      struct hd_worker *w);

/* ---- progress.c -------------------------------------------------------------- */

struct hd_progress {
    bool is_quiet, is_terminal, is_shown;
    u32 lines;            /* of the screen that is shown */
    s64 next_ns;
};
/* What is to be shown, as data. */
struct hd_progress_view {
    u64 runs, of;         /* of 0: no limit */
    double seconds, rate;
    double left;          /* seconds, < 0: not known */
    u32 threads, findings;
    u64 suppressed;
    const char *program, *last; /* last: id of the newest finding, NULL = none */
    double last_ago;      /* seconds */
};
void hd_progress_init(struct hd_progress *p, bool quiet);
/* Shows the state if it is time to. */
void hd_progress_tick(struct hd_progress *p, const struct hd_campaign *c,
                      const struct hd_campaign_opts *o, u32 threads);
void hd_progress_read(struct hd_progress_view *v, const struct hd_campaign *c,
                      const struct hd_campaign_opts *o, u32 threads, s64 now);
/* Lines of at most `width` characters; returns how many. */
u32 hd_progress_screen(char *buf, size_t size, const struct hd_progress_view *v, u32 width);
/* One line with its end. */
void hd_progress_plain(char *buf, size_t size, const struct hd_progress_view *v);
/* Takes the screen away, before anything else is printed. */
void hd_progress_clear(struct hd_progress *p);

#endif
