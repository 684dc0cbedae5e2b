/* race_keep.c: what was brought about, kept until it is known what else there is; then findings, the
 * worst first. See explorer.h.
 */
#include "campaign/race/explorer.h"
#include "campaign/found.h"
#include "campaign/race/tried.h"
#include "report/explain/race.h"

#include <stdlib.h>
#include <string.h>

#define FOLD 3          /* findings about one variable that seem to do no harm */

void hd_explorer_keep(struct hd_explorer *x, struct hd_finding *f, u64 var, bool is_failure,
                      u32 tried)
{
    if (is_failure)
        hd_finding_identify(f, x->symbols);
    *hd_vec_add(&x->kept) = (struct hd_race_kept){.f = *f, .var = var, .is_failure = is_failure, .tried = tried,
                                                  .took_ns = x->w->ended_ns - x->w->run.started_ns};
}

void hd_explorer_keep_failure(struct hd_explorer *x, struct hd_finding *f, const struct hd_finding *shows, u64 var,
                              u32 tried)
{
    hd_explorer_keep(x, f, var, true, tried);
    hd_vec_last(&x->kept)->shows = *shows;
}

bool hd_explorer_is_known(struct hd_explorer *x, struct hd_finding *f)
{
    hd_finding_identify(f, x->symbols);
    for (size_t i = 0; i < x->kept.n; i++)
        if (x->kept.at[i].is_failure && !strcmp(x->kept.at[i].f.id, f->id))
            return true;
    return hd_found_known(x->c, f->id);
}

/* ---- races that lead to a failure which is known ------------------------------------------ */

/* The lines of two sites. */
static void lines_of(struct hd_explorer *x, u64 a, u64 b, char key[HD_RACE_KEY])
{
    hd_race_key(x, (u64[]){a, b}, "", key);
}

static bool lines_of_race(struct hd_explorer *x, const struct hd_finding *f, char key[HD_RACE_KEY])
{
    u32 e[2] = {hd_race_find(f, 0), hd_race_find(f, 1)};
    if (f->race.class == HD_RACE_NONE || f->race.step[2] || e[0] == ~0u || e[1] == ~0u)
        return false;
    lines_of(x, f->events[e[0]].site, f->events[e[1]].site, key);
    return true;
}

bool hd_explorer_has_kept(struct hd_explorer *x, const u64 site[2])
{
    char wanted[HD_RACE_KEY], key[HD_RACE_KEY];
    lines_of(x, site[0], site[1], wanted);
    for (size_t i = 0; i < x->kept.n; i++) {
        const struct hd_race_kept *k = &x->kept.at[i];
        if (lines_of_race(x, k->shows.modules ? &k->shows : &k->f, key) && !strcmp(key, wanted))
            return true;
    }
    return false;
}

/* Is the race what the report of the failure is about: the race it came of, or the order that decides? */
static bool is_about(struct hd_explorer *x, const struct hd_finding *failure, const struct hd_finding *race)
{
    const struct hd_event *d = failure->decided.event;
    char of_race[HD_RACE_KEY], of_failure[HD_RACE_KEY];
    if (!lines_of_race(x, race, of_race))
        return true;
    if (lines_of_race(x, failure, of_failure) && !strcmp(of_race, of_failure))
        return true;
    if (!failure->decided.is)
        return false;
    lines_of(x, d[HD_DECIDED_FIRST].site, d[HD_DECIDED_SECOND].site, of_failure);
    return !strcmp(of_race, of_failure);
}

/* Another pair that leads to a failure which is a finding already becomes a race of its own: by the
 * run that showed it. */
