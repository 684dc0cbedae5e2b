/* stay.c: no preemption: whoever runs goes on for as long as it can. Who is next
 * when it cannot: the lowest number (order 0), the highest (1), or chance (any
 * other order).
 *
 * What minimization lets a run go on with when a script has said all it had to
 * say (minimize/shrink.c); also the plainest schedule there is. Only the core's
 * fairness (sched/spin.c) interrupts a thread that waits by looping.
 */
#include "strategy/strategy.h"

struct hd_stay {
    struct hd_rng rng;
    u64 order;
};

static void stay_start(void *state, const struct hd_strategy_arg *arg)
{
    struct hd_stay *s = state;
    s->rng = arg->rng;
    s->order = arg->param;
}

static u32 stay_pick(void *state, const struct hd_view *v)
{
    struct hd_stay *s = state;
    if (v->current != HD_NO_THREAD)
        return v->current;
    u64 k = s->order == 0   ? 0
            : s->order == 1 ? v->n_enabled - 1
                            : hd_rng_below(&s->rng, v->n_enabled);
    return hd_bits_nth(v->enabled, v->words, (u32)k);
}

static u64 stay_quiet(const void *state, const struct hd_view *v, u32 tid) { return UINT64_MAX; }
static void stay_skip(void *state, u64 picks) {}

const struct hd_strategy hd_strategy_stay = {
    .name = "stay",
    .doc = "no preemption; who is next: 0 lowest number, 1 highest, 2 chance",
    .param_name = "order",
    .param_default = 0,
    .state_size = sizeof(struct hd_stay),
    .is_fair = false,
    .is_seeded = false,
    .start = stay_start,
    .pick = stay_pick,
    .quiet = stay_quiet,
    .skip = stay_skip,
};
