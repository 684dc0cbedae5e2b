/* sync_signal.c: signals the program handles.
 *
 * A pending thread with a signal that is due is enabled, whatever it waits
 * for. Picked, its operation is put aside (struct hd_saved keeps its place in
 * the queue: a cond waiter can be signalled while its handler runs), and it is
 * resumed with res.signal for one signal at a time. Signals to the process
 * are first lent to a thread: a choice. If that one comes to block them, ends, or
 * leaves its sigwait without them, they are the process's again: others may take them.
 * With a script they wait until it says so, so that a signal from outside that
 * comes early does not upset a replay.
 */
#include "sched/internal.h"

/* Does t run no handlers here? When it starts, its own mask comes first; when it ends, it is
 * too late. */
static bool is_at_edge(const struct hd_sthread *th)
{
    return th->op.kind == HD_EV_START || th->op.kind == HD_EV_EXIT;
}

u64 hd_signal_of(const struct hd_sthread *th, u64 unblocked)
{
    if (is_at_edge(th))
        return 0;
    return th->op.kind == HD_EV_SIGWAIT ? unblocked & ~th->op.arg : unblocked;
}

/* Those in `set` that were lent to t are the process's again. */
static void give_back(struct hd_sched *s, u16 t, u64 set)
{
    set &= s->thread[t].sig_lent;
    if (HD_LIKELY(!set))
        return;
    hd_sched_signals_taken(&s->thread[t], set);
    s->sig_process |= set;
    s->sig_dirty = true;
}

void hd_signal_leave(struct hd_sched *s, u16 t) { give_back(s, t, ~(u64)0); }

void hd_sched_signal(struct hd_sched *s, u16 t, u32 signo)
{
    HD_ASSERT(signo >= 1 && signo <= 64);
    u64 bit = (u64)1 << (signo - 1);
    if (t == HD_NO_THREAD) {
        s->sig_process |= bit;
        s->sig_dirty = true;
        return;
    }
    give_back(s, t, bit); /* now it has one of its own */
    s->thread[t].sig_pending |= bit;
    s->thread[t].is_cancelled |= signo == HD_SIG_CANCEL;
    hd_refresh(s, t);
}

void hd_signal_lend(struct hd_sched *s, u16 t, u32 signo)
{
    u64 bit = (u64)1 << (signo - 1);
    s->sig_process &= ~bit;
    s->thread[t].sig_pending |= bit;
    s->thread[t].sig_lent |= bit & ~s->sig_foreign; /* those of other processes come as they come */
    hd_refresh(s, t);
}

void hd_sched_sigmask(struct hd_sched *s, u16 t, u64 blocked)
{
    struct hd_sthread *th = &s->thread[t];
    bool waits = th->state == HD_T_PENDING && th->op.kind == HD_EV_SIGWAIT;
    th->sig_blocked = blocked;
    give_back(s, t, waits ? blocked & ~th->op.arg : blocked);
    s->sig_dirty |= s->sig_process != 0;
    hd_refresh(s, t);
}

void hd_sched_sigwait_again(struct hd_sched *s)
{
    for (u32 t = 0; t < s->n_threads; t++) {
        struct hd_sthread *th = &s->thread[t];
        if (th->state == HD_T_PENDING && th->op.kind == HD_EV_SIGWAIT) {
            th->phase = HD_PH_WOKEN;
            hd_refresh(s, (u16)t);
        }
        for (struct hd_saved *v = th->saved; v; v = v->below)
            if (v->op.kind == HD_EV_SIGWAIT)
                v->phase = HD_PH_WOKEN;
    }
}

u8 hd_signal_kind(const struct hd_sched *s, u32 signo)
{
    return s->sig_foreign & (u64)1 << (signo - 1) ? HD_CHOICE_FOREIGN : HD_CHOICE_SIGNAL;
}

/* Those of the signals `set`, sent to the process, that t may get now. A thread that starts or
 * ends is not given one: it would be gone with it. Nor is one that has the same signal already,
 * but for those of other processes, which are merged: how many come differs in a replay. */
static u64 can_get(const struct hd_sched *s, const struct hd_sthread *th, u64 set)
{
    set &= ~(th->sig_pending & ~s->sig_foreign);
    u64 open = set & ~th->sig_blocked;
    if (th->state == HD_T_BLOCKED_OUTSIDE)
        return open;
    if (th->state != HD_T_PENDING || is_at_edge(th))
        return 0;
    return th->op.kind == HD_EV_SIGWAIT ? open | (set & th->op.arg) : open;
}

