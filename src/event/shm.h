/* shm.h: the memory that `heddle` shares with a target, one per worker, by who writes it.
 *
 *   part    written by                  mapped  in the host  in the server  in a run
 *   host    the host                            rw           r              r
 *   server  the fork server                     r            rw, and r      r
 *   run     the run; between two runs           r            rw             rw
 *           the server, for the next one
 *
 * Each field has one writer; whoever else reads it expects anything: the host in event/snapshot.c,
 * the server in runtime/core/server.c. Why, and how the mappings are made: docs/design/boundary.md.
 *
 *   HD_HOST_FD  [struct hd_shm_host][script][its I/O results][pairs][marks of sites][ranges]
 *   HD_CLOCK_FD [struct hd_shm_clock], of several targets
 *   HD_SHM_FD   [struct hd_shm_server][kept choices]
 *               [struct hd_shm_run][modules][threads][frames][sites][log][ring][search]...
 */
#ifndef HD_SHM_H
#define HD_SHM_H

#include "base/bits.h"
#include "event/config.h"
#include "event/detail.h"
#include "event/event.h"
#include "event/pairs.h"
#include "event/result.h"

#define HD_SHM_MAGIC 0x31444548u /* "HED1" */
#define HD_SHM_VERSION 8
#define HD_SHM_FD 1013           /* descriptor numbers in the target */
#define HD_SHM_FD_TEXT "1013"
#define HD_CMD_FD 1014           /* target reads commands here */
#define HD_REPLY_FD 1015         /* target writes replies here */
#define HD_OUT_FD 1016           /* captured stdout (memfd), 1017 stderr, 1018 stdin copy */
#define HD_ERR_FD 1017
#define HD_IN_FD 1018
#define HD_HOST_FD 1019          /* the host's part of shared memory; HD_SHM_FD has the others */
#define HD_CLOCK_FD 1020         /* HD_MODE_BESIDE: struct hd_shm_clock */
#define HD_LOG_FD 1021           /* packed choices of the run (record.h), written here; */
#define HD_SCRIPT_FD 1022        /* ... of the script, to be read */
#define HD_LAST_FD HD_SCRIPT_FD
#define HD_INHERIT_WORDS HD_BITS_WORDS(HD_SHM_FD)
#define HD_STACK_UNIT (32 * 1024) /* environments below this get one and the same stack (HEDDLE_PAD) */
#define HD_BIND_NOW "heddle"     /* value of LD_BIND_NOW if it was not set: taken out again */

#define HD_SHM_MODULES 256
#define HD_SHM_SITES (1u << 18)        /* site table slots */
#define HD_SITE_PAGE 256u              /* slots of a page of memory */
#define HD_SITE_PAGES (HD_SHM_SITES / HD_SITE_PAGE)
#define HD_SHM_LOG (1u << 20)          /* choices, also script: more are packed, in files */
#define HD_SHM_RACY 4096               /* granules remembered as raced on */
#define HD_SHM_RING (1u << 16)         /* events kept (power of two) */
#define HD_SHM_IO_RESULTS (1u << 18)   /* of the world outside, also those of the script */
#define HD_SHM_OPTIONS (1u << 16)      /* choices kept in HD_MODE_SEARCH */

/* ---- sites --------------------------------------------------------------------------- */

/* One slot per site, index (pc >> 2) & mask with linear probing. `flags` is
 * what the hot hook tests: 0 = nothing to do here. It is made from `known` and
 * the mode of the batch when a batch begins (runtime/filter/site.c). */
