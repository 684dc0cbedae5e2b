/* sched.h: the scheduler as a pure state machine: no threads, no clock, no
 * I/O, no globals. The runtime drives it with real threads, the unit tests
 * with scripted operations.
 *
 *   hd_sched_post(s, t, op)    thread t states what it wants to do next
 *   hd_sched_step(s, &t)       -> HD_STEP_RESUME: thread t's operation is done,
 *                                 s->thread[t].res holds its result, t runs on
 *                                 until it posts again
 *
 * Between two calls of hd_sched_step exactly one thread runs (it holds the
 * baton); every other live thread has a pending operation. hd_sched_step may
 * carry out several transitions inside (a cond wait is: give up the mutex,
 * be woken, take the mutex) until some thread's whole call is complete.
 *
 * Every transition is logged as a pick, also when there was one candidate only:
 * then a script stays aligned even if the outside world made another thread
 * ready earlier or later than it did when recorded.
 *
 * Every choice (who goes next, which waiter is woken, does a timeout fire
 * early) passes through choice.c, which takes it from the replay script if
 * there is one, from the strategy or the core's own generator otherwise, and
 * writes it to the log. So every strategy replays for free.
 *
 * Files: sched.c (threads, post), step.c (enabledness, transitions), choice.c
 * (choices, log, script), object.c (address -> model), vtime.c (virtual time),
 * spin.c (fairness), deadlock.c (cycles), livelock.c (proof of a hang), rule.c and packed.c
 * (long runs), hand_over.c (objects that leave the models), options.c (what a search must know),
 * valid.c (invariants), sync_*.c (one model each).
 */
#ifndef HD_SCHED_H
#define HD_SCHED_H

#include "base/base.h"
#include "base/bits.h"
#include "base/rng.h"
#include "event/event.h"
#include "event/record.h"
#include "strategy/strategy.h"

struct hd_sched;

/* ---- operations: what `arg` etc. mean when posted ------------------------
 * READ WRITE ALOAD ASTORE ARMW   obj address, size; always enabled
 * CREATE      obj child number (from hd_sched_spawn)
 * JOIN        obj thread number; arg 1 = try (EBUSY if alive); deadline if TIMED.
 *             EDEADLK on self or mutual join, EINVAL if detached or joined by
 *             another, ESRCH if joined already
 * DETACH      obj thread number; EINVAL/ESRCH likewise
 * EXIT        the thread's last; robust mutexes it holds become owner-dead. It is
 *             resumed once more, FINISHED, to leave; it steps to pass the baton
 * MUTEX_*, LOCK, TRYLOCK, UNLOCK, CONSISTENT   obj, arg HD_MTX_*
 * RW_INIT, RDLOCK, ...           obj, arg 1 = writers are preferred
 * COND_WAIT   obj cond, obj2 mutex, arg HD_MTX_* of the mutex
 * BARRIER_INIT arg count; SEM_INIT arg value (SEM_* on an unknown object creates
 *             it with value arg); SEM_POST EOVERFLOW past SEM_VALUE_MAX;
 *             BARRIER_WAIT on an unknown object creates it with count arg
 * ONCE_BEGIN / ONCE_END (arg 1 = routine left by cancel or exception: next runs it)
 * FUTEX_WAIT  obj, arg expected value, arg2 bitset (0 = any): EAGAIN if load32
 *             differs
 * FUTEX_WAKE  obj, arg count, arg2 bitset; FUTEX_REQUEUE obj, obj2, arg wake,
 *             arg2 requeue count (value comparison is done by the runtime)
 * SLEEP       deadline
 * YIELD       arg HD_YIELD_CALL: the program says so, else the runtime
 * IO          obj descriptor; arg 1 = cannot block: always enabled. Else enabled
 *             when io_ready or past its deadline (res.err ETIMEDOUT)
 * KILL        obj thread number or ~0 (process), arg signal
 * SIGWAIT     arg set of signals (bit n-1); ETIMEDOUT past the deadline
 * RETURN      back from outside; always enabled
 * END         the process ends; enabled, yet no candidate for a while (end.c). arg
 *             HD_END_LAST: after the last handler of exit(), else before the first
 * A handled signal (sig_pending & ~sig_blocked) makes any pending thread
 * enabled; it is then resumed with res.signal, the operation being put aside.
 * A signal a thread sends itself is taken at its next operation.
 * Lock operations that end in EOWNERDEAD did take the lock.
 */

