/* internal.h: what the files of src/sched share and nobody else sees.
 *
 *   thread --link--> object queue: everybody who wants the object or waits in it
 *   thread --held--> hold --obj--> object: locks the thread has
 *
 * Rule: whoever changes an object calls hd_refresh_queue, whoever changes a
 * thread calls hd_refresh; so s->enabled is always right without a scan.
 * A wait of several transitions rewrites th->op to the next one (enter_wait).
 */
#ifndef HD_SCHED_INTERNAL_H
#define HD_SCHED_INTERNAL_H

#include <errno.h>

#include "event/effect.h"
#include "sched/sched.h"

/* ---- objects ------------------------------------------------------------ */

enum hd_objtype {
    HD_OBJ_MUTEX,
    HD_OBJ_RWLOCK,
    HD_OBJ_COND,
    HD_OBJ_BARRIER,
    HD_OBJ_SEM,
    HD_OBJ_ONCE,
    HD_OBJ_FUTEX,
    HD_OBJ_THREAD, /* addr is a thread number: the queue of those that join it */
    HD_OBJ_TYPES
};

/* Thread `tid` has the lock `obj`, `count` times. */
struct hd_hold {
    struct hd_hold *next, *prev; /* in thread.held */
    struct hd_hold *next_reader; /* in obj.rw.readers, or in the free list */
    struct hd_obj *obj;
    u32 count;
    u16 tid;                     /* HD_NO_THREAD: nobody */
};

struct hd_obj {
    u64 addr;
    u8 type;                      /* enum hd_objtype */
    struct hd_link *first, *last; /* queue in order of arrival */
    struct hd_obj *peer;          /* object.c: same region, or free list */
    struct hd_hold own;           /* mutex: owner; rwlock: writer */
    union {
        struct {
            u8 kind;              /* HD_MTX_* */
            bool is_dead;         /* free, last owner died with it */
            bool is_inconsistent; /* owner got EOWNERDEAD */
            bool is_lost;         /* not recoverable */
            u32 users;            /* cond waiters that will take it again */
        } mutex;
        struct {
            struct hd_hold *readers;
            bool prefers_writer;
        } rw;
        struct {
            u32 count, arrived;
        } barrier;
        struct {
            u32 value;
        } sem;
        struct {
            bool is_done;
            u16 owner;            /* runs the routine */
        } once;
    };
};

struct hd_objects {
    u32 cap, n;                /* slots (power of two), objects */
    struct hd_obj **slot;
    u32 regions;               /* power of two */
    struct hd_obj **region;    /* chains by address, for hd_sched_forget */
    struct hd_obj *free_objs;
    struct hd_hold *free_holds;
    struct hd_saved *free_saved;
};

/* An operation put aside while a signal handler runs. */
struct hd_saved {
    struct hd_saved *below;
    struct hd_op op;
    u8 phase;
    bool timed_out;
    s32 wait_err;
    u32 wait_seq;
    struct hd_res res;
    struct hd_link link;
};

void hd_object_init(struct hd_sched *s);
struct hd_obj *hd_object_find(const struct hd_sched *s, u8 type, u64 addr);
/* Finds or makes it (then zeroed but for addr, type, own; *is_new set). */
struct hd_obj *hd_object_get(struct hd_sched *s, u8 type, u64 addr, bool *is_new);
/* The program says it is gone. Its state is reset; the memory is kept as long
 * as somebody is queued. */
void hd_object_drop(struct hd_sched *s, struct hd_obj *o);

void hd_link_add(struct hd_sched *s, struct hd_link *l, struct hd_obj *o);
void hd_link_remove(struct hd_link *l);
const struct hd_op *hd_link_op(const struct hd_sched *s, const struct hd_link *l);

struct hd_hold *hd_hold_reader(struct hd_sched *s, struct hd_obj *o, u16 t);
const struct hd_hold *hd_hold_find_reader(const struct hd_obj *o, u16 t);
void hd_hold_add(struct hd_sched *s, struct hd_hold *h, struct hd_obj *o, u16 t);
void hd_hold_remove(struct hd_sched *s, struct hd_hold *h);
/* Takes a reader's hold off `o` and recycles it. */
void hd_hold_drop_reader(struct hd_sched *s, struct hd_obj *o, struct hd_hold *h);

