/* corpus.c: which run is kept for which feature; what runs that go on from one bring. See
 * corpus.h. */
#include "plan/corpus/corpus.h"

#include <stdlib.h>
#include <string.h>

#define HABITS_FROM 24 /* runs: what is found sooner needs no imagined runs, and they take megabytes */
#define BYTES ((size_t)64 << 20) /* of choices */
#define LONGEST 65536            /* choices of one run */
#define KEPT 0.995               /* of what was brought, after a run: about 200 runs count */
#define BITS 10                  /* of surprise at most: new in one of 1024 runs */

void hd_corpus_init(struct hd_corpus *c, u32 slots)
{
    memset(c, 0, sizeof *c);
    hd_map_init(&c->by_event);
    hd_map_init(&c->by_stratum);
    c->slot = hd_corpus_slots_new(slots);
    c->n_slots = slots;
    hd_habit_init(&c->habit);
    *hd_vec_add(&c->feature) = (struct hd_feature){0};
    for (u32 k = 0; k < HD_FEATURE_KINDS; k++)
        c->fresh[k] = 0.5;
}

void hd_corpus_release(struct hd_corpus *c)
{
    for (size_t i = 0; i < c->log.n; i++) {
        free(c->log.at[i].choice);
        free(c->log.at[i].access);
        free(c->log.at[i].past);
    }
    hd_vec_release(&c->log);
    hd_vec_release(&c->free_log);
    hd_vec_release(&c->start);
    hd_map_release(&c->by_event);
    hd_map_release(&c->by_stratum);
    hd_vec_release(&c->stratum);
    hd_vec_release(&c->weight);
    hd_vec_release(&c->of_stratum);
    hd_vec_release(&c->scratch);
    hd_vec_release(&c->feature);
    hd_vec_release(&c->free_feature);
    hd_corpus_keys_release(&c->by_key);
    hd_corpus_slots_free(c->slot, c->n_slots);
    hd_habit_release(&c->habit);
    hd_corpus_ahead_free(c->ahead);
}

static size_t bytes_of(const struct hd_corpus_log *l)
{
    return l->n * sizeof *l->choice + l->n_accesses * sizeof *l->access +
           (size_t)l->n_pasts * l->n_threads * sizeof *l->past;
}

void hd_corpus_drop(struct hd_corpus *c, u32 log)
{
    struct hd_corpus_log *l = &c->log.at[log - 1];
    if (--l->users)
        return;
    c->bytes -= bytes_of(l);
    free(l->choice);
    free(l->access);
    free(l->past);
    *l = (struct hd_corpus_log){0};
    *hd_vec_add(&c->free_log) = log;
}

/* Number of a copy, nobody's yet. */
static u32 keep(struct hd_corpus *c, u32 slot, const struct hd_choice *choice, u32 n)
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
    const struct hd_past *p = hd_corpus_past(c, slot);
    l->n_accesses = (u32)p->row.n;
    l->access = malloc(p->row.n * sizeof *l->access + 1);
    HD_ASSERT(l->access);
    for (size_t i = 0; i < p->row.n; i++)
        l->access[i] = p->row.at[i].is;
    l->past = hd_corpus_pasts(c, slot, &l->n_pasts, &l->n_threads);
    c->bytes += bytes_of(l);
    return log;
}

/* To the stratum of the run's start. */
static void credit_origin(struct hd_corpus *c, u32 from, double gain)
{
    for (u32 i = 0; i < c->stratum.n; i++) {
        c->stratum.at[i].yield.tried *= KEPT;
        c->stratum.at[i].yield.gain *= KEPT;
    }
    struct hd_corpus_yield *y = &c->stratum.at[c->feature.at[from].stratum].yield;
    y->tried++;
    y->gain += gain;
}

/* -log2(q), between powers of two in proportion: the same on every machine. */
double hd_corpus_bits(double q)
{
    u32 n = 0;
    for (; q < 1 && n < BITS; n++)
        q *= 2;
    return n < BITS ? n - (q - 1) : BITS;
}

double hd_corpus_surprise(const struct hd_corpus *c, u32 kinds)
{
    double sum = 0;
    for (u32 k = 0; k < HD_FEATURE_KINDS; k++)
        sum += kinds >> k & 1 ? hd_corpus_bits(c->fresh[k]) : 0;
    return sum;
}

/* What the run brought: a kind of feature that is new in every other run tells next to nothing. */
static double surprise(struct hd_corpus *c, u32 has, u32 stamp)
{
    c->ran++;
    for (u32 i = 0; i < c->stratum.n; i++) {
        struct hd_corpus_stratum *s = &c->stratum.at[i];
        s->runs++;
        s->fresh += ((s->stamp == stamp) - s->fresh) * HD_MAX(1 - KEPT, 1.0 / (s->runs + 2));
    }
    double sum = hd_corpus_surprise(c, has);
    for (u32 k = 0; k < HD_FEATURE_KINDS; k++)
        c->fresh[k] += ((has >> k & 1) - c->fresh[k]) * HD_MAX(1 - KEPT, 1.0 / (c->ran + 2));
    return sum;
}

