/* shrink.c: the fewest preemptions that still fail: delta debugging (Zeller and
 * Hildebrandt, TSE 2002) over the preemptions of the recorded schedule, plus the
 * moves of stretches that Jalbert and Sen (FSE 2010) use to simplify traces.
 *
 *   no preemption at all? only the first few? -> of many: one alone where the last one is
 *   -> leave out halves, quarters, ... -> keep one alone, put a stretch off, swap two
 *   -> again while it helps -> then threads, stretches and the tail that nobody needs
 *
 * Deviation: a candidate that fails is replaced by the log of its own run, so
 * the schedule at hand is always exact, and a candidate counts by what it did,
 * not by what it asked for. Where moves get stuck above one preemption, all
 * schedules with a single one at a conflicting event are tried (iterative
 * context bounding, Musuvathi and Qadeer, PLDI 2007).
 */
#include "minimize/shrink.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

#define FIRST_ORDERS 4   /* runs without preemption tried at once */
#define MORE_ORDERS 16   /* ... before one preemption counts as needed */
#define MAX_FEW 4        /* preemptions that are each left out in every way there is */
#define MAX_SINGLE 24    /* preemptions tried alone */
#define MAX_SWAPS 24     /* switches turned round */
#define MORE_INSERTS 4   /* variants that are searched for a single preemption */
#define MAX_EVENTS 4000  /* of a run searched for a single preemption */
#define MANY 32          /* preemptions among which the first that are needed are bisected */
#define MAX_HOT 4        /* places of the last preemptions, at which one alone is tried */
#define MAX_SPOTS 4      /* ... so many times that they are passed */
#define MAX_OTHERS 3     /* ... with so many other threads to go on */
#define MAX_EARLY 24     /* early timeouts left out one by one */
#define MAX_PARTS 64     /* stretches tried without, single */

struct search {
    struct hd_shrunk *s;
    const struct hd_runner *r;
    struct hd_list next;  /* candidate */
    struct hd_map tried;  /* hashes of candidates: runs repeat, there is nothing new in them */
    bool is_over;
};

static u64 hash_of(const struct hd_list *l, u64 variant)
{
    u64 h = variant;
    for (size_t i = 0; i < l->v.n; i++) {
        const struct hd_choice *c = &l->v.at[i];
        h = (h ^ ((u64)c->count << 32 | (u64)c->tid << 8 | c->kind)) * 0x9e3779b97f4a7c15ull;
        h ^= h >> 29;
    }
    return h;
}

static bool is_better(const struct hd_shrunk *s, const struct hd_ran *ran)
{
    if (ran->preemptions != s->preemptions)
        return ran->preemptions < s->preemptions;
    if (ran->delay_ns != s->delay_ns)
        return ran->delay_ns < s->delay_ns;
    if (ran->switches != s->switches)
        return ran->switches < s->switches;
    return ran->steps < s->steps;
}

static bool is_sooner(const struct hd_shrunk *s, const struct hd_ran *ran)
{
    return ran->delay_ns < s->delay_ns;
}

/* Runs x->next; true if it fails the same way and `is_wanted`: then it is the best. */
static bool attempt_for(struct search *x, u64 variant,
                        bool (*is_wanted)(const struct hd_shrunk *, const struct hd_ran *))
{
    struct hd_ran ran = {0};
    x->is_over |= x->r->is_over && x->r->is_over(x->r->self);
    if (x->is_over || !hd_map_put(&x->tried, hash_of(&x->next, variant), 1))
        return false;
    x->r->run(x->r->self, x->next.v.at, (u32)x->next.v.n, variant, &ran);
    x->is_over = ran.end == HD_END_STOP;
    if (ran.end != HD_END_SAME || !is_wanted(x->s, &ran))
        return false;
    hd_list_set(&x->s->list, ran.log, ran.n);
    x->s->preemptions = ran.preemptions;
    x->s->switches = ran.switches;
    x->s->steps = ran.steps;
    x->s->delay_ns = ran.delay_ns;
    return true;
}

static bool attempt(struct search *x, u64 variant)
{
    return attempt_for(x, variant, is_better);
}

/* ---- delays ---------------------------------------------------------------------- */

/* Timeouts and timers that came early by chance: what fails without them needs no slow thread, whatever
 * preemptions it takes instead. */
static void drop_delays(struct search *x)
{
    if (x->s->delay_ns > 0 && hd_list_without_early(&x->next, &x->s->list, HD_LIST_ALL_EARLY))
        attempt_for(x, 0, is_sooner);
    for (u32 k = 0; k < MAX_EARLY && x->s->delay_ns > 0 && !x->is_over &&
                    hd_list_without_early(&x->next, &x->s->list, k);)
        k += !attempt_for(x, 0, is_sooner); /* else the next one has taken its place */
}

