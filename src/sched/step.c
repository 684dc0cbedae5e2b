/* step.c: who is enabled, and one transition: pick, effect, event, account.
 *
 * s->enabled is kept up to date by hd_refresh, called for the threads whose
 * situation changed and no others; hd_can_run says from scratch what it must
 * be (valid.c compares). hd_sched_step loops over transitions until one
 * completes a thread's whole call.
 */
#include "sched/internal.h"

/* ---- models ------------------------------------------------------------------ */

/* What each kind of object adds. A thread in a kind that BLOCKS can go on if `can`
 * says so; as soon as it states one it stands in the queue of `queue`'s object. */
struct model {
    bool (*step)(struct hd_sched *s, u16 t, struct hd_event *ev);
    bool (*can)(const struct hd_sched *s, u16 t);
    struct hd_obj *(*queue)(struct hd_sched *s, u64 addr, u64 arg);
};

static bool can_if_woken(const struct hd_sched *s, u16 t)
{
    return s->thread[t].phase == HD_PH_WOKEN;
}

static bool can_io(const struct hd_sched *s, u16 t)
{
    return s->thread[t].io_ready || s->thread[t].op.arg == 1;
}

static bool can_sigwait(const struct hd_sched *s, u16 t)
{
    const struct hd_sthread *th = &s->thread[t];
    return (th->sig_pending & th->op.arg) || th->phase == HD_PH_WOKEN;
}

static struct hd_obj *once_queue(struct hd_sched *s, u64 addr, u64 arg)
{
    return hd_once_model(s, addr);
}

static struct hd_obj *join_queue(struct hd_sched *s, u64 tid, u64 arg)
{
    bool is_new;
    return hd_object_get(s, HD_OBJ_THREAD, tid, &is_new);
}

static bool io_step(struct hd_sched *s, u16 t, struct hd_event *ev)
{
    struct hd_sthread *th = &s->thread[t];
    if (th->op.arg != 1 && !th->io_ready)
        th->res.err = ETIMEDOUT;
    ev->arg = (u32)th->res.err;
    return true;
}

static const struct model model[HD_SPACES] = {
    [HD_SPACE_THREAD] = {hd_join_step, hd_join_can, join_queue},
    [HD_SPACE_MUTEX] = {hd_mutex_step, hd_mutex_can, hd_mutex_model},
    [HD_SPACE_RWLOCK] = {hd_rwlock_step, hd_rwlock_can, hd_rwlock_model},
    [HD_SPACE_COND] = {hd_cond_step, can_if_woken, NULL},
    [HD_SPACE_BARRIER] = {hd_barrier_step, can_if_woken, NULL},
    [HD_SPACE_SEM] = {hd_sem_step, hd_sem_can, hd_sem_model},
    [HD_SPACE_ONCE] = {hd_once_step, hd_once_can, once_queue},
    [HD_SPACE_FUTEX] = {hd_futex_step, can_if_woken, NULL},
    [HD_SPACE_SIGNAL] = {hd_signal_step, can_sigwait, NULL},
    [HD_SPACE_IO] = {io_step, can_io, NULL},
};

/* ---- enabledness ---------------------------------------------------------- */

bool hd_can_run(const struct hd_sched *s, u16 t)
{
    const struct hd_sthread *th = &s->thread[t];
    if (th->timed_out || hd_signal_due(th) || !hd_may(th->op.kind, HD_BLOCKS))
        return true;
    const struct model *m = &model[hd_space_of(th->op.kind)];
    return m->can && m->can(s, t); /* else a sleep, until it is timed out */
}

void hd_refresh(struct hd_sched *s, u16 t)
{
    struct hd_sthread *th = &s->thread[t];
    if (th->state != HD_T_PENDING)
        return;
    s->quiet.until = 0;
    if (hd_can_run(s, t)) {
        hd_bit_set(s->enabled, t);
        if (!th->was_enabled) {
            th->was_enabled = true;
            th->wait_step = s->step;
            th->wait_stops = s->n_stops;
        }
    } else {
        hd_bit_clear(s->enabled, t);
        th->has_waited = true;
    }
}

void hd_refresh_queue(struct hd_sched *s, const struct hd_obj *o)
{
    for (const struct hd_link *l = o->first; l; l = l->next)
        if (!l->saved)
            hd_refresh(s, l->tid);
    /* Readers depend on who of the writers has waited. */
    if (o->type == HD_OBJ_RWLOCK && o->rw.prefers_writer)
        for (const struct hd_link *l = o->first; l; l = l->next)
            hd_refresh(s, l->tid);
}

