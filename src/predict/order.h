/* order.h: what no schedule of this input turns round, and what locks keep
 * apart: non-mutex happens-before and the locks held, over the event stream of
 * one run. Shared by every prediction (iRoots, synchronization pairs, feasible
 * sets of access patterns).
 *
 *   s = hd_feed_look(f, ev);
 *   hd_order_before(o, f, s);   what the event has waited for is known now
 *   ... the event happens: hd_order_clock, epoch, lockset say where it stands
 *   hd_feed_done(f);
 *   hd_order_after(o, f, s);    what it publishes; locks taken and given up
 *
 * Files: order.c, order_block.c, order_lock.c, order_pass.c, order_sem.c, order_spin.c,
 * lockset.c.
 */
#ifndef HD_ORDER_H
#define HD_ORDER_H

#include "observe/feed.h"
#include "predict/lockset.h"

/* An event stands in the order by three numbers: its thread, the thread's
 * *epoch* (grows with everything it publishes) and its *clock*, a snapshot of
 * the last epoch of every other thread that came before it.
 *
 * Ordering is by create, join, barrier, condition, semaphore, once, futex,
 * signals, annotations and spin flags; by heap blocks coming into being
 * (order_block.c); never by locks alone (but see order_lock.c) or atomics alone,
 * only together with what was read of what the other thread wrote (order_pass.c).
 * Conditions and semaphores order only what must be so as far as this run shows:
 * of several possible wakers what all of them know, of several posts those
 * without which there were too few.
 */
#define HD_SPIN_DEFAULT 3
#define HD_EPOCH_NEVER UINT32_MAX

struct hd_vclock {
    u32 n, cap;
    u32 *at; /* by thread: last epoch known; 0 = nothing */
};

struct hd_order_held {
    u32 lock;
    u32 from;  /* the thread's time when it was taken */
    u32 epoch; /* its epoch then */
    bool is_shared;
};

