/* pair_odd.c: reads that see what they should not. A read is known by its place, and what it
 * sees by the place of the write that it reads from (none: nobody has written yet). What is
 * seen in the failing run but nowhere in one that passes is odd (communication invariants:
 * Shi et al., "Do I use the wrong definition?", OOPSLA 2010), and near to the cause: the
 * value was read too early, before the next write, or was written too early.
 */
#include "minimize/pair_search.h"

#include "base/map.h"

#define MIN_STEPS 500 /* in shorter runs what is around a preemption says more */

static bool reads(u8 kind)
{
    return kind == HD_EV_READ || kind == HD_EV_ALOAD || kind == HD_EV_ARMW;
}

static bool writes(u8 kind)
{
    return kind == HD_EV_WRITE || kind == HD_EV_ASTORE || kind == HD_EV_ARMW;
}

static u64 edge(u64 reader, u64 writer)
{
    u64 h = (reader ^ writer * 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
    return (h ^ h >> 29) | 1;
}

/* Which places see writes of which places. */
static void put_edges(const struct hd_event *e, u32 n, struct hd_map *edges)
{
    struct hd_map last = {0}; /* object -> index of its last write + 1 */
    for (u32 i = 0; i < n; i++) {
        if (reads(e[i].kind)) {
            u64 w = hd_map_get_or(&last, e[i].obj, 0);
            hd_map_put(edges, edge(e[i].site, w ? e[w - 1].site : 0), 1);
            hd_map_put(edges, e[i].site, 1); /* the place was come to */
        }
        if (writes(e[i].kind))
            hd_map_put(&last, e[i].obj, i + 1);
    }
    hd_map_release(&last);
}

static void add(struct hd_pair_search *h, u32 first, u32 second)
{
    if (h->n_odd < HD_PAIR_SEARCH_ODD)
        h->odd[h->n_odd++] = (struct hd_pair){first, second};
}

/* The write that read i came too early for: the next one by another thread. */
static void add_early(struct hd_pair_search *h, u32 i)
{
    for (u32 j = i + 1; j < h->e.n; j++)
        if (writes(h->e.at[j].kind) && hd_pair_search_conflicts(&h->e.at[i], &h->e.at[j])) {
            add(h, i, j);
            return;
        }
}

void hd_pair_search_odd(struct hd_pair_search *h, const struct hd_ran *ran)
{
    struct hd_map edges = {0}, last = {0};
    const struct hd_event *e = h->e.at;
    if (h->n_steps < MIN_STEPS || !ran->n_events || ran->events[0].step > 1)
        return; /* the latter: who wrote first is not known */
    put_edges(ran->events, ran->n_events, &edges);
    for (u32 i = 0; i < h->n_steps && h->n_odd < HD_PAIR_SEARCH_ODD; i++) {
        u64 w = hd_map_get_or(&last, e[i].obj, 0), key = edge(e[i].site, w ? e[w - 1].site : 0);
        if (reads(e[i].kind) && hd_map_has(&edges, e[i].site) && hd_map_put(&edges, key, 1)) {
            add_early(h, i);
            if (w && hd_pair_search_conflicts(&e[w - 1], &e[i]))
                add(h, (u32)w - 1, i);
        }
        if (writes(e[i].kind))
            hd_map_put(&last, e[i].obj, i + 1);
    }
    hd_map_release(&edges);
    hd_map_release(&last);
}
