/* active.c: drives a run into the interleavings of its goals (event/goal.h). After
 * Maple's active scheduler (Yu, Narayanasamy, Pereira, Pokam, OOPSLA 2012), with
 * one rule in place of a machine per idiom:
 *
 *   a thread about to do ...                                 is
 *   a goal's event whose predecessors are done               READY, goes at once
 *     ... the first of a pair, its partner not in sight      SOFT: better wait for it
 *   an event whose predecessors are not done                 HELD
 *   what would come between two events of a pair (watch)     HELD
 *   anything, next on the way to a READY event               DRIVEN
 *   anything, while its part comes later                     LOW
 *   anything else                                            FREE
 *
 * Chosen in the order READY, DRIVEN, FREE, LOW, held for a goal of the queue (LATER), SOFT,
 * HELD. If a held thread has to go the goal starts over from what is left. Deviations: no
 * arbitration between instances, since all of them are held at the same time; several goals
 * at once; a queue of them; an instance can be asked for by (context, how many-th).
 */
#include "strategy/directed/active_part.h"

/* ---- how a thread stands ------------------------------------------------------------------ */

/* Somebody else is about to do event i on that object, or would if it could: waits
 * for the lock that is to be released, or to be woken. */
static bool is_in_sight(struct hd_active *s, const struct hd_view *v, const struct hd_goal *g,
                        const struct chase *c, u32 i, u32 but, struct object what)
{
    for (u32 t = 0; t < v->n_threads; t++) {
        struct object other;
        if (t == but || !(hd_bit_is_set(v->enabled, t) || hd_view_is_blocked(v, t)))
            continue;
        if (is_instance(s, t, hd_view_op(v, t), &g->event[i], &other) &&
            fits(g, c, i, t, other) && overlaps(what, other))
            return true;
    }
    return false;
}

/* A wake that finds nobody is no first event of a pair. */
static bool finds_waiter(struct hd_active *s, const struct hd_view *v, const struct hd_goal *g,
                        const struct chase *c, u32 i, u32 tid, const struct hd_op *op)
{
    struct object what = {op->obj, 1};
    if (g->event[i].does != HD_GOAL_WAKE || !v->states ||
        (op->kind != HD_EV_COND_SIGNAL && op->kind != HD_EV_COND_BROADCAST &&
         op->kind != HD_EV_FUTEX_WAKE))
        return true;
    for (u32 k = 0; k < g->n; k++)
        if (g->event[k].after >> i & 1 && g->event[k].var == g->event[i].var &&
            !is_in_sight(s, v, g, c, k, tid, what))
            return false;
    return true;
}

/* A wait begins that is to be woken by an event to come. */
static bool begins_wait(const struct hd_goal *g, const struct chase *c, u32 tid,
                        const struct hd_op *op)
{
    struct object what = {op->obj, 1};
    for (u32 i = 0; is_wait_begun(op) && i < g->n; i++) {
        const struct hd_goal_event *e = &g->event[i];
        if (e->does == HD_GOAL_WOKEN && e->site == op->site && !(c->done >> i & 1) &&
            !is_due(g, c, i) && (!e->addr || e->addr == op->obj) && fits(g, c, i, tid, what))
            return true;
    }
    return false;
}

/* The first event of a pair waits until the second can follow at once; and a thread
 * is not disturbed before its own second event is in sight (idiom 2). */
static bool waits_for_partner(struct hd_active *s, const struct hd_view *v,
                              const struct hd_goal *g, const struct chase *c, u32 i, u32 tid,
                              struct object what)
{
    const struct hd_goal_event *e = &g->event[i];
    if (s->goals->is_eager)
        return false;
    for (u32 k = 0; k < g->n; k++) {
        const struct hd_goal_event *next = &g->event[k];
        if (c->done >> k & 1 || !(next->after >> i & 1) || next->role == e->role ||
            next->var != e->var || e->does == HD_GOAL_TAKE || next->after & ~c->done & ~(1u << i))
            continue;
        if (!is_in_sight(s, v, g, c, k, tid, what))
            return true;
    }
    return false;
}