static struct hd_obj *wanted(struct hd_sched *s, const struct hd_op *op)
{
    const struct model *m = &model[hd_space_of(op->kind)];
    return m->queue && hd_may(op->kind, HD_BLOCKS) ? m->queue(s, op->obj, op->arg) : NULL;
}

void hd_arm(struct hd_sched *s, u16 t)
{
    struct hd_sthread *th = &s->thread[t];
    th->was_enabled = th->has_waited = false;
    th->wait_step = s->step;
    th->wait_stops = s->n_stops;
    if (HD_UNLIKELY(s->cfg.is_search))
        hd_option_pending(s, t);
    if (HD_LIKELY(th->op.kind <= HD_EV_FENCE) && HD_LIKELY(!(th->sig_pending & ~th->sig_blocked))) {
        hd_bit_set(s->enabled, t);
        th->was_enabled = true;
        return;
    }
    if (!th->link.obj) {
        struct hd_obj *o = wanted(s, &th->op);
        if (o)
            hd_link_add(s, &th->link, o);
    }
    if (th->op.kind == HD_EV_JOIN)
        hd_join_claim(s, t);
    else if (th->op.kind == HD_EV_IO)
        s->n_io += th->op.arg != 1;
    else if (th->op.kind == HD_EV_END)
        hd_end_begin(s, t);
    else if (th->op.kind == HD_EV_EXIT)
        hd_signal_leave(s, t);
    else if (th->op.kind == HD_EV_SIGWAIT)
        s->sig_dirty |= s->sig_process != 0;
    if (hd_vtime_is_timed(&th->op) && th->phase != HD_PH_WOKEN)
        hd_vtime_arm(s, t);
    hd_refresh(s, t);
    if (th->op.kind == HD_EV_WRLOCK && th->link.obj && th->link.obj->rw.prefers_writer)
        hd_refresh_queue(s, th->link.obj);
    if (th->has_waited)
        hd_deadlock_check(s, t);
}

void hd_disarm(struct hd_sched *s, u16 t)
{
    struct hd_sthread *th = &s->thread[t];
    hd_bit_clear(s->enabled, t);
    hd_vtime_disarm(s, t);
    th->timed_out = false;
    if (th->op.kind == HD_EV_IO)
        s->n_io -= th->op.arg != 1;
    if (th->op.kind == HD_EV_END)
        hd_end_done(s);
    struct hd_obj *o = th->link.obj;
    if (o) {
        hd_link_remove(&th->link);
        if (th->op.kind == HD_EV_WRLOCK)
            hd_refresh_queue(s, o);
    }
}

void hd_enter_wait(struct hd_sched *s, u16 t, struct hd_obj *o, u8 kind)
{
    struct hd_sthread *th = &s->thread[t];
    th->op.kind = kind;
    th->phase = HD_PH_WAIT;
    th->wait_seq = ++s->wait_seq;
    th->was_enabled = false;
    hd_link_add(s, &th->link, o);
    if (HD_UNLIKELY(s->cfg.is_search))
        hd_option_pending(s, t);
    hd_refresh(s, t);
}

void hd_wake(struct hd_sched *s, struct hd_link *l)
{
    struct hd_sthread *th = &s->thread[l->tid];
    hd_link_remove(l);
    if (l->saved) {
        l->saved->phase = HD_PH_WOKEN;
        l->saved->timed_out = false;
        return;
    }
    th->phase = HD_PH_WOKEN;
    th->timed_out = false;
    hd_vtime_disarm(s, l->tid);
    hd_refresh(s, l->tid);
}

/* ---- events ----------------------------------------------------------------- */

void hd_misuse(struct hd_sched *s, u8 kind, u16 t, u16 owner, u64 obj, u64 site)
{
    if (s->n_misuse < HD_MAX_MISUSE)
        s->misuse[s->n_misuse++] = (struct hd_misuse){
            .kind = kind, .tid = t, .owner = owner, .obj = obj, .site = site, .step = s->step};
}

static u64 rotate(u64 x, u32 n) { return x << n | x >> (64 - n); }

void hd_emit(struct hd_sched *s, const struct hd_event *ev)
{
    u64 obj = s->env.normal ? s->env.normal(s->env.self, ev->obj) : ev->obj;
    u64 site = s->cfg.is_random && s->env.normal ? s->env.normal(s->env.self, ev->site) : ev->site;
    u64 h = s->hash ^ ((u64)ev->tid << 16 | (u64)ev->kind << 8 | ev->size);
    h = rotate(h * 0x9e3779b97f4a7c15ull, 29) ^ site;
    h = rotate(h * 0xbf58476d1ce4e5b9ull, 31) ^ obj;
    h *= 0x94d049bb133111ebull;
    s->hash = h ^ h >> 32;
    if (s->env.emit)
        s->env.emit(s->env.self, ev);
}