struct hd_saved *hd_saved_push(struct hd_sched *s, u16 t);
void hd_saved_pop(struct hd_sched *s, u16 t);
/* Gives the newest one up; true if it was a cond wait under way. */
bool hd_saved_abandon(struct hd_sched *s, u16 t);

/* ---- end.c ------------------------------------------------------------------ */
void hd_end_begin(struct hd_sched *s, u16 t);
void hd_end_done(struct hd_sched *s);
u32 hd_end_hold(struct hd_sched *s, u32 n);

/* ---- step.c: enabledness and transitions --------------------------------- */

bool hd_can_run(const struct hd_sched *s, u16 t);
void hd_refresh(struct hd_sched *s, u16 t);
void hd_refresh_queue(struct hd_sched *s, const struct hd_obj *o);
/* th->op and th->phase are set: queue for the object, start the clock, compute
 * enabledness, look for a cycle. */
void hd_arm(struct hd_sched *s, u16 t);
/* Undo of hd_arm: in no queue, no timer, not enabled. */
void hd_disarm(struct hd_sched *s, u16 t);
/* The pending operation of t goes on as `kind`, waiting in the queue of `o`. */
void hd_enter_wait(struct hd_sched *s, u16 t, struct hd_obj *o, u8 kind);
/* Lets a waiter through. */
void hd_wake(struct hd_sched *s, struct hd_link *l);
void hd_misuse(struct hd_sched *s, u8 kind, u16 t, u16 owner, u64 obj, u64 site);
void hd_emit(struct hd_sched *s, const struct hd_event *ev);
/* What a step of th counts for, in any case. */
HD_INLINE void hd_count_step(struct hd_sched *s, struct hd_sthread *th, const struct hd_event *ev)
{
    th->points++;
    th->last_site = ev->site;
    th->last_obj = ev->obj;
    if (s->cfg.group_points && ev->tid < HD_GROUP_THREADS)
        hd_group_count(s->cfg.group_points, ev->tid, ev->obj, ev->site);
    if (s->cfg.site_points && s->n_threads > 1)
        hd_site_points_count(s->cfg.site_points, ev->tid, ev->site);
}

/* ---- models: hd_X_can says whether the pending operation could complete now,
 * hd_X_step carries it out: sets res and ev->arg, returns true if the call is
 * complete, false if it waits on (th->op rewritten). ------------------------- */

struct hd_obj *hd_mutex_model(struct hd_sched *s, u64 addr, u64 kind);
bool hd_mutex_can(const struct hd_sched *s, u16 t);
bool hd_mutex_step(struct hd_sched *s, u16 t, struct hd_event *ev);
void hd_mutex_reset(struct hd_sched *s, struct hd_obj *m);
s32 hd_mutex_unlock(struct hd_sched *s, u16 t, struct hd_obj *m, u64 site, bool is_wait);
void hd_mutex_owner_died(struct hd_sched *s, struct hd_obj *m);

struct hd_obj *hd_rwlock_model(struct hd_sched *s, u64 addr, u64 prefers_writer);
bool hd_rwlock_can(const struct hd_sched *s, u16 t);
bool hd_rwlock_step(struct hd_sched *s, u16 t, struct hd_event *ev);
void hd_rwlock_reset(struct hd_sched *s, struct hd_obj *o);
bool hd_rwlock_has_writer_waiting(const struct hd_sched *s, const struct hd_obj *o, u16 except);

bool hd_cond_step(struct hd_sched *s, u16 t, struct hd_event *ev);

struct hd_obj *hd_sem_model(struct hd_sched *s, u64 addr, u64 value);
bool hd_sem_can(const struct hd_sched *s, u16 t);
bool hd_sem_step(struct hd_sched *s, u16 t, struct hd_event *ev);

bool hd_barrier_step(struct hd_sched *s, u16 t, struct hd_event *ev);

struct hd_obj *hd_once_model(struct hd_sched *s, u64 addr);
bool hd_once_can(const struct hd_sched *s, u16 t);
bool hd_once_step(struct hd_sched *s, u16 t, struct hd_event *ev);

