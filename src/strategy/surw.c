/* surw.c: (selectively) uniform random walk (Zhao, Wolff, Mathur, Roychoudhury,
 * ASPLOS 2025): a thread is picked with probability proportional to the number
 * of events it still has to do, so that every interleaving is equally likely,
 * where a plain random walk favours those that finish the short threads first.
 *
 * A thread that is still to be created counts for its creator: then threads
 * and their creations form a forest, and "proportional to what hangs below" is
 * exactly uniform. Deviations, all from what hd_learned holds:
 * - every scheduling point is interesting; the paper may select a subset;
 * - counts are means of earlier runs; a thread past its count weighs 1, one
 *   never met before weighs UNKNOWN (so the first run assumes equal threads);
 * - who creates which thread is not learned: the next ones are expected from
 *   whoever created the last one, at first and after its end from main.
 */
#include "strategy/strategy.h"

enum { UNKNOWN = 8 };

struct hd_surw {
    struct hd_rng rng;
    u32 learned;                  /* threads [0, learned) have a learned count */
    u32 creator;                  /* carries `to_come` */
    u64 to_come;                  /* counts of learned threads not created yet */
    u64 created[HD_BITS_WORDS(HD_MAX_THREADS)];
    u32 left[HD_MAX_THREADS];     /* expected events to go, may be 0 */
};

static void surw_start(void *state, const struct hd_strategy_arg *arg)
{
    struct hd_surw *s = state;
    const struct hd_learned *l = arg->learned;
    s->rng = arg->rng;
    s->learned = l->runs ? HD_MIN(l->max_threads, HD_LEARN_THREADS) : 0;
    for (u32 t = 0; t < HD_MAX_THREADS; t++) {
        s->left[t] = t < s->learned ? l->thread_points[t] : UNKNOWN;
        if (t < s->learned)
            s->to_come += s->left[t];
    }
}

/* First sign of life of thread t: its CREATE was carried out, or (threads from
 * before the run, or made inside a library) it is just there. */
static void appear(struct hd_surw *s, u32 t)
{
    if (hd_bit_is_set(s->created, t))
        return;
    hd_bit_set(s->created, t);
    if (t < s->learned)
        s->to_come -= s->left[t];
}

static u64 weight(const struct hd_surw *s, u32 t)
{
    u64 w = s->left[t] + (t == s->creator ? s->to_come : 0);
    return HD_MAX(w, 1);
}

static u32 surw_pick(void *state, const struct hd_view *v)
{
    struct hd_surw *s = state;
    u64 sum = 0;
    HD_BITS_EACH(t, v->enabled, v->words)
        appear(s, t);
    HD_BITS_EACH(t, v->enabled, v->words)
        sum += weight(s, t);
    u64 ticket = hd_rng_below(&s->rng, sum);
    HD_BITS_EACH(t, v->enabled, v->words) {
        u64 w = weight(s, t);
        if (ticket < w)
            return t;
        ticket -= w;
    }
    HD_BUG("ticket beyond all weights");
}

static void surw_stepped(void *state, const struct hd_view *v, u32 tid, const struct hd_op *op)
{
    struct hd_surw *s = state;
    appear(s, tid);
    if (s->left[tid])
        s->left[tid]--;
    if (op->kind == HD_EV_CREATE && op->obj < HD_MAX_THREADS) {
        appear(s, (u32)op->obj);
        s->creator = tid;
    } else if (op->kind == HD_EV_EXIT && tid == s->creator) {
        s->creator = 0;
    }
}

const struct hd_strategy hd_strategy_surw = {
    .name = "surw",
    .doc = "uniform over interleavings: weight = events the thread has left",
    .state_size = sizeof(struct hd_surw),
    .is_fair = true,
    .is_seeded = true,
    .start = surw_start,
    .pick = surw_pick,
    .stepped = surw_stepped,
};
_Static_assert(sizeof(struct hd_surw) <= 8 * HD_STRATEGY_WORDS, "state");