/* ---- transitions -------------------------------------------------------------- */

/* Memory, fence, yield, sleep, return and notes have no model. */
static bool effect(struct hd_sched *s, u16 t, struct hd_event *ev)
{
    const struct model *m = &model[hd_space_of(s->thread[t].op.kind)];
    return !m->step || m->step(s, t, ev);
}

/* Carries out the pending transition of t; true if its call is complete. */
static bool transition(struct hd_sched *s, u16 t)
{
    struct hd_sthread *th = &s->thread[t];
    struct hd_event ev = {.tid = t,
                          .kind = th->op.kind,
                          .size = (u8)HD_MIN(th->op.size, 255),
                          .site = th->op.site,
                          .obj = th->op.obj,
                          .ctx = th->op.ctx};
    if (ev.kind <= HD_EV_FENCE)
        ev.arg = (u32)th->op.arg; /* memory order; bytes of a wide access */
    u8 flags = th->op.flags;
    bool timed_out = th->timed_out, is_done;
    ev.step = (u32)++s->step;
    /* beside real time a step takes longer than it is said to */
    s->now += HD_LIKELY(!s->is_beside_real) ? s->cfg.step_ns : s->cfg.step_ns / 10;
    s->last = t;
    s->passed_ns = 0;
    hd_count_step(s, th, &ev);
    if (HD_UNLIKELY(hd_signal_due(th))) {
        hd_signal_handler(s, t, &ev);
        is_done = true;
    } else {
        is_done = HD_LIKELY(ev.kind <= HD_EV_FENCE) || effect(s, t, &ev);
    }
    hd_emit(s, &ev);
    hd_choice_done(s);
    if (HD_UNLIKELY(!s->livelock.next) && !hd_livelock_allows(ev.kind))
        s->livelock.is_spoiled = true;
    if (is_done && th->state == HD_T_PENDING) {
        if (HD_LIKELY(ev.kind <= HD_EV_FENCE))
            hd_bit_clear(s->enabled, t);
        else
            hd_disarm(s, t);
        th->state = HD_T_RUNNING;
    }
    hd_spin_account(s, t, &ev, flags, timed_out);
    return is_done;
}

/* A deadlock has closed, the script cannot be followed, or the log is full. */
static HD_COLD bool is_over(struct hd_sched *s, enum hd_step *end)
{
    bool is_stuck = s->is_stuck && !hd_option_outlives(s);
    if (!(is_stuck | s->diverged.is | s->is_log_full))
        return false;
    if (is_stuck && s->cfg.is_search)
        hd_option_stuck(s);
    s->limit = HD_RUN_LIMIT_LOG;
    *end = s->diverged.is ? HD_STEP_DIVERGED : is_stuck ? HD_STEP_DEADLOCK : HD_STEP_LIMIT;
    return true;
}

enum hd_step hd_sched_step(struct hd_sched *s, u16 *tid)
{
    *tid = HD_NO_THREAD;
    HD_ASSERT(s->thread[s->current].state != HD_T_RUNNING);
    hd_quiet_end(s);
    for (;;) {
        enum hd_step end = HD_STEP_RESUME;
        if (HD_UNLIKELY(s->is_stuck | s->diverged.is | s->is_log_full) && is_over(s, &end))
            return end;
        if (HD_UNLIKELY(s->cfg.step_limit && s->step >= s->cfg.step_limit)) {
            s->limit = HD_RUN_LIMIT_STEPS;
            return HD_STEP_LIMIT;
        }
        if (HD_UNLIKELY(s->now >= s->next_deadline))
            hd_vtime_expire(s);
        if (HD_UNLIKELY(s->now >= s->timer))
            return HD_STEP_TIMER;
        if (HD_UNLIKELY(s->step >= s->livelock.next) && hd_livelock_check(s))
            return HD_STEP_HANG;
        u16 t = hd_choice_pick(s, &end, tid);
        if (t == HD_NO_THREAD) {
            if (end == HD_STEP_RESUME)
                continue;
            return end;
        }
        bool is_done = transition(s, t);
        if (HD_UNLIKELY(s->diverged.is))
            continue;
        if (is_done) {
            s->switches += s->current != t;
            s->current = t;
            *tid = t;
            if (hd_is_access(s->thread[t].op.kind) && !s->thread[t].res.signal)
                hd_quiet_plan(s, t);
            return HD_STEP_RESUME;
        }
    }
}
