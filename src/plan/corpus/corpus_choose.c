/* corpus_choose.c: from which feature the next run goes on. See corpus.h.
 *
 *   every second time   of sites, values of memory and final ones the rarest that was tried least
 *   else                kind of feature -> stratum of that kind -> feature
 *                       the fewer there     by what runs from   rare ones
 *                       are of a kind, the  them brought        more often
 *                       more each tells
 */
#include "plan/corpus/corpus.h"

#include <string.h>

#define COMMON 2                 /* what more than one run in so many has is not gone on from */
#define STALE 4.0                /* choices after which one that led to nothing weighs half */
#define PRIOR 4.0                /* tries that count as the mean of all */
#define FLOOR 0.25               /* of all choices are shared equally */
#define KIND_FEW 20.0            /* kinds with fewer features than this have equal weight */
#define LEADING (1u << HD_FEATURE_SITE | 1u << HD_FEATURE_WORD | 1u << HD_FEATURE_FINAL)

/* Several features may have come with one event of one run: to go on from there is one thing.
 * The rarest stands for all of them. */
static void group(struct hd_corpus *c)
{
    hd_map_clear(&c->by_event);
    hd_vec_clear(&c->start);
    for (u32 i = 1; i < c->feature.n; i++) {
        struct hd_feature *f = &c->feature.at[i];
        if (!f->log)
            continue;
        u64 event = (u64)f->log << 36 | (u64)f->step << 4 | f->kind;
        u64 *at = hd_map_ref(&c->by_event, event, c->start.n);
        if (*at == c->start.n)
            *hd_vec_add(&c->start) = (struct hd_corpus_group){i, 0};
        struct hd_corpus_group *g = &c->start.at[*at];
        const struct hd_feature *best = &c->feature.at[g->feature];
        if (f->runs < best->runs)
            g->feature = i;
        g->since = HD_MAX(g->since, f->since);
    }
}

/* A rare one weighs more: a run that goes on from it has it again, so what was tried often
 * without anything new gets less and less. */
static double weight(const struct hd_corpus *c, const struct hd_corpus_group *g)
{
    const struct hd_feature *f = &c->feature.at[g->feature];
    if (f->runs > COMMON && f->runs * COMMON > c->stamp)
        return 0;
    double w = 1.0 / f->runs / (1 + g->since / STALE);
    bool is_elusive = f->chosen > 4 && 2 * f->reached < f->chosen; /* it did not come again */
    return is_elusive ? w / f->chosen : w;
}

static u32 stratum_of(const struct hd_corpus *c, u32 start)
{
    return c->feature.at[c->start.at[start].feature].stratum;
}

static double unit(struct hd_rng *rng) { return (double)(hd_rng_next(rng) >> 11) / 9007199254740992.0; }

/* One of n, in proportion to w[i]; n: all are 0. */
static u32 draw(const double *w, u32 n, struct hd_rng *rng)
{
    double sum = 0;
    u32 last = n;
    for (u32 i = 0; i < n; i++)
        sum += w[i];
    double ticket = unit(rng) * sum;
    for (u32 i = 0; i < n; i++) {
        if (w[i] <= 0)
            continue;
        last = i;
        if (ticket < w[i])
            break;
        ticket -= w[i];
    }
    return last;
}

/* n weights by what each of those allowed (w[i] > 0) brought. */
static void by_yield(double *w, const struct hd_corpus_yield *const *y, u32 n)
{
    double gain = 1e-3, tried = 1e-3, sum = 0;
    u32 open = 0;
    for (u32 i = 0; i < n; i++) {
        gain += y[i]->gain;
        tried += y[i]->tried;
        open += w[i] > 0;
    }
    for (u32 i = 0; i < n; i++) {
        double rate = (y[i]->gain + PRIOR * gain / tried) / (y[i]->tried + PRIOR);
        w[i] = w[i] > 0 ? rate : 0;
        sum += w[i];
    }
    for (u32 i = 0; i < n; i++)
        w[i] = w[i] > 0 ? FLOOR / open + (1 - FLOOR) * w[i] / sum : 0;
}

/* Of these kinds, in inverse proportion to how many features they have; imagined runs are many, so
 * that all kinds get their share. */
static u32 pick_kind(const struct hd_corpus *c, u32 kinds, struct hd_rng *rng)
{
    double w[HD_FEATURE_KINDS];
    for (u32 k = 0; k < HD_FEATURE_KINDS; k++)
        w[k] = !(kinds >> k & 1) ? 0 : c->promise ? 1 : 1 / (KIND_FEW + (double)c->count[k]);
    return draw(w, HD_FEATURE_KINDS, rng);
}

/* The heaviest start of a leading kind, number + 1; 0 = none. */
static u32 lead(const struct hd_corpus *c)
{
    u32 best = 0;
    for (u32 k = 0; k < c->stratum.n; k++)
        for (u32 i = c->from[k]; i < c->from[k + 1] && LEADING >> c->stratum.at[k].kind & 1; i++) {
            u32 at = c->of_stratum.at[i];
            double w = c->weight.at[at], than = best ? c->weight.at[best - 1] : 0;
            if (w > than || (w == than && best && at + 1 < best))
                best = at + 1;
        }
    return best;
}

