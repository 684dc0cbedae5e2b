/* pos.c: partial order sampling (Yuan, Yang, Gu, CAV 2018). Every pending
 * *event* has a random priority, the highest goes; afterwards the priorities
 * of the pending events that race with it are drawn anew.
 *
 * So the order of two racing events is a fresh coin for every pair, however
 * many unrelated steps a thread has to make before it gets there; a random walk
 * would ask for luck at each of those.
 * The re-draw happens in pick, where the events that were enabled together are
 * at hand; a step without a choice raced with nothing.
 */
#include "strategy/event_priority.h"

struct hd_pos {
    struct hd_rng rng;
    struct hd_event_priority priority;
};

static void pos_start(void *state, const struct hd_strategy_arg *arg)
{
    struct hd_pos *s = state;
    s->rng = arg->rng;
}

static u32 pos_pick(void *state, const struct hd_view *v)
{
    struct hd_pos *s = state;
    u32 best = HD_NO_THREAD;
    u64 most = 0;
    HD_BITS_EACH(t, v->enabled, v->words) {
        u64 mine = hd_event_priority(&s->priority, &s->rng, t);
        if (mine > most) {
            best = t;
            most = mine;
        }
    }
    hd_event_priority_picked(&s->priority, v, best);
    return best;
}

static void pos_stepped(void *state, const struct hd_view *v, u32 tid, const struct hd_op *op)
{
    struct hd_pos *s = state;
    s->priority.of[tid] = 0; /* its next event is another one */
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
