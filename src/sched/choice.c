/* choice.c: every choice goes through here: from the script if there is one,
 * else from the strategy (who goes next) or the core's generator (who is
 * woken, which timeout comes early, who gets a signal); and into the log.
 *
 *   log entry   PICK t x n         n transitions of t in a row
 *               WAKE / TIMEOUT / SIGNAL t
 *               CLOCK / STOP t us  the clock moves (vtime.c)
 *   site[i]     of the entry's first transition
 *   check[i]    hash of all events up to its last
 *
 * Long ones go on in files (packed.c).
 *
 * A strict script says what it expects at each of these; the first that does
 * not hold ends the run as diverged, before the transition where possible.
 */
#include "sched/internal.h"

#define MAX_ASKED (1u << 20) /* ticks of other timers: a quarter of an hour of milliseconds */

/* ---- log -------------------------------------------------------------------------- */

void hd_choice_log_amount(struct hd_sched *s, u8 kind, u16 t, u32 count, u64 site)
{
    struct hd_log *l = s->log;
    s->quiet.until = 0;
    if (HD_UNLIKELY(l->n == l->cap) && !hd_packed_push(s, kind)) {
        s->is_log_full = true;
        return;
    }
    l->choice[l->n] = (struct hd_choice){.count = count, .tid = t, .kind = kind};
    l->site[l->n] = site;
    l->check[l->n] = s->hash;
    l->n++;
}

/* The last entry once more, if it is the same choice. */
static bool is_repeated(struct hd_log *l, u8 kind, u16 t)
{
    if (HD_UNLIKELY(!l->n))
        return false;
    struct hd_choice *last = &l->choice[l->n - 1];
    if (last->kind != kind || last->tid != t || last->count == ~0u)
        return false;
    last->count++;
    return true;
}

void hd_choice_log(struct hd_sched *s, u8 kind, u16 t, u64 site)
{
    if (is_repeated(s->log, kind, t))
        s->log->check[s->log->n - 1] = s->hash;
    else
        hd_choice_log_amount(s, kind, t, 1, site);
}

void hd_choice_log_signal(struct hd_sched *s, u16 t, u32 signo)
{
    u8 kind = hd_signal_kind(s, signo);
    if (kind == HD_CHOICE_SIGNAL) {
        hd_choice_log(s, kind, t, s->thread[t].op.site);
        return;
    }
    /* an entry of its own: others may come in another order next time */
    hd_choice_log_amount(s, kind, t, 1, s->thread[t].op.site);
    struct hd_choice *c = &s->log->choice[s->log->n - 1];
    if (c->kind == kind)
        c->flags = (u8)(signo << HD_CHOICE_SIGNO_SHIFT);
}

void hd_choice_compare(struct hd_sched *s)
{
    const struct hd_expected e = s->expected;
    s->expected.check = 0;
    if (e.check != s->hash && !s->diverged.is)
        s->diverged = (struct hd_diverged){.is = true,
                                           .entry = e.entry,
                                           .step = s->step,
                                           .want_tid = e.tid,
                                           .got_tid = s->last,
                                           .want_site = e.site,
                                           .got_site = s->thread[s->last].last_site,
                                           .why = "other events"};
}

/* ---- script ------------------------------------------------------------------------ */

static void advance(struct hd_sched *s)
{
    if (++s->script_used >= s->script.choice[s->script_pos].count)
        hd_script_next(s);
}

/* The entry at hand cannot be followed: divergence (true) or skip it. */
static HD_COLD bool miss(struct hd_sched *s, const char *why, u16 got, u64 got_site)
{
    u32 e = s->script_pos;
    if (!s->script.strict) {
        hd_script_next(s);
        return false;
    }
    if (!s->diverged.is)
        s->diverged = (struct hd_diverged){.is = true,
                                           .entry = s->script_base + e,
                                           .step = s->step,
                                           .want_tid = s->script.choice[e].tid,
                                           .got_tid = got,
                                           .want_site = s->script.site ? s->script.site[e] : 0,
                                           .got_site = got_site,
                                           .why = why};
    return true;
}