#define HD_END_LAST 1
#define HD_YIELD_CALL 1

/* ---- results --------------------------------------------------------- */

struct hd_res {
    s32 err;     /* 0 or a positive errno: what the pthread call returns */
    u32 woken;   /* wakers: how many threads */
    u64 value;   /* once: 1 = run the routine; barrier: 1 = serial thread;
                    sem_getvalue: value; sigwait: signal; futex: count */
    bool signal; /* resumed only to run the handler of signal `value`: the
                    operation has NOT happened, it is put aside. The runtime runs
                    the handler (which may post operations of its own), then
                    calls exactly one of hd_sched_resume_op (goes on as before)
                    and hd_sched_abandon (gives up with EINTR) */
};

enum hd_step {
    HD_STEP_RESUME,   /* *tid goes on */
    HD_STEP_IO,       /* nobody can run, but threads wait for I/O: the runtime
                         waits for readiness (until s->io_deadline at most) and
                         calls hd_sched_io_ready / hd_sched_clock_jump, then
                         steps again. During replay: *tid is the thread the
                         script wants, HD_NO_THREAD otherwise. A second step
                         with nothing new ready means it will not come: strict
                         diverges, otherwise the entry is skipped. */
    HD_STEP_DEADLOCK, /* s->cycle tells why */
    HD_STEP_LIMIT,    /* a limit of ours was reached: s->limit */
    HD_STEP_HANG,     /* threads can run, but it is proven that they get nowhere: s->livelock */
    HD_STEP_DIVERGED, /* strict replay: s->diverged tells where */
    HD_STEP_DONE,     /* no live thread is left */
    HD_STEP_CUT,      /* search: only threads asleep are left to run */
    HD_STEP_TIMER,    /* s->timer is due: the runtime lets it expire and steps again */
};

/* ---- threads --------------------------------------------------------- */

enum hd_phase {
    HD_PH_NONE,   /* op not begun */
    HD_PH_WAIT,   /* enqueued on the object (cond, futex, barrier) */
    HD_PH_WOKEN,  /* let through by another thread, may complete */
    HD_PH_RELOCK, /* cond wait: taking the mutex again */
};

#define HD_SIG_CANCEL 32 /* pending "signal" that stands for a cancellation */

/* One place in the queue of an object. */
struct hd_link {
    struct hd_link *next, *prev;
    struct hd_obj *obj;      /* NULL: in no queue */
    struct hd_saved *saved;  /* belongs to an operation put aside, or NULL */
    u16 tid;
};

struct hd_sthread {
    u8 state;            /* enum hd_tstate */
    u8 phase;            /* enum hd_phase of the pending operation */
    bool timed_out;      /* deadline passed or fired early */
    bool is_detached;
    bool io_ready;
    bool is_yielded;     /* demoted until another thread makes progress (spin.c) */
    u16 parent;
    u16 joiner;          /* thread blocked in JOIN on this one, or HD_NO_THREAD */
    u16 n_held;          /* locks held now */
    u32 wait_seq;        /* order of arrival in the queue it waits in */
    u64 sig_pending;     /* bit (n-1): signal n directed at this thread */
    u64 sig_lent;        /* ... of these, sent to the process: it gets back what t cannot take */
    u64 sig_blocked;     /* its mask, kept by the runtime */
    struct hd_op op;     /* valid while PENDING: the next transition. A cond wait
                            shows as COND_WAIT, then COND_WAKE, then LOCK; barrier
                            and futex waits as BARRIER_LEAVE, FUTEX_WOKEN */
    struct hd_res res;   /* valid after RESUME */
    u64 points;          /* scheduling points so far */
    u64 last_site, last_obj;
    struct hd_spin {     /* spin.c: recent steps that changed nothing */
        u64 key[4];
        u32 hits;        /* keys met again since the last new one or write */
        u32 next;        /* slot of `key` replaced next */
        u32 idle;        /* steps since the last write */
        u32 fails;       /* tries of fail_obj that failed, none succeeding */
        u32 yields;      /* since the last write */
        u32 paroles;     /* demotions since the last write */
        u64 until;       /* step at which a demotion ends in any case */
        bool is_weak;    /* locks or updates were among the hits */
        bool is_hard;    /* is_yielded outlasts lock and unlock of others */
        bool is_waiting; /* is_yielded because it repeats itself: it waits by looping. Who only
                            yields or reads the clock may be at work */
        u64 fail_obj;
    } spin;
    u32 clock_reads;     /* consecutive, for vtime.c */
    u32 pace;            /* vtime.c: futile rounds since its last progress */
    s64 held_ns;         /* vtime.c: held back so long ... */
    u64 held_points;     /* ... since this number of its points */
    bool is_joined;
    bool is_cancelled;   /* cancellation was requested: it may leave any wait */
    bool was_enabled;    /* at some time since it began to wait */
    bool has_waited;     /* not enabled at some time since it was posted */
    s32 wait_err;        /* cond wait: result so far while RELOCK */
    u64 post_step;       /* s->step and points when the operation was posted */
    u64 post_points;
    bool is_hurried;     /* the strategy let its time come, to see it go on (vtime.c) */
    u64 wait_step;       /* s->step when it first could go on (was_enabled) */
    u32 wait_stops;      /* ... and s->n_stops */
    struct hd_link link; /* place in the queue of what it waits for or wants */
    struct hd_hold *held;   /* locks held */
    struct hd_saved *saved; /* operations put aside for signal handlers, newest first */
    u32 mark;            /* deadlock.c: search that met it last */
    u16 via, mark_next;
};