bool hd_join_can(const struct hd_sched *s, u16 t);
void hd_join_claim(struct hd_sched *s, u16 t);
void hd_join_changed(struct hd_sched *s, u16 target);
void hd_join_unclaim(struct hd_sched *s, u16 t, u16 target);
bool hd_join_step(struct hd_sched *s, u16 t, struct hd_event *ev);

bool hd_futex_step(struct hd_sched *s, u16 t, struct hd_event *ev);

/* Signals the thread must run a handler for before its operation. */
u64 hd_signal_of(const struct hd_sthread *th, u64 unblocked);
HD_INLINE u64 hd_signal_due(const struct hd_sthread *th)
{
    u64 unblocked = th->sig_pending & ~th->sig_blocked;
    return HD_LIKELY(!unblocked) ? 0 : hd_signal_of(th, unblocked);
}
bool hd_signal_step(struct hd_sched *s, u16 t, struct hd_event *ev);
void hd_signal_handler(struct hd_sched *s, u16 t, struct hd_event *ev);
/* May t get a process-directed signal now, of this process or of another one (kind)?
 * Number `signo`, or the lowest if that is 0; 0 = none. */
u32 hd_signal_for(const struct hd_sched *s, u16 t, u8 kind, u32 signo);
u8 hd_signal_kind(const struct hd_sched *s, u32 signo);
void hd_signal_lend(struct hd_sched *s, u16 t, u32 signo);
/* t ends: what was lent to it is the process's again. */
void hd_signal_leave(struct hd_sched *s, u16 t);
/* Who of the first 64 threads may get process-directed signal signo? */
u64 hd_signal_receivers(const struct hd_sched *s, u32 signo);
/* Gives out process-directed signals by chance; true if one was given. */
bool hd_signal_route(struct hd_sched *s);

/* ---- vtime.c ------------------------------------------------------------- */

bool hd_vtime_is_timed(const struct hd_op *op);
void hd_vtime_arm(struct hd_sched *s, u16 t);
void hd_vtime_disarm(struct hd_sched *s, u16 t);
void hd_vtime_expire(struct hd_sched *s);
s64 hd_vtime_earliest(const struct hd_sched *s);
/* May t's timeout come early, however far it is? Not beside somebody who runs in real
 * time and would be overtaken. */
bool hd_vtime_may_overtake(const struct hd_sched *s, u16 t);
/* The clock moves to t's deadline; whoever could run before that was held back. */
void hd_vtime_overtake(struct hd_sched *s, u16 t);
/* The clock is about to move by `ns` for the sake of `waiter` (HD_NO_THREAD = a timer):
 * accounts for whoever could run, or could have before it gets there. */
void hd_vtime_hold(struct hd_sched *s, s64 ns, u16 waiter);
/* Is t's deadline so near that it may come early? */
bool hd_vtime_is_near(const struct hd_sched *s, u16 t);
/* Perhaps lets one blocked thread's timeout, or the runtime's timer, come early. */
void hd_vtime_early(struct hd_sched *s);
/* Carries out clock entries of the script that are next. */
void hd_vtime_follow(struct hd_sched *s);
/* t has shown no progress for `steps` steps: time passes for whoever waits for it.
 * `most`: microseconds a step may take. */
void hd_vtime_no_progress(struct hd_sched *s, u16 t, u32 steps, u32 most);
/* The next sleeper whose time may be made to come, if there is one. */
bool hd_vtime_can_hurry(struct hd_sched *s);
void hd_vtime_hurry(struct hd_sched *s);

/* ---- spin.c --------------------------------------------------------------- */