static bool waits_for_external(const struct hd_sthread *th)
{
    return th->state == HD_T_BLOCKED_OUTSIDE ||
           (th->state == HD_T_PENDING && th->op.kind == HD_EV_IO && th->op.arg != 1);
}

/* A loose script was written for another run: where it names a thread that sleeps or
 * waits for the world, time does not pass while somebody can run. */
static bool may_expire(const struct hd_sched *s)
{
    u64 any = 0;
    for (u32 w = 0; w < hd_words(s); w++)
        any |= s->enabled[w];
    return s->script.strict || !any;
}

/* A timer of the runtime comes before t's own deadline, or t waits for the
 * world: the runtime is asked before the script counts as wrong. Once, or as often
 * as a timer came meanwhile: others may tick faster than the one t waits for. */
static bool ask_runtime(struct hd_sched *s, u16 t, bool is_external, enum hd_step *end,
                        u16 *wanted)
{
    s64 own = t < s->n_threads && hd_bit_is_set(s->timed, t) ? s->thread[t].op.deadline : HD_NEVER;
    bool is_timer = s->timer < own && may_expire(s);
    bool has_ticked = is_timer && s->script.strict && s->now > s->asked_ns;
    if (!(is_timer || is_external) ||
        (s->is_io_asked && (!has_ticked || s->n_asked >= MAX_ASKED)))
        return false;
    s->n_asked = s->is_io_asked ? s->n_asked + 1 : 0;
    s->asked_ns = s->now;
    s->is_io_asked = true;
    s->io_patience = HD_NEVER;
    s->io_deadline = !is_timer           ? HD_NEVER
                     : s->script.strict ? s->timer
                                        : HD_MIN(s->timer, hd_vtime_earliest(s)); /* past nobody's sleep */
    *wanted = t;
    *end = HD_STEP_IO;
    return true;
}

static u16 idle(struct hd_sched *s, enum hd_step *end);

#define BY_RULE (HD_NO_THREAD - 1) /* the rule of older records says who */

/* The thread the script wants next, or BY_RULE; or HD_NO_THREAD with *end,
 * HD_STEP_RESUME if the script has ended. */
static u16 follow(struct hd_sched *s, enum hd_step *end, u16 *wanted)
{
    while (hd_choice_has_script(s)) {
        const struct hd_choice *c = &s->script.choice[s->script_pos];
        u16 t = c->tid;
        const struct hd_sthread *th = t < s->n_threads ? &s->thread[t] : NULL;
        u64 site = th ? th->op.site : 0;
        const char *why = "thread cannot run";
        u32 signo;
        switch (c->kind) {
        case HD_CHOICE_RULE:
            s->is_io_asked = false;
            return BY_RULE;
        case HD_CHOICE_PICK:
            if (!th)
                break;
            if (hd_bit_is_set(s->enabled, t)) {
                if (s->script.strict && s->script.site && !s->script_used &&
                    s->script.site[s->script_pos] && s->script.site[s->script_pos] != site) {
                    why = "other site";
                    break;
                }
                s->is_io_asked = false;
                return t;
            }
            if (ask_runtime(s, t, waits_for_external(th), end, wanted))
                return HD_NO_THREAD;
            if (hd_bit_is_set(s->timed, t) && may_expire(s)) { /* so its time had come */
                if (!s->script.strict)
                    return idle(s, end); /* past nobody's sleep, no timer and nothing real */
                hd_vtime_overtake(s, t); /* others may have woken before, and are late then */
                continue;
            }
            break;
        case HD_CHOICE_TIMEOUT:
            if (th && hd_bit_is_set(s->timed, t) &&
                (s->script.strict || hd_vtime_may_overtake(s, t))) {
                hd_choice_log(s, HD_CHOICE_TIMEOUT, t, site);
                if (s->cfg.is_search)
                    hd_option_fired(s, t);
                hd_vtime_overtake(s, t);
                advance(s);
                continue;
            }
            why = "no timeout to come";
            break;
        case HD_CHOICE_SIGNAL:
        case HD_CHOICE_FOREIGN:
            signo = th ? hd_signal_for(s, t, c->kind, c->flags >> HD_CHOICE_SIGNO_SHIFT) : 0;
            if (signo) {
                hd_choice_log_signal(s, t, signo);
                if (s->cfg.is_search)
                    hd_option_among(s, c->kind, t, hd_signal_receivers(s, signo));
                hd_signal_lend(s, t, signo);
                advance(s);
                continue;
            }
            if (ask_runtime(s, t, c->kind == HD_CHOICE_FOREIGN, end, wanted))
                return HD_NO_THREAD;
            why = "no signal to receive";
            break;
        default:
            why = "no waiter to choose";
            break;
        }
        s->is_io_asked = false;
        if (miss(s, why, s->last, site)) {
            *end = HD_STEP_DIVERGED;
            return HD_NO_THREAD;
        }
    }
    *end = HD_STEP_RESUME;
    return HD_NO_THREAD;
}

