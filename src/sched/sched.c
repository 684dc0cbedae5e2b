/* sched.c: threads and the way in: init, begin, spawn, post, notes, I/O, and
 * operations put aside for signal handlers. The machine itself is in step.c.
 */
#include "sched/internal.h"

#define HD_HASH_START 0x6865646c65303031ull /* any value but 0 */

static void reset_spin(struct hd_sched *s, u16 t)
{
    hd_spin_clear(s, t);
    hd_memset(&s->thread[t].spin, 0, sizeof s->thread[t].spin);
}

static void init_thread(struct hd_sched *s, u16 t, u16 parent, u8 state)
{
    struct hd_sthread *th = &s->thread[t];
    hd_memset(th, 0, sizeof *th);
    th->state = state;
    th->parent = parent;
    th->joiner = HD_NO_THREAD;
    th->link.tid = t;
    th->op.deadline = HD_NEVER;
    if (parent != HD_NO_THREAD)
        th->sig_blocked = s->thread[parent].sig_blocked;
}

void hd_sched_init(struct hd_sched *s, const struct hd_sched_config *cfg,
                   const struct hd_sched_env *env, struct hd_log *log)
{
    HD_ASSERT(log->cap > 0);
    s->env = *env;
    s->log = log;
    hd_object_init(s);
    s->n_threads = 1;
    s->n_live = 1;
    s->timer = HD_NEVER;
    s->current = s->last = 0;
    init_thread(s, 0, HD_NO_THREAD, HD_T_RUNNING);
    hd_sched_begin(s, cfg, NULL);
}

void hd_sched_begin(struct hd_sched *s, const struct hd_sched_config *cfg,
                    const struct hd_script *script)
{
    HD_ASSERT(s->thread[s->current].state == HD_T_RUNNING);
    s64 then = s->now;
    s->quiet = (struct hd_quiet){0};
    s->cfg = *cfg;
    s->step = s->points = s->switches = s->preemptions = 0;
    s->hash = HD_HASH_START;
    s->now = 0;
    s->next_deadline = HD_NEVER;
    s->rng = hd_rng_make(cfg->seed, cfg->run, HD_RNG_CORE);
    s->log->n = s->log->unchecked = 0;
    s->log->packed = 0;
    hd_memset(&s->script, 0, sizeof s->script);
    if (script)
        s->script = *script;
    s->script_pos = s->script_used = 0;
    s->script_base = s->script_read = 0;
    if (!s->script.n && s->script.packed)
        hd_packed_refill(s);
    hd_memset(&s->expected, 0, sizeof s->expected);
    hd_memset(&s->diverged, 0, sizeof s->diverged);
    s->n_misuse = s->n_early = 0;
    hd_memset(&s->delay, 0, sizeof s->delay);
    s->sleep_site = 0;
    s->passed_ns = 0;
    s->has_far = false;
    s->end_hold_was = HD_HOLD_NONE;
    s->end_points = 0;
    s->had_handlers = false;
    s->n_circles = 0;
    s->n_stops = 0;
    s->boost = HD_NO_THREAD;
    s->boost_left = 0;
    s->is_log_full = s->is_io_asked = false;
    hd_spin_init(s);
    hd_livelock_init(s);
    s->stay_until = 0;
    s->asleep = cfg->is_search ? cfg->asleep : 0;
    s->fired = HD_NO_THREAD;
    s->stuck_step = 0;
    for (u32 t = 0; t < s->n_threads; t++) {
        struct hd_sthread *th = &s->thread[t];
        th->points = th->post_step = th->post_points = th->wait_step = 0;
        th->wait_stops = 0;
        th->clock_reads = th->pace = 0;
        th->held_ns = 0;
        reset_spin(s, (u16)t);
        if (th->state == HD_T_PENDING && hd_vtime_is_timed(&th->op)) {
            th->op.deadline -= then; /* the clock starts anew */
            if (hd_bit_is_set(s->timed, t))
                s->next_deadline = HD_MIN(s->next_deadline, th->op.deadline);
        }
    }
    if (cfg->strategy) {
        HD_ASSERT(cfg->strategy->state_size <= sizeof s->strategy_state);
        hd_memset(s->strategy_state, 0, cfg->strategy->state_size);
        cfg->strategy->start(s->strategy_state, &cfg->strategy_arg);
    }
}

