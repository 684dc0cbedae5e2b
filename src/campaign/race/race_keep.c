/* race_keep.c: what was brought about, kept until it is known what else there is; then findings, the
 * worst first. See explorer.h.
 */
#include "campaign/race/explorer.h"
#include "campaign/found.h"
#include "campaign/race/tried.h"

#include <stdlib.h>

#define FOLD 3          /* findings about one variable that seem to do no harm */

void hd_explorer_keep(struct hd_explorer *x, struct hd_finding *f, u64 var, bool is_failure,
                      u32 tried)
{
    *hd_vec_add(&x->kept) = (struct hd_race_kept){*f, var, x->w->ended_ns - x->w->run.started_ns,
                                                  is_failure, tried};
}

/* Failures, changed results, what lacks a memory order, what seems to do no harm. */
static int by_harm(const void *a, const void *b)
{
    static const u8 rank[] = {0, 0, 1, 3, 2};
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

int hd_explorer_persist(struct hd_explorer *x)
{
    int e = 0;
    if (x->kept.n)
        qsort(x->kept.at, x->kept.n, sizeof *x->kept.at, by_harm);
    for (size_t i = 0; i < x->kept.n; i++) {
        bool is_folded_here = is_folded(x, i);
        x->c->races_folded += is_folded_here;
        bool is_lost = e || !x->w->host || x->w->is_dead;
        if (is_lost && !is_folded_here && x->kept.at[i].tried)
            hd_tried_found(x, x->kept.at[i].tried - 1, NULL);
        if (is_folded_here || is_lost)
            hd_finding_release(&x->kept.at[i].f);
        else
            e = persist(x, &x->kept.at[i]);
    }
    hd_vec_release(&x->kept);
    return e;
}
