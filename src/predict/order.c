/* order.c: vector clocks. See order.h; semaphores are in
 * order_sem.c, spin flags in order_spin.c, locks in order_lock.c. */
#include "predict/order.h"

#include <string.h>

/* ---- vectors ------------------------------------------------------------------ */

static void make_room(struct hd_vclock *c, u32 n)
{
    if (n > c->cap) {
        c->cap = HD_MAX(n, HD_MAX(8u, c->cap * 2));
        c->at = realloc(c->at, c->cap * sizeof *c->at);
        HD_ASSERT(c->at);
    }
    if (n > c->n) {
        memset(c->at + c->n, 0, (n - c->n) * sizeof *c->at);
        c->n = n;
    }
}

void hd_vclock_learn(struct hd_vclock *c, u32 tid, u32 epoch)
{
    make_room(c, tid + 1);
    c->at[tid] = HD_MAX(c->at[tid], epoch);
}

void hd_vclock_join(struct hd_vclock *to, const struct hd_vclock *from)
{
    make_room(to, from->n);
    for (u32 i = 0; i < from->n; i++)
        to->at[i] = HD_MAX(to->at[i], from->at[i]);
}

void hd_vclock_meet(struct hd_vclock *to, const struct hd_vclock *with)
{
    for (u32 i = 0; i < to->n; i++)
        to->at[i] = HD_MIN(to->at[i], hd_vclock_at(with, i));
}

/* ---- life --------------------------------------------------------------------- */

void hd_order_init(struct hd_order *o, u32 spin)
{
    *o = (struct hd_order){.spin = spin ? spin : HD_SPIN_DEFAULT};
    hd_locksets_init(&o->locksets);
    hd_order_begin(o);
}

static void clear_object(struct hd_order_object *x)
{
    for (size_t i = 0; i < x->sem.n; i++) {
        hd_vec_release(&x->sem.at[i].wait);
        hd_vec_release(&x->sem.at[i].post);
        hd_vec_release(&x->sem.at[i].post_clock);
    }
    hd_vec_clear(&x->sem);
    x->vector.n = x->through.n = 0;
    x->initial = x->posts = x->waits = 0;
    x->round = 1;
    x->is_sem = false;
    x->n_sections = 0;
}

void hd_order_release(struct hd_order *o)
{
    hd_order_pass_release(o);
    hd_order_block_release(o);
    for (u32 t = 0; t < o->cap_threads; t++) {
        free(o->thread[t].known.at);
        free(o->thread[t].waker.at);
        free(o->thread[t].spin.write.at);
        hd_vec_release(&o->thread[t].held);
    }
    for (u32 i = 0; i < o->cap_objects; i++) {
        clear_object(&o->object[i]);
        free(o->object[i].vector.at);
        free(o->object[i].through.at);
        hd_vec_release(&o->object[i].sem);
        for (u32 k = 0; o->object[i].section && k < HD_SECTIONS; k++)
            free(o->object[i].section[k].known.at);
        free(o->object[i].section);
    }
    for (u32 i = 0; i < HD_COUNT(o->signal); i++)
        free(o->signal[i].at);
    free(o->thread);
    free(o->object);
    free(o->settled.at);
    hd_locksets_release(&o->locksets);
    hd_vec_release(&o->snapshot);
    hd_vec_release(&o->waiting);
    hd_vec_release(&o->spinning);
    hd_map_release(&o->sem_value);
    *o = (struct hd_order){0};
}

void hd_order_begin(struct hd_order *o)
{
    for (u32 t = 0; t < o->n_threads; t++) {
        struct hd_order_thread *th = &o->thread[t];
        th->epoch = th->clock = th->lockset = th->locks_seen = th->round = 0;
        th->is_live = th->is_waiting = th->is_sure = false;
        th->known.n = th->waker.n = 0;
        th->spin.life = 0;
        th->spin.is_listed = false;
        hd_vec_clear(&th->held);
        th->has_written = th->has_acted = false;
        th->pending.n = 0;
    }
    hd_order_pass_clear(o);
    hd_order_block_clear(o);
    o->n_threads = 0;
    for (u32 i = 0; i < HD_COUNT(o->signal); i++)
        o->signal[i].n = 0;
    hd_vec_clear(&o->waiting);
    hd_vec_clear(&o->spinning);
    hd_vec_clear(&o->snapshot);
    *hd_vec_add(&o->snapshot) = 0; /* clock 0 knows nothing */
    hd_map_clear(&o->sem_value);
    hd_locksets_clear(&o->locksets);
    o->version++;
    hd_order_thread(o, 0);
}

