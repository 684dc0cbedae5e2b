/* delaybound.c: delay-bounded search (Emmi, Qadeer, Rakamaric, POPL 2011). There
 * is one deterministic scheduler: go on with the same thread, else with the next
 * number; a delay passes over the thread it would choose. Every schedule with up
 * to `delays` of them, fewest first. Far fewer than pcb with the same number:
 * what follows a blocked thread costs as well.
 *
 * Deviation: which waiter is woken is free, as for pcb.
 */
#include "search/node.h"

#define MAX_BOUND 1024

static void delaybound_start(struct hd_search *s)
{
    s->max_bound = (u32)HD_MIN(s->opts.param, (u64)MAX_BOUND);
}

/* How many are passed over before it is tid's turn. Threads whose timeout would
 * have to come early are last in line. */
static u32 delaybound_cost(const struct hd_search *s, const struct hd_node *n, u16 tid)
{
    bool is_early = !(n->o.candidates & HD_BIT(tid));
    u64 line = is_early ? n->o.early : n->o.candidates;
    u32 cost = is_early ? (u32)__builtin_popcountll(n->o.candidates) : 0;
    for (u32 i = 0; i < HD_SEARCH_THREADS; i++) {
        u32 t = (n->from + i) % HD_SEARCH_THREADS;
        if (t == tid)
            break;
        cost += line >> t & 1;
    }
    return cost;
}

static const struct hd_search_ops delaybound_ops = {
    .start = delaybound_start,
    .fresh = hd_search_fresh_all,
    .cost = delaybound_cost,
    .again = hd_later_next,
};

const struct hd_search_method hd_search_delaybound = {
    .name = "delaybound",
    .doc = "every schedule with up to so many delays of a fixed one",
    .param_name = "delays",
    .param_default = 2,
    .ops = &delaybound_ops,
};
