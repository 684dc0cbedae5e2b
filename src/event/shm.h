/* shm.h: the shared memory between `heddle` and the target, one per worker.
 *
 * The host creates it (memfd), fills `cfg`, starts the target with the
 * descriptor's number in HEDDLE_SHM, and reads everything else. It outlives
 * every crash of the target: what was executed is never lost.
 *
 *   [struct hd_shm][modules][threads][frames][sites][log][script][ring][search]
 *   [pairs][details][I/O results][those of the script]
 *
 * Conversation (fork server). Host writes cfg and cmd, then one byte to the
 * command pipe; the server runs runs [first_run, first_run + count), one child
 * each, and stops early at the first run whose verdict is not HD_V_CLEAN; then
 * it writes one byte to the reply pipe. state/child/run_started are updated on
 * the way, so that the host can kill a child that takes too long. A host that
 * listens (HD_MODE_STREAM) looks at the events of a run while later ones go on.
 */
#ifndef HD_SHM_H
#define HD_SHM_H

#include "base/bits.h"
#include "event/detail.h"
#include "event/event.h"
#include "event/goal.h"
#include "event/pairs.h"
#include "event/record.h"

#define HD_SHM_MAGIC 0x31444548u /* "HED1" */
#define HD_SHM_VERSION 1
#define HD_SHM_FD 1013           /* descriptor numbers in the target */
#define HD_CMD_FD 1014           /* target reads commands here */
#define HD_REPLY_FD 1015         /* target writes replies here */
#define HD_OUT_FD 1016           /* captured stdout (memfd), 1017 stderr, 1018 stdin copy */
#define HD_ERR_FD 1017
#define HD_IN_FD 1018
#define HD_INHERIT_WORDS HD_BITS_WORDS(HD_SHM_FD)
#define HD_BIND_NOW "heddle"     /* value of LD_BIND_NOW if it was not set: taken out again */

#define HD_SHM_MODULES 256
#define HD_SHM_FRAMES 1024             /* call depth kept per thread */
#define HD_CREATE_FRAMES 8
#define HD_SHM_SITES (1u << 18)        /* site table slots */
#define HD_SITE_PAGE 256u              /* slots of a page of memory */
#define HD_SITE_PAGES (HD_SHM_SITES / HD_SITE_PAGE)
#define HD_SHM_LOG (1u << 20)          /* choices, also script */
#define HD_SHM_RACY 4096               /* granules remembered as raced on */
#define HD_SHM_RING (1u << 16)         /* events kept (power of two) */
#define HD_SHM_IO_RESULTS (1u << 18)   /* of the world outside, also those of the script */
#define HD_SHM_OPTIONS (1u << 16)      /* choices kept in HD_MODE_SEARCH */

/* ---- host -> target ---------------------------------------------------- */

enum hd_mode {
    HD_MODE_REPLAY = 1,     /* follow the script */
    HD_MODE_STRICT = 2,     /* ... and stop where it cannot be followed */
    HD_MODE_NO_FILTER = 4,  /* every access is an event and a point */
    HD_MODE_LEARN = 8,      /* look for shared memory in this batch */
    HD_MODE_KEEP_STDIN = 32,  /* leave stdin alone */
    HD_MODE_NO_FORK = 64,   /* single run without a fork server (gdb) */
    HD_MODE_STREAM = 128,   /* the host consumes the ring: wait when it is full */
    HD_MODE_SEARCH = 256,   /* with REPLAY: record what could have been chosen, go on without
                               preemption where the script ends, `asleep` counts; learn
                               from points and atomics too */
    HD_MODE_NO_MISUSE = 1024, /* misuse of locks does not end the run */
    HD_MODE_DETAIL = 4096,  /* note values and callers of events (detail.h) */
    HD_MODE_NO_HEAP = 8192, /* wrong uses of heap memory are not looked for */
    HD_MODE_ALL_EVENTS = 2048, /* with STREAM: every access is an event, points are as ever */
    HD_MODE_HEAP_ALL = 32768, /* every access is checked against the heap, however long the run */
    HD_MODE_DRIVEN = 16384, /* other processes act on this one: signals, too, may come from there */
    HD_MODE_SLOW = 131072,  /* delays of every length are tried (sched.h: is_slow) */
};

