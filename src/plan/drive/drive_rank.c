/* drive_rank.c: which candidate next. Not by idiom alone, which made the original
 * slow on bugs of two variables, but by expected yield:
 *
 *   how often candidates of its idiom are exposed when driven (learned)
 * x 1 / (1 + attempts at it)        others first
 * x 1 / (1 + attempts at its sites) spread over the program
 * x 1/4 if a site lies in a library
 * x 1 / (1 + log2 of the executions of its hottest event), in long runs: chance shows what is hot
 * x 2 for a deadlock: to expose it is to find it
 * x 4 for a function of the failure that is looked for (--reproduce), or that changed
 * As the paper (director.h): by attempts, the program's own before those of libraries.
 */
#include "plan/drive/drive.h"

/* As if so many had been driven before, with the paper's ranking of idioms. */
#define PRIOR 4.0
#define OWN_IDIOM 4.0 /* in a queue behind a goal of the same idiom */
static const double prior[7] = {0, .8, .7, .5, .5, .5, .4};

static double heat(const struct hd_drive_candidate *c)
{
    u32 most = 1;
    for (u32 i = 0; i < c->is.n && c->is_from_long; i++)
        most = HD_MAX(most, c->is.event[i].executed);
    return 32 - (u32)__builtin_clz(most); /* 1 + log2 */
}

double hd_drive_score(const struct hd_drive *d, const struct hd_drive_candidate *c)
{
    u32 idiom = c->element.sub, most = 0;
    if (d->o.as_paper)
        return (c->is_library ? 1e-3 : 1.) / (1 + c->tries);
    double yield = (d->hits[idiom] + PRIOR * prior[idiom]) / (d->attempts[idiom] + PRIOR);
    for (u32 i = 0; i < c->element.n; i++)
        most = HD_MAX(most, (u32)hd_map_get_or(&d->site_tries, c->element.site[i], 0));
    double score = yield / (1 + c->tries) / (1 + most / 2.0) / heat(c);
    return score * (c->is_library ? .25 : 1) * (c->is.is_deadlock ? 2 : 1) * (c->is_near || c->is_changed ? 4 : 1);
}

static bool can_try(const struct hd_drive *d, const struct hd_drive_candidate *c)
{
    bool is_seen = !d->o.cover->now.only_pairs || c->element.sub == 1 || c->is.is_deadlock;
    return c->state == HD_DRIVE_OPEN && !c->is_busy && c->is.n && is_seen;
}

u32 hd_drive_idioms(const struct hd_drive *d)
{
    u32 bits = 0, deadlocks = 0;
    for (u32 i = 1; i < d->candidate.n; i++) {
        const struct hd_drive_candidate *c = &d->candidate.at[i];
        if (!can_try(d, c))
            continue;
        bits |= 1u << c->element.sub;
        if (c->is.is_deadlock && !c->tries)
            deadlocks |= 1u << c->element.sub;
    }
    return deadlocks ? deadlocks : bits;
}

u32 hd_drive_choose(struct hd_drive *d, u32 idiom)
{
    u32 best = 0;
    double most = 0;
    if (d->only) { /* again and again, also if it was shown */
        const struct hd_drive_candidate *c = &d->candidate.at[d->only];
        return c->is.n && !c->is_busy ? d->only : 0;
    }
    for (u32 i = 1; i < d->candidate.n; i++) {
        if (d->candidate.at[i].element.sub != idiom || !can_try(d, &d->candidate.at[i]))
            continue;
        double score = hd_drive_score(d, &d->candidate.at[i]);
        if (score > most) {
            most = score;
            best = i;
        }
    }
    return best;
}

#define NO_QUEUE_HEAT 1024 /* executions of a site in a thread: as a scheduling point it costs */

/* Whether it can wait in a queue: what it needs is little, and it does no harm to others. */
static bool can_queue(const struct hd_drive *d, const struct hd_drive_candidate *c)
{
    if (!can_try(d, c) || c->is.is_deadlock)
        return false;
    for (u32 i = 0; i < c->is.n; i++)
        if (c->is.event[i].kind <= HD_ACC_UPDATE && c->is.event[i].executed > NO_QUEUE_HEAT)
            return false;
    return true;
}

u32 hd_drive_choose_queue(struct hd_drive *d, u32 idiom, u32 *out, u32 room)
{
    double score[HD_GOALS];
    u32 n = 0;
    HD_ASSERT(room <= HD_GOALS);
    for (u32 i = 1; i < d->candidate.n; i++) {
        const struct hd_drive_candidate *c = &d->candidate.at[i];
        if (!can_queue(d, c))
            continue;
        /* Chance, so that not all of them are of one place. */
        double now = hd_drive_score(d, c) * (double)(256 + hd_rng_below(&d->rng, 256)) *
                     (c->element.sub == idiom ? OWN_IDIOM : 1);
        if (n == room && (!n || now <= score[n - 1]))
            continue;
        u32 at = n < room ? n++ : n - 1;
        for (; at > 0 && score[at - 1] < now; at--) {
            score[at] = score[at - 1];
            out[at] = out[at - 1];
        }
        score[at] = now;
        out[at] = i;
    }
    return n;
}

static bool shares_site(const struct hd_element *a, const struct hd_element *b)
{
    for (u32 i = 0; i < a->n; i++)
        for (u32 k = 0; k < b->n; k++)
            if (a->site[i] == b->site[k])
                return true;
    return false;
}

/* Two orders are compatible for sure if they have no site in common. What has been
 * exposed before may come along: sets of orders are what hard bugs are made of. */
u32 hd_drive_choose_more(struct hd_drive *d, const struct hd_drive_round *r)
{
    u32 n = 0, chosen = 0;
    if (d->only)
        return 0;
    for (u32 i = 1; i < d->candidate.n; i++) {
        const struct hd_drive_candidate *c = &d->candidate.at[i];
        bool fits = c->is.n && !c->is_busy && c->element.sub <= 2;
        for (u32 k = 0; fits && k < r->n_chosen; k++)
            fits = !shares_site(&d->candidate.at[r->chosen[k]].element, &c->element);
        if (fits && hd_rng_below(&d->rng, ++n) == 0)
            chosen = i;
    }
    return chosen;
}
