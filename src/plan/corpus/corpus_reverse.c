/* corpus_reverse.c: two accesses of a kept run the other way round. See corpus.h.
 *
 *   recorded       script
 *   A: ...         A: ...
 *   A: first       B: ... up to second
 *   A: ...         A: first
 *   B: ...         A: ...
 *   B: second
 *
 * first is one of the last accesses that led to the feature, or what a thread did next; second a
 * later one of another thread that does not commute with it: so first reads another value, or
 * another pass of a loop. What follows may differ from what was recorded: the script is loose.
 */
#include "plan/corpus/corpus.h"

#define MOST_STEPS 20000 /* of a run that is gone through step by step */

/* The last access that led to f, or the one before it, ...; number + 1, 0 = there is none. */
static u32 last_access(const struct hd_feature *f, const struct hd_corpus_log *l, struct hd_rng *rng)
{
    u32 back = 0;
    while (hd_rng_below(rng, 2))
        back++;
    if (f->kind == HD_FEATURE_FINAL && hd_rng_below(rng, 2)) /* any of them may matter */
        back = (u32)hd_rng_below(rng, HD_MAX(l->n_accesses, 1u));
    for (u32 i = l->n_accesses; i > 0; i--) {
        const struct hd_past_access *a = &l->access[i - 1];
        if (a->matters && hd_corpus_needs(f, l, a->tid, a->step) && !back--)
            return i;
    }
    return 0;
}

/* What one of the threads did next; number + 1, 0 = nothing. */
static u32 next_access(const struct hd_feature *f, const struct hd_corpus_log *l, struct hd_rng *rng)
{
    u32 next = 0, found = 0, has = 0; /* bits of threads */
    for (u32 i = 0; i < l->n_accesses; i++) {
        const struct hd_past_access *a = &l->access[i];
        if (!a->matters || has >> a->tid & 1 || hd_corpus_needs(f, l, a->tid, a->step))
            continue;
        has |= 1u << a->tid;
        if (hd_rng_below(rng, ++found) == 0)
            next = i + 1;
    }
    return next;
}

static bool conflicts(const struct hd_past_access *a, const struct hd_past_access *b)
{
    return a->obj == b->obj && a->tid != b->tid && b->matters && (a->writes || b->writes);
}

/* A later access that conflicts with that one: the first, second, ... of one of the threads that have
 * one; number + 1, 0 = there is none. */
static u32 second_access(const struct hd_corpus_log *l, u32 first, struct hd_rng *rng)
{
    const struct hd_past_access *a = &l->access[first - 1];
    u32 nth = 1 + (u32)hd_rng_below(rng, (u64)1 << hd_rng_below(rng, 5)); /* 1 to 16, mostly few */
    u32 has = 0, found = 0, tid = HD_NO_THREAD, second = 0;
    for (u32 i = first; i < l->n_accesses; i++) {
        const struct hd_past_access *b = &l->access[i];
        if (!conflicts(a, b) || has >> b->tid & 1)
            continue;
        has |= 1u << b->tid;
        if (hd_rng_below(rng, ++found) == 0)
            tid = b->tid;
    }
    for (u32 i = first; i < l->n_accesses && nth; i++)
        if (l->access[i].tid == tid && conflicts(a, &l->access[i])) {
            second = i + 1;
            nth--;
        }
    return second;
}

/* One step more of tid. */
static u32 put(struct hd_choice *to, u32 n, u32 room, u16 tid)
{
    if (n && to[n - 1].tid == tid && to[n - 1].kind == HD_CHOICE_PICK)
        to[n - 1].count++;
    else if (n < room)
        to[n++] = (struct hd_choice){.count = 1, .tid = tid, .kind = HD_CHOICE_PICK};
    return n;
}

u32 hd_corpus_reverse(const struct hd_feature *f, const struct hd_corpus_log *l, struct hd_choice *to,
                      u32 n, struct hd_rng *rng)
{
    u32 a = hd_rng_below(rng, 3) ? last_access(f, l, rng) : next_access(f, l, rng);
    u32 b = a ? second_access(l, a, rng) : 0;
    if (!b)
        return n;
    const struct hd_past_access *first = &l->access[a - 1], *second = &l->access[b - 1];
    u32 end = 0, room = n + HD_CORPUS_MORE, last = HD_MAX(f->step, second->step);
    if (last > MOST_STEPS)
        return n;
    enum { BEFORE, SECOND, REST, PARTS };
    for (u32 part = BEFORE; part < PARTS; part++) {
        u32 step = 0;
        for (u32 i = 0; i < l->n && step < last; i++) {
            const struct hd_choice *e = &l->choice[i];
            if (e->kind != HD_CHOICE_PICK) { /* who is woken, and the like: where it was */
                if (part == BEFORE && step < first->step && end < room)
                    to[end++] = *e;
                continue;
            }
            for (u32 k = 0; k < e->count && step < last; k++) {
                step++;
                bool is_base = hd_corpus_needs(f, l, e->tid, step) ||
                               (e->tid == first->tid && step <= first->step);
                bool is_before = is_base && step < first->step;
                bool is_second = !is_before && e->tid == second->tid && step <= second->step;
                bool is_rest = is_base && !is_before && !is_second;
                if (part == BEFORE ? is_before : part == SECOND ? is_second : is_rest)
                    end = put(to, end, room, e->tid);
            }
        }
    }
    return end;
}
