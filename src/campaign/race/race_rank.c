/* race_rank.c: in which order possible races are driven: those first that are the most certain. What a run
 * ordered by luck and could certainly have shown (detect/sync_preserving.h) comes before what perhaps
 * another one could.
 */
#include "campaign/race/explorer.h"
#include "detect/sync_preserving.h"

#include <stdlib.h>

#define TRACES 8            /* runs that are looked at for it, in a campaign */
#define WORK 2000000ull     /* events looked at, for each of them, */
#define WORK_PAIR 200000ull /* ... and for each pair */

u32 hd_race_rank(const struct hd_race_pair *p)
{
    if (p->pending)
        return 0;
    if (p->is_predicted || p->schedulable)
        return hd_race_is_hidden(p) ? 2 : 1;
    if (hd_race_is_hidden(p))
        return p->hidden[0] ? 5 : 6;
    return hd_race_is_weak(p) ? 4 : 3;
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

static bool is_open(const struct hd_race_pair *p) { return !p->pending && !p->schedulable && !p->is_predicted; }

/* What the run that was made last says of pairs from `from` on. */
static void predict(struct hd_explorer *x, size_t from)
{
    struct hd_races *r = x->o->races;
    struct hd_sp trace;
    size_t open = 0;
    u32 n;
    for (size_t i = from; i < r->pair.n; i++)
        open += is_open(&r->pair.at[i]);
    if (open < 2 || x->traces >= TRACES || x->w->run.stats.events > HD_SHM_RING)
        return;
    x->traces++;
    const struct hd_event *ev = hd_snapshot_events(&x->w->run, &n);
    hd_sp_init(&trace, ev, n);
    for (size_t i = from; i < r->pair.n && trace.work < WORK; i++) {
        struct hd_race_pair *p = &r->pair.at[i];
        u64 site[2];
        if (is_open(p) && hd_race_sites(x, p, site))
            p->is_predicted = hd_sp_has_race(&trace, site, WORK_PAIR);
    }
    hd_sp_release(&trace);
}

void hd_race_order(struct hd_explorer *x, size_t from)
{
    struct hd_races *r = x->o->races;
    if (from >= r->pair.n || !x->w->host || x->w->is_dead)
        return;
    predict(x, from);
    qsort(r->pair.at + from, r->pair.n - from, sizeof *r->pair.at, by_promise);
}