static void *grow(void *at, u32 *cap, u32 i, size_t size)
{
    u32 want = HD_MAX(16u, HD_MAX(i + 1, *cap * 2));
    at = realloc(at, want * size);
    HD_ASSERT(at);
    memset((char *)at + *cap * size, 0, (want - *cap) * size);
    *cap = want;
    return at;
}

struct hd_order_thread *hd_order_thread(struct hd_order *o, u32 tid)
{
    if (HD_UNLIKELY(tid >= o->cap_threads))
        o->thread = grow(o->thread, &o->cap_threads, tid, sizeof *o->thread);
    struct hd_order_thread *th = &o->thread[tid];
    if (HD_UNLIKELY(!th->epoch)) {
        th->epoch = 1;
        th->is_live = true;
        o->n_threads = HD_MAX(o->n_threads, tid + 1);
        o->version++;
    }
    return th;
}

struct hd_order_object *hd_order_object(struct hd_order *o, const struct hd_feed *f, u32 obj)
{
    if (HD_UNLIKELY(obj >= o->cap_objects))
        o->object = grow(o->object, &o->cap_objects, obj, sizeof *o->object);
    struct hd_order_object *x = &o->object[obj];
    if (x->life != f->object[obj].life) {
        clear_object(x);
        x->life = f->object[obj].life;
    }
    return x;
}

size_t hd_order_bytes(const struct hd_order *o)
{
    return o->snapshot.n * sizeof *o->snapshot.at;
}

void hd_order_forget(struct hd_order *o)
{
    for (u32 t = 0; t < o->n_threads; t++)
        o->thread[t].clock = 0;
    for (u32 i = 0; i < o->cap_objects; i++) {
        struct hd_order_object *x = &o->object[i];
        if (x->is_sem) { /* as if made with what is left now */
            u32 left = x->initial + x->posts - x->waits;
            clear_object(x);
            x->is_sem = true;
            x->initial = left;
        }
    }
    hd_order_pass_clear(o);
    hd_order_block_forget(o);
    hd_vec_clear(&o->snapshot);
    *hd_vec_add(&o->snapshot) = 0;
}

/* ---- clocks ------------------------------------------------------------------- */

HD_NOINLINE u32 hd_order_clock_slow(struct hd_order *o, u32 tid)
{
    struct hd_order_thread *th = hd_order_thread(o, tid);
    u32 at = (u32)o->snapshot.n, n = th->known.n;
    hd_vec_reserve(&o->snapshot, o->snapshot.n + n + 1);
    o->snapshot.at[at] = n;
    if (n)
        memcpy(o->snapshot.at + at + 1, th->known.at, n * sizeof *th->known.at);
    o->snapshot.n += n + 1;
    return th->clock = at;
}

void hd_order_learn(struct hd_order *o, u32 tid, const struct hd_vclock *from)
{
    struct hd_order_thread *th = hd_order_thread(o, tid);
    for (u32 i = 0; i < from->n; i++) {
        if (i == tid || from->at[i] <= hd_vclock_at(&th->known, i))
            continue;
        hd_vclock_join(&th->known, from);
        th->clock = 0;
        o->version++;
        return;
    }
}

void hd_order_publish(struct hd_order *o, u32 tid, struct hd_vclock *to)
{
    struct hd_order_thread *th = hd_order_thread(o, tid);
    hd_vclock_join(to, &th->known);
    hd_vclock_learn(to, tid, th->epoch);
    th->epoch++;
}

const struct hd_vclock *hd_order_settled(struct hd_order *o)
{
    if (o->settled_version == o->version)
        return &o->settled;
    o->settled_version = o->version;
    o->settled.n = 0;
    make_room(&o->settled, o->n_threads);
    for (u32 u = 0; u < o->n_threads; u++)
        o->settled.at[u] = HD_EPOCH_NEVER - 1;
    for (u32 t = 0; t < o->n_threads; t++)
        if (o->thread[t].is_live)
            for (u32 u = 0; u < o->n_threads; u++)
                if (u != t)
                    o->settled.at[u] =
                        HD_MIN(o->settled.at[u], hd_vclock_at(&o->thread[t].known, u));
    return &o->settled;
}