/* ---- replay script -------------------------------------------------- */

struct hd_script {
    u32 n;
    const struct hd_choice *choice;
    const u64 *site;  /* may be NULL: not compared */
    const u64 *check; /* may be NULL */
    bool strict;      /* a choice that cannot be followed is a divergence;
                         else it is skipped and the fallback goes on */
    u64 packed;       /* bytes of further entries (env.script) */
};

/* What holds at the end of the transition under way, if a script says so. */
struct hd_expected {
    u64 check; /* 0 = it does not */
    u64 site, entry;
    u16 tid;
};

/* ---- configuration and environment ------------------------------------ */

struct hd_sched_config {
    u64 seed, run;
    u64 step_limit;     /* 0 = none */
    u32 early_per_1024; /* chance per decision that some timeout fires early */
    u32 spin_limit;     /* futile re-reads before a thread counts as spinning */
    s64 step_ns;        /* virtual time per step */
    s64 max_delay;      /* a timeout comes early only if nobody is held back for longer, in
                           virtual ns; 0 = no timeout comes early */
    bool is_slow;       /* ... long ones are as likely as short ones */
    const struct hd_strategy *strategy; /* NULL: no preemption, else the next number */
    struct hd_strategy_arg strategy_arg;
    struct hd_group_points *group_points; /* every step is counted there; NULL = not */
    struct hd_site_points *site_points;   /* ... once there was a second thread */
    bool is_random;     /* addresses differ from process to process: hash sites by env.normal, too */
    u32 end_hold;       /* steps the end of the process is held back at most; 0 = not at all */
    bool has_handlers;  /* ... but for exit()'s beginning: its handlers do what others notice */
    bool is_search;     /* tell env.chosen and env.pending; no chance in any choice */
    u64 proof_step;     /* replay of a proven hang: step at which the proof began; 0 = not known */
    u64 asleep;         /* search: threads not to be run where the script ends, until
                           somebody does what depends on their operation */
};

/* What the pure core needs from its surroundings. `self` is passed back. */
struct hd_sched_env {
    void *self;
    u32 (*load32)(void *self, u64 addr);          /* futex word, now */
    void *(*alloc)(void *self, size_t bytes);     /* zeroed, 16-aligned, never freed in a run */
    void (*emit)(void *self, const struct hd_event *ev); /* may be NULL */
    u64 (*normal)(void *self, u64 obj); /* obj as hashed: e.g. stack addresses made
                                           relative; NULL = as it is */
    /* Search: a choice was made and takes effect now; a thread's pending
     * operation is another one now (first HD_SEARCH_THREADS threads). */
    void (*chosen)(void *self, const struct hd_option *o);
    void (*pending)(void *self, u16 tid, const struct hd_pending *p);
    /* Children of the program run, in real time: no timeout comes early, for the clock
     * would run ahead of them. NULL = there are none. */
    bool (*has_children)(void *self);
    /* The runtime's earliest timer would end the program: a watchdog. It comes when nobody can
     * run or steps have taken that long, but not early. NULL = there are none. */
    bool (*has_watchdog)(void *self);
    /* Keeps `n` bytes of the log, from byte `at` of its packed entries on; false: it cannot.
     * NULL = none are packed. */
    bool (*spill)(void *self, u64 at, const u8 *bytes, u32 n);
    /* Reads bytes of the script's packed entries; how many. */
    u32 (*script)(void *self, u64 at, u8 *to, u32 n);
    /* For livelock.c; NULL = hangs are not looked for. Hash of what thread `tid` goes on
     * with: registers and stack. Hash of all other memory but the stack of `except`
     * (HD_NO_THREAD: with all stacks), 0 = cannot tell; `is_first`: of an attempt. */
    u64 (*local)(void *self, u16 tid);
    u64 (*memory)(void *self, u16 except, bool is_first);
};

