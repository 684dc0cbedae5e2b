/* choose.c: which inputs to test: greedy set cover by concurrent function pairs, and by the accesses
 * that were executed in their functions. The input that shows most goes first, then whoever shows
 * most of what is left. The smallest set is NP-hard to find; the paper found the greedy one good
 * enough.
 *
 * Deviation: the paper goes by pairs alone, and names as the cause of nearly all races it missed
 * that another input takes other paths through the same two functions. An input is chosen for
 * new paths alone if at least one in WORTH of its accesses is new; less is a message printed here
 * or there.
 *
 * An input has a weight, its share of the budget. For new pairs it goes by the part of its own pairs and accesses that
 * is new, by the root of it: what runs show is a matter of chance, and a tenth of the runs would not show a tenth of
 * the pairs. For new paths alone it is what is new in it against the one with most; at least LEAST in any case.
 *
 * Among equals the one whose run was shorter goes first: it is cheaper to test.
 */
#include "suite/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"

#define WORTH 100
#define LEAST 0.25

/* A number for each pair and each access, from 1. */
struct things {
    struct hd_map by_hash; /* of (a, b) -> number; identities are hashes themselves */
    u32 n, pairs;
    u8 *is_covered;          /* by number */
};

static u64 key_of(const struct hd_suite_pair *p)
{
    return p->a * 0x9e3779b97f4a7c15ull ^ (p->b * 0xbf58476d1ce4e5b9ull << 1 | p->b >> 63);
}

static u64 key_of_site(const struct hd_suite_site *s)
{
    return key_of(&(struct hd_suite_pair){s->id, ~(u64)0});
}

static u32 number(struct things *all, u64 key)
{
    if (!hd_map_get(&all->by_hash, key))
        hd_map_put(&all->by_hash, key, ++all->n);
    return all->n;
}

static u8 *covered(struct things *all, u64 key)
{
    return &all->is_covered[*hd_map_get(&all->by_hash, key)];
}

static void count_all(struct things *all, const struct hd_suite *s)
{
    hd_map_init(&all->by_hash);
    for (size_t i = 0; i < s->input.n; i++)
        for (size_t k = 0; k < s->input.at[i].profile.pair.n; k++)
            all->pairs = number(all, key_of(&s->input.at[i].profile.pair.at[k]));
    for (size_t i = 0; i < s->input.n; i++)
        for (size_t k = 0; k < s->input.at[i].profile.site.n; k++)
            number(all, key_of_site(&s->input.at[i].profile.site.at[k]));
    all->is_covered = calloc(all->n + 1, 1);
    HD_ASSERT(all->is_covered);
}

/* How much it would add; 0 = not worth it. */
static u32 fresh_of(struct things *all, const struct hd_suite_input *in)
{
    u32 pairs = 0, sites = 0;
    for (size_t k = 0; k < in->profile.pair.n; k++)
        pairs += !*covered(all, key_of(&in->profile.pair.at[k]));
    for (size_t k = 0; k < in->profile.site.n; k++)
        sites += !*covered(all, key_of_site(&in->profile.site.at[k]));
    return pairs || (u64)sites * WORTH >= in->profile.site.n ? pairs + sites : 0;
}

/* A function with new paths is looked at again, with all that runs beside it. */
static void test_again(struct hd_suite_input *in, u64 function)
{
    for (size_t k = 0; k < in->profile.pair.n; k++) {
        const struct hd_suite_pair *p = &in->profile.pair.at[k];
        if (p->a == function || p->b == function)
            *hd_vec_add(&in->again) = *p;
    }
}

static void take(struct things *all, struct hd_suite_input *in)
{
    u64 last = 0;
    in->is_chosen = true;
    for (size_t k = 0; k < in->profile.pair.n; k++) {
        const struct hd_suite_pair *p = &in->profile.pair.at[k];
        u8 *is_covered = covered(all, key_of(p));
        if (!*is_covered)
            *hd_vec_add(&in->news) = *p;
        *is_covered = 1;
    }
    for (size_t k = 0; k < in->profile.site.n; k++) {
        const struct hd_suite_site *s = &in->profile.site.at[k];
        u8 *is_covered = covered(all, key_of_site(s));
        if (!*is_covered) {
            in->new_sites++;
            if (s->function != last)
                test_again(in, s->function);
            last = s->function;
        }
        *is_covered = 1;
    }
}

/* One that fails in its cheap run is over before it shows what others are left out for. */
static bool is_usable(const struct hd_suite_input *in)
{
    return in->profile.state == HD_SUITE_READY && !in->profile.fails;
}

/* It is tested all the same, as a whole: its failure is what there is to say of it. */
static void take_failing(struct hd_suite_input *in)
{
    in->is_chosen = true;
    for (size_t k = 0; k < in->profile.pair.n; k++)
        *hd_vec_add(&in->news) = in->profile.pair.at[k];
    in->new_sites = (u32)in->profile.site.n;
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

static size_t news_of(const struct hd_suite_input *in) { return in->news.n + in->new_sites; }

static double weight_of(const struct hd_suite_input *in, size_t most)
{
    if (!in->profile.pair.n)
        return 1; /* nothing is known of it */
    if (!in->news.n)
        return HD_MAX((double)news_of(in) / (double)most, LEAST);
    return HD_MAX(sqrt((double)news_of(in) / (double)(in->profile.pair.n + in->profile.site.n)), LEAST);
}

static void weigh(struct hd_suite *s, bool test_all)
{
    size_t most = 1;
    for (size_t i = 0; i < s->input.n; i++)
        most = HD_MAX(most, news_of(&s->input.at[i]));
    for (size_t i = 0; i < s->input.n; i++)
        s->input.at[i].weight = test_all ? 1 : weight_of(&s->input.at[i], most);
}

void hd_suite_choose(struct hd_suite *s, bool test_all)
{
    struct things all = {0};
    count_all(&all, s);
    s->pairs = all.pairs;
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
        if (in->profile.state == HD_SUITE_READY && in->profile.fails)
            take_failing(in);
        if (!is_usable(in) || in->is_chosen)
            continue;
        in->is_chosen = test_all || !in->profile.pair.n; /* nothing says that it shows nothing new */
        if (!in->is_chosen)
            explain(s, in);
    }
    weigh(s, test_all);
    free(all.is_covered);
    hd_map_release(&all.by_hash);
}
