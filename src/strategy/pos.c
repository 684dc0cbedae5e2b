/* pos.c: partial order sampling (Yuan, Yang, Gu, CAV 2018). Every pending
 * *event* has a random priority, the highest goes; afterwards the priorities
 * of the pending events that race with it are drawn anew.
 *
 * So the order of two racing events is a fresh coin for every pair, however
 * many unrelated steps a thread has to make before it gets there; a random walk
 * would ask for luck at each of those.
 * "Races" = enabled together, overlapping objects, and not commuting. The
 * re-draw happens in pick, where the events that were enabled together are at
 * hand; a step without a choice raced with nothing.
 */
#include "strategy/strategy.h"

struct hd_pos {
    struct hd_rng rng;
    u64 priority[HD_MAX_THREADS]; /* of the pending event; 0 = to be drawn */
};

static void pos_start(void *state, const struct hd_strategy_arg *arg)
{
    struct hd_pos *s = state;
    s->rng = arg->rng;
}

static bool overlaps(u64 a, u64 a_size, u64 b, u64 b_size)
{
    return a <= b ? b - a < HD_MAX(a_size, 1) : a - b < HD_MAX(b_size, 1);
}

/* COND_WAIT and FUTEX_REQUEUE act on a second object too. */
static bool shares_object(const struct hd_op *a, const struct hd_op *b)
{
    return overlaps(a->obj, a->size, b->obj, b->size) || (a->obj2 && a->obj2 == b->obj) ||
           (b->obj2 && (b->obj2 == a->obj || b->obj2 == a->obj2));
}

static u32 pos_pick(void *state, const struct hd_view *v)
{
    struct hd_pos *s = state;
    u32 best = HD_NO_THREAD;
    u64 most = 0;
    HD_BITS_EACH(t, v->enabled, v->words) {
        if (s->priority[t] == 0)
            s->priority[t] = hd_rng_next(&s->rng) | 1;
        if (s->priority[t] > most) {
            best = t;
            most = s->priority[t];
        }
    }
    const struct hd_op *op = hd_view_op(v, best);
    HD_BITS_EACH(t, v->enabled, v->words) {
        const struct hd_op *other = hd_view_op(v, t);
        if (t != best && shares_object(op, other) && hd_event_conflicts(op->kind, other->kind))
            s->priority[t] = 0;
    }
    return best;
}

static void pos_stepped(void *state, const struct hd_view *v, u32 tid, const struct hd_op *op)
{
    struct hd_pos *s = state;
    s->priority[tid] = 0; /* its next event is another one */
}

const struct hd_strategy hd_strategy_pos = {
    .name = "pos",
    .doc = "partial order sampling: random priority per event, anew after a race",
    .state_size = sizeof(struct hd_pos),
    .is_fair = true,
    .is_seeded = true,
    .start = pos_start,
    .pick = pos_pick,
    .stepped = pos_stepped,
};
_Static_assert(sizeof(struct hd_pos) <= 8 * HD_STRATEGY_WORDS, "state");