/* Somebody else is held for event i already. */
static bool has_keeper(struct hd_active *s, const struct hd_view *v, const struct hd_goal *g,
                       const struct chase *c, u32 i, u32 tid, struct object what)
{
    u16 k = c->keeper[i];
    struct object other;
    return !s->goals->holds_all && k != HD_NO_THREAD && k != tid &&
           (hd_bit_is_set(v->enabled, k) || hd_view_is_blocked(v, k)) &&
           is_instance(s, k, hd_view_op(v, k), &g->event[i], &other) && fits(g, c, i, k, other) &&
           overlaps(what, other);
}

/* ... then whoever comes by as well may be on its way to another event of the goal, and is not
 * kept from it. */
static bool is_kept(struct hd_active *s, const struct hd_view *v, const struct hd_goal *g,
                    struct chase *c, u32 i, u32 tid, struct object what)
{
    if (has_keeper(s, v, g, c, i, tid, what))
        return true;
    c->keeper[i] = (u16)tid;
    return false;
}

static enum standing stands_in(struct hd_active *s, const struct hd_view *v, u32 at, u32 tid)
{
    const struct hd_goal *g = &s->goals->at[at];
    struct chase *c = &s->chase[at];
    const struct hd_op *op = hd_view_op(v, tid);
    enum standing best = FREE;
    bool is_part = false;
    for (u32 i = 0; i < g->n; i++) {
        struct object what;
        if (c->done >> i & 1 || !is_instance(s, tid, op, &g->event[i], &what) ||
            !fits(g, c, i, tid, what))
            continue;
        if (!is_due(g, c, i)) {
            if (is_kept(s, v, g, c, i, tid, what))
                continue;
            best = is_part ? best : HELD;
        } else {
            enum standing now = waits_for_partner(s, v, g, c, i, tid, what) ? SOFT : READY;
            if (now == SOFT && s->goals->lets_pass && is_kept(s, v, g, c, i, tid, what))
                continue;
            best = is_part ? HD_MIN(best, now) : now;
        }
        is_part = true;
    }
    if (is_part)
        return best;
    if (begins_wait(g, c, tid, op))
        return DRIVEN;
    if (spoils(g, c, tid, op))
        return HELD;
    for (u32 role = 0; role < 2; role++) {
        if (c->thread[role] != tid)
            continue;
        for (u32 i = 0; i < g->n; i++)
            if (g->event[i].role == role && is_due(g, c, i))
                return DRIVEN;
        return LOW;
    }
    return FREE;
}

static enum standing stands_among(struct hd_active *s, const struct hd_view *v, u32 goals, u32 tid)
{
    enum standing best = FREE;
    bool is_ready = false;
    GOALS_EACH (i, goals) {
        enum standing now = stands_in(s, v, i, tid);
        is_ready |= now == READY;
        best = now == FREE ? best : best == FREE ? now : HD_MAX(best, now);
    }
    return is_ready && best < HELD ? READY : best;
}

static enum standing stands(struct hd_active *s, const struct hd_view *v, u32 tid)
{
    enum standing how = stands_among(s, v, s->live & s->first, tid);
    if ((how != FREE && how != LOW) || !(s->live & ~s->first))
        return how;
    enum standing later = stands_among(s, v, s->live & ~s->first, tid);
    return later == FREE ? how : HD_MIN(later, LATER);
}

/* ---- the strategy -------------------------------------------------------------------------- */

static void start_over(struct chase *c)
{
    *c = (struct chase){.thread = {HD_NO_THREAD, HD_NO_THREAD}};
    for (u32 i = 0; i < HD_GOAL_EVENTS; i++)
        c->keeper[i] = HD_NO_THREAD;
}