/* ---- threads ------------------------------------------------------------------ */

/* All numbers have been used: that of a thread nobody can ask for any more, the one
 * that was given longest ago. */
static HD_COLD u16 recycle(struct hd_sched *s)
{
    for (u32 i = 0; i < HD_MAX_THREADS - 1; i++) {
        s->recycled = (u16)(s->recycled % (HD_MAX_THREADS - 1) + 1); /* never the main thread */
        const struct hd_sthread *th = &s->thread[s->recycled];
        bool is_gone = th->state == HD_T_FINISHED && (th->is_joined || th->is_detached);
        if (is_gone || th->state == HD_T_FREE)
            return s->recycled;
    }
    return HD_NO_THREAD;
}

u16 hd_sched_spawn(struct hd_sched *s, u16 parent)
{
    u16 t = (u16)s->n_threads;
    s->quiet.until = 0;
    if (HD_UNLIKELY(t == HD_MAX_THREADS))
        t = recycle(s);
    else
        s->n_threads++;
    if (t == HD_NO_THREAD)
        return t;
    init_thread(s, t, parent, HD_T_NEW);
    return t;
}

void hd_sched_spawn_undo(struct hd_sched *s, u16 t)
{
    struct hd_sthread *th = &s->thread[t];
    HD_ASSERT(th->state == HD_T_NEW ||
              (th->state == HD_T_PENDING && th->op.kind == HD_EV_START));
    if (th->state == HD_T_PENDING) {
        hd_disarm(s, t);
        s->n_live--;
    }
    hd_spin_clear(s, t);
    th->state = HD_T_FREE;
    th->joiner = HD_NO_THREAD;
    hd_join_changed(s, t);
    if (t + 1u == s->n_threads)
        s->n_threads--;
}

u16 hd_sched_adopt(struct hd_sched *s)
{
    u16 t = hd_sched_spawn(s, HD_NO_THREAD);
    if (t == HD_NO_THREAD)
        return t;
    struct hd_sthread *th = &s->thread[t];
    th->state = HD_T_PENDING;
    th->op.kind = HD_EV_RETURN;
    s->n_live++;
    hd_arm(s, t);
    return t;
}

void hd_sched_blocked_outside(struct hd_sched *s, u16 t)
{
    HD_ASSERT(s->thread[t].state == HD_T_RUNNING);
    s->thread[t].state = HD_T_BLOCKED_OUTSIDE;
    s->quiet.until = 0;
    s->n_blocked_outside++;
}

/* ---- operations ---------------------------------------------------------------- */

/* A mutex that its owner cannot have twice. */
static bool is_relock(const struct hd_sched *s, u16 t, const struct hd_op *op)
{
    u8 type = op->arg & HD_MTX_TYPE;
    return op->kind == HD_EV_LOCK && (type == HD_MTX_NORMAL || type == HD_MTX_SPIN) &&
           s->thread[t].link.obj->own.tid == t;
}

void hd_sched_post(struct hd_sched *s, u16 t, const struct hd_op *op)
{
    struct hd_sthread *th = &s->thread[t];
    if (HD_UNLIKELY(th->state != HD_T_RUNNING)) {
        HD_ASSERT(th->state == HD_T_BLOCKED_OUTSIDE && op->kind == HD_EV_RETURN);
        s->n_blocked_outside--;
        s->is_io_asked = false;
    }
    th->op = *op;
    th->state = HD_T_PENDING;
    th->phase = HD_PH_NONE;
    th->timed_out = th->io_ready = false;
    th->res = (struct hd_res){0};
    th->wait_err = 0;
    th->post_step = s->step;
    th->post_points = th->points;
    th->is_hurried = false;
    hd_arm(s, t);
    if (HD_UNLIKELY(th->has_waited) && is_relock(s, t, op))
        hd_misuse(s, HD_MISUSE_RELOCK, t, t, op->obj, op->site);
}