struct hd_config {
    u32 mode;               /* enum hd_mode bits */
    u32 strategy;           /* index in strategy.def */
    u64 strategy_param;
    u64 seed;
    u64 step_limit;         /* 0 = none */
    u64 proof_step;         /* replay: step at which the proof of the hang began; 0 = none */
    u32 early_per_1024;
    u32 spin_limit;
    s64 step_ns;
    s64 max_delay_ns;       /* longest delay of a thread that is tried; 0 = none */
    s64 epoch_ns;           /* CLOCK_REALTIME at virtual time 0 */
    u64 data_seed;          /* for getrandom & co. */
    u32 patience_ms;        /* real time given to outside events before timers jump */
    s32 cpu;                /* pin the target to this core, -1 = do not */
    u64 event_limit;        /* with STREAM: after so many events of a run its EVENT sites fall
                               silent; 0 = never */
};

enum hd_cmd { HD_CMD_RUN = 1, HD_CMD_QUIT = 2 };

struct hd_command {
    u32 cmd;
    u32 count;
    u64 first_run;
};

/* ---- target -> host ---------------------------------------------------- */

enum hd_verdict_kind {
    HD_V_NONE,        /* run did not get as far as a verdict (killed) */
    HD_V_CLEAN,       /* exit status 0 */
    HD_V_EXIT,        /* other exit status */
    HD_V_SIGNAL,      /* fatal signal */
    HD_V_ASSERT,      /* assertion or abort() with a message */
    HD_V_DEADLOCK,
    HD_V_HANG,        /* threads can run, but it is proven that they get nowhere */
    HD_V_TIMEOUT,     /* not used any more: in replay files of version 2 */
    HD_V_DIVERGED,    /* strict replay could not be followed */
    HD_V_CHECK,       /* heddle_check() failed */
    HD_V_HEAP,        /* heap error, see `heap` */
    HD_V_MISUSE,      /* lock misuse */
    HD_V_BUG,         /* Heddle's own failure */
    HD_V_ENV,         /* environment failure inside the target, text in msg */
    HD_V_OUTPUT,      /* output differs from what was expected (set by the host) */
    HD_V_CUT,         /* search: only threads asleep were left, the rest is known */
    HD_V_LIMIT,       /* a limit of ours ended the run (`limit`): inconclusive, never a finding */
    HD_V_COUNT
};

enum hd_heap_kind {
    HD_HEAP_NONE,
    HD_HEAP_READ_FREED,   /* use after free */
    HD_HEAP_WRITE_FREED,
    HD_HEAP_READ_PAST,    /* overflow: beyond what was asked for */
    HD_HEAP_WRITE_PAST,
    HD_HEAP_READ_WILD,    /* heap memory that belongs to no block (any more) */
    HD_HEAP_WRITE_WILD,
    HD_HEAP_DOUBLE_FREE,
    HD_HEAP_INVALID_FREE, /* of what malloc did not return */
};
#define HD_HEAP_FRAMES 16

/* When a write (HD_HEAP_WRITE_*) was noticed. */
enum hd_heap_noticed {
    HD_NOTICED_ACCESS, /* before it took place */
    HD_NOTICED_FREE,   /* when the block was freed or resized */
    HD_NOTICED_REUSE,  /* when the freed block was to be given out again */
    HD_NOTICED_END,    /* at the end of the run */
};

/* Allocation or release of a block: where and by whom. */
struct hd_heap_place {
    u16 tid;                /* HD_NO_THREAD: not known */
    u16 n;                  /* frames; 0: it did not happen or was not kept */
    u64 pc[HD_HEAP_FRAMES]; /* return addresses, innermost first */
};

struct hd_heap_report {
    u32 kind;        /* enum hd_heap_kind */
    u32 access_size; /* bytes touched; 0 for frees, and if it was noticed late */
    u32 noticed;     /* enum hd_heap_noticed; later than ACCESS: `use` is where it was noticed
                        (n 0: at the end), `addr` a byte that was overwritten */
    u32 reserved;
    u64 addr;        /* what was touched or freed */
    u64 block, size; /* the block it belongs to, bytes asked for; 0 = none */
    s64 offset;      /* addr - block */
    struct hd_heap_place use, alloc, freed;
};

