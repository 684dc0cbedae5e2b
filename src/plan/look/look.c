/* look.c: runs that look for races under one input of a suite after another. Pairs of functions tell which inputs are
 * worth the whole of their share; those that were not chosen may still have another number of threads, or hand
 * blocks of data round in another way, and what could race goes by that. So these are looked at as well, in few runs:
 * until DRY of them in a row show nothing, or hardly anything, that no run of the suite has shown before.
 *
 * Strategies of the portfolio take turns, since each shows races that others do not, and inputs begin with
 * different ones; each has a run before a look ends. (With three runs without news instead of eight 17 % of the races of xz
 * were missed. To choose strategies by what they brought showed less, too.) What is new is driven by the campaign as always.
 *
 * All runs learn which memory is shared. One in which threads meet at memory for the first time does not tell what
 * the first of them did there: it is noticed when the second one comes. So it is followed once more, now that this
 * is known. What inputs before have learned is known from the beginning, so few runs are made twice.
 */
#include "plan/look/look.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "plan/director.h"
#include "plan/portfolio.h"
#include "strategy/strategy.h"

#define DRY HD_ARM_STRATEGIES
#define HARDLY 200 /* of so many that are known one that is new is hardly anything, in DRY runs together */
#define MOST 24 /* runs of an input, besides those that follow another one */

struct director {
    struct hd_director is;
    const struct hd_races *races;
    struct hd_look *look;
    struct hd_known_upto upto;
    u32 nth;        /* runs, without those that followed another one */
    u32 news[DRY];  /* of the last ones, with those that followed them */
    u32 first;      /* strategy of the first run */
    HD_VEC(struct hd_choice) choice; /* that the next run follows; none: it follows nothing */
};

void hd_look_release(struct hd_look *l) { hd_known_release(&l->known); }

/* What the last run found out about sites: HD_SITE_* that none of them had before. */
static u8 learned(struct hd_worker *w)
{
    u64 run = w->sent.first_run;
    u8 all = 0;
    u32 n;
    const struct hd_site *s = hd_snapshot_sites(&w->run, &n);
    for (u32 i = 0; i < n; i++)
        if (s[i].since == (u32)run + 1)
            all |= s[i].known & (u8)~hd_site_known_to(&s[i], run);
    return all;
}

/* The run that just ended is followed by the next one. A copy: what it fails with is confirmed in between. */
static void follow(struct director *l, struct hd_worker *w)
{
    u32 n;
    const struct hd_choice *last = hd_snapshot_choices(&w->run, &n);
    for (u32 i = 0; n < HD_SHM_LOG && i < n; i++)
        *hd_vec_add(&l->choice) = last[i];
}

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
    w->host->script_n = (u32)l->choice.n;
    if (!l->choice.n && (is_dry(l) || l->nth >= MOST))
        return HD_NEXT_OVER;
    w->host->cfg.mode |= HD_MODE_LEARN;
    if (l->choice.n) {
        w->host->cfg.mode |= HD_MODE_REPLAY;
        memcpy(hd_shm_script_choice(w->host), l->choice.at, l->choice.n * sizeof *l->choice.at);
    } else {
        const struct hd_strategy *s = hd_strategy_find(hd_arm_name((l->first + l->nth++) % HD_ARM_STRATEGIES));
        w->host->cfg.strategy = hd_strategy_index(s);
        w->host->cfg.strategy_param = s->param_default;
        l->news[(l->nth - 1) % DRY] = 0;
    }
    *count = 1;
    return HD_NEXT_RUN;
}

static void ran(struct hd_director *d, struct hd_worker *w, u64 done)
{
    struct director *l = (struct director *)d;
    bool is_second = l->choice.n;
    u8 is_new = done ? learned(w) : 0;
    l->news[(l->nth - 1) % DRY] += hd_known_add(&l->look->known, l->races, &l->upto);
    hd_vec_clear(&l->choice);
    bool is_same = !(is_new & HD_SITE_POINT); /* other scheduling points would make it another schedule */
    if (!is_second && is_new & HD_SITE_EVENT && is_same)
        follow(l, w);
}

static void close_look(struct hd_director *d)
{
    struct director *l = (struct director *)d;
    hd_vec_release(&l->choice);
    free(l);
}

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