/* Of a hot loop and what comes once behind it, that tells where the goal is. */
static void find_landmarks(struct hd_active *s, u32 at, const struct hd_site_points *sites)
{
    const struct hd_goal *g = &s->goals->at[at];
    u32 times[HD_GOAL_EVENTS], least = UINT32_MAX;
    for (u32 i = 0; i < g->n; i++) {
        u32 where = hd_site_points_at(sites, g->event[i].site);
        times[i] = where < HD_LEARN_SITES ? hd_site_points_each(sites, where) : 0;
        least = HD_MIN(least, HD_MAX(times[i], 1u));
    }
    for (u32 i = 0; i < g->n; i++) {
        s->landmarks[at] |= (u8)((times[i] < (u64)LANDMARK * least) << i);
        s->rare[at] |= (u8)((times[i] && times[i] < LANDMARK) << i);
    }
}

static void active_start(void *state, const struct hd_strategy_arg *arg)
{
    static const struct hd_goals none = {.order = HD_ORDER_CHANCE};
    struct hd_active *s = state;
    s->rng = arg->rng;
    s->goals = arg->goals ? arg->goals : &none;
    queue_start(&s->queue, s->goals, arg->learned->max_points);
    s->first = s->live = (u32)((1ull << s->goals->n) - 1) & ~s->queue.ahead;
    s->patience = s->goals->patience;
    s->hold_steps = HOLD_TIMES * arg->learned->max_points;
    for (u32 i = 0; i < s->goals->n; i++) {
        start_over(&s->chase[i]);
        find_landmarks(s, i, &arg->learned->sites);
    }
}

/* Among equals. */
static u64 weight(struct hd_active *s, u32 tid, enum standing how)
{
    if (how >= SOFT && s->goals->order == HD_ORDER_CHANCE)
        return hd_rng_next(&s->rng);
    switch (s->goals->order) {
    case HD_ORDER_EARLIER: return HD_MAX_THREADS - tid;
    case HD_ORDER_LATER: return tid + 1;
    default: return hd_event_priority(&s->priority, &s->rng, tid);
    }
}

/* When what the run is for is over: each thread gets a share of the steps, as under pctlarge. So
 * the rest of the run is worth one by chance, whatever order led to the goal. */
static u64 share(struct hd_active *s, u32 tid)
{
    if (!s->share[tid])
        s->share[tid] = (u8)(SHARE_LEAST << hd_rng_below(&s->rng, SHARES));
    return s->share[tid];
}

static u32 active_pick(void *state, const struct hd_view *v)
{
    struct hd_active *s = state;
    u32 chosen = HD_NO_THREAD;
    enum standing best = HELD;
    u64 most = 0, sum = 0;
    bool is_shared = s->goals->n_queued && !(s->live & s->first);
    queue_look(s, v);
    HD_BITS_EACH(t, v->enabled, v->words) {
        enum standing how = s->live ? stands(s, v, t) : FREE;
        if (chosen != HD_NO_THREAD && how > best)
            continue;
        if (chosen == HD_NO_THREAD || how < best)
            most = sum = 0;
        u64 w = is_shared ? share(s, t) : weight(s, t, how);
        sum += w;
        if (chosen == HD_NO_THREAD || how < best ||
            (is_shared ? hd_rng_below(&s->rng, sum) < w : w > most)) {
            chosen = t;
            best = how;
            most = w;
        }
    }
    hd_event_priority_picked(&s->priority, v, chosen);
    return chosen;
}

/* Everybody who can go had better wait. What the queue waits for is not worth the patience that a
 * goal before it may need. */
static bool is_stalled(struct hd_active *s, const struct hd_view *v)
{
    if (!s->live || !s->patience)
        return false;
    HD_BITS_EACH(t, v->enabled, v->words) {
        enum standing how = stands(s, v, t);
        if (how < LOW || (how == LATER && s->live & s->first))
            return false;
    }
    return true;
}

/* ... and somebody sleeps: let time pass. */
static bool active_wait(void *state, const struct hd_view *v)
{
    struct hd_active *s = state;
    if (!is_stalled(s, v))
        return false;
    s->patience--;
    return true;
}