/* `msg` of a fatal signal that no fault caused. */
#define HD_SENT_BY_OTHER "sent by another process"
#define HD_SENT_BY_SELF "sent by the program itself"

struct hd_verdict {
    u32 kind;          /* enum hd_verdict_kind */
    s32 status;        /* waitpid status, by the server */
    u16 tid;           /* thread it happened in */
    u16 signo;
    s32 code;          /* si_code */
    u64 addr;          /* fault or object address */
    u64 pc;            /* instruction, if known */
    u64 exit_pc;       /* first call of exit(), if any, whatever becomes of the run: */
    u16 exit_tid;      /* ... by this thread */
    u64 step;
    char msg[512];     /* assertion text, ... */
    u32 limit;         /* enum hd_run_limit, if kind is HD_V_LIMIT */
    struct hd_cycle cycle;
    struct hd_diverged diverged; /* `why` is copied to msg */
    struct hd_misuse misuse;
    struct hd_heap_report heap; /* HD_V_HEAP */
};

/* Reasons why a run was not fully controlled; bit numbers of stats.uncontrolled. */
enum hd_uncontrolled {
    HD_UNC_BLOCKED,      /* a thread blocked in a call that was not foreseen */
    HD_UNC_PSHARED,      /* object shared between processes */
    HD_UNC_CHILD,        /* the target made a child process */
    HD_UNC_UNREGISTERED, /* a thread made inside a library */
    HD_UNC_SIGNAL,       /* signal from outside, arrival by real time */
    HD_UNC_SPIN,         /* long stretch without a scheduling point */
    HD_UNC_ASLR,         /* addresses are random */
    HD_UNC_IO,           /* data or readiness from another process */
    HD_UNC_COUNT
};

struct hd_stats {
    u64 steps, switches, points; /* points: choices with two candidates or more */
    u64 hash;                    /* of all events */
    u64 events;                  /* emitted so far; the last one is at ring_written - 1 */
    u32 threads;
    u32 uncontrolled;            /* bit set over enum hd_uncontrolled */
    u32 instrumented;            /* a compiler hook was called */
    u32 log_n;
    u64 vtime_ns;
    char uncontrolled_call[64];  /* name of the first call behind it */
    u64 preemptions;             /* switches away from a thread that could have gone on */
    u32 is_heap_sampled;         /* not every access was checked against the heap */
    u32 end_hold_was;            /* enum hd_end_hold: the end of the process */
    u64 proof_step;              /* HD_V_HANG: step at which its proof began */
    u64 input_step;              /* replay: where other bytes came than in the recorded run, 0 =
                                    nowhere; and from which descriptor: */
    s32 input_fd;
    u32 had_handlers;            /* 1: those of exit() came to scheduling points */
    u64 looks;                   /* of a learning run: accesses it looked at, nearly */
    struct hd_held_back delay;   /* longest that the run needs (record.h) */
    u64 sleep_site;              /* a sleep that everybody waited for; 0 = none */
    u32 has_far;                 /* a timeout could have come early, but for max_delay_ns */
    u32 reserved2;
};

/* A run that has ended, for a host that listens (STREAM) and is some runs behind. */
#define HD_SHM_RUNS 256 /* the server waits when so many have not been looked at */
struct hd_run_end {
    u64 run;
    u64 end;                     /* ring position behind its last event */
    u64 steps, points, switches;
    u32 verdict;                 /* enum hd_verdict_kind, as the server saw it */
    u32 log_n;                   /* its choices, if another run of a plan came after it: */
    u64 log_at;                  /* position + 1 in the script's; 0 = they were not kept */
    u64 hash;                    /* of all events */
};

/* Runs of one batch with different strategies and goals. It ends after a run of more than
 * HD_PLAN_LONG events: what that brings may change what is worth trying, and sending costs
 * little beside it. */
#define HD_PLAN 8
#define HD_PLAN_LONG 2000
struct hd_batch {
    u32 n;                       /* 0 = all as cfg says */
    u32 n_goals;                 /* of all runs: their sites are points in each of them */
    struct {
        u32 strategy, reserved;
        u64 param;
        struct hd_goals goals;
    } at[HD_PLAN];
};

