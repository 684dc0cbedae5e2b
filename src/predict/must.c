/* must.c: see must.h; semaphores are in must_sem.c, spin flags in must_spin.c, locks in
 * must_lock.c. */
#include "predict/must.h"
#include "base/vec.h"

#include <string.h>

/* ---- lifecycle ---------------------------------------------------------------- */

void hd_must_init(struct hd_must *o, u32 spin)
{
    *o = (struct hd_must){.spin = spin ? spin : HD_SPIN_DEFAULT};
    hd_order_init(&o->base, HD_MUST_POLICY);
    hd_locksets_init(&o->locksets);
    *hd_vec_add(&o->object) = (struct hd_must_object){0};
    hd_must_begin(o);
}

static void clear_object(struct hd_must_object *x)
{
    for (size_t i = 0; i < x->sem.n; i++) {
        hd_vec_release(&x->sem.at[i].wait);
        hd_vec_release(&x->sem.at[i].post);
        hd_vec_release(&x->sem.at[i].post_clock);
    }
    hd_vec_clear(&x->sem);
    hd_vclock_clear(&x->woke);
    x->initial = x->posts = x->waits = 0;
    x->is_sem = false;
    x->n_sections = 0;
}

void hd_must_release(struct hd_must *o)
{
    hd_must_pass_release(o);
    hd_must_block_release(o);
    for (u32 t = 0; t < o->cap_threads; t++) {
        hd_vclock_release(&o->thread[t].waker);
        hd_vclock_release(&o->thread[t].spin.write);
        hd_vec_release(&o->thread[t].held);
    }
    for (u32 i = 1; i < o->object.n; i++) {
        struct hd_must_object *x = &o->object.at[i];
        clear_object(x);
        hd_vclock_release(&x->woke);
        hd_vec_release(&x->sem);
        for (u32 k = 0; x->section && k < HD_SECTIONS; k++)
            hd_vclock_release(&x->section[k].known);
        free(x->section);
    }
    hd_order_release(&o->base);
    free(o->thread);
    hd_vec_release(&o->object);
    free(o->number);
    hd_vclock_release(&o->settled);
    hd_locksets_release(&o->locksets);
    hd_vec_release(&o->snapshot);
    hd_vec_release(&o->waiting);
    hd_vec_release(&o->used);
    hd_vec_release(&o->spinning);
    hd_map_release(&o->sem_value);
    *o = (struct hd_must){0};
}

void hd_must_begin(struct hd_must *o)
{
    for (u32 t = 0; t < o->n_threads; t++) {
        struct hd_must_thread *th = &o->thread[t];
        th->clock = th->lockset = th->locks_seen = 0;
        th->is_seen = th->is_live = th->is_waiting = th->is_sure = false;
        th->waker.n = 0;
        th->spin.generation = 0;
        th->spin.is_listed = false;
        hd_vec_clear(&th->held);
        th->has_written = th->has_acted = false;
        th->pending.n = 0;
    }
    hd_must_pass_clear(o);
    hd_must_block_clear(o);
    o->n_threads = 0;
    hd_order_begin(&o->base);
    hd_vec_clear(&o->waiting);
    hd_vec_clear(&o->spinning);
    hd_vec_clear(&o->snapshot);
    *hd_vec_add(&o->snapshot) = 0; /* clock 0 knows nothing */
    hd_map_clear(&o->sem_value);
    hd_locksets_clear(&o->locksets);
    o->version++;
    hd_must_thread(o, 0);
}

struct hd_must_thread *hd_must_thread(struct hd_must *o, u32 tid)
{
    if (HD_UNLIKELY(tid >= o->cap_threads))
        o->thread = hd_vec_room_zeroed(o->thread, &o->cap_threads, tid, sizeof *o->thread);
    struct hd_must_thread *th = &o->thread[tid];
    if (HD_UNLIKELY(!th->is_seen)) {
        hd_order_thread(&o->base, tid);
        th->is_seen = th->is_live = true;
        o->n_threads = HD_MAX(o->n_threads, tid + 1);
        o->version++;
    }
    return th;
}