/* ... and somebody waits for input: it may come. If it did not the last time, and
 * nobody has gone on since, it need not be waited for again; and the world will be
 * waited for only half as often from then on (it may be waiting for us). */
static bool active_await(void *state, const struct hd_view *v)
{
    struct hd_active *s = state;
    if (!s->goals->awaits || !is_stalled(s, v))
        return false;
    if (s->awaited == v->step + 1) {
        s->patience /= 2;
        return false;
    }
    s->awaited = v->step + 1;
    s->patience--;
    return true;
}

/* A script leads to the neighbourhood of the goal: from the first of the recorded events on, of
 * those that tell where the goal is, we go ourselves. At a site that hardly ever executes, whoever
 * comes there: once it has passed it may be too late. */
static bool active_leave(void *state, const struct hd_view *v)
{
    struct hd_active *s = state;
    struct object what;
    GOALS_EACH (i, s->first)
        for (u32 k = 0; k < s->goals->at[i].n; k++) {
            const struct hd_goal_event *e = &s->goals->at[i].event[k];
            bool is_rare = s->rare[i] >> k & 1;
            if (!(s->landmarks[i] >> k & 1))
                continue;
            HD_BITS_EACH(t, v->enabled, v->words)
                if ((is_rare && hd_view_op(v, t)->site == e->site) ||
                    (t == e->tid && is_instance(s, t, hd_view_op(v, t), e, &what)))
                    return true;
        }
    return false;
}

/* Others may have most of the run to do before they come to their part: more of it than there
 * were points in any run so far is not to be expected. */
static u64 active_holds(void *state, const struct hd_view *v, u32 tid)
{
    struct hd_active *s = state;
    enum standing how = s->live ? stands(s, v, tid) : FREE;
    return how >= SOFT ? s->hold_steps : how == LATER ? s->queue.steps : 0;
}

static void bind(const struct hd_goal *g, struct chase *c, u32 i, u32 tid, struct object what)
{
    const struct hd_goal_event *e = &g->event[i];
    c->done |= (u8)(1u << i);
    if (c->thread[e->role] == HD_NO_THREAD) {
        c->thread[e->role] = (u16)tid;
        c->steps[e->role] = 0;
    }
    if (!c->object[e->var].size)
        c->object[e->var] = what;
}

/* Somebody else is to come to a lock while it is held for event i (a deadlock). */
static bool is_held_for(const struct hd_goal *g, const struct chase *c, u32 i)
{
    const struct hd_goal_event *e = &g->event[i];
    for (u32 k = 0; k < g->n; k++)
        if (!(c->done >> k & 1) && g->event[k].after >> i & 1 && g->event[k].var == e->var &&
            g->event[k].role != e->role)
            return true;
    return false;
}

/* A lock that has to be held is released. */
static bool gives_up(const struct hd_goal *g, const struct chase *c, u32 tid,
                     const struct hd_op *op)
{
    struct object what;
    if (!does_it(op, HD_GOAL_GIVE, &what))
        return false;
    for (u32 i = 0; i < g->n; i++)
        if (c->done >> i & 1 && g->event[i].does == HD_GOAL_TAKE && is_held_for(g, c, i) &&
            c->thread[g->event[i].role] == tid && overlaps(c->object[g->event[i].var], what))
            return true;
    return false;
}

/* Between its two events a thread touched one of their objects once more: the two are
 * not what the idiom is about. It will do so whoever else waits, so it is not held. */
static bool touches_again(const struct hd_goal *g, const struct chase *c, u32 tid,
                          const struct hd_op *op)
{
    struct object what = {op->obj, op->size ? op->size : 1};
    enum hd_evclass class = hd_event_class(op->kind);
    u32 role = c->thread[1] == tid;
    if (c->thread[role] != tid || !(g->exclusive >> role & 1) || class == HD_CLASS_LOCAL ||
        class == HD_CLASS_ORDER)
        return false;
    for (u32 var = 0; var < g->n_vars; var++)
        if (c->object[var].size && overlaps(c->object[var], what))
            return true;
    return false;
}

