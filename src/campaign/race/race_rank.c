/* race_rank.c: in which order possible races are driven: those first that are the most certain. What a run
 * ordered by luck and could certainly have shown (detect/sync_preserving.h) comes before what perhaps
 * another one could.
 */
#include "campaign/race/explorer.h"
#include "detect/fixed.h"
#include "detect/sync_preserving.h"

#include <stdlib.h>

#define TRACES 8            /* runs that are looked at for it, in a campaign */
#define WORK 2000000ull     /* events looked at, for each of them, */
#define WORK_PAIR 200000ull /* ... and for each pair */
#define WORK_FIXED 20000ull /* pairs of accesses compared, for each pair of sites */

u32 hd_race_rank(const struct hd_race_pair *p)
{
    if (p->pending)
        return 0;
    if (p->is_predicted || p->schedulable)
        return hd_race_is_hidden(p) ? 2 : 1;
    if (hd_race_is_fixed(p))
        return 7;
    if (hd_race_is_hidden(p))
        return p->hidden[0] ? 5 : 6;
    return hd_race_is_weak(p) || hd_race_is_carried(p) ? 4 : 3;
}

/* A read and a write say more than two writes. */
static int by_promise(const void *a, const void *b)
{
    const struct hd_race_pair *p = a, *q = b;
    if (hd_race_rank(p) != hd_race_rank(q))
        return (int)hd_race_rank(p) - (int)hd_race_rank(q);
    bool p_reads = p->is.does[0] == HD_GOAL_READ || p->is.does[1] == HD_GOAL_READ;
    bool q_reads = q->is.does[0] == HD_GOAL_READ || q->is.does[1] == HD_GOAL_READ;
    if (p_reads != q_reads)
        return q_reads - p_reads;
    return p->is.site[0] < q->is.site[0] ? -1 : p->is.site[0] > q->is.site[0];
}

static bool is_open(const struct hd_race_pair *p)
{
    return !p->is_known && !p->pending && !p->schedulable && !p->is_predicted;
}

/* Which of them come in one order in every run. */
static void ask_fixed(struct hd_explorer *x, size_t from, const struct hd_event *ev, u32 n)
{
    struct hd_races *r = x->o->races;
    struct hd_fixed trace;
    u64 site[2];
    hd_fixed_init(&trace, ev);
    for (size_t i = from; i < r->pair.n; i++)
        for (u32 k = 0; k < 2 && is_open(&r->pair.at[i]) && hd_race_sites(x, &r->pair.at[i], site); k++)
            hd_fixed_want(&trace, site[k]);
    hd_fixed_read(&trace, n);
    for (size_t i = from; i < r->pair.n; i++) {
        struct hd_race_pair *p = &r->pair.at[i];
        if (!is_open(p) || !hd_race_sites(x, p, site))
            continue;
        enum hd_fixed_is is = hd_fixed_ask(&trace, site, WORK_FIXED);
        p->is_fixed |= is == HD_FIXED_ORDERED;
        p->is_open |= is == HD_FIXED_OPEN;
    }
    hd_fixed_release(&trace);
}

/* Which of them another run certainly can show. */
static void ask_certain(struct hd_explorer *x, size_t from, const struct hd_event *ev, u32 n)
{
    struct hd_races *r = x->o->races;
    struct hd_sp trace;
    hd_sp_init(&trace, ev, n);
    for (size_t i = from; i < r->pair.n && trace.work < WORK; i++) {
        struct hd_race_pair *p = &r->pair.at[i];
        u64 site[2];
        if (is_open(p) && hd_race_sites(x, p, site))
            p->is_predicted = hd_sp_has_race(&trace, site, WORK_PAIR);
    }
    hd_sp_release(&trace);
}

void hd_race_ask(struct hd_explorer *x, size_t from, const struct hd_event *ev, u32 n)
{
    const struct hd_races *r = x->o->races;
    size_t open = 0;
    for (size_t i = from; i < r->pair.n; i++)
        open += is_open(&r->pair.at[i]);
    if (open < 2 || !n)
        return;
    ask_certain(x, from, ev, n);
    ask_fixed(x, from, ev, n);
}

/* What the run that was made last says of pairs from `from` on. */
static void ask_last(struct hd_explorer *x, size_t from)
{
    u32 n;
    if (x->traces >= TRACES || x->w->run.stats.events > HD_SHM_RING)
        return;
    x->traces++;
    const struct hd_event *ev = hd_snapshot_events(&x->w->run, &n);
    hd_race_ask(x, from, ev, n);
}

void hd_race_order(struct hd_explorer *x, size_t from)
{
    struct hd_races *r = x->o->races;
    if (from >= r->pair.n || !x->w->host || x->w->is_dead)
        return;
    ask_last(x, from);
    qsort(r->pair.at + from, r->pair.n - from, sizeof *r->pair.at, by_promise);
}
