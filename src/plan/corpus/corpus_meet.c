/* corpus_meet.c: a run has a feature: which one, is it new, what led to it. See corpus.h.
 *
 * Most kinds grow with the program's code, some with its states: in a few hundred runs there may be
 * hundreds of thousands. What was met once stays known; but of kinds with too many features only some
 * are kept to be gone on from.
 */
#include "plan/corpus/corpus_slot.h"

#include <string.h>

#define MOST 32768     /* features that are kept; */
#define SHARE (MOST / 8) /* ... of a kind where there are too many in all */
#define ALL (1u << 19) /* ... that are known; what comes later is none */
#define BROKEN 3       /* runs that were to have a feature and had not */
#define PROMISES 256   /* that are counted of a run */
#define UNSURE 4       /* what is less probable than one in so many promises less: to try it teaches as well */
/* There are few of them, and to have one that is rare tells how far a run got. */
#define TELLING (1u << HD_FEATURE_SITE | 1u << HD_FEATURE_BRANCH | 1u << HD_FEATURE_STREAK | \
                 1u << HD_FEATURE_WORD | 1u << HD_FEATURE_FINAL)

/* What features have in common that differ by a count or a value only. */
static u64 stratum_by(u8 kind, const struct hd_event *ev)
{
    switch (kind) {
    case HD_FEATURE_WORD:
    case HD_FEATURE_FINAL:
    case HD_FEATURE_PAIR: return ev->obj;
    case HD_FEATURE_STREAK:
    case HD_FEATURE_PASS:
    case HD_FEATURE_VALUE:
    case HD_FEATURE_KNOWS:
    case HD_FEATURE_KNOWS3:
    case HD_FEATURE_APART:
    case HD_FEATURE_NTH:
    case HD_FEATURE_GAP: return ev->site;
    default: return 0;
    }
}

/* Number + 1 of what led to that moment. */
static u32 keep_past(struct hd_corpus_slot *s, struct hd_moment *m)
{
    if (m->past || !m->has_past)
        return m->past;
    u32 n = HD_PAST_THREADS;
    while (n && !m->cut.at[n - 1])
        n--;
    *hd_vec_add(&s->past_of) = (u16)n;
    for (u32 t = 0; t < n; t++)
        *hd_vec_add(&s->past_of) = m->cut.at[t];
    return m->past = ++s->n_pasts;
}

/* What did not come true several times is no promise any more. */
static void promise(struct hd_corpus_promise *p, struct hd_feature *f, u64 key, const struct hd_moment *m)
{
    u8 kind = f->kind;
    if (!f->is_real)
        f->is_real = hd_corpus_keys_get(&p->real->by_key, key, &f->real);
    if (f->is_real && f->real && TELLING >> kind & 1)
        p->depth = HD_MAX(p->depth, hd_corpus_bits((double)p->real->feature.at[f->real].runs / (p->real->ran + 1)));
    if (f->is_real || hd_map_get_or(&p->broken, key, 0) >= BROKEN)
        return;
    double sure = HD_MIN(1.0, UNSURE * p->real->habit.sure);
    const struct hd_corpus_stratum *s = hd_corpus_stratum_of(p->real, kind, stratum_by(kind, m->ev));
    p->n[kind] += sure;
    p->bits[kind] = HD_MAX(p->bits[kind], sure * hd_corpus_bits(s ? s->fresh : p->real->fresh[kind]));
    p->deep = HD_MAX(p->deep, p->depth);
    p->step = m->ev->step;
    if (p->key.n < PROMISES)
        *hd_vec_add(&p->key) = key;
}

/* Of kinds with more than their share every second feature goes, and those that runs went on from in vain.
 * What runs under way have had is kept. */
void hd_corpus_thin(struct hd_corpus *c)
{
    u32 at, n[HD_FEATURE_KINDS] = {0}, oldest = ~0u;
    if (c->feature.n < MOST || c->free_feature.n >= MOST / 16)
        return;
    for (u32 i = 0; i < c->n_slots; i++)
        if (c->slot[i].is_under_way)
            oldest = HD_MIN(oldest, c->slot[i].stamp);
    for (size_t i = 0; hd_corpus_keys_next(&c->by_key, &i, &at);) {
        struct hd_feature *f = &c->feature.at[at];
        if (!at || c->count[f->kind] <= SHARE || f->stamp >= oldest || (!f->since && ++n[f->kind] % 2))
            continue;
        if (f->log)
            hd_corpus_drop(c, f->log);
        *f = (struct hd_feature){.kind = HD_FEATURE_KINDS};
        hd_corpus_keys_set(&c->by_key, i, 0);
        *hd_vec_add(&c->free_feature) = at;
    }
    memset(c->count, 0, sizeof c->count);
    for (u32 i = 1; i < c->feature.n; i++)
        if (c->feature.at[i].kind < HD_FEATURE_KINDS)
            c->count[c->feature.at[i].kind]++;
    memset(c->met, 0, sizeof c->met);
}

/* A feature that was never met; 0 = it is known from now on, but not kept. */
static u32 add(struct hd_corpus *c, u8 kind, u32 stratum)
{
    u32 at;
    if (c->free_feature.n) {
        at = c->free_feature.at[--c->free_feature.n];
    } else if (c->feature.n < MOST || c->count[kind] <= SHARE) {
        at = (u32)c->feature.n;
        *hd_vec_add(&c->feature) = (struct hd_feature){0};
    } else {
        return 0;
    }
    c->feature.at[at] = (struct hd_feature){.kind = kind, .steps = ~0u, .stratum = (u16)stratum};
    c->count[kind]++;
    return at;
}

/* Number of a feature; 0 = it is not kept. */
static u32 look_up(struct hd_corpus *c, struct hd_corpus_slot *s, u8 kind, u64 whole, const struct hd_moment *m)
{
    c->looks++;
    u32 at;
    if (hd_corpus_keys_get(&c->by_key, whole, &at))
        return at;
    if (c->by_key.n >= ALL)
        return 0;
    u32 stratum = hd_corpus_stratum(c, kind, stratum_by(kind, m->ev));
    at = add(c, kind, stratum);
    hd_corpus_keys_add(&c->by_key, whole, at);
    s->fresh |= 1u << kind;
    c->stratum.at[stratum].stamp = s->stamp;
    return at;
}

u32 hd_corpus_met(struct hd_corpus *c, u32 slot, u8 kind, u64 key, struct hd_moment *m)
{
    struct hd_corpus_slot *s = &c->slot[slot];
    u64 whole = hd_corpus_mix(key, kind + 1u);
    struct hd_corpus_met *met = &c->met[whole % HD_CORPUS_MET];
    if (met->key != whole) {
        *met = (struct hd_corpus_met){whole, look_up(c, s, kind, whole, m), 0};
    }
    u32 at = met->feature;
    if (!at || met->stamp == s->stamp)
        return at;
    met->stamp = s->stamp;
    struct hd_feature *f = &c->feature.at[at];
    if (f->stamp == s->stamp)
        return at;
    f->stamp = s->stamp;
    f->runs++;
    if (c->promise)
        promise(c->promise, f, whole, m);
    if (m->steps < f->steps)
        *hd_vec_add(&s->better) = (struct hd_corpus_better){
            at, m->ev->step, m->steps, keep_past(s, m), m->ev->site};
    return at;
}