/* It was held for an event to come, and could not be any longer. */
static bool was_let_go(struct hd_active *s, const struct hd_view *v, const struct hd_goal *g,
                       const struct chase *c, u32 tid, const struct hd_op *op)
{
    struct object what;
    for (u32 i = 0; i < g->n; i++)
        if (!(c->done >> i & 1) && is_instance(s, tid, op, &g->event[i], &what) &&
            fits(g, c, i, tid, what) && !has_keeper(s, v, g, c, i, tid, what))
            return true;
    return false;
}

static void follow(struct hd_active *s, const struct hd_view *v, u32 at, u32 tid,
                   const struct hd_op *op)
{
    const struct hd_goal *g = &s->goals->at[at];
    struct chase *c = &s->chase[at];
    struct object what;
    for (u32 i = 0; i < g->n; i++)
        if (is_due(g, c, i) && is_instance(s, tid, op, &g->event[i], &what) &&
            fits(g, c, i, tid, what) && finds_waiter(s, v, g, c, i, tid, op) &&
            !(s->goals->must_meet && waits_for_partner(s, v, g, c, i, tid, what))) {
            if (s->goals->lets_pass && has_keeper(s, v, g, c, i, tid, what) &&
                waits_for_partner(s, v, g, c, i, tid, what))
                return; /* it passed by one who waits */
            bind(g, c, i, tid, what);
            if (c->done == (1u << g->n) - 1)
                s->live &= ~(1u << at);
            return;
        }
    bool is_lost = spoils(g, c, tid, op) || gives_up(g, c, tid, op) || touches_again(g, c, tid, op);
    for (u32 role = 0; role < 2; role++)
        if (c->thread[role] == tid)
            is_lost |= (g->window && ++c->steps[role] > g->window) || op->kind == HD_EV_EXIT;
    if (!is_lost) {
        s->queue.losses[at] += was_let_go(s, v, g, c, tid, op);
        return;
    }
    s->queue.losses[at]++;
    start_over(c);
    /* The same event may be the beginning of the next try. */
    for (u32 i = 0; i < g->n; i++)
        if (is_due(g, c, i) && is_instance(s, tid, op, &g->event[i], &what) &&
            finds_waiter(s, v, g, c, i, tid, op)) {
            bind(g, c, i, tid, what);
            return;
        }
}

static bool is_counted(const struct hd_active *s, const struct hd_op *op)
{
    for (u32 i = 0; i < s->goals->n; i++)
        for (u32 k = 0; k < s->goals->at[i].n; k++)
            if (s->goals->at[i].event[k].nth && s->goals->at[i].event[k].site == op->site)
                return true;
    return false;
}

static void active_stepped(void *state, const struct hd_view *v, u32 tid, const struct hd_op *op)
{
    struct hd_active *s = state;
    GOALS_EACH (i, s->live)
        follow(s, v, i, tid, op);
    queue_drop(s, v);
    if (is_counted(s, op))
        count_of(s, tid, op)->n++;
    s->priority.of[tid] = 0;
}

static u32 active_tried(const void *state)
{
    const struct hd_active *s = state;
    return s->first | s->queue.taken;
}

static bool active_is_done(const void *state)
{
    const struct hd_active *s = state;
    return !s->live && !s->queue.ahead;
}

const struct hd_strategy hd_strategy_active = {
    .name = "active",
    .doc = "drives the run into predicted orders of events (what `test` does by default)",
    .state_size = sizeof(struct hd_active),
    .is_fair = true,
    .is_seeded = true,
    .start = active_start,
    .pick = active_pick,
    .stepped = active_stepped,
    .wait = active_wait,
    .await = active_await,
    .leave = active_leave,
    .holds = active_holds,
    .tried = active_tried,
    .is_done = active_is_done,
};
_Static_assert(sizeof(struct hd_active) <= 8 * HD_STRATEGY_WORDS, "state");
