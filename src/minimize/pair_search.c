/* pair_search.c: which order of two events decides?
 *
 * For a preempted thread P and the events of others that slipped in:
 *
 *      P            others
 *      read x                        BEFORE
 *      -- preempted --
 *                   write x          FIRST
 *      write x                       SECOND
 *
 * A candidate (pair_candidates.c) is a pair FIRST, SECOND of different threads on the
 * same object that do not commute. It is tested, not guessed: FIRST's thread is held
 * back right before FIRST until SECOND has happened, the rest of the schedule is kept,
 * and the run must pass; then in other ways of going on without preemption as well.
 * What passes also with FIRST at once after SECOND is preferred, and SECOND as early
 * as it can be: the less must be changed, the nearer to the cause.
 */
#include "minimize/pair_search.h"

#define MAX_WEAK 2      /* pairs kept that pass only if FIRST does not come at once */
#define MAX_AFTER 24    /* pairs tested after the first of those */
#define MAX_TIGHTER 6   /* earlier events tried as SECOND */
#define MAX_ROUNDS 64   /* later ones looked at as FIRST, of which a few are tried */

/* ---- tests --------------------------------------------------------------------------- */

/* Which occurrence of its kind, site and thread event i is. */
static u32 occurrence(const struct hd_pair_search *h, u32 i)
{
    u32 n = 0;
    for (u32 k = 0; k < HD_MIN(i, h->n_steps); k++)
        n += h->e.at[k].tid == h->e.at[i].tid && h->e.at[k].kind == h->e.at[i].kind &&
             h->e.at[k].site == h->e.at[i].site;
    return n;
}

/* Position of the nth such event in another run, ~0u if it did not happen. */
static u32 find_in(const struct hd_ran *ran, const struct hd_event *want, u32 nth)
{
    for (u32 i = 0; i < ran->n_events; i++) {
        const struct hd_event *e = &ran->events[i];
        if (e->tid == want->tid && e->kind == want->kind && e->site == want->site && !nth--)
            return i;
    }
    return ~0u;
}

static bool passes(struct hd_pair_search *h, const struct hd_pair *p, const struct hd_list *script,
                   u64 variant)
{
    struct hd_ran ran = {0};
    if (h->is_over)
        return false;
    h->r->run(h->r->self, script->v.at, (u32)script->v.n, variant, &ran);
    h->is_over = ran.end == HD_END_STOP;
    if (ran.end != HD_END_CLEAN)
        return false;
    if (!h->has_future) { /* where every run without a preemption fails */
        hd_pair_search_future(h, &ran);
        hd_pair_search_propose_future(h);
    }
    const struct hd_event *a = &h->e.at[p->first];
    u32 second = find_in(&ran, &h->e.at[p->second], occurrence(h, p->second));
    u32 first = find_in(&ran, a, occurrence(h, p->first));
    /* Behind a lock FIRST may not be called for any more: it did not come before. */
    bool is_gone = first == ~0u && hd_pair_search_from(h, p) < a->step;
    return second != ~0u && (is_gone || (first != ~0u && second < first));
}

/* The schedules that test p: the rest kept, free after SECOND, FIRST at once. */
static void arrange(struct hd_pair_search *h, const struct hd_pair *p)
{
    const struct hd_event *a = &h->e.at[p->first], *b = &h->e.at[p->second];
    hd_list_delay(&h->script, &h->cut, &h->s->list, a->tid, hd_pair_search_from(h, p), b->step,
                  b->tid, h->more.at[p->second]);
    hd_list_set(&h->close, h->cut.v.at, (u32)h->cut.v.n);
    hd_list_add(&h->close, (struct hd_choice){1, a->tid, HD_CHOICE_PICK, 0});
}

/* How often of `times` the other order passes; ends at the first that does not.
 * Half of them keep the rest of the schedule, half go on freely. */
static u32 count_passes(struct hd_pair_search *h, const struct hd_pair *p, u32 times)
{
    u32 n = 0;
    arrange(h, p);
    while (n < times && passes(h, p, n & 1 ? &h->cut : &h->script, n / 2))
        n++;
    return n;
}

/* Does the other order pass, and also if FIRST comes right after SECOND? */
enum verdict { FAILS, WEAK, STRONG };
static enum verdict judge(struct hd_pair_search *h, const struct hd_pair *p)
{
    arrange(h, p);
    if (!passes(h, p, &h->script, 0))
        return FAILS;
    return passes(h, p, &h->close, 0) ? STRONG : WEAK;
}