static void turn_into_race(struct hd_explorer *x, struct hd_race_kept *k)
{
    const struct hd_finding *known;
    if (k->f.race.class != HD_RACE_FAILS || k->f.race.step[2] || !(known = hd_found_known(x->c, k->f.id)) ||
        is_about(x, known, k->shows.modules ? &k->shows : &k->f))
        return;
    bool decides = !k->shows.modules || k->shows.race.decides;
    if (k->shows.modules) {
        hd_finding_release(&k->f);
        k->f = k->shows;
        k->shows = (struct hd_finding){0};
    }
    k->is_failure = false;
    k->f.race.class = decides ? HD_RACE_LEADS : HD_RACE_SAME;
    memcpy(k->f.race.failure, known->id, sizeof k->f.race.failure);
    x->c->times[known - x->c->findings]++;
    if (k->tried)
        hd_tried_class(x, k->tried - 1, &k->f.race);
}

/* ---- findings ------------------------------------------------------------------------------ */

/* Failures, what leads to one, changed results, what lacks a memory order, what seems to do no harm. */
static int by_harm(const void *a, const void *b)
{
    static const u8 rank[] = {0, 0, 2, 4, 3, 1};
    const struct hd_race_kept *p = a, *q = b;
    u32 x = p->is_failure ? 0 : rank[p->f.race.class % HD_COUNT(rank)];
    u32 y = q->is_failure ? 0 : rank[q->f.race.class % HD_COUNT(rank)];
    return x != y ? (int)x - (int)y : p->f.run < q->f.run ? -1 : p->f.run > q->f.run;
}

/* Pairs that seem to do no harm: of one variable a few are enough. */
static bool is_folded(struct hd_explorer *x, size_t i)
{
    const struct hd_race_kept *k = x->kept.at;
    u32 n = 0;
    if (!k[i].var || k[i].is_failure || k[i].f.race.class != HD_RACE_SAME || k[i].f.race.step[2])
        return false;
    for (size_t j = 0; j < i; j++)
        n += k[j].var == k[i].var && k[j].f.race.class == HD_RACE_SAME;
    return n >= FOLD;
}

static int persist(struct hd_explorer *x, struct hd_race_kept *k)
{
    struct hd_campaign_opts o = *x->o;
    struct hd_finding *f = &k->f;
    bool is_new;
    if (!k->is_failure) {
        o.minimize_seconds = 0;
        f->replay.race = f->race.step[0];
        f->replay.race_with = f->race.step[1];
        f->replay.race_third = f->race.step[2];
        f->replay.race_fourth = f->race.step[3];
        f->replay.race_class = f->race.class;
    }
    u64 suppressed = x->c->suppressed;
    hd_finding_identify(f, x->symbols);
    int e = hd_found_persist(x->c, &o, x->w, f, k->took_ns, &is_new, x->err);
    const char *id = is_new ? x->c->findings[x->c->n_findings - 1].id : f->id;
    if (k->tried)
        hd_tried_found(x, k->tried - 1, x->c->suppressed == suppressed ? id : NULL);
    return e;
}

/* Of those that are left, failures or races. */
static int persist_all(struct hd_explorer *x, bool is_failure, int e)
{
    if (x->kept.n)
        qsort(x->kept.at, x->kept.n, sizeof *x->kept.at, by_harm);
    for (size_t i = 0; i < x->kept.n; i++) {
        struct hd_race_kept *k = &x->kept.at[i];
        if (k->is_done || k->is_failure != is_failure)
            continue;
        if (is_failure)
            turn_into_race(x, k);
        if (k->is_failure != is_failure)
            continue;
        bool is_folded_here = is_folded(x, i);
        x->c->races_folded += is_folded_here;
        bool is_lost = e || !x->w->host || x->w->is_dead;
        if (is_lost && !is_folded_here && k->tried)
            hd_tried_found(x, k->tried - 1, NULL);
        if (is_folded_here || is_lost)
            hd_finding_release(&k->f);
        else
            e = persist(x, k);
        hd_finding_release(&k->shows);
        k->is_done = true;
    }
    return e;
}

int hd_explorer_persist(struct hd_explorer *x)
{
    int e = persist_all(x, true, 0);
    e = persist_all(x, false, e);
    hd_vec_release(&x->kept);
    return e;
}
