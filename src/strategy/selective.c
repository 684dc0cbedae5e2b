/* selective.c: selectively uniform random walk (Zhao, Wolff, Mathur, Roychoudhury, ASPLOS
 * 2025): every interleaving of some of the events is equally likely, the rest is chance. Which
 * events: those on a few objects, or of a few sites, drawn anew for each run.
 *
 * A thread is intended, with probability proportional to the selected events it has left. Until
 * it comes to one, any thread steps that stands at an event that is not selected; other
 * selected events wait. Then another one is intended. A thread that is still to be created counts
 * for its creator; if that one is intended and creates it, either of them is intended.
 * Deviations, all from what hd_learned holds:
 * - objects and sites are selected by groups (hash of the address), counts are means of earlier
 *   runs; where nothing was learned everything is selected, and threads have equal counts;
 * - intended is who can go on; one that cannot any more, or has not come to a selected event
 *   for PATIENCE steps, gives way: so nobody starves, whatever was learned;
 * - who creates which thread: as in surw.c.
 */
#include "strategy/strategy.h"

enum { UNKNOWN = 8, PATIENCE = 512 };

struct hd_selective {
    struct hd_rng rng;
    u32 groups;                   /* bit i: group i is selected */
    u32 by;                       /* enum hd_group_by */
    u32 learned;                  /* threads [0, learned) have a count */
    u32 creator;                  /* carries `to_come` */
    u32 intended;                 /* HD_NO_THREAD = nobody yet */
    u32 waited;                   /* steps since it is */
    u64 to_come;                  /* counts of learned threads not created yet */
    u64 created[HD_BITS_WORDS(HD_MAX_THREADS)];
    u32 left[HD_MAX_THREADS];     /* expected selected events to go, in 16ths */
};

/* Several threads have events of this group: their order can differ. */
static bool is_shared(const struct hd_learned *l, u32 by, u32 group)
{
    u32 n = 0;
    for (u32 t = 0; t < HD_GROUP_THREADS; t++)
        n += l->sixteenths.of[by][group][t] > 0;
    return n > 1;
}

static u32 shared_groups(const struct hd_learned *l, u32 by, u32 at[HD_GROUPS])
{
    u32 n = 0;
    for (u32 g = 0; g < HD_GROUPS; g++)
        if (is_shared(l, by, g))
            at[n++] = g;
    return n;
}

/* One group, or two, or about half of them; false: no thread shares one with another. */
static bool select_groups(struct hd_selective *s, const struct hd_learned *l)
{
    u32 at[HD_GROUPS], how = (u32)hd_rng_below(&s->rng, 4);
    s->by = (u32)hd_rng_below(&s->rng, HD_BY_KINDS);
    u32 n = shared_groups(l, s->by, at);
    if (!n)
        n = shared_groups(l, s->by = !s->by, at);
    s->groups = n ? 0 : ~0u;
    for (u32 i = 0; n && how < 3 && i <= how / 2; i++)
        s->groups |= 1u << at[hd_rng_below(&s->rng, n)];
    for (u32 i = 0; i < n && how == 3; i++)
        s->groups |= (u32)hd_rng_below(&s->rng, 2) << at[i];
    if (!s->groups)
        s->groups = 1u << at[hd_rng_below(&s->rng, n)];
    return n > 0;
}

static u32 expected(const struct hd_selective *s, const struct hd_learned *l, u32 t)
{
    u32 sum = 0;
    for (u32 g = 0; g < HD_GROUPS; g++)
        sum += s->groups >> g & 1 ? l->sixteenths.of[s->by][g][t] : 0;
    return sum;
}

static void selective_start(void *state, const struct hd_strategy_arg *arg)
{
    struct hd_selective *s = state;
    const struct hd_learned *l = arg->learned;
    s->rng = arg->rng;
    s->intended = HD_NO_THREAD;
    s->learned = select_groups(s, l) ? HD_MIN(l->max_threads, HD_GROUP_THREADS) : 0;
    for (u32 t = 0; t < HD_MAX_THREADS; t++)
        s->left[t] = t < s->learned ? expected(s, l, t) : UNKNOWN * 16;
    for (u32 t = 0; t < s->learned; t++)
        s->to_come += s->left[t];
}