/* ---- preemptions ---------------------------------------------------------------- */

/* Threads that the failure does not need run only where nobody else can. */
static void drop_threads(struct search *x)
{
    u16 top = 0;
    for (size_t i = 0; i < x->s->list.v.n; i++)
        top = HD_MAX(top, x->s->list.v.at[i].tid);
    for (u16 t = top; t > 0 && !x->is_over; t--) {
        hd_list_without_thread(&x->next, &x->s->list, t);
        attempt(x, 0);
    }
}

static bool try_orders(struct search *x, u32 from, u32 to)
{
    bool is_better = false;
    for (u32 i = from; i < to && x->s->preemptions && !x->is_over; i++) {
        hd_vec_clear(&x->next.v);
        is_better |= attempt(x, i);
    }
    return is_better;
}

/* Leaves out the preemptions from <= k < to, with and without the old tail. */
static bool try_without(struct search *x, u32 from, u32 to)
{
    static const struct { u32 how, more; } ways[] = {
        {HD_LIST_OLDEST, 0}, {HD_LIST_OLDEST | HD_LIST_CUT, 0}, {0, 0},
        {HD_LIST_OLDEST | HD_LIST_CUT, 1}, {HD_LIST_OLDEST | HD_LIST_CUT, 2},
        {HD_LIST_OLDEST | HD_LIST_CUT, 3},
    };
    u32 n = hd_list_preemptions(&x->s->list);
    bool *drop = calloc((size_t)n + 1, sizeof *drop), is_better = false;
    HD_ASSERT(drop);
    for (u32 k = from; k < to && k < n; k++)
        drop[k] = true;
    /* With few left each costs little and is worth more. */
    u32 n_ways = n <= MAX_FEW ? HD_COUNT(ways) : 3;
    for (u32 i = 0; i < n_ways && !is_better; i++) {
        hd_list_without(&x->next, &x->s->list, drop, ways[i].how, ways[i].more);
        is_better = attempt(x, 0);
    }
    free(drop);
    return is_better;
}

static bool drop_some(struct search *x)
{
    bool is_any = false;
    u32 n = hd_list_preemptions(&x->s->list);
    for (u32 size = n; size && !x->is_over; size = size > 1 ? (size + 1) / 2 : 0) {
        for (u32 from = 0; from < n && !x->is_over;) {
            if (try_without(x, from, from + size)) {
                is_any = true;
                n = hd_list_preemptions(&x->s->list);
            } else {
                from += size;
            }
        }
        size = HD_MIN(size, HD_MAX(n, 1u));
    }
    return is_any;
}

/* Only the first k, for the smallest k there is: what comes after the damage is done need
 * not be known. Each success leaves at most what it asked for. */
static bool bisect_first(struct search *x)
{
    bool is_any = false;
    u32 passes = 0; /* with so many of the first it does not fail */
    for (u32 n; (n = hd_list_preemptions(&x->s->list)) > passes + 1 && !x->is_over;) {
        u32 kept = passes + (n - passes) / 2;
        bool *drop = calloc((size_t)n + 1, sizeof *drop);
        HD_ASSERT(drop);
        for (u32 k = kept; k < n; k++)
            drop[k] = true;
        hd_list_without(&x->next, &x->s->list, drop, HD_LIST_CUT, 0);
        free(drop);
        if (attempt(x, 0))
            is_any = true;
        else
            passes = kept;
    }
    return is_any;
}

/* Only the first 1, 2, 4, ... */
static bool keep_first(struct search *x)
{
    u32 n = hd_list_preemptions(&x->s->list);
    if (n > MANY)
        return bisect_first(x);
    bool *drop = calloc((size_t)n + 1, sizeof *drop), is_better = false;
    HD_ASSERT(drop);
    for (u32 kept = 1; kept < n && !is_better && !x->is_over; kept *= 2) {
        for (u32 k = 0; k < n; k++)
            drop[k] = k >= kept;
        for (u32 more = 0; more < 3 && !is_better; more++) {
            hd_list_without(&x->next, &x->s->list, drop, HD_LIST_OLDEST | HD_LIST_CUT, more);
            is_better = attempt(x, 0);
        }
    }
    free(drop);
    return is_better;
}

