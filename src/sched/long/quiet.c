/* quiet.c: long runs. Between two switches of a script, or two change points of pct, it is known who
 * goes next: the thread that runs. Its accesses take a short way then, which does to the state what
 * hd_sched_post and hd_sched_step would, and looks at nothing that cannot have changed.
 *
 *   hd_sched_step: an access of t is done -> hd_quiet_plan: t goes on up to step `until`,
 *                                            and while the clock is before `before`
 *   the next accesses of t                -> hd_sched_quiet, as long as that holds
 *   anything else                         -> hd_sched_step, or whatever makes the plan void
 *
 * What happens here is the same with and without a plan: events, hash, log, time, who is demoted
 * (tests/unit/test_sched_quiet.c runs both side by side). Not where the strategy wants to see each
 * step, chance is drawn at each (timeouts that come early), or a search, the end of the process,
 * a proof of a hang or a real child takes part.
 */
#include "sched/internal.h"

/* ---- the plan ---------------------------------------------------------------------- */

/* Who would be offered, t among them, as hd_spin_candidates has it; 0: something would change.
 * Fills s->cand. */
static u32 candidates(struct hd_sched *s, u16 t, bool is_scripted)
{
    struct hd_quiet *q = &s->quiet;
    u32 n = 0;
    hd_bit_set(s->enabled, t); /* as soon as it states its next access */
    for (u32 w = 0; w < hd_words(s); w++)
        n += hd_ones(s->cand[w] = s->enabled[w] & ~s->yielded[w]);
    hd_bit_clear(s->enabled, t);
    q->may_write = q->may_update = true;
    if (HD_LIKELY(!s->n_yielded))
        return n;
    if (!n || (s->cfg.strategy && s->cfg.strategy->holds))
        return 0; /* a round is over, or may be */
    q->until = HD_MIN(q->until, s->next_parole - 1);
    HD_BITS_EACH(y, s->yielded, hd_words(s)) {
        q->may_write &= y == t;
        q->may_update &= y == t || s->thread[y].spin.is_hard;
    }
    if (hd_bit_is_set(s->cand, t))
        return n;
    hd_bit_set(s->cand, t);
    return is_scripted ? n + 1 : 0; /* the script may pick whom we would not */
}

/* The step at which the script's present entry, or the strategy's patience, ends; 0 = now. */
static u64 end_of_entry(const struct hd_sched *s, u16 t)
{
    const struct hd_choice *c = &s->script.choice[s->script_pos];
    const struct hd_strategy *how = s->cfg.strategy;
    bool may_leave = !s->script.strict && how && how->leave;
    if (c->kind != HD_CHOICE_PICK || c->tid != t || !s->script_used || may_leave)
        return 0;
    return s->step + c->count - s->script_used - 1; /* the last one is compared */
}

static u64 end_of_pick(struct hd_sched *s, u16 t, u32 n)
{
    const struct hd_strategy *how = s->cfg.strategy;
    s->quiet.is_asked = false;
    if (s->sig_dirty || s->livelock.want != HD_NO_THREAD)
        return 0;
    if (hd_rule_stays(s))
        return s->stay_until;
    if (s->preemptions >= HD_RULE_FROM ||
        ((s->n_timed || s->timer != HD_NEVER) && s->cfg.early_per_1024))
        return 0;
    if (how && ((s->n_timed && how->wait) || (s->n_io + s->n_blocked_outside && how->await)))
        return 0;
    if (n == 1)
        return UINT64_MAX;
    if (!how || !how->quiet)
        return 0;
    struct hd_view v = hd_sched_view(s, n);
    u64 picks = how->quiet(s->strategy_state, &v, t);
    s->quiet.is_asked = true;
    return picks < UINT64_MAX - s->step ? s->step + picks : UINT64_MAX;
}

void hd_quiet_plan(struct hd_sched *s, u16 t)
{
    struct hd_quiet *q = &s->quiet;
    const struct hd_strategy *how = s->cfg.strategy;
    const struct hd_choice *last = &s->log->choice[s->log->n - 1];
    bool is_scripted = hd_choice_has_script(s);
    if (how && how->stepped && !how->quiet)
        return;
    if (s->cfg.is_search || s->n_ending || s->is_rule || s->is_beside_real ||
        s->boost != HD_NO_THREAD || s->is_stuck || s->is_log_full || last->kind != HD_CHOICE_PICK ||
        last->tid != t)
        return;
    q->until = is_scripted ? end_of_entry(s, t) : UINT64_MAX;
    if (q->until <= s->step + 1)
        goto none;
    u32 n = candidates(s, t, is_scripted);
    u64 end = !n ? 0 : is_scripted ? q->until : end_of_pick(s, t, n);
    if (end <= s->step + 1)
        goto none;
    q->until = HD_MIN(HD_MIN(q->until, end), s->livelock.next);
    q->until = HD_MIN(q->until, s->step + (UINT32_MAX - last->count));
    if (s->cfg.spin_limit) /* starved threads are looked for there */
        q->until = HD_MIN(q->until, s->step | HD_SPIN_CHECK);
    if (s->cfg.step_limit)
        q->until = HD_MIN(q->until, s->cfg.step_limit);
    q->before = HD_MIN(s->next_deadline, s->timer);
    q->tid = t;
    q->is_choice = n > 1;
    q->is_scripted = is_scripted;
    return;
none:
    q->until = 0;
}

void hd_quiet_told(struct hd_sched *s)
{
    s->cfg.strategy->skip(s->strategy_state, s->quiet.made);
    s->quiet.made = 0;
}

/* ---- a step -------------------------------------------------------------------------- */

/* hd_spin_account of an access; false: it has to be asked itself. */
static bool account(struct hd_sched *s, struct hd_sthread *th, const struct hd_op *op)
{
    struct hd_spin *sp = &th->spin;
    u32 limit = s->cfg.spin_limit;
    u64 key = hd_spin_key(op->site, op->obj);
    switch (hd_spin_effect_of_access(op->kind, op->flags)) {
    case HD_EFFECT_WRITE:
        if (!s->quiet.may_write)
            return false;
        hd_spin_wrote(th);
        return true;
    case HD_EFFECT_WEAK:
        if (!s->quiet.may_update || (limit && !hd_spin_goes_on(sp, key, limit, true)))
            return false;
        if (op->obj == sp->fail_obj)
            sp->fails = 0;
        th->clock_reads = 0;
        return true;
    default:
        return !limit || hd_spin_goes_on(sp, key, limit, false);
    }
}

bool hd_sched_quiet(struct hd_sched *s, u16 t, const struct hd_op *op)
{
    struct hd_sthread *th = &s->thread[t];
    if (s->step >= s->quiet.until || s->now >= s->quiet.before || s->quiet.tid != t ||
        th->sig_pending & ~th->sig_blocked || !account(s, th, op))
        return false;
    struct hd_event ev = {.tid = t,
                          .kind = op->kind,
                          .size = (u8)HD_MIN(op->size, 255),
                          .site = op->site,
                          .obj = op->obj,
                          .ctx = op->ctx,
                          .arg = (u32)op->arg};
    th->op = *op;
    ev.step = (u32)++s->step;
    s->now += s->cfg.step_ns;
    s->passed_ns = 0;
    s->points += s->quiet.is_choice;
    s->script_used += s->quiet.is_scripted;
    s->quiet.made += s->quiet.is_asked & !s->quiet.is_scripted;
    s->log->choice[s->pick_entry].count++;
    hd_count_step(s, th, &ev);
    hd_emit(s, &ev);
    s->log->check[s->pick_entry] = s->hash;
    return true;
}