enum {
    HD_SITE_LEARN = 1,     /* look at the address: might be shared */
    HD_SITE_EVENT = 2,     /* touches memory another thread conflicts on: record */
    HD_SITE_POINT = 4,     /* ... without common lock or order: scheduling point */
    HD_SITE_POLL = 8,      /* watchdog asked for a scheduling point soon */
    HD_SITE_STREAMED = 32, /* with LEARN: and the host listens */
    HD_SITE_GOAL = 16,     /* set by the host: a point while it is there, the first
                              HD_GOAL_TIMES times in a run. In `flags`: it is that alone */
    HD_SITE_SPIN = 64,     /* a thread read the same over and over here: that is counted, and
                              others get a turn */
    HD_SITE_HEAP = 128,    /* the address is checked against the heap */
    HD_SITE_CLEAN = 128,   /* in `known`: was found fine HD_HEAP_CLEAN times in the long part of a
                              run (runtime/heap/heap_check.h) */
};
#define HD_GOAL_TIMES 8192
#define HD_SINCE_START (~(u32)0) /* known before the first run */
struct hd_site {
    u64 pc;
    u32 since;      /* run number + 1 in which more was found out last (hd_site_found), 0 = never */
    u8 flags;       /* HD_SITE_*, in force */
    u8 known;       /* HD_SITE_EVENT | HD_SITE_POINT | HD_SITE_SPIN | HD_SITE_CLEAN ever found */
    u16 times : 14; /* in this run, if flags say GOAL */
    u16 had_event : 1, had_spin : 1; /* known before `since` */
};
_Static_assert(sizeof(struct hd_site) == 16 && HD_GOAL_TIMES < 1 << 14, "four in a cache line");

/* A run found out more about a site. It takes effect in the next one. */
HD_INLINE void hd_site_found(struct hd_site *s, u64 run, u8 known)
{
    if (!(s->known & HD_SITE_POINT) && s->since != (u32)run + 1) { /* a point stays one */
        s->had_event = (s->known & HD_SITE_EVENT) != 0;
        s->had_spin = (s->known & HD_SITE_SPIN) != 0;
        s->since = (u32)run + 1;
    }
    s->known |= known;
}

/* What was known of a site when a run began: one that was the latest to find out more, or a later one. */
HD_INLINE u8 hd_site_known_to(const struct hd_site *s, u64 run)
{
    if (s->since && (s->since <= run || s->since == HD_SINCE_START))
        return s->known;
    u8 rest = s->known & (u8) ~(HD_SITE_EVENT | HD_SITE_POINT | HD_SITE_SPIN);
    return (u8)(rest | (s->had_event ? HD_SITE_EVENT : 0) | (s->had_spin ? HD_SITE_SPIN : 0));
}

/* What the host knows of a site, for the table of a run. */
struct hd_site_mark {
    u64 pc;
    u32 since;
    u8 known;
    u8 reserved[3];
};
#define HD_SHM_MARKS (HD_SHM_SITES / 2)

/* Code whose hooks have nothing to do: accesses there are neither events nor points, unless the
 * host marks their sites; with HD_MODE_FUNCTIONS, functions there are not told. */
struct hd_range {
    u64 start, end;
};
#define HD_SHM_RANGES (1u << 15)

/* ---- the parts ----------------------------------------------------------------------- */

/* By the host, while no batch is under way but for the last four. Lives as long as its worker. */
struct hd_shm_host {
    u32 magic, version;
    u64 bytes, shared_bytes; /* of this mapping and of the other one */
    struct hd_config cfg;    /* of the next batch, as are: */
    struct hd_command cmd;
    struct hd_batch plan;    /* REPLAY only if it is one run */
    u32 script_n;
    u32 n_script_io_results; /* of the run that is replayed; they count if */
    u32 io_results_for;      /* ... this is script_n */
    u32 is_random;           /* addresses differ from start to start, so events are hashed by
                                addresses that do not (runtime/core/gate.c) */
    u64 script_steps;        /* of the run that is replayed; 0 = not known */
    u64 look_step;           /* ... the step that its record is about, if that is not its end (a race): events and
                                details around it are kept; 0 = those of the end */
    u64 script_packed;       /* bytes of further entries in HD_SCRIPT_FD; they count if */
    u32 script_packed_for;   /* ... this is script_n */
    u32 reserved;
    u64 asleep;              /* HD_MODE_SEARCH: threads not to be run where the script ends, until
                                somebody does what depends on their operation */
    u64 stop_step;           /* hd_stop_here() is called at this step, 0 = never */
    u64 marks_for;           /* batch that the marks of sites are for, */
    u32 n_site_marks;
    u32 are_marks_all;       /* ... the table is emptied first */
    u32 n_ranges;            /* code that is left out, sorted */
    u32 pid;                 /* of the host, which the program does not find in /proc */
    u64 learned_for;         /* batch before which the server's is to be: */
    struct hd_learned learned;
    u64 inherited[HD_INHERIT_WORDS]; /* descriptors above 2, below HD_SHM_FD, that the program is
                                        started with */
    u64 cpus[16];            /* processors the program may use, as it is to see them */
    u32 cpus_online, cpus_configured;
    u32 is_driving;          /* HD_MODE_DRIVEN: enum hd_driving */
    u32 n_beside;            /* HD_MODE_BESIDE: so many of them are controlled and there now */
    u64 ring_read;           /* position in STREAM mode */
    u64 runs_read;           /* ... and the value of runs_done up to which `ran` was seen */
};