#define HD_MAX_MISUSE 16

/* livelock.c */
struct hd_livelock {
    u64 next;         /* step at which it looks; 0 = at every step, an attempt is under way */
    u64 interval;     /* to the attempt after the next */
    u64 began;        /* step of the last attempt */
    u64 step;         /* when it looked last */
    u16 want;         /* thread to go next, HD_NO_THREAD = whoever */
    u8 phase;
    bool is_spoiled;  /* something happened that is not part of the state */
    bool is_quiet;    /* proven: nobody changes anything; else: `states` are a closed set */
    u32 states;       /* proven: so many threads loop / states; 0 = nothing is proven */
    struct hd_livelock_work *work;
};

/* long/quiet.c: thread `tid`, which runs, goes on with accesses */
struct hd_quiet {
    u64 until;       /* ... up to this step; 0 = nothing is known */
    s64 before;      /* ... and while the clock is before that */
    u64 made;        /* picks that the strategy does not know of yet */
    u16 tid;
    bool is_choice;  /* there are others who could go */
    bool is_asked;   /* the strategy would be */
    bool is_scripted;
    bool may_write, may_update; /* nobody is demoted who would come back by that */
};

struct hd_sched {
    struct hd_sched_config cfg;
    struct hd_sched_env env;
    u32 n_threads;               /* numbers given so far */
    u16 recycled;                /* number given a second time last */
    u16 current;                 /* thread resumed last */
    u16 last;                    /* thread of the last transition */
    u64 step;                    /* transitions carried out */
    u64 points;                  /* ... that had two candidates or more */
    u64 switches;                /* resumes of another thread than before */
    u64 preemptions;             /* picks of another thread although the last could go on */
    u64 hash;                    /* of all events */
    u64 next_parole;             /* spin.c: not later than the first `until` */
    bool is_yield_weak;          /* spin.c: drawn for this run */
    s64 now;                     /* virtual ns since start */
    bool is_beside_real;         /* the program has children, which run in real time: the clock
                                    never overtakes them. Kept by the runtime, by the record */
    u32 real_spins;              /* ... futile steps that real time is to pass for */
    s64 timer;                   /* earliest timer of the runtime, or HD_NEVER: kept by it */
    s64 io_deadline;             /* with HD_STEP_IO: earliest timer, or HD_NEVER */
    s64 io_patience;             /* ... others can run: no longer than that, in real time,
                                    and virtual time stands still; HD_NEVER = nobody can */
    u64 sig_process;             /* process-directed signals not yet given to a thread */
    u64 sig_foreign;             /* ... of these, sent by another process: kept by the runtime */
    struct hd_rng rng;           /* core's own choices */
    struct hd_log *log;
    struct hd_script script;
    u32 script_pos, script_used; /* entry, choices of it already taken */
    u64 script_base;             /* entries before those in `script` now, */
    u64 script_read;             /* ... and bytes of packed ones up to their end (packed.c) */
    struct hd_window *window;    /* where they are unpacked to; NULL = not needed yet */
    struct hd_diverged diverged;
    struct hd_cycle cycle;
    u32 n_misuse;
    struct hd_misuse misuse[HD_MAX_MISUSE];
    u64 enabled[HD_BITS_WORDS(HD_MAX_THREADS)];
    struct hd_sthread thread[HD_MAX_THREADS];
    struct hd_objects *objects;  /* object.c */
    u64 timed[HD_BITS_WORDS(HD_MAX_THREADS)];   /* pending with a deadline to come */
    u64 yielded[HD_BITS_WORDS(HD_MAX_THREADS)]; /* is_yielded */
    u64 cand[HD_BITS_WORDS(HD_MAX_THREADS)];    /* scratch: offered to the strategy */
    u32 n_live;                  /* PENDING, RUNNING or OUTSIDE */
    u32 n_blocked_outside;
    u32 n_io;                    /* pending on HD_EV_IO that may block */
    u32 n_timed, n_yielded;
    s64 passed_ns;               /* time that has passed for sleepers since the last transition: not logged */
    s64 next_deadline;           /* no deadline in `timed` is earlier */
    u32 n_ending;                /* pending on HD_EV_END */
    u64 end_since, end_until;    /* ... held back from this step up to that one, */
    bool is_end_long;            /* as long as is allowed */
    u64 end_points;              /* of the thread in exit(), once its beginning is done; 0 = none */
    bool had_handlers;           /* its handlers came to scheduling points */
    u8 end_hold_was;             /* enum hd_end_hold */
    u32 n_stops;                 /* hd_sched_stopped */
    u64 n_circles;               /* rounds that others made while a thread was held (spin.c) */
    u32 n_early;                 /* timeouts that came early by chance */
    struct hd_held_back delay;       /* the longest so far */
    u64 sleep_site;              /* first sleep that everybody waited for; 0 = none */
    bool has_far;                /* a timeout did not come early because of cfg.max_delay */
    u32 wait_seq;                /* last given to a waiter */
    u32 mark;                    /* last given by deadlock.c */
    u32 pick_entry;              /* log entry of the transition under way */
    struct hd_expected expected; /* of the script's entry that ends with it */
    u64 asleep;                  /* search: as cfg.asleep, now */
    u16 fired;                   /* search: its timeout came for it to be picked next */
    struct hd_option before_fired;
    u64 stuck_step;              /* search: `step` when the deadlock was met */
    u16 boost, boost_from;       /* starved thread to be let through (spin.c) */
    u16 boost_left;
    bool is_stuck;               /* a deadlock has closed, `cycle` is set */
    bool is_log_full;
    bool is_rule;                /* the last pick was made by the rule of older records (rule.c) */
    u64 stay_until;              /* step up to which who runs goes on if it can (rule.c) */
    u8 limit;                    /* with HD_STEP_LIMIT: enum hd_run_limit */
    bool is_io_asked;            /* HD_STEP_IO named a thread, nothing came since */
    u32 n_asked;                 /* ... but so many timers, the last one */
    s64 asked_ns;                /* ... after this time */
    bool sig_dirty;              /* sig_process may have become deliverable */
    struct hd_livelock livelock;
    struct hd_quiet quiet;
    u64 strategy_state[HD_STRATEGY_WORDS];
};