/* Over all runs of this server. */
struct hd_totals {
    u64 steps, switches, points;
    u32 max_threads;
    u32 uncontrolled;
    char uncontrolled_call[64];
    u32 has_far;                 /* as in hd_stats, of any run */
    u64 sleep_site;
};

/* Remarks that are no failure, over all runs of this server (runtime/core/notes.c). */
enum hd_note_kind {
    HD_NOTE_OUTLIVES,     /* a thread was not at its end when the process was */
    HD_NOTE_UNJOINED,     /* a thread ended that nobody joined or detached */
    HD_NOTE_EXIT_HOLDING, /* a thread ended while it held the lock `obj` */
};
#define HD_SHM_NOTES 32
struct hd_note {
    u32 kind;              /* enum hd_note_kind */
    u32 runs, last_run;    /* in how many it was seen; number + 1 of the last one */
    u32 reserved;
    u64 site;              /* where the thread was created */
    u64 obj;
};
struct hd_notes {
    u32 n, reserved;
    struct hd_note at[HD_SHM_NOTES];
};

/* What a call that another process has a say in gave (runtime/icept/io/io_result.c). Calls that
 * give a list have one more for each of its entries. */
struct hd_io_result {
    u64 step;              /* the call's last one */
    s64 value;             /* bytes, descriptors, ...; negative: errno */
    s32 what;              /* descriptor */
    u16 tid;
    u16 sum;               /* of the bytes read, 0 = not known */
};

struct hd_module {
    u64 start, end, bias;  /* mapped range; address = bias + ELF vaddr */
    u8 build_id[32];
    u32 build_id_len;
    u32 reserved;
    char path[256];
};

struct hd_shm_thread {
    u8 state;              /* enum hd_tstate */
    u8 op_kind;            /* pending operation */
    u16 parent;
    u32 depth;             /* frames on the shadow stack (may exceed HD_SHM_FRAMES) */
    u64 create_site;
    u64 create_pc[HD_CREATE_FRAMES]; /* calls that led to create_site, innermost first; 0 ends */
    u64 call_site;         /* when the run ended: return address of the call its innermost
                              instrumented function was in, 0 = not known (runtime/hook/caller.h) */
    u64 op_site, op_obj;
    u64 op_arg;            /* when the run ended: of the operation, see sched.h */
    u64 points;
    u64 stack_lo, stack_hi;
    s32 kernel_tid;
    u32 reserved;
    char name[16];
};

struct hd_frame {
    u64 pc;  /* return address into the caller: where this function was called */
    u64 sp;
};

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
    u32 since;      /* run number + 1 in which it became EVENT/POINT, 0 = never */
    u8 flags;       /* HD_SITE_*, in force */
    u8 known;       /* HD_SITE_EVENT | HD_SITE_POINT | HD_SITE_SPIN | HD_SITE_CLEAN ever found */
    u16 times;      /* in this run, if flags say GOAL */
};