/* Do other processes talk to the program? */
enum hd_driving { HD_DRIVING_NOT_YET, HD_DRIVING, HD_DRIVING_IS_OVER /* and none will come */ };

/* Of all processes of a run that are controlled (HD_MODE_BESIDE), by any of them; memory of its
 * own (HD_CLOCK_FD). */
struct hd_shm_clock {
    s64 ahead_ns;            /* what they read is CLOCK_MONOTONIC plus this, or more; only grows */
};

/* How the run ended, as the server saw it. */
struct hd_run_status {
    u32 kind;                /* enum hd_verdict_kind, HD_V_NONE = it goes on, or was killed */
    s32 status;              /* of waitpid */
    u32 signo;
    u32 reserved;
};

/* By the fork server. Lives as long as it. */
struct hd_shm_server {
    u64 batch;               /* number of the batch whose first run has begun; until then the
                                run part is still that of an earlier one */
    u32 is_ready;            /* 1 once it waits for commands */
    u32 child;               /* pid of the running child, 0 = none */
    u64 run;                 /* run number being executed or finished last */
    u64 runs_done;           /* counts up for ever */
    s64 run_started_ns;      /* CLOCK_MONOTONIC */
    struct hd_config cfg;    /* in force: the host's, with the strategy of the plan, and LEARN
                                where that is worth it */
    struct hd_run_status end;
    struct hd_learned learned;
    struct hd_totals totals;
    struct hd_goals goals;   /* what the run is driven into, from the plan */
    struct hd_run_end ran[HD_SHM_RUNS]; /* by the value of runs_done before it ended */
};

/* By the run; emptied by the server before it begins, but for what is kept over runs. */
struct hd_shm_run {
    struct hd_verdict verdict;
    struct hd_stats stats;
    struct hd_log log;       /* pointers are the target's */
    u64 ring_written;        /* events of this run; with STREAM of all runs of the batch. The
                                next one goes to ring_written & (RING - 1) */
    u32 n_options;           /* HD_MODE_SEARCH: made; those past HD_SHM_OPTIONS are lost */
    u32 n_io_results;
    struct hd_final final;
    struct hd_group_points group_points;
    struct hd_site_points site_points;
    /* kept over runs */
    u32 n_modules;
    u32 n_sites;             /* slots in use */
    /* By the pages of the site table that a slot was ever used of. To touch the others
     * would give them memory, which takes a millisecond. */
    u64 site_pages[HD_BITS_WORDS(HD_SITE_PAGES)];
    u32 n_marks;             /* counts up whenever a run makes a site a scheduling point */
    u32 n_noted;             /* ... an event */
    u32 redundant_points;    /* n_marks + 1 when the last learning run began
                                (runtime/filter/exclusive.c) */
    u32 n_racy;
    u64 racy[HD_SHM_RACY];   /* what threads raced on in any run so far (shadow.c) */
    struct hd_notes notes;
    char env_error[256];     /* why the target could not be taken over */
};

/* ---- tables behind the parts --------------------------------------------------------- */

size_t hd_shm_host_bytes(void);
size_t hd_shm_server_bytes(void); /* the run's part begins there */
size_t hd_shm_shared_bytes(void); /* of both */

struct hd_choice *hd_shm_script_choice(const struct hd_shm_host *m);
u64 *hd_shm_script_site(const struct hd_shm_host *m);
u64 *hd_shm_script_check(const struct hd_shm_host *m);
struct hd_io_result *hd_shm_script_io_results(const struct hd_shm_host *m);
struct hd_pairs *hd_shm_pairs(const struct hd_shm_host *m); /* for strategy tsa */
struct hd_site_mark *hd_shm_marks(const struct hd_shm_host *m);
struct hd_range *hd_shm_ranges(const struct hd_shm_host *m);

