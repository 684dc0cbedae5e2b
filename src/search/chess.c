/* chess.c: as pcb, but a state that was met before is not searched again (the
 * happens-before cache of CHESS; Musuvathi and Qadeer, PLDI 2007). Prefixes that differ
 * in the order of unrelated steps alone lead to the same state. If the state was met
 * after as many preemptions or fewer, with the same thread running, all that could
 * follow within the bound is being tried there, so nothing is lost.
 *
 * A state is known by the set of steps that led to it, each with how many steps of every
 * thread come before it, and by what those steps chose: whom they woke, which timeout
 * came early.
 */
#include "search/node.h"

#define MAX_BOUND 1024
#define SLOT_BYTES 32 /* of the map, for each state */

static void chess_start(struct hd_search *s)
{
    s->max_bound = (u32)HD_MIN(s->opts.param, (u64)MAX_BOUND);
    s->result.is_reduced = true;
    hd_map_release(&s->met);
}

static u64 mix(u64 h, u64 x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 32;
}

static u64 step_hash(const struct hd_branch *b, u32 i)
{
    const u32 *clock = hd_order_steps_clock(&b->causal.steps, i);
    u64 h = mix(1, b->step.at[i].tid);
    for (u32 t = 0; t < b->causal.steps.threads; t++)
        if (clock[t])
            h = mix(mix(h, t), clock[t]);
    return h;
}

/* What a choice decides beyond who does the next step. */
static u64 choice_hash(const struct hd_branch *b, const struct hd_node *n)
{
    bool is_plain = n->o.kind == HD_CHOICE_PICK && n->o.could & HD_BIT(n->tid);
    if (is_plain || n->step >= b->step.n)
        return 0;
    const struct hd_search_step *e = &b->step.at[n->step];
    return mix(mix(mix(2, (u64)n->o.kind << 16 | n->tid), e->tid), e->nth);
}

/* Who runs counts where leaving it is a preemption. */
static u64 state_hash(const struct hd_node *n, u64 steps)
{
    u64 running = n->from != HD_NO_THREAD && n->o.candidates & HD_BIT(n->from) ? n->from + 1u : 0;
    return mix(mix(mix(mix(steps, running), n->o.could), n->o.candidates), n->o.early);
}

static bool is_met(struct hd_search *s, u64 state, u32 cost)
{
    size_t most = (s->opts.memory ? s->opts.memory : HD_SEARCH_MEMORY) / 2 / SLOT_BYTES;
    u64 *known = hd_map_get(&s->met, state);
    if (known && *known <= cost)
        return true;
    if (known)
        *known = cost;
    else if (s->met.n < most)
        hd_map_put(&s->met, state, cost);
    return false;
}

static void chess_ran(struct hd_branch *b, u32 from, const struct hd_trace *t)
{
    u64 steps = 0;
    u32 step = 0;
    bool is_known = false;
    (void)t;
    hd_causal_cut(b, from);
    while (b->causal.steps.n < b->step.n)
        hd_causal_add(b, HD_DEPTH_NEXT);
    for (u32 k = 0; k < b->node.n; k++) {
        struct hd_node *n = &b->node.at[k];
        for (; step < n->step && step < b->step.n; step++)
            steps += step_hash(b, step);
        if (k >= b->n_before && !n->is_fixed && !is_known && n->o.kind == HD_CHOICE_PICK)
            is_known = is_met(b->of, state_hash(n, steps), n->cost);
        if (is_known)
            n->todo = HD_BIT(n->tid);
        steps += choice_hash(b, n);
    }
}

static const struct hd_search_ops chess_ops = {
    .start = chess_start,
    .fresh = hd_search_fresh_all,
    .cost = hd_search_preempts,
    .ran = chess_ran,
    .again = hd_later_next,
};

const struct hd_search_method hd_search_chess = {
    .name = "chess",
    .doc = "as pcb, but what follows a state is tried once",
    .param_name = "preemptions",
    .param_default = 2,
    .ops = &chess_ops,
};