struct hd_shm {
    u32 magic, version;
    u64 bytes;             /* of the whole mapping */
    struct hd_config cfg;
    struct hd_command cmd;
    u32 is_driving;        /* HD_MODE_DRIVEN: other processes talk to the program now */
    /* fork server's state */
    u32 server_ready;      /* 1 once it waits for commands */
    u32 child;             /* pid of the running child, 0 = none */
    u64 run;               /* run number being executed or finished last */
    u64 runs_done;         /* counts up for ever */
    s64 run_started_ns;    /* CLOCK_MONOTONIC */
    struct hd_learned learned;
    struct hd_verdict verdict;
    struct hd_stats stats;
    struct hd_totals totals;
    struct hd_log log;     /* pointers are the target's: host uses hd_shm_* */
    u32 n_modules;
    u32 script_n;
    u64 script_steps;      /* of the run that is replayed; 0 = not known */
    u64 ring_written;      /* events of this run; with STREAM of all runs of the batch. The
                              next one goes to ring_written & (RING - 1) */
    u64 ring_read;         /* host's position in STREAM mode */
    u64 runs_read;         /* ... and the value of runs_done up to which it has seen `ran` */
    u32 n_sites;           /* slots in use */
    /* By the pages of the site table that a slot was ever used of. To touch the others
     * would give them memory, which takes a millisecond. */
    u64 site_pages[HD_BITS_WORDS(HD_SITE_PAGES)];
    u32 n_racy;
    u64 racy[HD_SHM_RACY]; /* what threads raced on in any run so far (shadow.c) */
    char env_error[256];   /* why the target could not be taken over */
    struct hd_notes notes;
    /* HD_MODE_SEARCH */
    u64 asleep;            /* by the host: threads not to be run where the script ends, until
                              somebody does what depends on their operation */
    u32 n_options;         /* made; those past HD_SHM_OPTIONS are lost */
    u32 n_marks;           /* counts up whenever a site becomes a scheduling point */
    u32 n_noted;           /* ... an event */
    u32 redundant_points;  /* n_marks + 1 when the last learning run began
                              (runtime/filter/exclusive.c) */
    struct hd_run_end ran[HD_SHM_RUNS]; /* by the value of runs_done before it ended */
    u64 stop_step;         /* by the host: hd_stop_here() is called at this step, 0 = never */
    struct hd_goals goals; /* what the run is driven into: the server's copy, from `plan` */
    struct hd_batch plan;  /* by the host: of the next batch; REPLAY only if it is one run */
    u32 n_io_results;      /* in this run */
    u32 n_script_io_results;         /* of the run that is replayed; they count if */
    u32 io_results_for;              /* ... this is script_n */
    u64 inherited[HD_INHERIT_WORDS]; /* by the host: descriptors above 2, below HD_SHM_FD, that
                                        the program is started with */
    u64 cpus[16];          /* by the host: processors the program may use, as it is to see them */
    u32 cpus_online, cpus_configured;
    u32 is_random;         /* by the host: addresses differ from start to start, so events are hashed
                              by addresses that do not (runtime/core/gate.c) */
};

/* Offsets of the tables behind the header. */
size_t hd_shm_bytes(void);
struct hd_module *hd_shm_modules(struct hd_shm *m);
struct hd_shm_thread *hd_shm_threads(struct hd_shm *m);
struct hd_frame *hd_shm_frames(struct hd_shm *m, u32 tid);
struct hd_site *hd_shm_sites(struct hd_shm *m);
/* Whoever takes a slot says so; ... */
HD_INLINE void hd_shm_site_used(struct hd_shm *m, u32 at)
{
    hd_bit_set(m->site_pages, at / HD_SITE_PAGE);
}
/* ... then it is among these. No `break`. */
#define HD_SITES_EACH(i, m)                                                                        \
    HD_BITS_EACH(i##_page, (m)->site_pages, HD_BITS_WORDS(HD_SITE_PAGES))                          \
        for (u32 i = i##_page * HD_SITE_PAGE; i < (i##_page + 1) * HD_SITE_PAGE; i++)
/* The slot of pc, made if need be (by the host: between runs). NULL: no room. */
struct hd_site *hd_shm_site(struct hd_shm *m, u64 pc);
struct hd_choice *hd_shm_log_choice(struct hd_shm *m);
u64 *hd_shm_log_site(struct hd_shm *m);
u64 *hd_shm_log_check(struct hd_shm *m);
struct hd_choice *hd_shm_script_choice(struct hd_shm *m);
u64 *hd_shm_script_site(struct hd_shm *m);
u64 *hd_shm_script_check(struct hd_shm *m);
struct hd_event *hd_shm_ring(struct hd_shm *m);
struct hd_detail *hd_shm_details(struct hd_shm *m); /* as many as the ring has events */
struct hd_option *hd_shm_options(struct hd_shm *m);
struct hd_pending *hd_shm_pending(struct hd_shm *m); /* HD_SEARCH_THREADS of them */
struct hd_io_result *hd_shm_io_results(struct hd_shm *m);
struct hd_io_result *hd_shm_script_io_results(struct hd_shm *m);
struct hd_pairs *hd_shm_pairs(struct hd_shm *m);     /* by the host: for strategy tsa */

#endif