static u64 stratum_key(u8 kind, u64 of) { return (of * 0x9e3779b97f4a7c15ull & ~(u64)15) | kind; }

const struct hd_corpus_stratum *hd_corpus_stratum_of(const struct hd_corpus *c, u8 kind, u64 of)
{
    const u64 *at = hd_map_get(&c->by_stratum, stratum_key(kind, of));
    return at ? &c->stratum.at[*at] : NULL;
}

u32 hd_corpus_stratum(struct hd_corpus *c, u8 kind, u64 of)
{
    u64 key = stratum_key(kind, of);
    const u64 *at = hd_map_get(&c->by_stratum, key);
    if (at)
        return (u32)*at;
    if (c->stratum.n == HD_CORPUS_STRATA) { /* it shares one of its kind, or the last one */
        u64 i = key % HD_CORPUS_STRATA, end = i;
        while (c->stratum.at[i].kind != kind && (i = (i + 1) % HD_CORPUS_STRATA) != end)
            continue;
        return (u32)i;
    }
    hd_map_put(&c->by_stratum, key, c->stratum.n);
    *hd_vec_add(&c->stratum) = (struct hd_corpus_stratum){.kind = kind, .fresh = 0.5};
    return (u32)c->stratum.n - 1;
}

u32 hd_corpus_ran(struct hd_corpus *c, u32 slot, const struct hd_choice *choice, u32 n, u32 from)
{
    size_t n_better;
    hd_corpus_final(c, slot);
    const struct hd_corpus_better *b = hd_corpus_betters(c, slot, &n_better);
    u32 log = 0, news = 0;
    double gain = surprise(c, hd_corpus_fresh(c, slot), hd_corpus_stamp(c, slot));
    if (!c->promise && c->ran >= HABITS_FROM && !(c->ran % (1u << hd_corpus_doubt(c))))
        hd_corpus_learn(c, slot);
    if (from) {
        c->feature.at[from].reached += hd_corpus_had(c, slot, from);
        credit_origin(c, from, gain);
    }
    for (size_t i = 0; i < n_better; i++) {
        struct hd_feature *f = &c->feature.at[b[i].feature];
        news += f->runs == 1 && f->kind <= HD_FEATURE_BRANCH;
        if (!n || n > LONGEST || c->bytes > BYTES)
            continue;
        log = log ? log : keep(c, slot, choice, n);
        if (f->log)
            hd_corpus_drop(c, f->log);
        f->log = log;
        f->step = b[i].step;
        f->steps = b[i].steps;
        f->past = b[i].past;
        f->since = 0;
        f->site = b[i].site;
        c->log.at[log - 1].users++;
    }
    hd_corpus_rest(c, slot);
    return news;
}

bool hd_corpus_wants(const struct hd_corpus *c, u32 slot)
{
    size_t n;
    hd_corpus_betters(c, slot, &n);
    return n > 0;
}

/* Up to which step of tid is needed, where that is known. */
static u32 needed(const struct hd_feature *f, const struct hd_corpus_log *l, u32 tid)
{
    return tid < l->n_threads ? l->past[(size_t)(f->past - 1) * l->n_threads + tid] : 0;
}

bool hd_corpus_needs(const struct hd_feature *f, const struct hd_corpus_log *l, u32 tid, u32 step)
{
    return step <= (f->past ? needed(f, l, tid) : f->step);
}

u32 hd_corpus_slice(const struct hd_feature *f, const struct hd_corpus_log *l, bool is_whole,
                    struct hd_choice *to)
{
    u32 used = 0, end = 0; /* steps */
    for (u32 i = 0; i < l->n && used < f->step; i++) {
        struct hd_choice e = l->choice[i];
        bool is_steps = e.kind == HD_CHOICE_PICK || e.kind == HD_CHOICE_RULE;
        u32 most = f->step;
        if (f->past && !is_whole && e.kind == HD_CHOICE_PICK)
            most = needed(f, l, e.tid);
        if (is_steps) {
            u32 count = e.count;
            e.count = most > used ? HD_MIN(count, most - used) : 0;
            used += count;
        }
        if (!e.count && is_steps)
            continue;
        if (is_steps && end && to[end - 1].kind == e.kind && to[end - 1].tid == e.tid)
            to[end - 1].count += e.count;
        else
            to[end++] = e;
    }
    return end;
}
