/* look.c: runs that look for races under one input of a suite after another. Pairs of functions tell which inputs are
 * worth the whole of their share; those that were not chosen may still have another number of threads, or hand
 * blocks of data round in another way, and what could race goes by that. So these are looked at as well, in few runs:
 * until DRY of them in a row show nothing, or hardly anything, that no run of the suite has shown before.
 *
 * Strategies of the portfolio take turns, since each shows races that others do not, and inputs begin with
 * different ones; each has a run before a look ends. (With five runs instead of eight 13.6 % of xz's races were missed instead
 * of 0.3: a worker that is used again for a later block shows 40 of them in one run. To choose them by what they brought showed less: of lbzip2's 12 inputs 5.5 % of the races were
 * missed instead of 1.5.) What is new is driven by the campaign as always.
 */
#include "plan/look/look.h"

#include <stdlib.h>

#include "plan/director.h"
#include "plan/portfolio.h"
#include "strategy/strategy.h"

#define DRY HD_ARM_STRATEGIES
#define HARDLY 200 /* of so many that are known one that is new is hardly anything, in DRY runs together */
#define MOST 24 /* runs of an input */

struct director {
    struct hd_director is;
    const struct hd_races *races;
    struct hd_look *look;
    struct hd_known_upto upto;
    u32 nth, news[DRY]; /* of the last runs */
    u32 first; /* strategy of the first run */
};

void hd_look_release(struct hd_look *l) { hd_known_release(&l->known); }

static bool is_dry(const struct director *l)
{
    size_t news = 0;
    for (u32 i = 0; i < DRY; i++)
        news += l->news[i];
    return l->nth >= DRY && news * HARDLY <= l->look->known.by_sites.n;
}

static enum hd_next begin(struct hd_director *d, struct hd_worker *w, u32 *count)
{
    struct director *l = (struct director *)d;
    if (is_dry(l) || l->nth >= MOST)
        return HD_NEXT_OVER;
    const struct hd_strategy *s = hd_strategy_find(hd_arm_name((l->first + l->nth++) % HD_ARM_STRATEGIES));
    w->host->cfg.strategy = hd_strategy_index(s);
    w->host->cfg.strategy_param = s->param_default;
    *count = 1;
    return HD_NEXT_RUN;
}

static void ran(struct hd_director *d, struct hd_worker *w, u64 done)
{
    struct director *l = (struct director *)d;
    (void)w, (void)done;
    l->news[(l->nth - 1) % DRY] = hd_known_add(&l->look->known, l->races, &l->upto);
}

static void close_look(struct hd_director *d) { free(d); }

bool hd_look_is_wanted(const struct hd_director_opts *o) { return o->look && o->cover && o->cover->races; }

int hd_look_direct(struct hd_director **out, const struct hd_director_opts *o, struct hd_error *err)
{
    struct director *l = calloc(1, sizeof *l);
    (void)err;
    HD_ASSERT(l);
    *l = (struct director){.is = {.name = "look", .is_single = true, .is_brief = true, .begin = begin, .ran = ran, .close = close_look},
                           .races = o->cover->races, .look = o->look, .first = o->look->inputs++};
    *out = &l->is;
    return 0;
}
