/* record.h: what a run leaves behind besides events: its choices, and why it
 * ended. Plain data that crosses the process boundary in shared memory.
 */
#ifndef HD_RECORD_H
#define HD_RECORD_H

#include "event/event.h"

#define HD_STRATEGY_RULES 3 /* of a strategy that says how often each decided (tsa) */

enum hd_tstate {
    HD_T_FREE,     /* number not used yet */
    HD_T_NEW,      /* number given, CREATE not yet carried out */
    HD_T_PENDING,  /* has a pending operation */
    HD_T_RUNNING,  /* holds the baton (at most one) */
    HD_T_BLOCKED_OUTSIDE, /* blocked in a call nobody foresaw; comes back with RETURN */
    HD_T_FINISHED, /* EXIT carried out */
};

/* ---- choices --------------------------------------------------------- */

/* One entry of log and script: `count` consecutive choices of the same kind
 * and thread, or an amount of time. 8 bytes. */
enum hd_choice_kind {
    HD_CHOICE_PICK = 1,    /* tid goes next */
    HD_CHOICE_WAKE = 2,    /* tid, of several waiters, is the one woken */
    HD_CHOICE_TIMEOUT = 3, /* tid's timeout fires now, early */
    HD_CHOICE_SIGNAL = 4,  /* tid receives a process-directed signal of this process */
    HD_CHOICE_FOREIGN = 5, /* ... of another one: a replay waits until it comes */
    HD_CHOICE_CLOCK = 6,   /* the clock moves by `count` microseconds; tid ran last */
    HD_CHOICE_STOP = 7,    /* tid ran for `count` microseconds without a scheduling point and
                              was made to yield; the clock moves by as much */
    HD_CHOICE_READ = 8,    /* tid reads the clock beside a child: it has moved by `count`
                              microseconds, with real time */
    HD_CHOICE_RULE = 9,    /* `count` steps of whoever the rule names (sched/rule.c); tid is 0 */
};
HD_INLINE bool hd_choice_is_amount(u8 kind)
{
    return kind == HD_CHOICE_CLOCK || kind == HD_CHOICE_STOP || kind == HD_CHOICE_READ;
}
enum {
    HD_CHOICE_PREEMPTS = 1, /* PICK: another thread ran before and could have gone on. Only
                               told by logs, never looked at in scripts, not in files */
    HD_CHOICE_SIGNO_SHIFT = 1, /* FOREIGN: the signal's number is above this bit; 0 = any */
};
struct hd_choice {
    u32 count;
    u16 tid;
    u8 kind;
    u8 flags; /* HD_CHOICE_PREEMPTS, or the number of a signal */
};

/* Written by the core, read by the host. `check[i]` is the hash of all events
 * up to the end of entry i, `site[i]` the site of its first event: what replay
 * compares to say where it diverged. Owned by the caller (shared memory). */
struct hd_log {
    u32 n, cap;      /* entries used / available; full = HD_RUN_LIMIT_LOG */
    struct hd_choice *choice;
    u64 *site;
    u64 *check;
};

struct hd_diverged {
    bool is;
    u32 entry;      /* index in the script */
    u64 step;
    u16 want_tid, got_tid;
    u64 want_site, got_site;
    const char *why; /* static text: "thread cannot run", "other site", ... */
};

/* ---- what could have been chosen (search) ------------------------------ */

#define HD_SEARCH_THREADS 64 /* bit sets below are over the first so many */

/* One choice of a run and its alternatives, in order. */
enum {
    HD_OPTION_GIVES_UP = 1, /* PICK: the operation picked does not wait for ever */
    HD_OPTION_LATE = 2,     /* a timeout is too far away to come early */
    HD_OPTION_TIMER = 4,    /* the program has a timer of its own under way */
    HD_OPTION_PREFERS = 8,  /* PICK: of a rwlock that prefers writers (depend.h) */
    HD_OPTION_ROBUST = 16,  /* PICK: of a robust mutex */
    HD_OPTION_LAST_UNIT = 32, /* PICK: takes the last unit of a semaphore */
};
struct hd_option {
    u32 step;    /* the transition it belongs to, from 1 */
    u16 tid;     /* chosen; HD_NO_THREAD: nobody, the run is stuck */
    u8 kind;     /* enum hd_choice_kind: PICK, WAKE, SIGNAL */
    u8 flags;    /* HD_OPTION_* */
    u64 could;   /* PICK: enabled; WAKE: waiters; SIGNAL: who may get it */
    u64 candidates; /* PICK: of these, who does not wait by looping (spin.c) */
    u64 early;   /* PICK: blocked, but a timeout of theirs may come now */
};
_Static_assert(sizeof(struct hd_option) == 32, "shared layout");

/* What a thread wanted last: next it would do this. */
struct hd_pending {
    u32 step;  /* transitions carried out when it was stated */
    u16 size;
    u8 kind;
    u8 flags;  /* HD_OPTION_GIVES_UP */
    u64 site, obj, obj2;
    u32 ctx, arg;
};

/* What ended a run that says nothing about the program; the host says so (campaign/limit.c). */
enum hd_run_limit {
    HD_RUN_LIMIT_NONE,
    HD_RUN_LIMIT_STEPS,   /* --steps */
    HD_RUN_LIMIT_TIME,    /* --timeout, the wall clock (set by the host) */
    HD_RUN_LIMIT_LOG,     /* its choices could not be recorded any more */
    HD_RUN_LIMIT_MEMORY,  /* no memory left for the runtime's own state */
    HD_RUN_LIMIT_COUNT
};