/* Is an attempt to prove a hang under way? */
HD_INLINE bool hd_sched_is_proving(const struct hd_sched *s) { return s->livelock.work && !s->livelock.next; }

/* Pre: *s zeroed or released; log->cap > 0. Registers thread 0 as RUNNING. */
void hd_sched_init(struct hd_sched *s, const struct hd_sched_config *cfg,
                   const struct hd_sched_env *env, struct hd_log *log);

/* Begin a run: new configuration, fresh choices, step, hash and time; threads
 * and objects made so far (by constructors before main) stay as they are.
 * `script` may be NULL. Pre: thread s->current is RUNNING. */
void hd_sched_begin(struct hd_sched *s, const struct hd_sched_config *cfg,
                    const struct hd_script *script);

/* A number for a thread about to be created by `parent`. When all were used, those
 * of threads that have ended and were joined or detached are used again;
 * HD_NO_THREAD: HD_MAX_THREADS are there at a time. It becomes PENDING/START when the parent's
 * CREATE is carried out; undo takes it back if the real creation failed. */
u16 hd_sched_spawn(struct hd_sched *s, u16 parent);
void hd_sched_spawn_undo(struct hd_sched *s, u16 tid);

/* A thread nobody announced (made inside a library): PENDING/RETURN at once. */
u16 hd_sched_adopt(struct hd_sched *s);

/* Pre: t is RUNNING (or OUTSIDE, then op->kind is HD_EV_RETURN). */
void hd_sched_post(struct hd_sched *s, u16 t, const struct hd_op *op);

enum hd_step hd_sched_step(struct hd_sched *s, u16 *tid);

/* Carries out `op`, an access or atomic operation of the thread that runs, as hd_sched_post and
 * hd_sched_step would, if it is known that t goes on and s->timer has not changed. False: nothing
 * has happened. Pre: op->ctx is set. */