/* ---- who goes next ------------------------------------------------------------------ */

/* Everybody waits for a sleep to end. */
static void note_sleep(struct hd_sched *s, s64 when)
{
    if (s->sleep_site || s->n_threads < 2)
        return;
    HD_BITS_EACH(t, s->timed, hd_words(s))
        if (s->thread[t].op.kind == HD_EV_SLEEP && s->thread[t].op.deadline == when)
            s->sleep_site = s->thread[t].op.site;
}

/* Nobody can run: let time pass, wait for the world, or say that it is over. */
static HD_COLD u16 idle(struct hd_sched *s, enum hd_step *end)
{
    *end = HD_STEP_RESUME;
    if (s->sig_process && hd_signal_route(s))
        return HD_NO_THREAD;
    s64 first = hd_vtime_earliest(s);
    s->io_patience = HD_NEVER;
    if (s->n_io + s->n_blocked_outside ||
        (s->is_beside_real && HD_MIN(first, s->timer) != HD_NEVER)) {
        s->io_deadline = HD_MIN(first, s->timer);
        *end = HD_STEP_IO;
    } else if (s->timer < first) {
        hd_sched_clock_move(s, s->timer);
        *end = HD_STEP_TIMER;
    } else if (s->n_timed) {
        note_sleep(s, first);
        s->passed_ns += HD_MAX(first - s->now, 0);
        hd_sched_clock_jump(s, first);
    } else if (!s->n_live) {
        *end = HD_STEP_DONE;
    } else {
        if (s->cfg.is_search)
            hd_option_stuck(s);
        hd_deadlock_explain(s);
        *end = HD_STEP_DEADLOCK;
    }
    return HD_NO_THREAD;
}

static u16 ask(struct hd_sched *s, const struct hd_view *v)
{
    u32 t;
    if (v->n_enabled == 1)
        t = hd_bits_nth(s->cand, v->words, 0);
    else if (s->cfg.strategy)
        t = s->cfg.strategy->pick(s->strategy_state, v);
    else
        t = hd_option_next(s);
    HD_ASSERT(t < s->n_threads && hd_bit_is_set(s->cand, t));
    return (u16)t;
}

/* The strategy lets sleepers wake up, or the world come, before somebody goes. */
static bool waits(struct hd_sched *s, const struct hd_view *v, enum hd_step *end)
{
    const struct hd_strategy *how = s->cfg.strategy;
    if (s->n_timed && how->wait && hd_vtime_can_hurry(s) && how->wait(s->strategy_state, v)) {
        hd_vtime_hurry(s);
        *end = HD_STEP_RESUME;
        return true;
    }
    if (HD_LIKELY(!(s->n_io + s->n_blocked_outside)) || !how->await ||
        !how->await(s->strategy_state, v))
        return false;
    s->io_deadline = HD_NEVER;
    s->io_patience = HD_AWAIT_NS;
    *end = HD_STEP_IO;
    return true;
}