/* ---- deadlock -------------------------------------------------------- */

struct hd_cycle {
    u32 n;             /* threads listed; 0 = no cycle, just nobody can run */
    bool is_cycle;     /* tid[i] waits for tid[i+1 mod n] */
    u16 tid[64];
    u64 obj[64];       /* what tid[i] waits for */
};

/* ---- delays ------------------------------------------------------------ */

/* The longest time that passed, because a timeout or a timer came early, while a
 * thread could have gone on and did not: what the run needs in reality. */
struct hd_held_back {
    s64 ns;            /* 0 = the run needs no delay */
    u64 from, to;      /* sites of the thread's last operation and of the next; 0, 0 = it has not begun */
    u64 step;          /* transitions carried out before the clock moved */
    u64 waiter_site;   /* what came early: where it waits; 0 = a timer */
    u16 tid;           /* the thread that was held back */
    u16 others;        /* so many others were held back as well */
    u16 waiter;        /* whose timeout came; HD_NO_THREAD = a timer */
    bool is_sleep;     /* ... it is a sleep */
};

/* ---- misuse (POSIX calls it undefined; glibc lets it pass) ------------- */

enum hd_misuse_kind {
    HD_MISUSE_NONE,
    HD_MISUSE_UNLOCK_NOT_OWNER, /* normal mutex unlocked by a non-owner */
    HD_MISUSE_UNLOCK_FREE,      /* unlocked while not locked */
    HD_MISUSE_DESTROY_HELD,     /* destroyed while locked or waited for */
    HD_MISUSE_WAIT_WITHOUT,     /* cond wait without holding the mutex */
    HD_MISUSE_RELOCK,           /* normal mutex locked again by its owner */
    HD_MISUSE_WAIT_TWO,         /* one cond waited on with two mutexes */
    HD_MISUSE_EXIT_HOLDING,     /* thread ended while holding a lock */
    HD_MISUSE_LEAK,             /* thread that nobody joined or detached */
    HD_MISUSE_UNSAFE_CALL,      /* signal handler calls what it must not; obj: the signal */
    HD_MISUSE_ERRNO,            /* ... changes errno; obj: hd_misuse_errno */
    HD_MISUSE_KINDS
};
struct hd_misuse {
    u8 kind;
    u16 tid, owner;
    u64 obj, site;
    u64 at;     /* UNSAFE_CALL, ERRNO: where the handler came in */
    u64 step;
};

/* `obj` of HD_MISUSE_ERRNO: the signal, and errno before and after. */
HD_INLINE u64 hd_misuse_errno(int signo, int before, int after)
{
    return (u64)(u8)signo | (u64)(u16)before << 16 | (u64)(u16)after << 32;
}

#define HD_LEARN_THREADS 512

/* Steps by what they act on and by where they are: objects and sites fall into groups, so that
 * the counts of a run fit in a table. */
enum hd_group_by {
    HD_BY_OBJECT,
    HD_BY_SITE,
    HD_BY_KINDS
};
#define HD_GROUPS 32
#define HD_GROUP_THREADS 32 /* the first ones */
struct hd_group_points {
    u16 of[HD_BY_KINDS][HD_GROUPS][HD_GROUP_THREADS]; /* no more than 65535 */
};

HD_INLINE u32 hd_group_of(u64 address)
{
    return (u32)(address * 0x9e3779b97f4a7c15ull >> 59);
}

/* Pre: tid < HD_GROUP_THREADS. */
HD_INLINE void hd_group_count(struct hd_group_points *g, u32 tid, u64 obj, u64 site)
{
    u16 *by_obj = &g->of[HD_BY_OBJECT][hd_group_of(obj)][tid];
    u16 *by_site = &g->of[HD_BY_SITE][hd_group_of(site)][tid];
    *by_obj = (u16)(*by_obj + (*by_obj != UINT16_MAX));
    *by_site = (u16)(*by_site + (*by_site != UINT16_MAX));
}

/* What earlier runs of the same campaign taught; kept by the fork server,
 * read-only for the strategy. All zero in the first run. */
/* How holding back the end of the process (sched/end.c) went. */
enum hd_end_hold {
    HD_HOLD_NONE,
    HD_HOLD_LAST, /* nobody else could go on */
    HD_HOLD_VAIN,  /* it was, for long, and others went on or round and round all the same */
};

struct hd_learned {
    u32 runs;
    u32 max_threads;
    u64 max_points;                       /* most scheduling points in a run */
    u64 mean_points;
    u32 thread_points[HD_LEARN_THREADS];  /* mean points of thread i */
    u32 whole_runs;                       /* in which every thread ended by itself: if there
                                             are any, max_points and mean_points are theirs */
    u32 thread_ends[HD_LEARN_THREADS];    /* runs in which thread i ended by itself; ditto */
    u32 ends_last, ends_vain;             /* enum hd_end_hold of earlier runs */
    u32 ends_handled;                     /* runs in which handlers of exit() came to points */
    struct hd_group_points sixteenths;    /* mean steps of a group and thread, times 16 */
};

#endif
