/* corpus.c: which run is kept for which feature, and from which to go on. See corpus.h. */
#include "plan/corpus/corpus.h"

#include <stdlib.h>
#include <string.h>

#define BYTES ((size_t)64 << 20) /* of choices */
#define LONGEST 65536            /* choices of one run */
#define COMMON 8                 /* what more than one run in so many has is not gone on from */
#define STALE 4.0                /* choices after which one that led to nothing weighs half */
#define SIXTEENTHS 16
#define CUT_SHORT 2              /* of 16 runs: leave the recorded run before the feature; */
#define SHORTENED 11             /* ... follow it without one entry, as long as some are left */

/* In how many of 16 choices a feature of that kind is taken. Sites are what leads into code
 * that was never run; counts come in great numbers, most of them for nothing. */
static const u8 share[HD_FEATURE_KINDS] = {4, 2, 3, 2, 5};

void hd_corpus_init(struct hd_corpus *c, u32 slots)
{
    memset(c, 0, sizeof *c);
    hd_map_init(&c->by_key);
    hd_map_init(&c->by_event);
    c->slot = hd_corpus_slots_new(slots);
    c->n_slots = slots;
    *hd_vec_add(&c->feature) = (struct hd_feature){0};
}

void hd_corpus_release(struct hd_corpus *c)
{
    for (size_t i = 0; i < c->log.n; i++)
        free(c->log.at[i].choice);
    hd_vec_release(&c->log);
    hd_vec_release(&c->free_log);
    hd_vec_release(&c->start);
    hd_map_release(&c->by_event);
    hd_vec_release(&c->feature);
    hd_map_release(&c->by_key);
    hd_corpus_slots_free(c->slot, c->n_slots);
}

static void drop(struct hd_corpus *c, u32 log)
{
    struct hd_corpus_log *l = &c->log.at[log - 1];
    if (--l->users)
        return;
    c->bytes -= l->n * sizeof *l->choice;
    free(l->choice);
    *l = (struct hd_corpus_log){0};
    *hd_vec_add(&c->free_log) = log;
}

/* Number of a copy, nobody's yet. */
static u32 keep(struct hd_corpus *c, const struct hd_choice *choice, u32 n)
{
    u32 log;
    if (c->free_log.n) {
        log = c->free_log.at[--c->free_log.n];
    } else {
        *hd_vec_add(&c->log) = (struct hd_corpus_log){0};
        log = (u32)c->log.n;
    }
    struct hd_corpus_log *l = &c->log.at[log - 1];
    *l = (struct hd_corpus_log){.choice = malloc(n * sizeof *choice), .n = n};
    HD_ASSERT(l->choice);
    memcpy(l->choice, choice, n * sizeof *choice);
    c->bytes += n * sizeof *choice;
    return log;
}

u32 hd_corpus_ran(struct hd_corpus *c, u32 slot, const struct hd_choice *choice, u32 n, u32 from)
{
    size_t n_better;
    const struct hd_corpus_better *b = hd_corpus_betters(c, slot, &n_better);
    u32 log = 0, news = 0;
    if (from)
        c->feature.at[from].reached += hd_corpus_had(c, slot, from);
    for (size_t i = 0; i < n_better; i++) {
        struct hd_feature *f = &c->feature.at[b[i].feature];
        news += f->runs == 1 && f->kind <= HD_FEATURE_BRANCH;
        if (!n || n > LONGEST || c->bytes + n * sizeof *choice > BYTES)
            continue;
        log = log ? log : keep(c, choice, n);
        if (f->log)
            drop(c, f->log);
        f->log = log;
        f->step = b[i].step;
        f->since = 0;
        f->trims = b[i].feature == from ? f->trims / 2 * 2 : 0; /* go on where it was, or begin */
        f->site = b[i].site;
        f->obj = b[i].obj;
        c->log.at[log - 1].users++;
    }
    return news;
}