struct hd_must_object *hd_must_object(struct hd_must *o, const struct hd_feed *f, u32 obj)
{
    if (HD_UNLIKELY(obj >= o->cap_numbers))
        o->number = hd_vec_room_zeroed(o->number, &o->cap_numbers, obj, sizeof *o->number);
    if (HD_UNLIKELY(!o->number[obj])) {
        o->number[obj] = (u32)o->object.n;
        *hd_vec_add(&o->object) = (struct hd_must_object){0};
    }
    struct hd_must_object *x = &o->object.at[o->number[obj]];
    if (x->generation != f->object[obj].generation) {
        clear_object(x);
        x->generation = f->object[obj].generation;
    }
    if (!x->is_used) {
        x->is_used = true;
        *hd_vec_add(&o->used) = o->number[obj];
    }
    return x;
}

size_t hd_must_bytes(const struct hd_must *o)
{
    return o->snapshot.n * sizeof *o->snapshot.at;
}

void hd_must_forget(struct hd_must *o)
{
    for (u32 t = 0; t < o->n_threads; t++)
        o->thread[t].clock = 0;
    for (u32 i = 1; i < o->object.n; i++) {
        struct hd_must_object *x = &o->object.at[i];
        if (x->is_sem) { /* as if made with what is left now */
            u32 left = x->initial + x->posts - x->waits;
            clear_object(x);
            x->is_sem = true;
            x->initial = left;
        }
    }
    hd_must_pass_clear(o);
    hd_must_block_forget(o);
    hd_vec_clear(&o->snapshot);
    *hd_vec_add(&o->snapshot) = 0;
}

void hd_must_gap(struct hd_must *o, const struct hd_feed *f)
{
    hd_order_gap(&o->base);
    for (u32 t = 0; t < o->n_threads; t++) {
        struct hd_must_thread *th = &o->thread[t];
        th->is_waiting = th->is_sure = th->has_written = th->has_acted = false;
        th->waker.n = th->pending.n = 0;
        th->spin.generation = 0;
        th->spin.is_listed = false;
        if (t < f->n_threads)
            hd_must_update_locks(o, f, t);
    }
    for (size_t i = 0; i < o->used.n; i++) { /* all others are as they were made */
        clear_object(&o->object.at[o->used.at[i]]);
        o->object.at[o->used.at[i]].is_used = false;
    }
    hd_vec_clear(&o->used);
    hd_vec_clear(&o->waiting);
    hd_vec_clear(&o->spinning);
    hd_map_clear(&o->sem_value);
    hd_must_pass_clear(o);
    hd_must_block_forget(o);
}

/* ---- clocks ------------------------------------------------------------------- */

HD_NOINLINE u32 hd_must_clock_slow(struct hd_must *o, u32 tid)
{
    struct hd_must_thread *th = hd_must_thread(o, tid);
    const struct hd_vclock *known = hd_must_known(o, tid);
    u32 at = (u32)o->snapshot.n, n = known->n;
    hd_vec_reserve(&o->snapshot, o->snapshot.n + n + 1);
    o->snapshot.at[at] = n;
    if (n)
        memcpy(o->snapshot.at + at + 1, known->at, n * sizeof *known->at);
    o->snapshot.n += n + 1;
    return th->clock = at;
}

static void has_learned(struct hd_must *o, u32 tid)
{
    o->thread[tid].clock = 0;
    o->version++;
}

void hd_must_learn(struct hd_must *o, u32 tid, const struct hd_vclock *from)
{
    hd_must_thread(o, tid);
    if (hd_order_learn(&o->base, tid, from))
        has_learned(o, tid);
}

void hd_must_publish(struct hd_must *o, u32 tid, struct hd_vclock *to)
{
    hd_must_thread(o, tid);
    hd_order_publish(&o->base, tid, to);
}