/* One preemption and no other; late ones are nearer to the failure. */
static bool keep_one(struct search *x)
{
    u32 n = hd_list_preemptions(&x->s->list);
    bool *drop = calloc((size_t)n + 1, sizeof *drop), is_better = false;
    HD_ASSERT(drop);
    memset(drop, true, n);
    for (u32 k = n; n > 2 && k-- > 0 && n - k <= MAX_SINGLE && !is_better && !x->is_over;) {
        drop[k] = false;
        hd_list_without(&x->next, &x->s->list, drop, HD_LIST_OLDEST | HD_LIST_CUT, 0);
        is_better = attempt(x, 0);
        drop[k] = true;
    }
    free(drop);
    return is_better;
}

static bool postpone_some(struct search *x)
{
    u32 n = hd_list_preemptions(&x->s->list);
    for (u32 k = n; k-- > 0 && !x->is_over;) {
        hd_list_postpone(&x->next, &x->s->list, k);
        if (attempt(x, 0))
            return true;
    }
    return false;
}

static bool swap_some(struct search *x)
{
    for (u32 k = 0; k < MAX_SWAPS && !x->is_over && hd_list_swap(&x->next, &x->s->list, k); k++)
        if (attempt(x, 0))
            return true;
    return false;
}

/* ---- a single preemption, anywhere --------------------------------------------------- */

static bool touches(const struct hd_event *a, const struct hd_event *b)
{
    return a->obj == b->obj && a->obj && a->kind < HD_EV_COUNT && b->kind < HD_EV_COUNT &&
           hd_event_conflicts(a->kind, b->kind);
}

/* Thread `tid` goes ahead of step `step` of the run in `base`. */
static bool try_insert(struct search *x, const struct hd_list *base, u32 step, u16 tid, u64 variant)
{
    hd_list_prefix(&x->next, base, step - 1);
    hd_list_add(&x->next, (struct hd_choice){1, tid, HD_CHOICE_PICK, 0});
    return attempt(x, variant);
}

static bool insert_one(struct search *x, u64 variant)
{
    struct hd_ran ran = {0};
    struct hd_list base = {0};
    bool is_better = false;
    x->r->run(x->r->self, NULL, 0, variant, &ran);
    x->is_over = ran.end == HD_END_STOP;
    u32 n = HD_MIN(ran.n_events, (u32)MAX_EVENTS);
    struct hd_event *e = malloc((n + 1) * sizeof *e);
    HD_ASSERT(e);
    if (n)
        memcpy(e, ran.events, n * sizeof *e);
    hd_list_set(&base, ran.log, ran.n);
    for (u32 i = 0; i < n && !is_better && !x->is_over; i++) {
        u64 seen = 0; /* threads below 64: more would not fit the budget anyway */
        for (u32 k = 0; k < n && !is_better && !x->is_over && e[i].step > 1; k++) {
            if (e[k].tid == e[i].tid || e[k].tid > 63 || seen >> e[k].tid & 1 ||
                !touches(&e[i], &e[k]))
                continue;
            seen |= (u64)1 << e[k].tid;
            is_better = try_insert(x, &base, e[i].step, e[k].tid, variant);
        }
    }
    hd_list_release(&base);
    free(e);
    return is_better;
}

/* Before which operations (sites) the last preemptions of the schedule came, last first. */
static u32 hot_sites(struct search *x, u64 site[MAX_HOT])
{
    struct hd_ran ran = {0};
    const struct hd_list *l = &x->s->list;
    u64 step = 0;
    u32 n = 0;
    for (size_t i = 0; i < l->v.n; i++)
        step += l->v.at[i].kind == HD_CHOICE_PICK ? l->v.at[i].count : 0;
    x->r->run(x->r->self, l->v.at, (u32)l->v.n, 0, &ran);
    x->is_over = ran.end == HD_END_STOP;
    u32 at = ran.n_events; /* the first event from `step` on */
    for (size_t i = ran.end == HD_END_SAME ? l->v.n : 0; i-- > 1 && n < MAX_HOT;) {
        const struct hd_choice *c = &l->v.at[i];
        if (c->kind != HD_CHOICE_PICK)
            continue;
        step -= HD_MIN((u64)c->count, step);
        size_t before = i;
        while (before > 0 && l->v.at[before - 1].kind != HD_CHOICE_PICK)
            before--;
        if (!(c->flags & HD_CHOICE_PREEMPTS) || !before)
            continue;
        while (at > 0 && ran.events[at - 1].step > step)
            at--;
        u32 next = at;
        while (next < ran.n_events && ran.events[next].tid != l->v.at[before - 1].tid)
            next++;
        bool is_new = next < ran.n_events;
        for (u32 k = 0; k < n && is_new; k++)
            is_new = site[k] != ran.events[next].site;
        if (is_new)
            site[n++] = ran.events[next].site;
    }
    return n;
}