/* A stratum of that kind, by what they brought. */
static u32 pick_stratum(const struct hd_corpus *c, u32 kind, double *w, struct hd_rng *rng)
{
    static const struct hd_corpus_yield none;
    const struct hd_corpus_yield *y[HD_CORPUS_STRATA];
    for (u32 i = 0; i < c->stratum.n; i++) {
        w[i] = c->stratum.at[i].kind == kind ? w[i] : 0;
        y[i] = w[i] > 0 ? &c->stratum.at[i].yield : &none;
    }
    by_yield(w, y, (u32)c->stratum.n);
    return draw(w, (u32)c->stratum.n, rng);
}

/* One of the starts of that stratum. */
static u32 pick_start(const struct hd_corpus *c, u32 stratum, double sum, struct hd_rng *rng)
{
    double ticket = unit(rng) * sum;
    u32 last = 0;
    for (u32 k = c->from[stratum]; k < c->from[stratum + 1]; k++) {
        u32 i = c->of_stratum.at[k];
        if (c->weight.at[i] <= 0)
            continue;
        last = i;
        if (ticket < c->weight.at[i])
            break;
        ticket -= c->weight.at[i];
    }
    return last;
}

/* Starts by stratum, each in order. */
static void sort(struct hd_corpus *c)
{
    u32 end[HD_CORPUS_STRATA];
    memset(c->from, 0, sizeof c->from);
    for (u32 i = 0; i < c->start.n; i++)
        c->from[stratum_of(c, i) + 1]++;
    for (u32 k = 0; k < HD_CORPUS_STRATA; k++) {
        c->from[k + 1] += c->from[k];
        end[k] = c->from[k];
    }
    hd_vec_clear(&c->of_stratum);
    hd_vec_reserve(&c->of_stratum, c->start.n);
    c->of_stratum.n = c->start.n;
    for (u32 i = 0; i < c->start.n; i++)
        c->of_stratum.at[end[stratum_of(c, i)]++] = i;
}

void hd_corpus_weigh(struct hd_corpus *c)
{
    hd_corpus_thin(c);
    group(c);
    hd_vec_clear(&c->weight);
    memset(c->by_weight, 0, sizeof c->by_weight);
    for (u32 i = 0; i < c->start.n; i++) {
        double of = weight(c, &c->start.at[i]);
        *hd_vec_add(&c->weight) = of;
        c->by_weight[stratum_of(c, i)] += of;
    }
    sort(c);
}

/* A state in which memory has that value: there are many ways to come to it, and the shortest one is
 * often a dead end. Number + 1; 0 = none. */
static u32 state_with(const struct hd_corpus *c, u32 feature, struct hd_rng *rng)
{
    double sum = 0;
    u32 last = 0;
    for (u32 k = 0; k < c->stratum.n; k++)
        for (u32 n = c->from[k]; n < c->from[k + 1] && c->stratum.at[k].kind == HD_FEATURE_STATE; n++) {
            u32 i = c->of_stratum.at[n];
            if (c->feature.at[c->start.at[i].feature].with != feature || c->weight.at[i] <= 0)
                continue;
            sum += c->weight.at[i];
            if (unit(rng) * sum <= c->weight.at[i])
                last = i + 1;
        }
    return last;
}

u32 hd_corpus_pick(struct hd_corpus *c, struct hd_rng *rng)
{
    double w[HD_CORPUS_STRATA];
    u32 kinds = 0;
    memcpy(w, c->by_weight, sizeof w);
    for (u32 i = 0; i < c->stratum.n; i++)
        kinds |= (u32)(w[i] > 0) << c->stratum.at[i].kind;
    if (!kinds)
        return 0;
    u32 leader = hd_rng_below(rng, 2) ? lead(c) : 0;
    if (leader) {
        c->weight.at[leader - 1] *= 1 - 1 / (STALE + 1); /* the next choice is another one */
        u32 feature = c->start.at[leader - 1].feature;
        u32 state = c->promise && hd_rng_below(rng, 2) ? state_with(c, feature, rng) : 0;
        return c->start.at[(state ? state : leader) - 1].feature;
    }
    u32 kind = pick_kind(c, kinds, rng);
    u32 stratum = pick_stratum(c, kind, w, rng);
    return c->start.at[pick_start(c, stratum, c->by_weight[stratum], rng)].feature;
}

bool hd_corpus_choose(struct hd_corpus *c, struct hd_rng *rng, struct hd_corpus_start *out)
{
    hd_corpus_weigh(c);
    u32 at = hd_corpus_pick(c, rng);
    *out = (struct hd_corpus_start){0};
    if (!at)
        return false;
    struct hd_feature *f = &c->feature.at[at];
    const struct hd_corpus_log *l = &c->log.at[f->log - 1];
    f->since++;
    *out = (struct hd_corpus_start){.feature = at, .choice = l->choice, .n = l->n};
    return true;
}
