/* corpus_ahead.c: the most promising of many imagined runs. See corpus.h. A run costs as much as
 * thousands of imagined steps: so many ways to go on are tried in imagination (corpus_imagine.h), and one
 * that shows what no run has shown is made. Imagined runs have a corpus of their own, so that they
 * build on one another as well. */
#include "plan/corpus/corpus.h"

#include <stdlib.h>
#include <string.h>

#define STEPS 20000    /* imagined for one run that is made, at most; */
#define STEPS_A_RUN 40 /* ... for each run so far: what is found soon needs no thought */
#define RUNS_MOST 400  /* ... runs */
#define LOOKS 16       /* for features that take as long as a step */
#define VIEWS 32       /* of habits, likewise: more than a step has as a rule, where it is known what threads do */
#define LEARNED 8      /* runs that habits have to be known from */
#define FEATURES 65536 /* of imagined runs; then they begin anew */
#define NEWS 0.25      /* what something new counts beside how rare the run is up to there */
#define MANY 8         /* of a kind: more do not promise more */
#define PATIENCE 4     /* imagined runs in a row that kept no promise halve how often ... */
#define RAREST 5       /* ... one is imagined, so many times at most */

struct hd_corpus_ahead {
    struct hd_corpus corpus;
    struct hd_corpus_promise promise;
    struct hd_imagine imagine;
    HD_VEC(struct hd_choice) script;
    HD_VEC(u64) promised; /* by the last run that was made */
};

void hd_corpus_ahead_free(struct hd_corpus_ahead *a)
{
    if (!a)
        return;
    hd_corpus_release(&a->corpus);
    hd_map_release(&a->promise.broken);
    hd_vec_release(&a->promise.key);
    hd_imagine_release(&a->imagine);
    hd_vec_release(&a->script);
    hd_vec_release(&a->promised);
    free(a);
}

static void to_corpus(void *self, const struct hd_event *ev, u32 value, u32 left)
{
    hd_corpus_event(&((struct hd_corpus_ahead *)self)->corpus, 0, ev, value, left);
}

static void begin(struct hd_corpus_ahead *a)
{
    hd_corpus_init(&a->corpus, 1);
    a->corpus.promise = &a->promise;
}

static struct hd_corpus_ahead *ahead_of(struct hd_corpus *c)
{
    if (c->ahead)
        return c->ahead;
    struct hd_corpus_ahead *a = calloc(1, sizeof *a);
    HD_ASSERT(a);
    hd_imagine_init(&a->imagine, &c->habit);
    a->imagine.sink = to_corpus;
    a->imagine.self = a;
    a->promise.real = c;
    begin(a);
    return c->ahead = a;
}

/* What it is to follow: from a feature of a run, changed a little. 0 = there is none. */
static u32 write_script(struct hd_corpus_ahead *a, struct hd_corpus *from, struct hd_rng *rng, u32 *feature)
{
    u32 at = *feature = hd_corpus_pick(from, rng);
    if (!at)
        return 0;
    struct hd_feature *f = &from->feature.at[at];
    const struct hd_corpus_log *l = &from->log.at[f->log - 1];
    struct hd_corpus_start s = {.feature = at, .choice = l->choice, .n = l->n};
    u32 chosen = f->chosen;
    hd_vec_reserve(&a->script, l->n + HD_CORPUS_MORE);
    u32 n = hd_corpus_script(from, &s, rng, a->script.at);
    f->chosen = chosen;
    return n;
}

/* What it promises, in bits. */
static double worth(const struct hd_corpus_promise *p)
{
    double sum = 0;
    for (u32 k = 0; k < HD_FEATURE_KINDS; k++)
        sum += p->bits[k] * (HD_MIN(p->n[k], 1.0) + HD_MIN(p->n[k], (double)MANY) / MANY);
    return sum;
}

/* By turns the run that promises most, and the one that goes on from what is rarest: where all that is new
 * after it is of a kind that comes with every run, it would never be made. */