const struct hd_vclock *hd_must_settled(struct hd_must *o)
{
    if (o->settled_version == o->version)
        return &o->settled;
    o->settled_version = o->version;
    o->settled.n = 0;
    hd_vclock_widen(&o->settled, o->n_threads);
    for (u32 u = 0; u < o->n_threads; u++)
        o->settled.at[u] = HD_EPOCH_NEVER - 1;
    for (u32 t = 0; t < o->n_threads; t++)
        if (o->thread[t].is_live)
            for (u32 u = 0; u < o->n_threads; u++)
                if (u != t)
                    o->settled.at[u] =
                        HD_MIN(o->settled.at[u], hd_vclock_at(hd_must_known(o, t), u));
    return &o->settled;
}

/* ---- conditions and futexes ----------------------------------------------------- */

static void end_wait(struct hd_must *o, u32 tid)
{
    o->thread[tid].is_waiting = false;
    for (size_t i = 0; i < o->waiting.n; i++) {
        if (o->waiting.at[i] == tid) {
            hd_vec_del_fast(&o->waiting, i);
            return;
        }
    }
}

static void begin_wait(struct hd_must *o, u32 tid, u64 generation)
{
    struct hd_must_thread *th = &o->thread[tid];
    if (th->is_waiting)
        end_wait(o, tid);
    th->is_waiting = true;
    th->is_sure = false;
    th->wait_generation = generation;
    th->waker.n = 0;
    *hd_vec_add(&o->waiting) = (u16)tid;
}

/* Somebody was woken. With more waiters than that, each may be the one; one that
 * already may have been woken by another knows only what both have in common. */
static void wake(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s)
{
    struct hd_must_object *x = hd_must_object(o, f, s->part[0].obj);
    u32 open = 0;
    hd_vclock_clear(&x->woke);
    hd_must_publish(o, s->tid, &x->woke);
    for (size_t i = 0; i < o->waiting.n; i++) {
        struct hd_must_thread *th = &o->thread[o->waiting.at[i]];
        if (th->wait_generation != x->generation || th->is_sure)
            continue;
        open++;
        if (th->waker.n)
            hd_vclock_meet(&th->waker, &x->woke);
        else
            hd_vclock_join(&th->waker, &x->woke);
    }
    for (size_t i = 0; i < o->waiting.n; i++) {
        struct hd_must_thread *th = &o->thread[o->waiting.at[i]];
        if (th->wait_generation == x->generation && open <= s->ev->arg &&
            s->ev->kind != HD_EV_FUTEX_REQUEUE)
            th->is_sure = true;
    }
}

static void woken(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s)
{
    struct hd_must_thread *th = &o->thread[s->tid];
    if (th->is_waiting && th->waker.n)
        hd_must_learn(o, s->tid, &th->waker);
    else if (s->ev->kind == HD_EV_FUTEX_WOKEN) /* moved to another address meanwhile */
        hd_must_learn(o, s->tid, &hd_must_object(o, f, s->part[0].obj)->woke);
}

/* ---- semaphores ----------------------------------------------------------------- */

static struct hd_must_object *semaphore(struct hd_must *o, const struct hd_feed *f,
                                        const struct hd_seen *s)
{
    struct hd_must_object *x = hd_must_object(o, f, s->part[0].obj);
    if (!x->is_sem && !x->posts)
        x->initial = (u32)hd_map_get_or(&o->sem_value, s->ev->obj, 0);
    return x;
}

/* ---- events ----------------------------------------------------------------------- */

/* What the order's own policy covers. Pre: s has one object, or none. */
static void order_before(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s)
{
    u32 obj = s->n ? s->part[0].obj : 0;
    u64 before = o->base.learned;
    hd_order_before(&o->base, s->ev, hd_effects(s->ev), obj, s->n ? f->object[obj].generation : 0);
    if (o->base.learned != before)
        has_learned(o, s->tid);
}