static bool find_pair(struct hd_pair_search *h, u32 times, struct hd_pair *out)
{
    struct hd_pair weak[MAX_WEAK];
    u32 n_weak = 0, after = 0, n_odd = 0;
    for (u32 i = 0; (i < h->n_pairs || n_odd < h->n_odd) && after < MAX_AFTER && !h->is_over;) {
        after += n_weak > 0;
        /* tests may add pairs */
        struct hd_pair p = n_odd < h->n_odd ? h->odd[n_odd++] : h->pair[i++];
        enum verdict v = judge(h, &p);
        if (v == STRONG && count_passes(h, &p, times) == times) {
            *out = p;
            return true;
        }
        if (v == WEAK && n_weak < MAX_WEAK)
            weak[n_weak++] = p;
    }
    for (u32 i = 0; i < n_weak; i++)
        if (count_passes(h, &weak[i], times) == times) {
            *out = weak[i];
            return true;
        }
    return false;
}

/* An earlier event that need only come before FIRST for the run to pass. */
static void tighten_second(struct hd_pair_search *h, u32 times, struct hd_pair *p)
{
    u32 tried = 0;
    for (u32 j = p->first + 1; j < HD_MIN(p->second, h->n_steps) && tried < MAX_TIGHTER; j++) {
        struct hd_pair q = {p->first, j};
        if (!hd_pair_search_conflicts(&h->e.at[q.first], &h->e.at[j]))
            continue;
        tried++;
        if (judge(h, &q) == STRONG && count_passes(h, &q, times) == times) {
            *p = q;
            return;
        }
    }
}

/* The latest round of FIRST's loop that need only come after SECOND for the run to pass: halves,
 * since what passes in one round passes in those before it, too, as a rule. */
static void tighten_first(struct hd_pair_search *h, u32 times, struct hd_pair *p)
{
    const struct hd_event *e = h->e.at;
    u32 round[MAX_ROUNDS], n = 0;
    for (u32 i = p->first; i < HD_MIN(p->second, h->n_steps) && n < MAX_ROUNDS; i++)
        if (e[i].tid == e[p->first].tid && e[i].site == e[p->first].site &&
            e[i].kind == e[p->first].kind && hd_pair_search_conflicts(&e[i], &e[p->second]))
            round[n++] = i;
    u32 from = 0;
    for (u32 to = n; to - from > 1;) {
        u32 middle = from + (to - from) / 2;
        struct hd_pair q = {round[middle], p->second};
        if (judge(h, &q) == STRONG && count_passes(h, &q, times) == times)
            *p = q, from = middle;
        else
            to = middle;
    }
}

/* Two critical sections: what happened inside says more than who locked first. */
static bool refine_pair(struct hd_pair_search *h, u32 times, struct hd_pair *p)
{
    struct hd_pair q;
    bool is = hd_pair_search_inside(h, p, &q) && count_passes(h, &q, times) == times;
    if (is)
        *p = q;
    return is;
}

/* The latest event of SECOND's thread before FIRST that FIRST cut off from it. What came
 * before it made FIRST's thread could not have come later. */
static u32 find_before(const struct hd_pair_search *h, const struct hd_pair *p)
{
    const struct hd_event *first = &h->e.at[p->first], *second = &h->e.at[p->second];
    for (u32 i = HD_MIN(p->first, h->n_steps); i-- > 0;) {
        const struct hd_event *e = &h->e.at[i];
        if (e->kind == HD_EV_CREATE && e->tid == second->tid && e->obj == first->tid)
            break;
        if (e->tid == second->tid && hd_pair_search_same_object(e, first) &&
            hd_pair_search_same_object(e, second))
            return i;
    }
    return ~0u;
}

bool hd_shrink_pair(struct hd_decided *d, const struct hd_shrunk *s, const struct hd_runner *r,
                    u32 times)
{
    struct hd_pair_search h = {.s = s, .r = r};
    struct hd_ran ran = {0};
    struct hd_pair p;
    r->run(r->self, s->list.v.at, (u32)s->list.v.n, 0, &ran);
    if (ran.end != HD_END_SAME || !ran.n_events || ran.events[0].step > 1)
        return false; /* the beginning is not known: events could not be counted */
    hd_pair_search_take(&h, &ran);
    hd_pair_search_propose(&h);
    if (find_pair(&h, times, &p)) {
        tighten_second(&h, times, &p);
        if (refine_pair(&h, times, &p))
            tighten_second(&h, times, &p);
        tighten_first(&h, times, &p);
        u32 before = find_before(&h, &p);
        d->is = true;
        d->passes = d->passes_of = times;
        if (before != ~0u)
            d->event[HD_DECIDED_BEFORE] = h.e.at[before];
        d->event[HD_DECIDED_FIRST] = h.e.at[p.first];
        d->event[HD_DECIDED_SECOND] = h.e.at[p.second];
    }
    hd_vec_release(&h.e);
    hd_vec_release(&h.more);
    hd_list_release(&h.script);
    hd_list_release(&h.cut);
    hd_list_release(&h.close);
    return d->is;
}