struct hd_choice *hd_shm_saved_choice(const struct hd_shm_server *m);

struct hd_module *hd_shm_modules(const struct hd_shm_run *m);
struct hd_shm_thread *hd_shm_threads(const struct hd_shm_run *m);
struct hd_frame *hd_shm_frames(const struct hd_shm_run *m, u32 tid);
struct hd_site *hd_shm_sites(const struct hd_shm_run *m);
struct hd_choice *hd_shm_log_choice(const struct hd_shm_run *m);
u64 *hd_shm_log_site(const struct hd_shm_run *m);
u64 *hd_shm_log_check(const struct hd_shm_run *m);
u8 *hd_shm_log_ring(const struct hd_shm_run *m); /* HD_LOG_RING bytes */
struct hd_event *hd_shm_ring(const struct hd_shm_run *m);
/* Beside each event of the ring, with HD_MODE_VALUES: hash of what the write before it left in memory,
 * 0 = that was none, or it is not known. */
u32 *hd_shm_left(const struct hd_shm_run *m);
struct hd_detail *hd_shm_details(const struct hd_shm_run *m); /* as many as the ring has events */
struct hd_option *hd_shm_options(const struct hd_shm_run *m);
struct hd_pending *hd_shm_pending(const struct hd_shm_run *m); /* HD_SEARCH_THREADS of them */
struct hd_io_result *hd_shm_io_results(const struct hd_shm_run *m);
struct hd_final_word *hd_shm_final(const struct hd_shm_run *m); /* HD_SHM_FINAL of them */

/* ---- the site table ------------------------------------------------------------------ */

/* Whoever takes a slot says so; ... */
HD_INLINE void hd_shm_site_used(struct hd_shm_run *m, u32 at)
{
    hd_bit_set(m->site_pages, at / HD_SITE_PAGE);
}
/* ... then it is among these. No `break`. */
#define HD_SITES_EACH(i, m)                                                                        \
    HD_BITS_EACH(i##_page, (m)->site_pages, HD_BITS_WORDS(HD_SITE_PAGES))                          \
        for (u32 i = i##_page * HD_SITE_PAGE; i < (i##_page + 1) * HD_SITE_PAGE; i++)
/* THE way to a slot: that of pc, or the free one it would get. NULL: neither is within
 * HD_SITE_PROBES of its place, so the site has no slot, whoever asks. So many make that a matter
 * of a table that is nearly full; one that the program wrote over still ends the search. */
#define HD_SITE_PROBES 4096u
HD_INLINE struct hd_site *hd_site_slot(struct hd_site *table, u64 pc)
{
    u32 at = (u32)(pc >> 2) & (HD_SHM_SITES - 1);
    for (u32 k = 0; k < HD_SITE_PROBES; k++, at = (at + 1) & (HD_SHM_SITES - 1))
        if (table[at].pc == pc || !table[at].pc)
            return &table[at];
    return NULL;
}
/* ... made if need be. */
struct hd_site *hd_shm_site(struct hd_shm_run *m, u64 pc);

/* By the host: marks for the next batch that is sent. `is_all`: instead of what the table has,
 * and of those given before; else besides. Sites that an earlier list made goals are none any
 * more. */
void hd_shm_marks_begin(struct hd_shm_host *h, bool is_all);
/* ... one of them; false: no room. */
bool hd_shm_mark(struct hd_shm_host *h, u64 pc, u32 since, u8 known);
/* Is the code before return address `pc` left out? */
bool hd_shm_is_left_out(const struct hd_shm_host *h, u64 pc);
/* By the server: the table with what the host knows. False: there is nothing new. In place of what the
 * table has: sites stay in it as if they had just been met, known as clean at most, so that a run that follows
 * a schedule can begin without the calls of those that have nothing to do (runtime/filter/site.c). */
bool hd_shm_take_marks(struct hd_shm_run *m, const struct hd_shm_host *h);
/* Would it empty the table, since what comes and what is there might not have room together? */
bool hd_shm_marks_empty(const struct hd_shm_run *m, const struct hd_shm_host *h);

#endif