u32 hd_signal_for(const struct hd_sched *s, u16 t, u8 kind, u32 signo)
{
    u64 all = s->sig_process & (kind == HD_CHOICE_FOREIGN ? s->sig_foreign : ~s->sig_foreign);
    u64 set = can_get(s, &s->thread[t], signo ? all & (u64)1 << (signo - 1) : all);
    return set ? (u32)__builtin_ctzll(set) + 1 : 0;
}

u64 hd_signal_receivers(const struct hd_sched *s, u32 signo)
{
    u64 set = 0;
    for (u32 t = 0; t < s->n_threads && t < 64; t++)
        if (can_get(s, &s->thread[t], (u64)1 << (signo - 1)))
            set |= (u64)1 << t;
    return set;
}

bool hd_signal_route(struct hd_sched *s)
{
    bool any = false;
    s->sig_dirty = false;
    for (u64 rest = s->sig_process; rest; rest &= rest - 1) {
        u64 bit = rest & -rest;
        u32 n = 0;
        for (u32 t = 0; t < s->n_threads; t++) {
            const struct hd_sthread *th = &s->thread[t];
            n += can_get(s, th, bit) != 0;
            /* one that starts may take it soon */
            s->sig_dirty |= th->state == HD_T_PENDING && th->op.kind == HD_EV_START;
        }
        if (!n)
            continue;
        u64 k = n > 1 && !s->cfg.is_search ? hd_rng_below(&s->rng, n) : 0;
        u16 t = 0;
        while (!can_get(s, &s->thread[t], bit) || k--)
            t++;
        u32 signo = (u32)__builtin_ctzll(bit) + 1;
        u8 kind = hd_signal_kind(s, signo);
        hd_choice_log_signal(s, t, signo);
        if (s->cfg.is_search)
            hd_option_among(s, kind, t, hd_signal_receivers(s, signo));
        hd_signal_lend(s, t, signo);
        any = true;
    }
    return any;
}

/* t has taken the signal `bit`. Others in a set that it waits for may be somebody else's. */
static void taken(struct hd_sched *s, u16 t, u64 bit)
{
    hd_sched_signals_taken(&s->thread[t], bit);
    give_back(s, t, s->thread[t].sig_blocked);
    s->sig_dirty |= s->sig_process != 0;
}

/* Puts the pending operation aside and resumes t for its lowest signal. */
void hd_signal_handler(struct hd_sched *s, u16 t, struct hd_event *ev)
{
    struct hd_sthread *th = &s->thread[t];
    u64 due = hd_signal_due(th);
    u32 signo = (u32)__builtin_ctzll(due) + 1;
    struct hd_saved *v = hd_saved_push(s, t);
    v->op = th->op;
    v->phase = th->phase;
    v->timed_out = th->timed_out;
    v->wait_err = th->wait_err;
    v->wait_seq = th->wait_seq;
    v->res = th->res;
    if (th->phase == HD_PH_WAIT && th->link.obj) { /* same place in the queue */
        struct hd_obj *o = th->link.obj;
        v->link.next = th->link.next;
        v->link.prev = th->link.prev;
        v->link.obj = o;
        *(v->link.prev ? &v->link.prev->next : &o->first) = &v->link;
        *(v->link.next ? &v->link.next->prev : &o->last) = &v->link;
        th->link.obj = NULL;
    }
    hd_disarm(s, t);
    th->state = HD_T_RUNNING;
    taken(s, t, (u64)1 << (signo - 1));
    th->res = (struct hd_res){.signal = true, .value = signo};
    ev->kind = HD_EV_HANDLER;
    ev->size = 0;
    ev->obj = 0;
    ev->arg = signo;
}

static s32 kill(struct hd_sched *s, const struct hd_op *op)
{
    if (op->arg > 64)
        return EINVAL;
    bool is_process = op->obj == ~(u64)0;
    if (!is_process) {
        if (op->obj >= s->n_threads || s->thread[op->obj].state == HD_T_FREE ||
            s->thread[op->obj].is_joined)
            return ESRCH;
    }
    if (op->arg)
        hd_sched_signal(s, is_process ? HD_NO_THREAD : (u16)op->obj, (u32)op->arg);
    return 0;
}

bool hd_signal_step(struct hd_sched *s, u16 t, struct hd_event *ev)
{
    struct hd_sthread *th = &s->thread[t];
    if (th->op.kind == HD_EV_KILL) {
        th->res.err = kill(s, &th->op);
        ev->arg = (u32)th->op.arg;
        return true;
    }
    u64 got = th->sig_pending & th->op.arg;
    if (got) {
        th->res.value = (u64)__builtin_ctzll(got) + 1;
        taken(s, t, got & -got);
    } else {
        th->res.err = th->phase == HD_PH_WOKEN ? EAGAIN : ETIMEDOUT;
    }
    ev->arg = (u32)th->res.value;
    return true;
}