/* What a transition meant, for fairness. */
enum hd_effect {
    HD_EFFECT_NONE,
    HD_EFFECT_READ,  /* changed nothing */
    HD_EFFECT_FAIL,  /* tried and did not get it */
    HD_EFFECT_WEAK,  /* lock, unlock, update: progress unless repeated for long */
    HD_EFFECT_WRITE, /* progress */
    HD_EFFECT_YIELD,
};
/* Of a read, a write or an atomic operation; `flags`: HD_OP_*. */
HD_INLINE u8 hd_spin_effect_of_access(u8 kind, u8 flags)
{
    u32 may = hd_meaning[kind].effects;
    if (!(may & HD_WRITES) || flags & HD_OP_PLAIN_SPIN)
        return HD_EFFECT_READ;
    return may & HD_WEAK ? HD_EFFECT_WEAK : HD_EFFECT_WRITE;
}
HD_INLINE u64 hd_spin_key(u64 site, u64 obj) { return (site * 0x9e3779b97f4a7c15ull) ^ obj; }
#define HD_SPIN_PATIENCE 16 /* more patience where each round may be real work */
#define HD_SPIN_QUIET 64    /* steps without a write, times spin_limit */
#define HD_SPIN_CHECK 1023u /* look for starved threads every so many steps (mask) */
/* One more step without a write; counted unless it means that the thread spins: then false. */
HD_INLINE bool hd_spin_goes_on(struct hd_spin *sp, u64 key, u32 limit, bool is_weak)
{
    bool is_known = key == sp->key[0] || key == sp->key[1] || key == sp->key[2] || key == sp->key[3];
    bool was_weak = is_weak || (is_known && sp->is_weak);
    u32 hits = is_known ? sp->hits + 1 : 0;
    /* a lock it did not use of late: it gets on */
    u32 idle = is_weak && !is_known ? 1 : sp->idle + 1;
    if (hits >= (was_weak ? limit * HD_SPIN_PATIENCE : limit) || idle >= limit * HD_SPIN_QUIET)
        return false;
    if (!is_known) {
        sp->key[sp->next] = key;
        sp->next = (sp->next + 1) & 3;
    }
    sp->hits = hits;
    sp->idle = idle;
    sp->is_weak = was_weak;
    return true;
}
HD_INLINE void hd_spin_wrote(struct hd_sthread *th)
{
    struct hd_spin *sp = &th->spin;
    sp->hits = sp->idle = sp->fails = sp->yields = sp->paroles = 0;
    sp->is_weak = false;
    th->clock_reads = th->pace = 0;
}
/* After each transition: demotes t, or promotes others. */
void hd_spin_account(struct hd_sched *s, u16 t, const struct hd_event *ev, u8 flags,
                     bool timed_out);
/* Fills s->cand with the threads to choose from, returns how many. */
u32 hd_spin_candidates(struct hd_sched *s);
void hd_spin_clear(struct hd_sched *s, u16 t);
/* Thread t, which yields next, ran for long without a scheduling point. */
void hd_spin_stopped(struct hd_sched *s, u16 t);
void hd_spin_init(struct hd_sched *s);

/* ---- livelock.c ------------------------------------------------------------- */

void hd_livelock_init(struct hd_sched *s);
/* Before a choice, from step s->livelock.next on. True: it is proven that nobody gets on. */
bool hd_livelock_check(struct hd_sched *s);
/* Is all that this kind of event does part of the state? */
bool hd_livelock_allows(u8 kind);

/* ---- rule.c --------------------------------------------------------------- */

/* Does who ran last go on, if it can? Else the strategy is asked, which is noted. */
HD_INLINE bool hd_rule_stays(const struct hd_sched *s)
{
    return HD_UNLIKELY(s->step < s->stay_until);
}
#define HD_RULE_FROM (1u << 19)
void hd_rule_prolong(struct hd_sched *s);
HD_INLINE void hd_rule_chosen(struct hd_sched *s)
{
    if (HD_UNLIKELY(s->preemptions >= HD_RULE_FROM))
        hd_rule_prolong(s);
}
/* Records up to version 4: before the candidates of a pick by the rule are known, ... */
void hd_rule_begin(struct hd_sched *s);
/* ... and after; there is one. */
u16 hd_rule_pick(const struct hd_sched *s);

/* ---- long/quiet.c ----------------------------------------------------------- */

/* An access of t is done, which runs on. */
void hd_quiet_plan(struct hd_sched *s, u16 t);
/* The strategy hears of the picks that it was not asked for. */
void hd_quiet_told(struct hd_sched *s);
HD_INLINE void hd_quiet_end(struct hd_sched *s)
{
    s->quiet.until = 0;
    if (HD_UNLIKELY(s->quiet.made))
        hd_quiet_told(s);
}

/* ---- packed.c --------------------------------------------------------------- */