/* ---- conditions and futexes ----------------------------------------------------- */

static void end_wait(struct hd_order *o, u32 tid)
{
    o->thread[tid].is_waiting = false;
    for (size_t i = 0; i < o->waiting.n; i++) {
        if (o->waiting.at[i] == tid) {
            hd_vec_del_fast(&o->waiting, i);
            return;
        }
    }
}

static void begin_wait(struct hd_order *o, u32 tid, u64 life)
{
    struct hd_order_thread *th = &o->thread[tid];
    if (th->is_waiting)
        end_wait(o, tid);
    th->is_waiting = true;
    th->is_sure = false;
    th->wait_life = life;
    th->waker.n = 0;
    *hd_vec_add(&o->waiting) = (u16)tid;
}

/* Somebody was woken. With more waiters than that, each may be the one; one that
 * already may have been woken by another knows only what both have in common. */
static void wake(struct hd_order *o, const struct hd_feed *f, const struct hd_seen *s)
{
    struct hd_order_object *x = hd_order_object(o, f, s->part[0].obj);
    u32 open = 0;
    x->vector.n = 0;
    hd_order_publish(o, s->tid, &x->vector);
    for (size_t i = 0; i < o->waiting.n; i++) {
        struct hd_order_thread *th = &o->thread[o->waiting.at[i]];
        if (th->wait_life != x->life || th->is_sure)
            continue;
        open++;
        if (th->waker.n)
            hd_vclock_meet(&th->waker, &x->vector);
        else
            hd_vclock_join(&th->waker, &x->vector);
    }
    for (size_t i = 0; i < o->waiting.n; i++) {
        struct hd_order_thread *th = &o->thread[o->waiting.at[i]];
        if (th->wait_life == x->life && open <= s->ev->arg && s->ev->kind != HD_EV_FUTEX_REQUEUE)
            th->is_sure = true;
    }
}

static void woken(struct hd_order *o, const struct hd_feed *f, const struct hd_seen *s)
{
    struct hd_order_thread *th = &o->thread[s->tid];
    if (th->is_waiting && th->waker.n)
        hd_order_learn(o, s->tid, &th->waker);
    else if (s->ev->kind == HD_EV_FUTEX_WOKEN) /* moved to another address meanwhile */
        hd_order_learn(o, s->tid, &hd_order_object(o, f, s->part[0].obj)->vector);
}

/* ---- barriers ------------------------------------------------------------------- */

/* A fast thread may arrive for the next round before a slow one has left this
 * one; the slow one must not learn from that arrival. The first to leave sets
 * aside what everybody knows who leaves. */
static void arrive(struct hd_order *o, struct hd_order_object *x, u16 tid)
{
    o->thread[tid].round = x->round;
    hd_order_publish(o, tid, &x->vector);
}

static void leave(struct hd_order *o, struct hd_order_object *x, u16 tid)
{
    if (o->thread[tid].round == x->round) {
        x->through.n = 0;
        hd_vclock_join(&x->through, &x->vector);
        x->vector.n = 0;
        x->round++;
    }
    hd_order_learn(o, tid, &x->through);
}

/* ---- events ----------------------------------------------------------------------- */

static void before_other(struct hd_order *o, const struct hd_seen *s)
{
    const struct hd_event *ev = s->ev;
    switch (ev->kind) {
    case HD_EV_JOIN:
        if (!ev->arg && ev->obj < o->n_threads) {
            struct hd_vclock *all = &o->thread[ev->obj].known;
            hd_vclock_learn(all, (u32)ev->obj, o->thread[ev->obj].epoch);
            hd_order_learn(o, s->tid, all);
        }
        break;
    case HD_EV_HANDLER: case HD_EV_SIGWAIT:
        if (ev->arg < HD_COUNT(o->signal))
            hd_order_learn(o, s->tid, &o->signal[ev->arg]);
        break;
    case HD_EV_COND_WAKE: case HD_EV_FUTEX_WOKEN: /* timed out */
        end_wait(o, s->tid);
        break;
    case HD_EV_SEM_INIT: hd_map_put(&o->sem_value, ev->obj, ev->arg); break;
    default: break;
    }
}