void hd_sched_note(struct hd_sched *s, u16 t, const struct hd_op *op)
{
    struct hd_event ev = {.step = (u32)s->step,
                          .tid = t,
                          .kind = op->kind,
                          .size = (u8)HD_MIN(op->size, 255),
                          .site = op->site,
                          .obj = op->obj,
                          .ctx = op->ctx,
                          .arg = (u32)op->arg};
    if (HD_UNLIKELY(!s->livelock.next) && !hd_livelock_allows(ev.kind))
        s->livelock.is_spoiled = true;
    if (ev.kind > HD_EV_FENCE)
        hd_emit(s, &ev);
    else if (s->env.emit) /* accesses, noted while the run is streamed, and fences: no part of the run */
        s->env.emit(s->env.self, &ev);
    if (HD_UNLIKELY(s->asleep) && ev.kind == HD_EV_FREE)
        hd_option_wake(s, t, op);
}

void hd_sched_io_ready(struct hd_sched *s, u16 t, bool ready)
{
    struct hd_sthread *th = &s->thread[t];
    if (th->state != HD_T_PENDING || th->op.kind != HD_EV_IO || th->io_ready == ready)
        return;
    th->io_ready = ready;
    if (ready)
        s->is_io_asked = false;
    hd_refresh(s, t);
}

/* ---- operations put aside -------------------------------------------------------- */

void hd_sched_resume_op(struct hd_sched *s, u16 t)
{
    struct hd_sthread *th = &s->thread[t];
    struct hd_saved *v = th->saved;
    HD_ASSERT(th->state == HD_T_RUNNING && v);
    th->op = v->op;
    th->phase = v->phase;
    th->timed_out = v->timed_out;
    th->wait_err = v->wait_err;
    th->wait_seq = v->wait_seq;
    th->io_ready = false;
    th->res = v->res;
    if (v->link.obj) { /* same place in the queue */
        struct hd_obj *o = v->link.obj;
        th->link = v->link;
        th->link.saved = NULL;
        *(th->link.prev ? &th->link.prev->next : &o->first) = &th->link;
        *(th->link.next ? &th->link.next->prev : &o->last) = &th->link;
        v->link.obj = NULL;
    }
    hd_saved_pop(s, t);
    th->state = HD_T_PENDING;
    th->post_step = s->step;
    th->post_points = th->points;
    th->is_hurried = false;
    hd_arm(s, t);
}

bool hd_saved_abandon(struct hd_sched *s, u16 t)
{
    struct hd_saved *v = s->thread[t].saved;
    struct hd_op op = v->op;
    u8 phase = v->phase;
    struct hd_obj *o = v->link.obj;
    if (o && o->type == HD_OBJ_BARRIER && phase == HD_PH_WAIT)
        o->barrier.arrived--;
    hd_saved_pop(s, t);
    bool is_cond = op.kind == HD_EV_COND_WAKE || phase == HD_PH_RELOCK;
    if (phase == HD_PH_WOKEN && op.kind != HD_EV_BARRIER_LEAVE && op.kind != HD_EV_SIGWAIT) {
        /* As if the interruption had come first, the wake-up then. */
        o = hd_object_find(s, is_cond ? HD_OBJ_COND : HD_OBJ_FUTEX, op.obj);
        if (o && o->first)
            hd_wake(s, o->first);
    }
    if (op.kind == HD_EV_JOIN)
        hd_join_unclaim(s, t, (u16)op.obj);
    if (is_cond) {
        struct hd_obj *m = hd_object_find(s, HD_OBJ_MUTEX, op.obj2);
        if (m && m->mutex.users)
            m->mutex.users--;
    }
    return is_cond;
}

bool hd_sched_abandon(struct hd_sched *s, u16 t)
{
    HD_ASSERT(s->thread[t].state == HD_T_RUNNING && s->thread[t].saved);
    return hd_saved_abandon(s, t);
}
