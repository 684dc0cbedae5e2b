/* rr.c: round robin in order of thread number, `quantum` steps each. No chance
 * in it: one schedule per program, the same for every seed. Useful as a plain,
 * predictable baseline and for measuring the cost of switching.
 *
 * Steps without a choice use up the quantum too, so it follows what really ran.
 */
#include "strategy/strategy.h"

struct hd_rr {
    u64 quantum;
    u64 left;  /* steps thread `last` may still do */
    u32 last;  /* thread that stepped last */
};

static void rr_start(void *state, const struct hd_strategy_arg *arg)
{
    struct hd_rr *s = state;
    s->quantum = HD_MAX(arg->param, 1);
    s->left = s->quantum; /* main begins */
}

static u32 rr_pick(void *state, const struct hd_view *v)
{
    struct hd_rr *s = state;
    if (s->left && hd_bit_is_set(v->enabled, s->last))
        return s->last;
    u32 from = s->last + 1, w = from >> 6;
    if (w < v->words) {
        u64 rest = v->enabled[w] & (~(u64)0 << (from & 63));
        for (; !rest && ++w < v->words;)
            rest = v->enabled[w];
        if (rest)
            return w * 64 + (u32)__builtin_ctzll(rest);
    }
    return hd_bits_nth(v->enabled, v->words, 0);
}

static void rr_stepped(void *state, const struct hd_view *v, u32 tid, const struct hd_op *op)
{
    struct hd_rr *s = state;
    if (tid != s->last || s->left == 0)
        s->left = s->quantum;
    s->last = tid;
    s->left--;
}

const struct hd_strategy hd_strategy_rr = {
    .name = "rr",
    .doc = "round robin",
    .param_name = "quantum",
    .param_default = 1,
    .state_size = sizeof(struct hd_rr),
    .is_fair = true,
    .is_seeded = false,
    .start = rr_start,
    .pick = rr_pick,
    .stepped = rr_stepped,
};
