/* corpus_script.c: the choices to be followed by a run that goes on from one that is kept. See
 * corpus.h, enum hd_corpus_how. */
#include "plan/corpus/corpus.h"

#include <string.h>

#define TAIL 12       /* entries at the end of a run that are repeated, spliced or varied */
#define TIMES 4       /* repeated 1, 2, 4 or 8 times */
#define LONGER 4      /* steps of an entry that is put in */

/* Only the first `steps` steps. */
static u32 cut(struct hd_choice *to, u32 n, u32 steps)
{
    for (u32 i = 0; i < n; i++) {
        if (to[i].kind != HD_CHOICE_PICK && to[i].kind != HD_CHOICE_RULE)
            continue;
        if (to[i].count >= steps) {
            to[i].count = steps;
            return steps ? i + 1 : i;
        }
        steps -= to[i].count;
    }
    return n;
}

static u32 tail_of(u32 n, struct hd_rng *rng)
{
    return n ? 1 + (u32)hd_rng_below(rng, HD_MIN(n, (u32)TAIL)) : 0;
}

static u32 repeat(struct hd_choice *to, u32 n, struct hd_rng *rng)
{
    u32 k = tail_of(n, rng), times = 1u << hd_rng_below(rng, TIMES), end = n;
    for (u32 i = 0; i < times * k && end < n + HD_CORPUS_MORE; i++)
        to[end++] = to[n - k + i % k];
    return end;
}

/* The last entries that led to another feature. */
static u32 splice(struct hd_corpus *c, struct hd_choice *to, u32 n, struct hd_rng *rng)
{
    const struct hd_feature *f = &c->feature.at[c->start.at[hd_rng_below(rng, c->start.n)].feature];
    const struct hd_corpus_log *l = &c->log.at[f->log - 1];
    hd_vec_clear(&c->scratch);
    hd_vec_reserve(&c->scratch, l->n);
    u32 m = hd_corpus_slice(f, l, false, c->scratch.at), k = tail_of(m, rng);
    memcpy(&to[n], &c->scratch.at[m - k], k * sizeof *to);
    return n + k;
}

static u32 vary(struct hd_choice *to, u32 n, struct hd_rng *rng)
{
    if (!n)
        return n;
    u32 i = n - tail_of(n, rng), other = (u32)hd_rng_below(rng, n);
    switch (hd_rng_below(rng, 4)) {
    case 0: to[i].count++; return n;
    case 1:
        if (--to[i].count)
            return n;
        memmove(&to[i], &to[i + 1], (n - i - 1) * sizeof *to);
        return n - 1;
    case 2:
        if (i + 1 < n) {
            struct hd_choice was = to[i];
            to[i] = to[i + 1];
            to[i + 1] = was;
        }
        return n;
    default:
        memmove(&to[i + 1], &to[i], (n - i) * sizeof *to);
        to[i] = (struct hd_choice){.count = 1 + (u32)hd_rng_below(rng, LONGER),
                                   .tid = to[other].tid,
                                   .kind = HD_CHOICE_PICK};
        return n + 1;
    }
}

u32 hd_corpus_script(struct hd_corpus *c, struct hd_corpus_start *s, struct hd_rng *rng,
                     struct hd_choice *to)
{
    static const u8 how[] = {HD_CORPUS_GO_ON,   HD_CORPUS_GO_ON,   HD_CORPUS_CUT,    HD_CORPUS_REPEAT,
                             HD_CORPUS_REPEAT,  HD_CORPUS_SPLICE,  HD_CORPUS_VARY,   HD_CORPUS_REVERSE,
                             HD_CORPUS_REVERSE, HD_CORPUS_REVERSE};
    struct hd_feature *f = &c->feature.at[s->feature];
    bool is_elusive = f->chosen > 2 && !f->reached; /* then something else led to it as well */
    const struct hd_corpus_log *l = &c->log.at[f->log - 1];
    u32 n = hd_corpus_slice(f, l, is_elusive && f->chosen % 2, to);
    s->how = how[hd_rng_below(rng, sizeof how)];
    switch (s->how) {
    case HD_CORPUS_CUT: return f->steps ? cut(to, n, (u32)hd_rng_below(rng, f->steps)) : n;
    case HD_CORPUS_REPEAT: return repeat(to, n, rng);
    case HD_CORPUS_SPLICE: return splice(c, to, n, rng);
    case HD_CORPUS_VARY: return vary(to, n, rng);
    case HD_CORPUS_REVERSE: return hd_corpus_reverse(f, l, to, n, rng);
    default: f->chosen++; return n;
    }
}