static void order_after(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s)
{
    u32 obj = s->n ? s->part[0].obj : 0;
    u64 child = s->ev->obj;
    if (s->ev->kind == HD_EV_CREATE && child < HD_MAX_THREADS) {
        hd_must_thread(o, (u32)child);
        has_learned(o, (u32)child);
    }
    hd_order_after(&o->base, s->ev, hd_effects(s->ev), obj, s->n ? f->object[obj].generation : 0);
}

static void before_woken(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s)
{
    enum hd_space space = hd_space_of(s->ev->kind);
    if (space == HD_SPACE_COND || space == HD_SPACE_FUTEX) {
        woken(o, f, s);
        end_wait(o, s->tid);
    } else if (space == HD_SPACE_SEM) {
        hd_must_sem_wait(o, semaphore(o, f, s), s->tid);
    } else {
        order_before(o, f, s);
    }
}

static void before_other(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s)
{
    if (s->ev->kind == HD_EV_COND_WAKE || s->ev->kind == HD_EV_FUTEX_WOKEN)
        end_wait(o, s->tid); /* timed out */
    else if (s->ev->kind == HD_EV_SEM_INIT)
        hd_map_put(&o->sem_value, s->ev->obj, s->ev->arg);
    else
        order_before(o, f, s);
}

void hd_must_before(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s)
{
    struct hd_must_thread *th = hd_must_thread(o, s->tid);
    if (HD_UNLIKELY(th->locks_seen != f->thread[s->tid].locks_changed))
        hd_must_update_locks(o, f, s->tid);
    hd_must_spin_before(o, f, s);
    hd_must_block_before(o, s);
    th = &o->thread[s->tid];
    if (s->what == HD_DOES_WOKEN) {
        before_woken(o, f, s);
    } else if (s->what == HD_DOES_ACQ) {
        hd_must_begin_section(o, f, s);
        if (o->has_passes && !s->is_nested && !th->held.n)
            hd_must_pass_lock(o, s->tid);
    } else if (s->what == HD_DOES_ORDER || s->what == HD_DOES_NOTHING) {
        before_other(o, f, s);
    }
}

static void after_wake(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s)
{
    enum hd_space space = hd_space_of(s->ev->kind);
    if (space == HD_SPACE_COND || space == HD_SPACE_FUTEX) {
        if (s->ev->arg)
            wake(o, f, s);
    } else if (space == HD_SPACE_SEM) {
        hd_must_sem_post(o, semaphore(o, f, s), s->tid);
    } else {
        order_after(o, f, s);
    }
}

static void after_other(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s)
{
    order_after(o, f, s);
    if (s->ev->kind == HD_EV_EXIT) {
        o->thread[s->tid].is_live = false;
        o->version++;
    }
}

void hd_must_after(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s)
{
    if (s->what == HD_DOES_REL && !s->is_nested)
        hd_must_end_section(o, f, s);
    if (HD_UNLIKELY(o->thread[s->tid].locks_seen != f->thread[s->tid].locks_changed))
        hd_must_update_locks(o, f, s->tid);
    if (s->what == HD_DOES_WAKE)
        after_wake(o, f, s);
    else if (s->what == HD_DOES_WAIT)
        begin_wait(o, s->tid, f->object[s->part[0].obj].generation);
    else if (s->what == HD_DOES_ORDER || s->what == HD_DOES_NOTHING)
        after_other(o, f, s);
    hd_must_spin_after(o, f, s);
    if (!o->has_passes)
        return;
    if (s->what == HD_DOES_ACQ && !s->is_nested && o->thread[s->tid].held.n == 1)
        o->thread[s->tid].locked_from = s->time;
    else if (s->what == HD_DOES_REL && !s->is_nested)
        hd_must_pass_unlocked(o, s);
    else if (HD_WANTS_MEMORY >> s->what & 1)
        hd_must_pass_after(o, f, s);
}
