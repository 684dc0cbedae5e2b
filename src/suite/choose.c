/* choose.c: which inputs to test: greedy set cover by concurrent function pairs. The input
 * that shows most goes first, then whoever shows most of what is left. The smallest set is
 * NP-hard to find; the paper found the greedy one good enough.
 *
 * Among equals the one whose run was shorter goes first: it is cheaper to test.
 */
#include "suite/suite.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

/* A number for each pair, from 1. */
struct pairs {
    struct hd_map by_hash; /* of (a, b) -> number; identities are hashes themselves */
    u32 n;
    u8 *is_covered;        /* by number */
};

static u64 key_of(const struct hd_suite_pair *p)
{
    return p->a * 0x9e3779b97f4a7c15ull ^ (p->b * 0xbf58476d1ce4e5b9ull << 1 | p->b >> 63);
}

static void count_pairs(struct pairs *all, const struct hd_suite *s)
{
    hd_map_init(&all->by_hash);
    for (size_t i = 0; i < s->input.n; i++)
        for (size_t k = 0; k < s->input.at[i].profile.pair.n; k++) {
            u64 key = key_of(&s->input.at[i].profile.pair.at[k]);
            if (!hd_map_get(&all->by_hash, key))
                hd_map_put(&all->by_hash, key, ++all->n);
        }
    all->is_covered = calloc(all->n + 1, 1);
    HD_ASSERT(all->is_covered);
}

static u32 fresh_of(struct pairs *all, const struct hd_suite_input *in)
{
    u32 n = 0;
    for (size_t k = 0; k < in->profile.pair.n; k++)
        n += !all->is_covered[*hd_map_get(&all->by_hash, key_of(&in->profile.pair.at[k]))];
    return n;
}

static void take(struct pairs *all, struct hd_suite_input *in)
{
    in->is_chosen = true;
    for (size_t k = 0; k < in->profile.pair.n; k++) {
        const struct hd_suite_pair *p = &in->profile.pair.at[k];
        u8 *is_covered = &all->is_covered[*hd_map_get(&all->by_hash, key_of(p))];
        if (!*is_covered)
            *hd_vec_add(&in->news) = *p;
        *is_covered = 1;
    }
}

static bool is_usable(const struct hd_suite_input *in)
{
    return in->profile.state == HD_SUITE_READY;
}

static int compare(const struct hd_suite_pair *p, const struct hd_suite_pair *q)
{
    return p->a != q->a ? p->a < q->a ? -1 : 1 : p->b < q->b ? -1 : p->b > q->b;
}

/* Does `b` show all that `a` shows? Both are sorted. */
static bool is_within(const struct hd_suite_input *a, const struct hd_suite_input *b)
{
    size_t k = 0;
    for (size_t i = 0; i < a->profile.pair.n; i++, k++) {
        while (k < b->profile.pair.n && compare(&b->profile.pair.at[k], &a->profile.pair.at[i]) < 0)
            k++;
        if (k == b->profile.pair.n || compare(&b->profile.pair.at[k], &a->profile.pair.at[i]))
            return false;
    }
    return true;
}

static void explain(struct hd_suite *s, struct hd_suite_input *in)
{
    for (size_t i = 0; i < s->input.n && !in->covered_by; i++)
        if (s->input.at[i].is_chosen && is_within(in, &s->input.at[i]))
            in->covered_by = (u32)i + 1;
}

void hd_suite_choose(struct hd_suite *s, bool test_all)
{
    struct pairs all = {0};
    count_pairs(&all, s);
    s->pairs = all.n;
    for (;;) {
        struct hd_suite_input *best = NULL;
        u32 most = 0;
        for (size_t i = 0; i < s->input.n; i++) {
            struct hd_suite_input *in = &s->input.at[i];
            if (!is_usable(in) || in->is_chosen)
                continue;
            u32 n = fresh_of(&all, in);
            if (n > most || (n && n == most && in->profile.events < best->profile.events)) {
                best = in;
                most = n;
            }
        }
        if (!best)
            break;
        take(&all, best);
    }
    for (size_t i = 0; i < s->input.n; i++) {
        struct hd_suite_input *in = &s->input.at[i];
        if (!is_usable(in) || in->is_chosen)
            continue;
        in->is_chosen = test_all || !in->profile.pair.n; /* nothing says that it shows nothing new */
        if (!in->is_chosen)
            explain(s, in);
    }
    free(all.is_covered);
    hd_map_release(&all.by_hash);
}
