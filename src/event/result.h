/* result.h: what a run leaves behind besides events and choices (record.h): how it ended, in
 * numbers and in words, and its threads. Plain data, in the parts of shared memory that
 * the run and the server write (shm.h). */
#ifndef HD_RESULT_H
#define HD_RESULT_H

#include "event/record.h"

#define HD_SHM_FRAMES 1024             /* call depth kept per thread */
#define HD_CREATE_FRAMES 8

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
    HD_HEAP_READ_OVERFLOW, /* overflow: beyond what was asked for */
    HD_HEAP_WRITE_OVERFLOW,
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
    u64 events;                  /* in the ring; the last one is at ring_written - 1 */
    u64 left_out;                /* repeats that are not there (HD_EV_GAP) */
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
    u32 has_circled;             /* 1: others went round and round while a thread was held */
    u64 shadow_checks;           /* of a learning run: accesses it looked at, nearly */
    struct hd_held_back delay;   /* longest that the run needs (record.h) */
    u64 sleep_site;              /* a sleep that everybody waited for; 0 = none */
    u32 has_far;                 /* a timeout could have come early, but for max_delay_ns */
    u32 by_rule[HD_STRATEGY_RULES]; /* picks by each rule of the strategy, if it has any */
    u32 goals_tried;             /* bit per goal: its turn came */
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
    u32 goals_tried, reserved;   /* as in hd_stats */
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
    HD_NOTE_UNSAFE_CALL,  /* at `site` a handler of signal `obj` calls what it must not */
    HD_NOTE_ERRNO,        /* the handler at `site` of signal `obj` changes errno */
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

/* What a run left in memory when it ended of its own (HD_MODE_FINAL): words of the program's
 * variables, and of the heap blocks that these lead to, in the order they are reached
 * (runtime/heap/final.c). */
enum hd_final_kind {
    HD_FINAL_NUMBER,
    HD_FINAL_BLOCK,   /* a pointer into a live block; .value is its number, from 1 */
    HD_FINAL_ADDRESS, /* freed memory, a stack, code: where these are says nothing */
    HD_FINAL_KINDS
};
#define HD_FINAL_HEAP ((u64)1 << 63)
struct hd_final_word {
    u64 where; /* address of a variable's word; HD_FINAL_HEAP | number of the block << 32 | offset */
    u64 value;
    u32 kind;  /* enum hd_final_kind; words that are 0 are left out */
    u32 reserved;
};
#define HD_SHM_FINAL (1u << 16)
struct hd_final {
    u32 is_taken, is_cut; /* is_cut: there was more than is looked at */
    u32 n;                /* words */
    u32 n_blocks;
    u64 heap;             /* sum of the hashes of blocks, by their numbers (no addresses): the same
                             whichever was allocated first, and whatever links them */
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

#endif
