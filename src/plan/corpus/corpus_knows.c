/* corpus_knows.c: features of what a thread knows: the values it read last, together; how far they are
 * apart; how often an object was changed since it last looked. See corpus.h.
 *
 * A thread is a function of what it reads. Where it compares two values, or three, no single one of them
 * leads to what comes of it: but each new combination is a question that was never asked, and there are
 * far fewer of them than schedules.
 */
#include "plan/corpus/corpus_slot.h"

#include <string.h>

#define NEAR 64 /* numbers that are further apart are just apart */

/* How far two values are apart; of those that are no small numbers: whether they are the same. */
static u64 apart(const struct knows *a, const struct knows *b)
{
    s64 by = (s64)a->number - b->number;
    if (a->number == HD_HABIT_NO_NUMBER || b->number == HD_HABIT_NO_NUMBER || by > NEAR || by < -NEAR)
        return a->value == b->value ? 1u << 20 : 1u << 21;
    return (u64)by;
}

void hd_corpus_knows(struct hd_corpus *c, u32 slot, struct hd_moment *m, u64 key, u32 nth, u32 value)
{
    if (m->ev->tid >= THREADS)
        return;
    struct knows *k = c->slot[slot].thread[m->ev->tid].knows;
    memmove(&k[1], &k[0], (KNOWN - 1) * sizeof *k);
    k[0] = (struct knows){key, value, hd_habit_number(&c->habit, value)};
    bool is_pass = nth > 1 && hd_corpus_is_counted(nth);
    u64 pass = hd_corpus_mix(key, nth);
    if (is_pass)
        hd_corpus_met(c, slot, HD_FEATURE_NTH, hd_corpus_mix(pass, value), m);
    if (!k[1].value)
        return;
    u64 sites = hd_corpus_mix(key, k[1].key), two = hd_corpus_mix(hd_corpus_mix(sites, value), k[1].value);
    u64 by = hd_corpus_mix(sites, apart(&k[0], &k[1]));
    hd_corpus_met(c, slot, HD_FEATURE_KNOWS, two, m);
    hd_corpus_met(c, slot, HD_FEATURE_APART, by, m);
    if (is_pass)
        hd_corpus_met(c, slot, HD_FEATURE_NTH, hd_corpus_mix(pass, by), m);
    if (!k[2].value)
        return;
    hd_corpus_met(c, slot, HD_FEATURE_KNOWS3, hd_corpus_mix(hd_corpus_mix(two, k[2].key), k[2].value), m);
    hd_corpus_met(c, slot, HD_FEATURE_APART, hd_corpus_mix(hd_corpus_mix(by, k[2].key), apart(&k[1], &k[2])), m);
}

static struct view *view_of(struct hd_corpus_slot *s, const struct hd_event *ev, bool *is_new)
{
    u64 *at = hd_map_ref(&s->by_view, hd_corpus_mix(ev->obj, ev->tid), s->view.n);
    *is_new = *at == s->view.n;
    if (*is_new)
        *hd_vec_add(&s->view) = (struct view){0};
    return &s->view.at[*at];
}

void hd_corpus_returns(struct hd_corpus *c, u32 slot, struct hd_moment *m, u64 key, u32 changes, u32 value)
{
    bool is_new;
    struct view *v = view_of(&c->slot[slot], m->ev, &is_new), was = *v;
    *v = (struct view){changes, value};
    u32 n = changes - was.changes;
    if (is_new || !n)
        return;
    if (hd_corpus_is_counted(n))
        hd_corpus_met(c, slot, HD_FEATURE_GAP, hd_corpus_mix(key, n), m);
    if (value && value == was.value) /* as if nothing had happened */
        hd_corpus_met(c, slot, HD_FEATURE_SITE, hd_corpus_mix(key, 17), m);
}

void hd_corpus_leaves(struct hd_corpus *c, u32 slot, const struct hd_event *ev, u32 changes)
{
    bool is_new;
    *view_of(&c->slot[slot], ev, &is_new) = (struct view){changes, 0};
}
