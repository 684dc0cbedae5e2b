/* drive_rank.c: which candidate next. Not by idiom alone, which made the original
 * slow on bugs of two variables, but by expected yield:
 *
 *   how often candidates of its idiom are exposed when driven (learned)
 * x 1 / (1 + attempts at it)        others first
 * x 1 / (1 + attempts at its sites) spread over the program
 * x 1/4 if a site lies in a library
 * x 2 for a deadlock: to expose it is to find it
 * x 4 for a function of the failure that is looked for (--reproduce), or that changed
 * As the paper (director.h): by attempts, the program's own before those of libraries.
 */
#include "plan/drive.h"

/* As if so many had been driven before, with the paper's ranking of idioms. */
#define PRIOR 4.0
static const double prior[7] = {0, .8, .7, .5, .5, .5, .4};

double hd_drive_score(const struct hd_drive *d, const struct hd_drive_candidate *c)
{
    u32 idiom = c->element.sub, most = 0;
    if (d->o.as_paper)
        return (c->is_library ? 1e-3 : 1.) / (1 + c->tries);
    double yield = (d->hits[idiom] + PRIOR * prior[idiom]) / (d->attempts[idiom] + PRIOR);
    for (u32 i = 0; i < c->element.n; i++)
        most = HD_MAX(most, (u32)hd_map_get_or(&d->site_tries, c->element.site[i], 0));
    double score = yield / (1 + c->tries) / (1 + most / 2.0);
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
