/* record.h: what a run leaves behind besides events: its choices, and why it
 * ended. Plain data that crosses the process boundary in shared memory.
 */
#ifndef HD_RECORD_H
#define HD_RECORD_H

#include "base/bits.h"
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
    HD_CHOICE_RULE = 9,    /* `count` steps of whoever the rule names (sched/rule.c); tid is 0.
                              Only in files up to version 4 */
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
 * compares to say where it diverged. Owned by the caller (shared memory).
 *
 * When the arrays are full, entry cap - 1 is always the last one of the run. Those between
 * cap - 2 and it are packed: bytes [0, packed), of which the last ones are in `ring` (byte i at
 * i % HD_LOG_RING) and all whole blocks before them in a file (hd_sched_env.spill). A block is
 * in the file before `packed` says that it is full, so one number tells where each byte is,
 * whenever the process ends. */
#define HD_LOG_BLOCK (1u << 15)
#define HD_LOG_RING (2 * HD_LOG_BLOCK)
#define HD_LOG_MOST ((u64)3 << 28) /* bytes of a run; more = HD_RUN_LIMIT_LOG */
struct hd_log {
    u32 n, cap;      /* entries used / available */
    struct hd_choice *choice;
    u64 *site;
    u64 *check;
    u8 *ring;        /* NULL: none is packed, full = HD_RUN_LIMIT_LOG */
    u64 packed;
    u32 unchecked;   /* packed entries since the last one with a check */
};

/* ---- packed choices: 2 to 5 bytes for most ------------------------------------------
 *   number   thread << 3 | HD_PACKED_*
 *   number   count - 1
 *   kind, flags   a byte each, with HD_PACKED_OTHER; else it is a PICK
 *   check    8 bytes, with HD_PACKED_CHECK; else it is not known
 * A number is seven bits a byte, the lowest first, with bit 7 in all bytes but the last. */
enum { HD_PACKED_OTHER = 1, HD_PACKED_PREEMPTS = 2, HD_PACKED_CHECK = 4, HD_PACKED_TID = 3 };
#define HD_PACKED_MOST 24 /* bytes of one; in fact 18 */
#define HD_PACKED_CHECKS 1024 /* one in so many picks has a check */

HD_INLINE u32 hd_packed_put_number(u8 *to, u64 v)
{
    u32 n = 0;
    for (; v >= 128; v >>= 7)
        to[n++] = (u8)(v | 128);
    to[n++] = (u8)v;
    return n;
}

/* Returns the bytes used; 0: they are none, or cut off. */
HD_INLINE u32 hd_packed_get_number(const u8 *from, u32 room, u64 most, u64 *v)
{
    *v = 0;
    for (u32 n = 0; n < room && n < 6; n++) {
        *v |= (u64)(from[n] & 127) << 7 * n;
        if (!(from[n] & 128))
            return *v <= most ? n + 1 : 0;
    }
    return 0;
}

/* Pre: room for HD_PACKED_MOST. check 0 = none. Returns how many bytes. */
HD_INLINE u32 hd_packed_put(u8 *to, const struct hd_choice *c, u64 check)
{
    u32 is_other = c->kind != HD_CHOICE_PICK;
    u32 preempts = is_other ? 0 : c->flags & HD_CHOICE_PREEMPTS;
    u32 n = hd_packed_put_number(to, (u64)c->tid << HD_PACKED_TID | is_other |
                                         (preempts ? HD_PACKED_PREEMPTS : 0) |
                                         (check ? HD_PACKED_CHECK : 0));
    n += hd_packed_put_number(to + n, c->count - 1);
    if (is_other) {
        to[n++] = c->kind;
        to[n++] = c->flags;
    }
    for (u32 i = 0; check && i < 8; i++)
        to[n++] = (u8)(check >> 8 * i);
    return n;
}

/* Returns the bytes used; 0: they are no choice, or cut off. What comes out is within bounds. */
HD_INLINE u32 hd_packed_get(const u8 *from, u32 room, struct hd_choice *c, u64 *check)
{
    u64 head, count;
    u32 n = hd_packed_get_number(from, room, ((u64)HD_MAX_THREADS << HD_PACKED_TID) - 1, &head);
    u32 k = n ? hd_packed_get_number(from + n, room - n, UINT32_MAX - 1, &count) : 0;
    u32 more = (head & HD_PACKED_OTHER ? 2 : 0) + (head & HD_PACKED_CHECK ? 8 : 0);
    if (!k || room - n - k < more)
        return 0;
    n += k;
    *c = (struct hd_choice){.count = (u32)count + 1, .tid = (u16)(head >> HD_PACKED_TID),
                            .kind = HD_CHOICE_PICK,
                            .flags = head & HD_PACKED_PREEMPTS ? HD_CHOICE_PREEMPTS : 0};
    if (head & HD_PACKED_OTHER) {
        c->kind = from[n++];
        c->flags = from[n++];
        if (c->kind <= HD_CHOICE_PICK || c->kind > HD_CHOICE_RULE)
            return 0;
    }
    *check = 0;
    for (u32 i = 0; head & HD_PACKED_CHECK && i < 8; i++)
        *check |= (u64)from[n++] << 8 * i;
    return n;
}

struct hd_diverged {
    bool is;
    u64 entry;      /* index in the script */
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

/* How often each site was a step of a run: a table of fixed size; of programs with more sites some
 * are not counted. */
#define HD_LEARN_SITES 1024 /* power of two */
#define HD_LEARN_PROBES 16u

struct hd_site_points {
    u64 site[HD_LEARN_SITES]; /* 0 = free */
    u32 times[HD_LEARN_SITES];
    u64 threads[HD_LEARN_SITES]; /* that came there: bit of the number modulo 64 */
};

/* Where `site` is counted, or would be; HD_LEARN_SITES = there is no room for it. */
HD_INLINE u32 hd_site_points_at(const struct hd_site_points *p, u64 site)
{
    u32 at = (u32)(site * 0x9e3779b97f4a7c15ull >> 54) & (HD_LEARN_SITES - 1);
    for (u32 i = 0; i < HD_LEARN_PROBES; i++, at = (at + 1) & (HD_LEARN_SITES - 1))
        if (p->site[at] == site || !p->site[at])
            return at;
    return HD_LEARN_SITES;
}

HD_INLINE void hd_site_points_count(struct hd_site_points *p, u32 tid, u64 site)
{
    u32 at = hd_site_points_at(p, site);
    if (at == HD_LEARN_SITES)
        return;
    p->site[at] = site;
    p->times[at] += p->times[at] != UINT32_MAX;
    p->threads[at] |= (u64)1 << (tid & 63);
}

/* Of each site the run with the most of it counts. */
HD_INLINE void hd_site_points_join(struct hd_site_points *all, const struct hd_site_points *run)
{
    for (u32 i = 0; i < HD_LEARN_SITES; i++) {
        u32 at = run->site[i] ? hd_site_points_at(all, run->site[i]) : HD_LEARN_SITES;
        if (at == HD_LEARN_SITES)
            continue;
        all->site[at] = run->site[i];
        all->threads[at] |= run->threads[i];
        all->times[at] = HD_MAX(all->times[at], run->times[i]);
    }
}

/* How often a thread comes there in a run, about. */
HD_INLINE u32 hd_site_points_each(const struct hd_site_points *p, u32 at)
{
    u32 threads = hd_ones(p->threads[at]);
    return threads ? (p->times[at] + threads - 1) / threads : 0;
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
    struct hd_site_points sites;          /* most steps of a site in a run, beside other threads */
};

#endif