static bool is_deep(const struct hd_corpus *c) { return c->ran / 2 % 2; }

static double imagine(struct hd_corpus *c, struct hd_corpus_ahead *a, struct hd_rng *rng)
{
    bool is_from_ahead = a->corpus.start.n && hd_rng_below(rng, 4);
    u32 feature, n = write_script(a, is_from_ahead ? &a->corpus : c, rng, &feature);
    memset(a->promise.n, 0, sizeof a->promise.n);
    memset(a->promise.bits, 0, sizeof a->promise.bits);
    a->promise.step = 0;
    a->promise.depth = a->promise.deep = 0;
    hd_vec_clear(&a->promise.key);
    hd_corpus_begin(&a->corpus, 0);
    hd_imagine_begin(&a->imagine);
    hd_imagine_follow(&a->imagine, a->script.at, n);
    hd_imagine_wander(&a->imagine, 2 * c->habit.length, rng);
    hd_corpus_ran(&a->corpus, 0, a->imagine.choice.at, (u32)a->imagine.choice.n, is_from_ahead ? feature : 0);
    double bits = worth(&a->promise);
    return is_deep(c) && bits > 0 ? a->promise.deep + bits * NEWS : bits;
}

static u32 cut(const struct hd_imagine *g, u32 steps, struct hd_choice *to, u32 room)
{
    u32 n = 0;
    for (; n < g->choice.n && n < room && steps; n++) {
        to[n] = g->choice.at[n];
        to[n].count = HD_MIN(to[n].count, steps);
        steps -= to[n].count;
    }
    return n;
}

/* Has a run by now what the last imagined one promised? */
static void look_back(struct hd_corpus *c, struct hd_corpus_ahead *a)
{
    bool is_kept = !a->promised.n;
    u32 feature;
    for (size_t i = 0; i < a->promised.n && !is_kept; i++)
        is_kept = hd_corpus_keys_get(&c->by_key, a->promised.at[i], &feature);
    if (!is_kept)
        c->vain++;
    else if (a->promised.n)
        c->vain = 0;
    hd_vec_clear(&a->promised);
}

u32 hd_corpus_doubt(const struct hd_corpus *c) { return HD_MIN(c->vain / PATIENCE, (u32)RAREST); }

u32 hd_corpus_ahead(struct hd_corpus *c, struct hd_rng *rng, struct hd_choice *to, u32 room)
{
    double best = 0;
    u32 n = 0, used = 0;
    if (c->habit.runs < LEARNED)
        return 0;
    struct hd_corpus_ahead *a = ahead_of(c);
    look_back(c, a);
    if (hd_corpus_doubt(c) && hd_rng_below(rng, 1u << hd_corpus_doubt(c)))
        return 0;
    c->habit.is_simple = c->ran % 2; /* where threads compare no values relations mislead */
    if (a->corpus.by_key.n > FEATURES) {
        hd_corpus_release(&a->corpus);
        begin(a);
    }
    hd_corpus_weigh(c);
    hd_corpus_weigh(&a->corpus);
    u32 most = HD_MIN(STEPS, STEPS_A_RUN * c->ran);
    for (u32 i = 0; i < RUNS_MOST && used < most; i++) {
        u64 looks = a->corpus.looks, views = c->habit.looks;
        double gain = imagine(c, a, rng);
        u32 thought = (u32)HD_MAX((a->corpus.looks - looks) / LOOKS, (c->habit.looks - views) / VIEWS);
        used += HD_MAX(a->imagine.step, thought) + 1;
        if (gain <= best)
            continue;
        best = gain;
        n = cut(&a->imagine, a->promise.step, to, room);
        hd_vec_clear(&a->promised);
        for (size_t k = 0; k < a->promise.key.n; k++)
            *hd_vec_add(&a->promised) = a->promise.key.at[k];
    }
    c->habit.is_simple = false;
    for (size_t k = 0; k < a->promised.n && n; k++)
        ++*hd_map_ref(&a->promise.broken, a->promised.at[k], 0);
    return n;
}