/* Another thread goes ahead of e[i], one of those that touch the same object. */
static bool insert_before(struct search *x, const struct hd_list *base, const struct hd_event *e,
                          u32 n, u32 i, u64 variant)
{
    u64 seen = 0;
    u32 tried = 0;
    for (u32 k = n; k-- > 0 && tried < MAX_OTHERS && !x->is_over && e[i].step > 1;) {
        if (e[k].tid == e[i].tid || e[k].tid > 63 || seen >> e[k].tid & 1 || !touches(&e[i], &e[k]))
            continue;
        seen |= (u64)1 << e[k].tid;
        tried++;
        if (try_insert(x, base, e[i].step, e[k].tid, variant))
            return true;
    }
    return false;
}

/* One preemption and no other, at a place where the schedule has one near its end: of many
 * hundreds that is where it went wrong (bisect_first). */
static bool insert_same(struct search *x)
{
    u64 site[MAX_HOT], variant = 1;
    struct hd_ran ran = {0};
    struct hd_list base = {0};
    bool is_better = false;
    u32 n_hot = hot_sites(x, site);
    if (!n_hot || x->is_over)
        return false;
    x->r->run(x->r->self, NULL, 0, variant, &ran);
    x->is_over = ran.end == HD_END_STOP;
    u32 n = ran.n_events;
    struct hd_event *e = malloc((n + 1) * sizeof *e);
    HD_ASSERT(e);
    if (n)
        memcpy(e, ran.events, n * sizeof *e);
    hd_list_set(&base, ran.log, ran.n);
    for (u32 k = 0; k < n_hot && !is_better && !x->is_over; k++) {
        u32 all = 0, nth = 0, spot = 0;
        for (u32 i = 0; i < n; i++)
            all += e[i].site == site[k];
        for (u32 i = 0; i < n && !is_better && !x->is_over; i++)
            /* from the middle of each of MAX_SPOTS parts */
            if (e[i].site == site[k] && nth++ == (2 * spot + 1) * (u64)all / (2 * MAX_SPOTS)) {
                spot++;
                is_better = insert_before(x, &base, e, n, i, variant);
            }
    }
    hd_list_release(&base);
    free(e);
    return is_better;
}

/* ---- what nobody needs ---------------------------------------------------------------- */

/* From the first step after the last preemption on, which choices are needed? */
static void cut_tail(struct search *x)
{
    u32 n = hd_list_preemptions(&x->s->list);
    bool *drop = calloc((size_t)n + 1, sizeof *drop);
    HD_ASSERT(drop);
    hd_list_without(&x->next, &x->s->list, drop, HD_LIST_CUT, 0);
    attempt(x, 0);
    free(drop);
}

/* Of a schedule with many entries halves, quarters, ... first: what is between them is said by
 * nobody then, and the run goes on as it can. From the end, where less depends on it. */
static void drop_parts(struct search *x)
{
    u32 left = MAX_PARTS;
    size_t n = x->s->list.v.n, size = n > MAX_PARTS ? n / 2 : 1;
    for (; size && left && !x->is_over; size /= 2)
        for (size_t to = x->s->list.v.n; to > 1 && left && !x->is_over;) {
            size_t from = to > size ? to - size : 1;
            left--;
            hd_list_without_range(&x->next, &x->s->list, from, to);
            /* what came after it may be gone as well */
            to = attempt(x, 0) ? HD_MIN(from, x->s->list.v.n) : from;
        }
}

void hd_shrink(struct hd_shrunk *s, const struct hd_runner *r)
{
    struct search x = {.s = s, .r = r};
    bool is_moving = true;
    drop_delays(&x);
    try_orders(&x, 0, FIRST_ORDERS);
    if (s->preemptions > MAX_FEW)
        drop_threads(&x);
    while (is_moving && s->preemptions && !x.is_over) {
        is_moving = keep_first(&x);
        if (s->preemptions > MANY)
            is_moving |= insert_same(&x);
        is_moving |= drop_some(&x);
        is_moving = is_moving || keep_one(&x) || (s->preemptions > 1 && insert_same(&x)) ||
                    postpone_some(&x) || swap_some(&x);
        for (u64 v = 0; v < MORE_INSERTS && !is_moving && s->preemptions > 1; v++)
            is_moving = insert_one(&x, v);
        if (!is_moving)
            is_moving = try_orders(&x, FIRST_ORDERS, MORE_ORDERS);
    }
    drop_delays(&x);
    cut_tail(&x);
    drop_threads(&x);
    drop_parts(&x);
    s->is_complete = !x.is_over;
    hd_list_release(&x.next);
    hd_map_release(&x.tried);
}