bool hd_sched_quiet(struct hd_sched *s, u16 t, const struct hd_op *op);
HD_INLINE bool hd_is_access(u8 kind) { return kind <= HD_EV_ARMW; }

/* After res.signal: give the operation that was put aside up; t is RUNNING. The
 * caller returns EINTR. A cond waiter takes its mutex first, so it is posted
 * as a LOCK by the caller if this returns true. A wake-up it had got already
 * goes to another waiter, if there is one. */
bool hd_sched_abandon(struct hd_sched *s, u16 t);

/* After res.signal: the operation that was put aside is pending again, as it
 * was: place in the queue, phase, deadline, and wake-ups that came meanwhile.
 * Used instead of hd_sched_post; hd_sched_step follows. Pre: t is RUNNING. */
void hd_sched_resume_op(struct hd_sched *s, u16 t);

/* Record an event that is not a scheduling point (ALLOC, HB_*, ...). It carries
 * the number of the last step. */
void hd_sched_note(struct hd_sched *s, u16 t, const struct hd_op *op);

/* The running thread t is stuck in the kernel; somebody else takes the baton. */
void hd_sched_blocked_outside(struct hd_sched *s, u16 t);

/* I/O readiness of a thread pending on HD_EV_IO. */
void hd_sched_io_ready(struct hd_sched *s, u16 t, bool ready);

/* Signals. signo 1..64; t = HD_NO_THREAD: to the process. */
void hd_sched_signal(struct hd_sched *s, u16 t, u32 signo);
void hd_sched_sigmask(struct hd_sched *s, u16 t, u64 blocked);
/* The runtime has taken the signals `set` (bit n-1) from th. */
HD_INLINE void hd_sched_signals_taken(struct hd_sthread *th, u64 set)
{
    th->sig_pending &= ~set;
    th->sig_lent &= ~set;
}
/* Ends all waits for signals with EAGAIN: from now on signals may come from outside, so
 * their threads wait in another way. */
void hd_sched_sigwait_again(struct hd_sched *s);

/* Virtual time: move forward to `when` (not back), e.g. after real waiting.
 * An early timeout moves the clock too: a program never sees a timed wait end
 * before its time, only everybody else being slow. */
void hd_sched_clock_jump(struct hd_sched *s, s64 when);
/* The same as a choice of its own in the log, in whole microseconds: for what a
 * replay could not know (real time, timers). Nothing while a strict script is
 * followed: its clock entries move the clock. */
void hd_sched_clock_move(struct hd_sched *s, s64 when);
/* Thread t, which posts a YIELD next, was stopped after running for `ns` of real
 * time without a scheduling point. */
void hd_sched_stopped(struct hd_sched *s, u16 t, s64 ns);
/* Does a strict script say all that happens? */
bool hd_sched_is_followed(const struct hd_sched *s);
/* A script is followed and says that thread t, which runs, is stopped before its
 * next operation; after so many ns, or 0. */
s64 hd_sched_wants_stop(const struct hd_sched *s, u16 t);
/* The clock as thread t reads it, beside children not before `real`, the time by theirs; consecutive reads with nothing between make
 * it go faster, so that loops waiting for a time end. *is_due: others should get
 * a turn before the caller goes on (a YIELD). */
s64 hd_sched_clock_read(struct hd_sched *s, u16 t, s64 real, bool *is_due);

/* Forget models of objects in freed memory [addr, addr+len). */
void hd_sched_forget(struct hd_sched *s, u64 addr, u64 len);

/* Object `obj` (whatever its type) leaves the models, because other processes come
 * to share it: operations on it that are pending end with err HD_HANDED_OVER, and
 * their callers go on with the real object. */
#define HD_HANDED_OVER 4095 /* no errno */
void hd_sched_hand_over(struct hd_sched *s, u64 obj);

/* The running thread t takes recursive lock `obj`, which is free or its own, or gives
 * it up, without a step: for locks inside libc, whose use is no event by itself. */
void hd_sched_take(struct hd_sched *s, u16 t, u64 obj);
void hd_sched_give(struct hd_sched *s, u16 t, u64 obj);

/* For reports: who owns lock `obj` now, or HD_NO_THREAD. */
u16 hd_sched_owner(const struct hd_sched *s, u64 obj);

/* Executable invariants; false and *why set if one is broken. */
bool hd_sched_is_valid(const struct hd_sched *s, const char **why);

#endif