/* A loop that reads the same location again and again (order_spin.c). */
struct hd_order_spin {
    u64 life;          /* of the location, 0 = no loop */
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
struct hd_lesson {
    u32 from, to;
    u32 clock; /* then */
};

/* The last write of a location. */
struct hd_pass {
    u64 life;
    u32 epoch;  /* 0 = none */
    u32 before; /* that came before the writer took its locks */
    u32 clock, lockset;
    u16 tid;
    bool is_atomic;
};

struct hd_order_thread {
    u32 epoch;             /* from 1 */
    u32 clock;             /* snapshot of `known`, 0 = to be taken */
    u32 lockset;
    u32 locks_seen;        /* the feed's locks_changed it was made from */
    bool is_live;          /* created or seen, not ended */
    bool is_waiting;       /* for a condition or futex */
    bool is_sure;          /* has been woken for certain */
    u64 wait_life;
    u32 round;             /* of the barrier it stands at */
    struct hd_vclock known;
    struct hd_vclock waker; /* n = 0: nobody yet */
    struct hd_order_spin spin;
    HD_VEC(struct hd_order_held) held; /* by lock, as in the lockset */
    /* order_pass.c */
    bool has_written;          /* under some lock, in this epoch */
    bool has_acted;            /* without a lock, since it last took one */
    u32 locked_from;           /* time since when it has held locks */
    u32 locked_epoch;          /* the last one before that */
    struct hd_vclock pending;  /* what it will know when it holds none */
    HD_VEC(u32) private;       /* blocks only it can know of (order_block.c) */
    HD_VEC(struct hd_ended) ended;     /* by epoch */
    HD_VEC(struct hd_lesson) learned; /* by time */
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

struct hd_order_object {
    u64 life;
    u32 round;                 /* barrier: times it let threads through */
    struct hd_vclock vector;   /* what was published on it */
    struct hd_vclock through;  /* barrier: what those know who are let through */
    bool is_sem;
    u32 initial, posts, waits; /* semaphore */
    HD_VEC(struct hd_sem_thread) sem;
    struct hd_section *section; /* lock: HD_SECTIONS of them, or NULL */
    u32 n_sections;            /* so far */
};

struct hd_order {
    u32 spin;                  /* equal reads that make a loop; 0 = HD_SPIN_DEFAULT */
    struct hd_order_thread *thread;
    u32 n_threads, cap_threads;
    struct hd_order_object *object; /* by the feed's number */
    u32 cap_objects;
    struct hd_locksets locksets;
    HD_VEC(u32) snapshot;      /* clock: n, then n epochs; [0] unused */
    HD_VEC(u16) waiting;       /* threads */
    HD_VEC(u16) spinning;
    struct hd_map sem_value;   /* address -> value it was made with */
    struct hd_vclock signal[65];
    bool has_passes;           /* what is passed on under locks orders (order_pass.c) */
    struct hd_pass *pass;      /* by the feed's number */
    u32 n_passes, cap_passes;
    struct hd_vclock passed;   /* scratch */
    struct hd_blocks *blocks;  /* order_block.c; NULL: none so far */
    u64 version;               /* changes with what any thread knows */
    u64 settled_version;
    struct hd_vclock settled;
};

void hd_order_init(struct hd_order *o, u32 spin);
void hd_order_release(struct hd_order *o);
void hd_order_begin(struct hd_order *o);
void hd_order_before(struct hd_order *o, const struct hd_feed *f, const struct hd_seen *s);
void hd_order_after(struct hd_order *o, const struct hd_feed *f, const struct hd_seen *s);

/* Room for it, and its state. */
struct hd_order_thread *hd_order_thread(struct hd_order *o, u32 tid);

/* The thread's clock now. Numbers stay valid until hd_order_forget. */
u32 hd_order_clock_slow(struct hd_order *o, u32 tid);
HD_INLINE u32 hd_order_clock(struct hd_order *o, u32 tid)
{
    u32 c = o->thread[tid].clock;
    return HD_LIKELY(c) ? c : hd_order_clock_slow(o, tid);
}

/* Does an event of thread `tid` in that epoch come before an event of another
 * thread with that clock? */
HD_INLINE bool hd_order_knows(const struct hd_order *o, u32 clock, u32 tid, u32 epoch)
{
    const u32 *c = o->snapshot.at + clock;
    return tid < c[0] && c[1 + tid] >= epoch;
}

/* What the thread knew after its event at `time`, which had that clock: more, if it
 * was among locks and it learned when it gave them up (order_pass.c). */
u32 hd_order_clock_then(const struct hd_order *o, u32 tid, u32 time, u32 clock);

/* For every thread the last epoch that comes before whatever any *other* live
 * thread does from now on. */
const struct hd_vclock *hd_order_settled(struct hd_order *o);

/* Of the locks of `lockset`, held by the thread at `time`: which has it held
 * ever since, until now? As bits of that set. */
u32 hd_order_kept(const struct hd_order *o, u32 tid, u32 lockset, u32 time);
/* Of the locks it holds now: which has it taken after `time`? */
HD_INLINE u32 hd_order_taken_since(const struct hd_order_thread *th, u32 time)
{
    u32 bits = 0;
    for (size_t i = 0; i < th->held.n; i++)
        bits |= (u32)(th->held.at[i].from > time) << i;
    return bits;
}

/* Drops all clocks given out; what semaphores remember becomes coarser. */
void hd_order_forget(struct hd_order *o);
/* What forgetting would give back. */
size_t hd_order_bytes(const struct hd_order *o);

/* ---- between the files of the order -------------------------------------------- */

void hd_vclock_join(struct hd_vclock *to, const struct hd_vclock *from);
void hd_vclock_meet(struct hd_vclock *to, const struct hd_vclock *with);
void hd_vclock_learn(struct hd_vclock *c, u32 tid, u32 epoch);
HD_INLINE u32 hd_vclock_at(const struct hd_vclock *c, u32 tid)
{
    return tid < c->n ? c->at[tid] : 0;
}

/* Thread learns a clock; what the thread knows and its own epoch, into `to`. */
void hd_order_learn(struct hd_order *o, u32 tid, const struct hd_vclock *from);
void hd_order_publish(struct hd_order *o, u32 tid, struct hd_vclock *to);
struct hd_order_object *hd_order_object(struct hd_order *o, const struct hd_feed *f, u32 obj);

/* order_lock.c */
void hd_order_update_locks(struct hd_order *o, const struct hd_feed *f, u32 tid);
void hd_order_begin_section(struct hd_order *o, const struct hd_feed *f, const struct hd_seen *s);
void hd_order_end_section(struct hd_order *o, const struct hd_feed *f, const struct hd_seen *s);
/* order_sem.c */
void hd_order_sem_wait(struct hd_order *o, struct hd_order_object *x, u16 tid);
void hd_order_sem_post(struct hd_order *o, struct hd_order_object *x, u16 tid);
/* order_block.c */
void hd_order_block_before(struct hd_order *o, const struct hd_seen *s);
void hd_order_block_clear(struct hd_order *o);
void hd_order_block_forget(struct hd_order *o);
void hd_order_block_release(struct hd_order *o);
/* order_pass.c */
void hd_order_learn_clock(struct hd_order *o, u16 tid, u32 clock, u16 from, u32 epoch);
void hd_order_pass_after(struct hd_order *o, const struct hd_feed *f, const struct hd_seen *s);
void hd_order_pass_lock(struct hd_order *o, u16 tid);
void hd_order_pass_unlocked(struct hd_order *o, const struct hd_seen *s);
void hd_order_pass_clear(struct hd_order *o);
void hd_order_pass_release(struct hd_order *o);
/* order_spin.c */
void hd_order_spin_before(struct hd_order *o, const struct hd_feed *f, const struct hd_seen *s);
void hd_order_spin_after(struct hd_order *o, const struct hd_feed *f, const struct hd_seen *s);

#endif
