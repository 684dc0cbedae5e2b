/* map.c: drives a run into one memory-access pattern (MAPTest, Wang et al., ASE 2019): at a
 * scheduling point the thread whose next step is the pattern's next step goes; if there is
 * none, any. Later steps may come anywhere later.
 *
 * Deviation: a thread that would do a later step of the pattern too early is held while
 * others can go on, at most PATIENCE choices in a run: the original takes any thread then,
 * and so misses most patterns of three and four steps whose partner is some points away.
 * Without a goal it is a random walk.
 */
#include "event/goal.h"
#include "strategy/strategy.h"

#define PATIENCE 512
#define NOBODY (~(u32)0)

struct hd_mapdrive {
    struct hd_rng rng;
    const struct hd_goal *goal; /* NULL = none */
    u32 next;                   /* step of the pattern */
    u32 tid[2];                 /* threads of its roles */
    u64 addr[2];                /* its variables; 0 = not met yet */
    u32 held;                   /* choices in which somebody was */
};

static void map_start(void *state, const struct hd_strategy_arg *arg)
{
    struct hd_mapdrive *s = state;
    s->rng = arg->rng;
    s->tid[0] = s->tid[1] = NOBODY;
    if (arg->goals && arg->goals->n && arg->goals->at[0].n)
        s->goal = &arg->goals->at[0];
}

static bool does(const struct hd_op *op, u8 what)
{
    enum hd_evclass c = hd_event_class(op->kind);
    return c == HD_CLASS_RMW || (what == HD_GOAL_READ ? c == HD_CLASS_READ : c == HD_CLASS_WRITE);
}

/* Is op, by thread tid, step i of the pattern, given what was bound so far? */
static bool is_step(const struct hd_mapdrive *s, u32 i, u32 tid, const struct hd_op *op)
{
    const struct hd_goal_event *e = &s->goal->event[i];
    if (op->site != e->site || !does(op, e->does) || (e->addr && e->addr != op->obj) || (e->tid && e->tid != tid))
        return false;
    if (s->tid[e->role] != NOBODY ? s->tid[e->role] != tid : s->tid[!e->role] == tid)
        return false;
    return !s->addr[e->var] || s->addr[e->var] == op->obj;
}

static bool is_too_early(const struct hd_mapdrive *s, u32 tid, const struct hd_op *op)
{
    for (u32 i = s->next + 1; i < s->goal->n; i++)
        if (is_step(s, i, tid, op))
            return true;
    return false;
}

static u32 map_pick(void *state, const struct hd_view *v)
{
    struct hd_mapdrive *s = state;
    u32 chosen = NOBODY, n_ready = 0, n_free = 0;
    bool is_on = s->goal && s->next < s->goal->n;
    HD_BITS_EACH(tid, v->enabled, v->words)
    {
        const struct hd_op *op = is_on ? hd_view_op(v, tid) : NULL;
        bool is_ready = is_on && is_step(s, s->next, tid, op);
        bool is_held = is_on && !is_ready && s->held < PATIENCE && is_too_early(s, tid, op);
        if (is_ready && !hd_rng_below(&s->rng, ++n_ready))
            chosen = tid;
        else if (!n_ready && !is_ready && !is_held && !hd_rng_below(&s->rng, ++n_free))
            chosen = tid;
    }
    s->held += is_on && n_ready + n_free < v->n_enabled;
    return chosen != NOBODY
               ? chosen
               : hd_bits_nth(v->enabled, v->words, (u32)hd_rng_below(&s->rng, v->n_enabled));
}

static void map_stepped(void *state, const struct hd_view *v, u32 tid, const struct hd_op *op)
{
    struct hd_mapdrive *s = state;
    if (!s->goal || s->next >= s->goal->n || !is_step(s, s->next, tid, op))
        return;
    const struct hd_goal_event *e = &s->goal->event[s->next++];
    s->tid[e->role] = tid;
    s->addr[e->var] = op->obj;
}

const struct hd_strategy hd_strategy_map = {
    .name = "map",
    .doc = "memory-access patterns that no run has shown",
    .state_size = sizeof(struct hd_mapdrive),
    .is_fair = true,
    .is_seeded = true,
    .start = map_start,
    .pick = map_pick,
    .stepped = map_stepped,
};
_Static_assert(sizeof(struct hd_mapdrive) <= 8 * HD_STRATEGY_WORDS, "state");
