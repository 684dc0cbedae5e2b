/* must.h: must-happen-before: what no schedule of this input turns round, and what
 * locks keep apart, over the event stream of one run. Shared by every prediction
 * (iRoots, synchronization pairs, feasible sets of access patterns). Vector clocks,
 * threads, barriers, once, signals and annotations are order/order.h's, with a policy
 * of its own (HD_MUST_POLICY); what this run shows but others may not is here.
 *
 *   s = hd_feed_decode(f, ev);
 *   hd_must_before(o, f, s);   what the event has waited for is known now
 *   ... the event happens: hd_must_clock, epoch, lockset say where it stands
 *   hd_feed_done(f);
 *   hd_must_after(o, f, s);    what it publishes; locks taken and released
 *
 * Files: must.c, must_block.c, must_lock.c, must_pass.c, must_sem.c, must_spin.c,
 * lockset.c.
 */
#ifndef HD_MUST_H
#define HD_MUST_H

#include "observe/feed/feed.h"
#include "order/order.h"
#include "predict/lockset.h"

/* An event stands in the order by three numbers: its thread, the thread's
 * *epoch* (grows with everything it publishes) and its *clock*, a snapshot of
 * the last epoch of every other thread that came before it.
 *
 * Ordering is by create, join, barrier, condition, semaphore, once, futex,
 * signals, annotations and spin flags; by heap blocks coming into being
 * (must_block.c); never by locks alone (but see must_lock.c) or atomics alone,
 * only together with what was read of what the other thread wrote (must_pass.c).
 * Conditions and semaphores order only what must be so as far as this run shows:
 * of several possible wakers what all of them know, of several posts those
 * without which there were too few.
 */
#define HD_SPIN_DEFAULT 3
#define HD_EPOCH_NEVER UINT32_MAX

/* Conditions, futexes and semaphores are judged by must.c and must_sem.c. */
#define HD_MUST_POLICY                                                                             \
    (HD_ORDER_NO_LOCKS & ~(HD_ORDERS(COND) | HD_ORDERS(FUTEX) | HD_ORDERS(SEM)))

struct hd_must_held {
    u32 lock;
    u32 from;  /* the thread's time when it was taken */
    u32 epoch; /* its epoch then */
    bool is_shared;
};

/* A loop that reads the same location again and again (must_spin.c). */
struct hd_must_spin {
    u64 generation;    /* of the location, 0 = no loop */
    u32 site;
    u32 reads;         /* equal ones in a row */
    u32 body[3];       /* other sites between two such reads */
    u8 n_body;
    bool is_written;   /* somebody wrote it since, see `write` */
    bool is_seen;      /* and it has read that */
    bool is_listed;    /* among the order's spinning threads */
    struct hd_vclock write; /* what the writer knew and had done */
};

/* An epoch ended by giving up a lock: what the thread knew then. */
struct hd_ended {
    u32 epoch, clock;
};

/* A time with locks held, at the end of which the thread learned something. */
struct hd_learning_rate {
    u32 from, to;
    u32 clock; /* then */
};

/* The last write of a location. */
struct hd_pass {
    u64 generation;
    u32 round;  /* of another than hd_must.pass_round: none */
    u32 epoch;  /* 0 = none */
    u32 before; /* that came before the writer took its locks */
    u32 clock, lockset;
    u16 tid;
    bool is_atomic;
};

struct hd_must_thread {
    u32 clock;             /* snapshot of what it knows, 0 = to be taken */
    u32 lockset;
    u32 locks_seen;        /* the feed's locks_changed it was made from */
    bool is_seen;          /* created or met */
    bool is_live;          /* ... and not ended */
    bool is_waiting;       /* for a condition or futex */
    bool is_sure;          /* has been woken for certain */
    u64 wait_generation;
    struct hd_vclock waker; /* n = 0: nobody yet */
    struct hd_must_spin spin;
    HD_VEC(struct hd_must_held) held; /* by lock, as in the lockset */
    /* must_pass.c */
    bool has_written;          /* under some lock, in this epoch */
    bool has_acted;            /* without a lock, since it last took one */
    u32 locked_from;           /* time since when it has held locks */
    u32 locked_epoch;          /* the last one before that */
    struct hd_vclock pending;  /* what it will know when it holds none */
    HD_VEC(u32) private;       /* blocks only it can know of (must_block.c) */
    HD_VEC(struct hd_ended) ended;     /* by epoch */
    HD_VEC(struct hd_learning_rate) learned; /* by time */
};

/* A critical section in which something was published, as its end published it:
 * who knows of the inside and takes the lock comes after the end as well. */
struct hd_section {
    u16 tid;
    u32 begin, end; /* epochs */
    struct hd_vclock known;
};
#define HD_SECTIONS 4 /* the latest of a lock */

/* Posts and waits of one thread on one semaphore, epochs never go down. */
struct hd_sem_thread {
    u16 tid;
    HD_VEC(u32) wait;
    HD_VEC(u32) post;
    HD_VEC(u32) post_clock;
};

struct hd_must_object {
    u64 generation;
    struct hd_vclock woke;     /* condition, futex: what the last waker knew */
    bool is_sem;
    u32 initial, posts, waits; /* semaphore */
    HD_VEC(struct hd_sem_thread) sem;
    struct hd_section *section; /* lock: HD_SECTIONS of them, or NULL */
    u32 n_sections;            /* so far */
    bool is_used;              /* since the last gap: in hd_must.used */
};