/* A loose script that the strategy wants to leave ends here. */
static bool leaves_script(struct hd_sched *s)
{
    const struct hd_strategy *how = s->cfg.strategy;
    if (s->script.strict || !how || !how->leave)
        return false;
    struct hd_view v = hd_sched_view(s, hd_spin_candidates(s));
    if (!v.n_enabled || !how->leave(s->strategy_state, &v))
        return false;
    s->script_pos = s->script.n;
    s->script_read = s->script.packed;
    return true;
}

static u32 only(struct hd_sched *s, u16 t)
{
    for (u32 w = 0; w < hd_words(s); w++)
        s->cand[w] = 0;
    hd_bit_set(s->cand, t);
    return 1;
}

/* The script's entry is taken; false: it names another site, the run diverges. */
static bool take_entry(struct hd_sched *s, u16 t)
{
    const struct hd_script *c = &s->script;
    u32 at = s->script_pos;
    u64 site = s->thread[t].op.site;
    if (s->is_rule && c->strict && c->site && !s->script_used && c->site[at] != site &&
        miss(s, "other site", t, site))
        return false;
    bool is_last = s->script_used + 1 >= c->choice[at].count;
    if (is_last && c->strict && c->check)
        s->expected = (struct hd_expected){.check = c->check[at], .site = c->site ? c->site[at] : 0,
                                           .entry = s->script_base + at, .tid = c->choice[at].tid};
    advance(s);
    return true;
}

/* Before the strategy is asked: signals to give, timeouts that come early. */
static bool prepare(struct hd_sched *s, enum hd_step *end)
{
    if (HD_UNLIKELY(s->sig_dirty))
        hd_signal_route(s);
    if (HD_UNLIKELY(s->n_timed || s->timer != HD_NEVER) && s->cfg.early_per_1024 &&
        !hd_rule_stays(s)) {
        hd_vtime_early(s);
        if (s->now >= s->timer) {
            *end = HD_STEP_RESUME;
            return false;
        }
    }
    return true;
}

/* t was picked out of v. */
static void log_pick(struct hd_sched *s, const struct hd_view *v, u16 t)
{
    if (!is_repeated(s->log, HD_CHOICE_PICK, t))
        hd_choice_log_amount(s, HD_CHOICE_PICK, t, 1, s->thread[t].op.site);
    s->pick_entry = s->log->n - 1; /* its check follows: hd_choice_done */
    /* Who is about to end the process is not interrupted: the end is the end of others. */
    if (v->current == HD_NO_THREAD || v->current == t ||
        s->thread[v->current].op.kind == HD_EV_END)
        return;
    s->preemptions++;
    s->log->choice[s->pick_entry].flags |= HD_CHOICE_PREEMPTS;
}

