/* rule.c: long runs. A strategy that switches at each step would fill any log, and the
 * fuller it is, the less one more switch means. So from half of the log on, choices of the
 * strategy become rare: between two of them a rule says who goes, and all those steps are
 * one entry of the log (HD_CHOICE_RULE).
 *
 *   the rule   who went last goes on, for up to TURN steps in a row; then, or if it cannot,
 *              the next by number that can. The first of several waiters is woken. No
 *              timeout comes early.
 *   how long   FIRST steps; twice as many each time a 32nd of the log was used. So the
 *              second half is enough for 10^12 steps.
 *
 * The rule looks at nothing but the state of the core, so a replay comes to the same
 * threads. What a replay may have different is put right where an entry begins: who is
 * demoted (spin.c). While the real world has a say in who can run, or the end of the
 * process is held back, the rule holds as well, but its picks are logged as picks.
 */
#include "sched/internal.h"

#define FIRST 1024u
#define SLICE 256u
#define LEVELS 16u

void hd_rule_init(struct hd_sched *s)
{
    s->rule_from = s->cfg.is_search ? ~0u : s->log->cap / 2;
    s->rule_until = 0;
    s->is_rule = false;
}

void hd_rule_prolong(struct hd_sched *s)
{
    u32 part = HD_MAX(s->rule_from / LEVELS, 1u);
    u32 level = HD_MIN((s->log->n - s->rule_from) / part, LEVELS - 1);
    s->rule_until = s->step + 1 + ((u64)FIRST << level);
}

bool hd_rule_is_closed(const struct hd_sched *s)
{
    return !(s->n_io | s->n_blocked_outside | s->n_ending);
}

static u32 steps_of_entry(const struct hd_sched *s)
{
    const struct hd_log *l = s->log;
    bool is = l->n && l->choice[l->n - 1].kind == HD_CHOICE_RULE;
    return is ? l->choice[l->n - 1].count : 0;
}

void hd_rule_begin(struct hd_sched *s)
{
    if (steps_of_entry(s))
        return;
    s->boost = HD_NO_THREAD;
    s->boost_from = 0;
    for (u32 t = 0; t < s->n_threads; t++) {
        hd_spin_clear(s, (u16)t);
        s->thread[t].spin.paroles = 0;
    }
}

u16 hd_rule_pick(const struct hd_sched *s)
{
    bool is_over = steps_of_entry(s) % SLICE == SLICE - 1;
    if (hd_bit_is_set(s->cand, s->last) && !is_over)
        return s->last;
    for (u32 i = 1; i <= s->n_threads; i++) {
        u16 t = (u16)((s->last + i) % s->n_threads);
        if (hd_bit_is_set(s->cand, t))
            return t;
    }
    HD_BUG("no candidate");
}
