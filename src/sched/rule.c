/* rule.c: long runs. The more often a strategy has preempted threads already, the less one more
 * preemption means, and each costs as much as a hundred steps. So a strategy that preempts at
 * every other step is asked less and less often.
 *
 *   from       HD_RULE_FROM preemptions on: strategies with few never get there
 *   between two answers   who runs goes on as long as it can; if it cannot, the strategy says
 *              who is next. No timeout comes early.
 *   how long   FIRST steps; twice as many after each PART preemptions. So 10^9 steps have
 *              700,000 preemptions, 10^12 twice as many.
 *
 * All picks are logged as such: a replay knows nothing of this.
 *
 * Up to version 4 of the replay file there were entries HD_CHOICE_RULE in such runs: so many
 * steps by a rule that looks at nothing but the state of the core. It is still followed: who
 * went last goes on, for up to SLICE steps in a row; then, or if it cannot, the next by number
 * that can. The first of several waiters is woken. Who is demoted (spin.c) is put right where
 * an entry begins.
 */
#include "sched/internal.h"

#define FIRST 1024u
#define PART (1u << 15)
#define LEVELS 20u
#define SLICE 256u

void hd_rule_prolong(struct hd_sched *s)
{
    u64 level = HD_MIN((s->preemptions - HD_RULE_FROM) / PART, (u64)LEVELS);
    s->stay_until = s->cfg.is_search ? 0 : s->step + 1 + ((u64)FIRST << level);
}

void hd_rule_begin(struct hd_sched *s)
{
    if (s->script_used)
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
    bool is_over = s->script_used % SLICE == SLICE - 1;
    if (hd_bit_is_set(s->cand, s->last) && !is_over)
        return s->last;
    for (u32 i = 1; i <= s->n_threads; i++) {
        u16 t = (u16)((s->last + i) % s->n_threads);
        if (hd_bit_is_set(s->cand, t))
            return t;
    }
    HD_BUG("no candidate");
}