static void appear(struct hd_selective *s, u32 t)
{
    if (hd_bit_is_set(s->created, t))
        return;
    hd_bit_set(s->created, t);
    if (t < s->learned)
        s->to_come -= s->left[t];
}

static bool is_selected(const struct hd_selective *s, const struct hd_op *op)
{
    return s->groups >> hd_group_of(s->by == HD_BY_OBJECT ? op->obj : op->site) & 1;
}

/* Who stands at a selected event has at least one left, whatever was learned. */
static u64 weight(const struct hd_selective *s, const struct hd_view *v, u32 t)
{
    u64 w = s->left[t] + (t == s->creator ? s->to_come : 0);
    return w < 16 && is_selected(s, hd_view_op(v, t)) ? 16 : w;
}

static u32 intend(struct hd_selective *s, const struct hd_view *v)
{
    u64 sum = 0;
    HD_BITS_EACH(t, v->enabled, v->words)
        sum += weight(s, v, t);
    s->waited = 0;
    if (!sum)
        return HD_NO_THREAD;
    u64 ticket = hd_rng_below(&s->rng, sum);
    HD_BITS_EACH(t, v->enabled, v->words) {
        u64 w = weight(s, v, t);
        if (ticket < w)
            return t;
        ticket -= w;
    }
    HD_BUG("ticket beyond all weights");
}

static u32 selective_pick(void *state, const struct hd_view *v)
{
    struct hd_selective *s = state;
    u32 n = 0, chosen = HD_NO_THREAD;
    HD_BITS_EACH(t, v->enabled, v->words)
        appear(s, t);
    if (s->intended == HD_NO_THREAD || !hd_bit_is_set(v->enabled, s->intended) ||
        s->waited > PATIENCE)
        s->intended = intend(s, v);
    HD_BITS_EACH(t, v->enabled, v->words)
        if ((t == s->intended || !is_selected(s, hd_view_op(v, t))) &&
            !hd_rng_below(&s->rng, ++n))
            chosen = t;
    HD_ASSERT(chosen != HD_NO_THREAD); /* if nobody is intended nobody is at a selected event */
    return chosen;
}

/* The intended thread has created another one: which of them is it now? */
static u32 creator_or_child(struct hd_selective *s, u32 tid, u32 child)
{
    u64 own = s->left[tid] + s->to_come, sum = own + s->left[child];
    return sum && hd_rng_below(&s->rng, sum) >= own ? child : tid;
}

static void selective_stepped(void *state, const struct hd_view *v, u32 tid, const struct hd_op *op)
{
    struct hd_selective *s = state;
    appear(s, tid);
    s->waited++;
    if (is_selected(s, op)) {
        s->left[tid] -= HD_MIN(s->left[tid], 16);
        if (tid == s->intended)
            s->intended = HD_NO_THREAD;
    }
    if (op->kind == HD_EV_CREATE && op->obj < HD_MAX_THREADS) {
        bool is_new = !hd_bit_is_set(s->created, (u32)op->obj);
        appear(s, (u32)op->obj);
        s->creator = tid;
        if (tid == s->intended && is_new)
            s->intended = creator_or_child(s, tid, (u32)op->obj);
    } else if (op->kind == HD_EV_EXIT && tid == s->creator) {
        s->creator = 0;
    }
}

const struct hd_strategy hd_strategy_selective = {
    .name = "selective",
    .doc = "uniform over interleavings of the events on a few objects or sites, drawn for each run",
    .state_size = sizeof(struct hd_selective),
    .is_fair = true,
    .is_seeded = true,
    .start = selective_start,
    .pick = selective_pick,
    .stepped = selective_stepped,
};
_Static_assert(sizeof(struct hd_selective) <= 8 * HD_STRATEGY_WORDS, "state");
