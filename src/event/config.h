/* config.h: what the host asks of a target: how runs are made, and which ones. Plain data, in
 * the host's part of shared memory (shm.h). */
#ifndef HD_CONFIG_H
#define HD_CONFIG_H

#include "event/goal.h"

/* Locks that are left out (--without-locks): "all", or ranges of the program's file in
 * hexadecimal, 1190-11f0,2000-2040. In the environment, so that a finding is replayed without
 * the same locks. */
#define HD_WITHOUT_ENV "HEDDLE_WITHOUT_LOCKS"

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
    HD_MODE_FUNCTIONS = 65536, /* entries and exits of functions are events, accesses are not
                               (runtime/filter/pass.h) */
    HD_MODE_VALUES = 524288, /* with STREAM: accesses tell what they find (event.h, HD_ARG_BITS); writes
                               to memory of one thread alone are events too, in short runs */
    HD_MODE_CHECK_LEAKS = 1048576, /* a thread that nobody joined or detached is a misuse */
    HD_MODE_CHECK_CALLS = 2097152, /* ... what a signal handler must not call, */
    HD_MODE_CHECK_ERRNO = 4194304, /* ... a handler that changes errno */
    HD_MODE_FINAL = 16777216, /* the run says what it leaves in memory (result.h: hd_final) */
    HD_MODE_SLOW = 131072,  /* delays of every length are tried (sched.h: is_slow) */
    HD_MODE_BESIDE = 8388608, /* other processes of the run are controlled as well: the clock never
                               runs ahead of theirs (docs/design/time.md) */
    HD_MODE_STARTED = 262144, /* a command of the user's started the program: it does one run, and
                               its standard streams are not ours (runtime/started/relay.c) */
};

#define HD_MODE_CHECKS (HD_MODE_CHECK_LEAKS | HD_MODE_CHECK_CALLS | HD_MODE_CHECK_ERRNO)

struct hd_config {
    u32 mode;               /* enum hd_mode bits */
    u32 strategy;           /* index in strategy.def */
    u64 strategy_param;
    u64 seed;
    u64 step_limit;         /* 0 = none */
    u64 proof_step;         /* replay: step at which the proof of the hang began; 0 = none */
    u32 early_per_1024;
    u32 context;            /* callers in the hash of an event's context */
    u32 spin_limit;
    u32 reserved;
    s64 step_ns;
    s64 max_delay_ns;       /* longest delay of a thread that is tried; 0 = none */
    s64 epoch_ns;           /* CLOCK_REALTIME at virtual time 0 */
    u64 data_seed;          /* for getrandom & co. */
    u32 patience_ms;        /* real time given to outside events before timers jump */
    s32 cpu;                /* pin the target to this core, -1 = do not */
    u64 stream_all;         /* with STREAM: after so many events of a run only news are streamed
                               (runtime/news/news.c); 0 = all are */
    u32 instance;           /* STARTED: which of the processes of its program and kind, in the
                               order they come, from 1 */
    u32 is_forked;          /* ... they are copies of a process, not programs that were started */
    u64 started_with;       /* ... arguments and way of forking it has, as a hash; 0 = not known */
    u32 same_nth;           /* ... which of those that have the same, from 1 */
    u32 is_together;        /* ... others that are controlled are there at the same time */
};

enum hd_cmd { HD_CMD_RUN = 1, HD_CMD_QUIT = 2 };

struct hd_command {
    u32 cmd;
    u32 count;
    u64 first_run;
    u64 number;             /* of the batch, from 1: the server says which one it is at */
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

#endif