bool hd_corpus_wants(const struct hd_corpus *c, u32 slot)
{
    size_t n;
    hd_corpus_betters(c, slot, &n);
    return n > 0;
}

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
        u64 event = (u64)f->log << 35 | (u64)f->step << 3 | f->kind;
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
static double weight(const struct hd_corpus *c, const struct hd_corpus_group *g, u32 kind)
{
    const struct hd_feature *f = &c->feature.at[g->feature];
    if (f->kind != kind || (f->runs > COMMON && f->runs * COMMON > c->stamp))
        return 0;
    double w = 1.0 / f->runs / (1 + g->since / STALE);
    bool is_elusive = f->chosen > 4 && 2 * f->reached < f->chosen; /* it did not come again */
    return is_elusive ? w / f->chosen : w;
}

static u32 draw(struct hd_corpus *c, struct hd_rng *rng, u32 kind)
{
    double sum = 0;
    for (u32 i = 0; i < c->start.n; i++)
        sum += weight(c, &c->start.at[i], kind);
    double ticket = (double)(hd_rng_next(rng) >> 11) / 9007199254740992.0 * sum;
    u32 last = 0;
    for (u32 i = 0; i < c->start.n && sum > 0; i++) {
        double w = weight(c, &c->start.at[i], kind);
        if (w > 0)
            last = c->start.at[i].feature;
        if (w > 0 && ticket < w)
            break;
        ticket -= w;
    }
    return last;
}

bool hd_corpus_choose(struct hd_corpus *c, struct hd_rng *rng, struct hd_corpus_start *out)
{
    group(c);
    u32 ticket = (u32)hd_rng_below(rng, SIXTEENTHS), kind = 0;
    while (ticket >= share[kind])
        ticket -= share[kind++];
    u32 at = draw(c, rng, kind);
    for (u32 k = 0; !at && k < HD_FEATURE_KINDS; k++)
        at = draw(c, rng, k);
    *out = (struct hd_corpus_start){0};
    if (!at)
        return false;
    struct hd_feature *f = &c->feature.at[at];
    const struct hd_corpus_log *l = &c->log.at[f->log - 1];
    f->since++;
    *out = (struct hd_corpus_start){at, l->choice, l->n, f->step};
    return true;
}

u32 hd_corpus_cut(const struct hd_choice *choice, u32 n, u32 steps, u32 *last)
{
    u32 used = 0;
    *last = 0;
    for (u32 i = 0; i < n; i++) {
        bool is_steps = choice[i].kind == HD_CHOICE_PICK || choice[i].kind == HD_CHOICE_RULE;
        *last = choice[i].count;
        if (!is_steps)
            continue;
        if (choice[i].count >= steps - used) {
            *last = steps - used;
            return *last ? i + 1 : i;
        }
        used += choice[i].count;
    }
    return n;
}

/* Without entry i, or its last step. */
static u32 shorten(struct hd_choice *to, u32 n, u32 i, bool is_whole)
{
    if (!is_whole && to[i].count > 1) {
        to[i].count--;
        return n;
    }
    memmove(&to[i], &to[i + 1], (n - i - 1) * sizeof *to);
    return n - 1;
}

u32 hd_corpus_script(struct hd_corpus *c, const struct hd_corpus_start *s, struct hd_rng *rng,
                     struct hd_choice *to)
{
    struct hd_feature *f = &c->feature.at[s->feature];
    u32 last, how = (u32)hd_rng_below(rng, SIXTEENTHS);
    u32 steps = how < CUT_SHORT && s->steps ? (u32)hd_rng_below(rng, s->steps) : s->steps;
    u32 n = hd_corpus_cut(s->choice, s->n, steps, &last);
    memcpy(to, s->choice, n * sizeof *to);
    if (n)
        to[n - 1].count = last;
    if (how >= SIXTEENTHS - SHORTENED && f->trims / 2 + 1 < n) {
        n = shorten(to, n, n - 2 - f->trims / 2, f->trims % 2 == 0);
        f->trims++;
    } else if (steps == s->steps) {
        f->chosen++;
    }
    return n;
}