void hd_order_before(struct hd_order *o, const struct hd_feed *f, const struct hd_seen *s)
{
    struct hd_order_thread *th = hd_order_thread(o, s->tid);
    if (HD_UNLIKELY(th->locks_seen != f->thread[s->tid].locks_changed))
        hd_order_update_locks(o, f, s->tid);
    hd_order_spin_before(o, f, s);
    hd_order_block_before(o, s);
    th = &o->thread[s->tid];
    if (s->what == HD_DOES_WOKEN) {
        struct hd_order_object *x = hd_order_object(o, f, s->part[0].obj);
        switch (s->ev->kind) {
        case HD_EV_COND_WAKE: case HD_EV_FUTEX_WOKEN:
            woken(o, f, s);
            end_wait(o, s->tid);
            break;
        case HD_EV_SEM_WAIT: case HD_EV_SEM_TRYWAIT:
            if (!x->is_sem && !x->posts)
                x->initial = (u32)hd_map_get_or(&o->sem_value, s->ev->obj, 0);
            hd_order_sem_wait(o, x, s->tid);
            break;
        case HD_EV_BARRIER_LEAVE: leave(o, x, s->tid); break;
        default: hd_order_learn(o, s->tid, &x->vector); break; /* once, annotations */
        }
    } else if (s->what == HD_DOES_ACQ) {
        hd_order_begin_section(o, f, s);
        if (o->has_passes && !s->is_nested && !th->held.n)
            hd_order_pass_lock(o, s->tid);
    } else if (s->what == HD_DOES_ORDER || s->what == HD_DOES_NOTHING) {
        before_other(o, s);
    }
}

static void after_wake(struct hd_order *o, const struct hd_feed *f, const struct hd_seen *s)
{
    struct hd_order_object *x = hd_order_object(o, f, s->part[0].obj);
    switch (s->ev->kind) {
    case HD_EV_COND_SIGNAL: case HD_EV_COND_BROADCAST: case HD_EV_FUTEX_WAKE:
    case HD_EV_FUTEX_REQUEUE:
        if (s->ev->arg)
            wake(o, f, s);
        break;
    case HD_EV_SEM_POST:
        if (!x->is_sem && !x->posts)
            x->initial = (u32)hd_map_get_or(&o->sem_value, s->ev->obj, 0);
        hd_order_sem_post(o, x, s->tid);
        break;
    case HD_EV_BARRIER_WAIT: arrive(o, x, s->tid); break;
    default: hd_order_publish(o, s->tid, &x->vector); break;
    }
}

static void after_other(struct hd_order *o, const struct hd_seen *s)
{
    const struct hd_event *ev = s->ev;
    if (ev->kind == HD_EV_CREATE && ev->obj < HD_MAX_THREADS && ev->obj != s->tid) {
        hd_order_thread(o, (u32)ev->obj);
        hd_order_publish(o, s->tid, &o->thread[ev->obj].known);
        o->thread[ev->obj].clock = 0;
        o->version++;
    } else if (ev->kind == HD_EV_EXIT) {
        o->thread[s->tid].is_live = false;
        o->version++;
    } else if (ev->kind == HD_EV_KILL && ev->arg < HD_COUNT(o->signal)) {
        o->signal[ev->arg].n = 0;
        hd_order_publish(o, s->tid, &o->signal[ev->arg]);
    }
}

void hd_order_after(struct hd_order *o, const struct hd_feed *f, const struct hd_seen *s)
{
    if (s->what == HD_DOES_REL && !s->is_nested)
        hd_order_end_section(o, f, s);
    if (HD_UNLIKELY(o->thread[s->tid].locks_seen != f->thread[s->tid].locks_changed))
        hd_order_update_locks(o, f, s->tid);
    if (s->what == HD_DOES_WAKE)
        after_wake(o, f, s);
    else if (s->what == HD_DOES_WAIT)
        begin_wait(o, s->tid, f->object[s->part[0].obj].life);
    else if (s->what == HD_DOES_ORDER || s->what == HD_DOES_NOTHING)
        after_other(o, s);
    hd_order_spin_after(o, f, s);
    if (!o->has_passes)
        return;
    if (s->what == HD_DOES_ACQ && !s->is_nested && o->thread[s->tid].held.n == 1)
        o->thread[s->tid].locked_from = s->time;
    else if (s->what == HD_DOES_REL && !s->is_nested)
        hd_order_pass_unlocked(o, s);
    else if (HD_WANTS_MEMORY >> s->what & 1)
        hd_order_pass_after(o, f, s);
}