u16 hd_choice_pick(struct hd_sched *s, enum hd_step *end, u16 *wanted)
{
    u16 t = HD_NO_THREAD;
    bool is_scripted = hd_choice_has_script(s) && !leaves_script(s);
    if (HD_UNLIKELY(is_scripted)) {
        hd_vtime_follow(s);
        if (s->now >= HD_MIN(s->timer, s->next_deadline)) {
            *end = HD_STEP_RESUME; /* what has come due by that goes first */
            return HD_NO_THREAD;
        }
        t = follow(s, end, wanted);
        if (t == HD_NO_THREAD && (*end != HD_STEP_RESUME || hd_choice_has_script(s)))
            return t;
    }
    if (t == HD_NO_THREAD) {
        is_scripted = false;
        if (!prepare(s, end))
            return HD_NO_THREAD;
    }
    s->is_rule = t == BY_RULE;
    if (HD_UNLIKELY(s->is_rule))
        hd_rule_begin(s);
    u32 n = hd_spin_candidates(s);
    if (HD_UNLIKELY(!n))
        return idle(s, end);
    if (HD_UNLIKELY(s->n_ending))
        n = hd_end_hold(s, n);
    if (HD_UNLIKELY(s->livelock.want != HD_NO_THREAD) && !is_scripted)
        n = only(s, s->livelock.want);
    u64 candidates = s->cand[0];
    if (HD_UNLIKELY(s->asleep) && !is_scripted && !(n = hd_option_awake(s, end)))
        return HD_NO_THREAD;
    if (HD_UNLIKELY(s->is_rule)) {
        t = hd_rule_pick(s);
    } else if (HD_UNLIKELY(hd_rule_stays(s)) && !is_scripted && hd_bit_is_set(s->cand, s->last)) {
        t = s->last;
    } else if (is_scripted && !hd_bit_is_set(s->cand, t)) {
        hd_bit_set(s->cand, t); /* the script may pick whom we would not */
        n++;
    }
    struct hd_view v = hd_sched_view(s, n);
    if (t == HD_NO_THREAD && s->cfg.strategy && waits(s, &v, end))
        return HD_NO_THREAD;
    if (is_scripted && !take_entry(s, t)) {
        *end = HD_STEP_DIVERGED;
        return HD_NO_THREAD;
    }
    if (t == HD_NO_THREAD) {
        t = ask(s, &v);
        hd_rule_chosen(s);
    }
    s->points += n > 1;
    const struct hd_op *op = &s->thread[t].op;
    log_pick(s, &v, t);
    if (HD_UNLIKELY(s->cfg.is_search)) {
        hd_option_pick(s, t, candidates);
        if (s->asleep && !is_scripted)
            hd_option_wake(s, t, op);
    }
    if (s->cfg.strategy && s->cfg.strategy->stepped)
        s->cfg.strategy->stepped(s->strategy_state, &v, t, op);
    return t;
}

/* ---- who is woken -------------------------------------------------------------------- */

static bool meets(const struct hd_sched *s, const struct hd_link *l, u32 bits)
{
    u32 set = (u32)hd_link_op(s, l)->arg2;
    return !bits || !set || (set & bits);
}

static struct hd_link *scripted_waiter(struct hd_sched *s, const struct hd_obj *o, u32 bits,
                                       u64 site)
{
    const struct hd_choice *c = &s->script.choice[s->script_pos];
    if (c->kind != HD_CHOICE_WAKE) {
        if (s->script.strict)
            miss(s, "a waiter to choose", s->last, site);
        return NULL;
    }
    for (struct hd_link *l = o->first; l; l = l->next)
        if (l->tid == c->tid && meets(s, l, bits)) {
            advance(s);
            return l;
        }
    miss(s, "thread does not wait here", o->first->tid, site);
    return NULL;
}

struct hd_link *hd_choice_waiter(struct hd_sched *s, const struct hd_obj *o, u32 bits, u64 site)
{
    u32 n = 0;
    u64 could = 0;
    struct hd_link *first = NULL, *chosen = NULL;
    for (struct hd_link *l = o->first; l; l = l->next)
        if (meets(s, l, bits)) {
            first = first ? first : l;
            could |= l->tid < 64 ? (u64)1 << l->tid : 0;
            n++;
        }
    if (n < 2 || s->is_rule)
        return first;
    s->livelock.is_spoiled = true; /* one of several ways to go on */
    if (hd_choice_has_script(s))
        chosen = scripted_waiter(s, o, bits, site);
    if (!chosen) {
        u64 k = s->cfg.is_search ? 0 : hd_rng_below(&s->rng, n);
        for (chosen = first; chosen->next && (!meets(s, chosen, bits) || k--);)
            chosen = chosen->next;
    }
    hd_choice_log(s, HD_CHOICE_WAKE, chosen->tid, site);
    if (HD_UNLIKELY(s->cfg.is_search))
        hd_option_among(s, HD_CHOICE_WAKE, chosen->tid, could);
    return chosen;
}