/* The last entry of the log makes room for one of `next_kind`. False: there is none. */
bool hd_packed_push(struct hd_sched *s, u8 next_kind);
/* The script's arrays are used up: the next packed entries take their place. */
void hd_packed_refill(struct hd_sched *s);
/* The script's next entry. */
HD_INLINE void hd_script_next(struct hd_sched *s)
{
    s->script_used = 0;
    if (HD_UNLIKELY(++s->script_pos >= s->script.n && s->script_read < s->script.packed))
        hd_packed_refill(s);
}

/* ---- choice.c --------------------------------------------------------------- */

/* Thread t gets process-directed signal signo. */
void hd_choice_log_signal(struct hd_sched *s, u16 t, u32 signo);
/* Next thread, its pick logged; or HD_NO_THREAD and *end: HD_STEP_RESUME =
 * something changed, try again; else what hd_sched_step returns. */
u16 hd_choice_pick(struct hd_sched *s, enum hd_step *end, u16 *wanted);
/* The transition's event is known: complete the entry's check, and compare it with the
 * script's where an entry of that ends. */
void hd_choice_compare(struct hd_sched *s);
HD_INLINE void hd_choice_done(struct hd_sched *s)
{
    s->log->check[s->pick_entry] = s->hash;
    if (HD_UNLIKELY(s->expected.check))
        hd_choice_compare(s);
}
/* One of the waiters of `o` whose bitset meets `bits` (0 = all); NULL if none. */
struct hd_link *hd_choice_waiter(struct hd_sched *s, const struct hd_obj *o, u32 bits, u64 site);
void hd_choice_log(struct hd_sched *s, u8 kind, u16 t, u64 site);
/* An entry of its own, with an amount of time. */
void hd_choice_log_amount(struct hd_sched *s, u8 kind, u16 t, u32 us, u64 site);
HD_INLINE bool hd_choice_has_script(const struct hd_sched *s)
{
    return s->script_pos < s->script.n;
}

/* ---- options.c: while searching (cfg.is_search) -------------------------------- */

/* t was picked; `candidates`: first word of the candidates. */
void hd_option_pick(struct hd_sched *s, u16 t, u64 candidates);
/* t was chosen as waiter or for a signal, out of `could`. */
void hd_option_among(struct hd_sched *s, u8 kind, u16 t, u64 could);
/* Nobody is picked any more: the run is stuck. */
void hd_option_stuck(struct hd_sched *s);
/* A deadlock has closed: shall those outside it go on? */
bool hd_option_outlives(struct hd_sched *s);
/* Thread t has another pending operation. */
void hd_option_pending(struct hd_sched *s, u16 t);
/* Takes those asleep out of s->cand; how many are left. If none: *end is what
 * hd_choice_pick is to return. */
u32 hd_option_awake(struct hd_sched *s, enum hd_step *end);
/* t goes on with `op`: who sleeps and depends on that wakes up. */
void hd_option_wake(struct hd_sched *s, u16 t, const struct hd_op *op);
/* t's timeout is about to come early, t is to be picked next. */
void hd_option_fired(struct hd_sched *s, u16 t);
/* No preemption: the thread that ran last, else the next number. */
u16 hd_option_next(const struct hd_sched *s);

/* ---- deadlock.c --------------------------------------------------------------- */

/* t has just been blocked: does that close a cycle nobody can break? */
void hd_deadlock_check(struct hd_sched *s, u16 t);
/* Nobody can run: say why in s->cycle. */
void hd_deadlock_explain(struct hd_sched *s);

HD_INLINE u32 hd_words(const struct hd_sched *s)
{
    return HD_BITS_WORDS(s->n_threads);
}

/* What the strategy may know; `n` candidates are in s->cand. */
HD_INLINE struct hd_view hd_sched_view(const struct hd_sched *s, u32 n)
{
    return (struct hd_view){.step = s->step,
                            .current = hd_bit_is_set(s->cand, s->last) ? s->last : HD_NO_THREAD,
                            .n_threads = s->n_threads,
                            .n_enabled = n,
                            .words = hd_words(s),
                            .enabled = s->cand,
                            .threads = &s->thread[0].op,
                            .stride = sizeof s->thread[0],
                            .states = &s->thread[0].state};
}

#endif
