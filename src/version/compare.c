/* compare.c: see compare.h. In three passes, each over what is still without a partner: same
 * name and code; same name; same code (if it is the only one). */
#include "version/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

enum pass { BY_BOTH, BY_NAME, BY_CODE, PASSES };

static u64 key_of(const struct hd_fingerprint *f, enum pass pass)
{
    u64 h = 14695981039346656037u;
    for (const char *p = f->name; pass != BY_CODE && *p; p++)
        h = (h ^ (u8)*p) * 1099511628211u;
    return pass == BY_NAME ? h : h ^ f->hash * 31;
}

/* Code that says nothing: a stub of two instructions is the same in many functions. */
static bool is_small(const struct hd_fingerprint *f) { return f->size < 32; }

static const struct hd_piece *rest_of(const struct hd_fingerprints *f, u32 function)
{
    return f->v.at[function].pieces ? &f->pieces.at[f->v.at[function].piece] : NULL;
}

static bool is_same_piece(const struct hd_piece *a, const struct hd_piece *b)
{
    return a && b && a->hash == b->hash && a->backs == b->backs && a->text && a->text == b->text;
}

static bool is_same_rest(const struct hd_fingerprints *before, u32 a, const struct hd_fingerprints *after, u32 b)
{
    return is_same_piece(rest_of(before, a), rest_of(after, b));
}

u32 hd_compare_piece(const struct hd_compared *c, const struct hd_fingerprints *before,
                     const struct hd_fingerprints *after, u32 piece)
{
    const struct hd_fingerprint *f = &before->v.at[c->before];
    for (u32 i = f->piece; i < f->piece + f->pieces; i++)
        if (is_same_piece(&before->pieces.at[i], &after->pieces.at[piece]))
            return i;
    return HD_NO_FUNCTION;
}

static void match(struct hd_comparison *c, const struct hd_fingerprints *before,
                  const struct hd_fingerprints *after, u32 *partner, bool *is_taken,
                  enum pass pass)
{
    struct hd_map next = {0}; /* key -> index + 1 of the first one without a partner */
    u32 *behind = calloc(before->v.n + 1, sizeof *behind);
    HD_ASSERT(behind);
    for (size_t i = before->v.n; i-- > 0;) {
        if (is_taken[i] || (pass == BY_CODE && is_small(&before->v.at[i])))
            continue;
        u64 key = key_of(&before->v.at[i], pass);
        behind[i] = (u32)hd_map_get_or(&next, key, 0);
        hd_map_put(&next, key, i + 1);
    }
    for (size_t i = 0; i < after->v.n; i++) {
        u64 key = key_of(&after->v.at[i], pass), at;
        if (partner[i] != HD_NO_FUNCTION || !(at = hd_map_get_or(&next, key, 0)) ||
            (pass == BY_CODE && behind[at - 1]))
            continue;
        partner[i] = (u32)at - 1;
        is_taken[at - 1] = true;
        hd_map_put(&next, key, behind[at - 1]);
        static const enum hd_change change[PASSES] = {HD_SAME, HD_CHANGED, HD_RENAMED};
        c->v.at[i] = (struct hd_compared){change[pass], (u32)at - 1, (u32)i,
                                          pass == BY_NAME && is_same_rest(before, (u32)at - 1, after, (u32)i)};
    }
    hd_map_release(&next);
    free(behind);
}

void hd_compare(struct hd_comparison *c, const struct hd_fingerprints *before,
                const struct hd_fingerprints *after)
{
    u32 *partner = malloc((after->v.n + 1) * sizeof *partner);
    bool *is_taken = calloc(before->v.n + 1, sizeof *is_taken);
    HD_ASSERT(partner && is_taken);
    *c = (struct hd_comparison){0};
    for (size_t i = 0; i < after->v.n; i++) {
        partner[i] = HD_NO_FUNCTION;
        *hd_vec_add(&c->v) = (struct hd_compared){.change = HD_ADDED, .before = HD_NO_FUNCTION, .after = (u32)i};
    }
    for (enum pass p = 0; p < PASSES; p++)
        match(c, before, after, partner, is_taken, p);
    for (size_t i = 0; i < before->v.n; i++)
        if (!is_taken[i])
            *hd_vec_add(&c->v) = (struct hd_compared){.change = HD_REMOVED, .before = (u32)i, .after = HD_NO_FUNCTION};
    for (size_t i = 0; i < c->v.n; i++)
        c->count[c->v.at[i].change]++;
    free(partner);
    free(is_taken);
}

void hd_comparison_release(struct hd_comparison *c)
{
    hd_vec_release(&c->v);
}