struct hd_must {
    struct hd_order base;      /* a thread's time there is its epoch here */
    u32 spin;                  /* equal reads that make a loop; 0 = HD_SPIN_DEFAULT */
    struct hd_must_thread *thread;
    u32 n_threads, cap_threads;
    HD_VEC(struct hd_must_object) object; /* those that are no memory; [0] unused */
    u32 *number;               /* ... by the feed's number, 0 = none */
    u32 cap_numbers;
    HD_VEC(u32) used;          /* objects with something to forget at a gap */
    struct hd_locksets locksets;
    HD_VEC(u32) snapshot;      /* clock: n, then n epochs; [0] unused */
    HD_VEC(u16) waiting;       /* threads */
    HD_VEC(u16) spinning;
    struct hd_map sem_value;   /* address -> value it was made with */
    bool has_passes;           /* what is passed on under locks orders (must_pass.c) */
    struct hd_pass *pass;      /* by the feed's number */
    u32 cap_passes;
    u32 pass_round;            /* grows when all of them are forgotten */
    struct hd_vclock passed;   /* scratch */
    struct hd_blocks *blocks;  /* must_block.c; NULL: none so far */
    u64 version;               /* changes with what any thread knows */
    u64 settled_version;
    struct hd_vclock settled;
};

void hd_must_init(struct hd_must *o, u32 spin);
void hd_must_release(struct hd_must *o);
void hd_must_begin(struct hd_must *o);
void hd_must_before(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s);
void hd_must_after(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s);

/* Events were left out: who waited, what semaphores and locations hold is not known. After
 * hd_feed_gap. */
void hd_must_gap(struct hd_must *o, const struct hd_feed *f);

/* Room for it, and its state. */
struct hd_must_thread *hd_must_thread(struct hd_must *o, u32 tid);
/* Its epoch, and what it knows. Pre: it has been seen. */
HD_INLINE u32 *hd_must_epoch(struct hd_must *o, u32 tid) { return &o->base.thread[tid].time; }
HD_INLINE struct hd_vclock *hd_must_known(const struct hd_must *o, u32 tid)
{
    return &o->base.thread[tid].known;
}

/* The thread's clock now. Numbers stay valid until hd_must_forget. */
u32 hd_must_clock_slow(struct hd_must *o, u32 tid);
HD_INLINE u32 hd_must_clock(struct hd_must *o, u32 tid)
{
    u32 c = o->thread[tid].clock;
    return HD_LIKELY(c) ? c : hd_must_clock_slow(o, tid);
}

/* Does an event of thread `tid` in that epoch come before an event of another
 * thread with that clock? */
HD_INLINE bool hd_must_knows(const struct hd_must *o, u32 clock, u32 tid, u32 epoch)
{
    const u32 *c = o->snapshot.at + clock;
    return tid < c[0] && c[1 + tid] >= epoch;
}

/* What the thread knew after its event at `time`, which had that clock: more, if it
 * was among locks and it learned when it gave them up (must_pass.c). */
u32 hd_must_clock_then(const struct hd_must *o, u32 tid, u32 time, u32 clock);

/* For every thread the last epoch that comes before whatever any *other* live
 * thread does from now on. */
const struct hd_vclock *hd_must_settled(struct hd_must *o);

/* Of the locks of `lockset`, held by the thread at `time`: which has it held
 * ever since, until now? As bits of that set. */
u32 hd_must_kept(const struct hd_must *o, u32 tid, u32 lockset, u32 time);
/* Of the locks it holds now: which has it taken after `time`? */
HD_INLINE u32 hd_must_taken_since(const struct hd_must_thread *th, u32 time)
{
    u32 bits = 0;
    for (size_t i = 0; i < th->held.n; i++)
        bits |= (u32)(th->held.at[i].from > time) << i;
    return bits;
}

/* Drops all clocks given out; what semaphores remember becomes coarser. */
void hd_must_forget(struct hd_must *o);
/* What forgetting would give back. */
size_t hd_must_bytes(const struct hd_must *o);

/* ---- between the files of the order -------------------------------------------- */

/* Thread learns a clock; what the thread knows and its own epoch, into `to`. */
void hd_must_learn(struct hd_must *o, u32 tid, const struct hd_vclock *from);
void hd_must_publish(struct hd_must *o, u32 tid, struct hd_vclock *to);
struct hd_must_object *hd_must_object(struct hd_must *o, const struct hd_feed *f, u32 obj);

/* must_lock.c */
void hd_must_update_locks(struct hd_must *o, const struct hd_feed *f, u32 tid);
void hd_must_begin_section(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s);
void hd_must_end_section(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s);
/* must_sem.c */
void hd_must_sem_wait(struct hd_must *o, struct hd_must_object *x, u16 tid);
void hd_must_sem_post(struct hd_must *o, struct hd_must_object *x, u16 tid);
/* must_block.c */
void hd_must_block_before(struct hd_must *o, const struct hd_seen *s);
void hd_must_block_clear(struct hd_must *o);
void hd_must_block_forget(struct hd_must *o);
void hd_must_block_release(struct hd_must *o);
/* must_pass.c */
void hd_must_learn_clock(struct hd_must *o, u16 tid, u32 clock, u16 from, u32 epoch);
void hd_must_pass_after(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s);
void hd_must_pass_lock(struct hd_must *o, u16 tid);
void hd_must_pass_unlocked(struct hd_must *o, const struct hd_seen *s);
void hd_must_pass_clear(struct hd_must *o);
void hd_must_pass_release(struct hd_must *o);
/* must_spin.c */
void hd_must_spin_before(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s);
void hd_must_spin_after(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s);

#endif
