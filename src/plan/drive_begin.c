/* drive_begin.c: what the next runs are for: profile, one candidate, a few orders at once, or
 * chance; and telling the target so. Short runs go in batches, which are planned without
 * what their first ones bring. */
#include "plan/drive.h"

#include <string.h>

#define PROFILE_MAX 20 /* profile runs before driving begins in any case */
#define RANDOM_EVERY 4
#define SET_EVERY 8    /* with no candidate left, one run in so many is not the corpus' */
#define SWITCH_STEPS 20    /* a switch takes as long as so many steps; */
#define PRICE_STEPS 20000  /* ... so many take as long as starting a run */

/* Randomized schedules: what finds most in few runs, then what finds the rest. (Which these
 * are was measured, bench/find; each by itself finds less.) Short runs take turns; where
 * they are long each strategy gets the same time, as some switch at every step, which
 * takes much longer than the step. */
static const char *const mix[HD_DRIVE_MIX] = {"surw", "pos", "random", "surw", "pct", "pctlarge"};

static void use(struct hd_worker *w, u32 i, const char *strategy)
{
    const struct hd_strategy *s = hd_strategy_find(strategy);
    w->host->plan.at[i].strategy = hd_strategy_index(s);
    w->host->plan.at[i].param = s->param_default;
}

static void mark(struct hd_shm_host *h, const struct hd_goal *g)
{
    for (u32 i = 0; i < g->n; i++)
        if (g->event[i].does <= HD_GOAL_UPDATE) /* calls are points anyway */
            hd_shm_mark(h, g->event[i].site, 0, HD_SITE_GOAL);
}

/* The recorded run leads up to the first event of the goal. */
static void follow(struct hd_drive *d, struct hd_worker *w, const struct hd_drive_candidate *c)
{
    const struct hd_drive_log *l = &d->log.at[c->log - 1];
    memcpy(hd_shm_script_choice(w->host), l->choice, l->n * sizeof *l->choice);
    w->host->script_n = l->n;
    w->host->cfg.mode |= HD_MODE_REPLAY;
}

static bool add_goal(struct hd_drive *d, struct hd_worker *w, struct hd_goals *goals, struct hd_drive_round *r, u32 at)
{
    struct hd_drive_candidate *c = &d->candidate.at[at];
    u32 window = d->o.window ? d->o.window : HD_WINDOW_DEFAULT;
    if (!hd_drive_goal(c, c->tries, window, &d->o.cover->places, &w->run, &goals->at[goals->n]))
        return false;
    mark(w->host, &goals->at[goals->n]);
    goals->n++;
    w->host->plan.n_goals++;
    r->chosen[r->n_chosen++] = at;
    c->is_busy = true;
    return true;
}

/* Attempts differ in all that the goal leaves open. */
static void set_manner(struct hd_goals *goals, u32 nth)
{
    static const u8 order[] = {HD_ORDER_CHANCE, HD_ORDER_LATER, HD_ORDER_EARLIER, HD_ORDER_CHANCE};
    goals->order = order[nth % HD_COUNT(order)];
    goals->is_eager = nth % 4 == 2;
    goals->holds_all = nth % 2 == 1;
    goals->patience = 16;
}

/* The next candidate worth a run, 0 = none. */
static u32 next_candidate(struct hd_drive *d)
{
    u32 at;
    while ((at = hd_drive_choose(d)) && !d->only &&
           hd_drive_is_tried_out(d, &d->candidate.at[at])) /* or not any more */
        hd_drive_abandon(d, at);
    return at;
}

/* Second attempts follow a recorded run. */
static bool is_led(const struct hd_drive *d, u32 at)
{
    const struct hd_drive_candidate *c = &d->candidate.at[at];
    return c->tries % 2 == 1 && c->log && c->log <= d->log.n;
}

static bool begin_active(struct hd_drive *d, struct hd_drive_slot *a, struct hd_worker *w, u32 i)
{
    struct hd_goals *goals = &w->host->plan.at[i].goals;
    u32 at;
    while ((at = next_candidate(d))) {
        if (i && is_led(d, at))
            return false; /* there is one script for a batch */
        if (add_goal(d, w, goals, &a->round[i], at))
            break;
        hd_drive_abandon(d, at); /* it is not in this process */
    }
    if (!at)
        return false;
    set_manner(goals, d->candidate.at[at].tries);
    if (is_led(d, at))
        follow(d, w, &d->candidate.at[at]);
    use(w, i, "active");
    return true;
}

/* A few orders at once that need not be new one by one. */
static bool begin_set(struct hd_drive *d, struct hd_drive_slot *a, struct hd_worker *w, u32 i)
{
    struct hd_goals *goals = &w->host->plan.at[i].goals;
    u32 n = 2 + (u32)hd_rng_below(&d->rng, 3);
    for (u32 k = 0, at; k < n && (at = hd_drive_choose_more(d, &a->round[i])); k++)
        if (!add_goal(d, w, goals, &a->round[i], at))
            break;
    set_manner(goals, (u32)hd_rng_below(&d->rng, 4));
    use(w, i, "active");
    return a->round[i].n_chosen > 0;
}

static void begin_mixed(struct hd_drive *d, struct hd_drive_slot *a, struct hd_worker *w, u32 i)
{
    u32 k = 0;
    for (u32 n = 1; n < HD_DRIVE_MIX; n++)
        if (d->mix[n].spent < d->mix[k].spent)
            k = n;
    a->round[i].mixed = (u8)(k + 1);
    a->round[i].paid = HD_MAX(d->mix[k].price, (u64)1);
    d->mix[k].spent += a->round[i].paid;
    use(w, i, mix[k]);
}

/* Goes on from what few runs did: up to there, or a little less, as the run that is kept for
 * it; then by chance. */
static bool begin_corpus(struct hd_drive *d, struct hd_drive_slot *a, struct hd_worker *w)
{
    struct hd_corpus_start s;
    if (d->o.no_corpus || d->only || !hd_corpus_choose(&d->corpus, &d->rng, &s))
        return false;
    struct hd_choice *to = hd_shm_script_choice(w->host);
    w->host->script_n = hd_corpus_script(&d->corpus, &s, &d->rng, to);
    w->host->cfg.mode |= HD_MODE_REPLAY;
    a->round[0].from = s.feature;
    use(w, 0, hd_rng_below(&d->rng, 2) ? "burst" : mix[hd_rng_below(&d->rng, HD_DRIVE_MIX)]);
    return true;
}

/* Counted, not timed: the same seed gives the same runs. */
void hd_drive_price(struct hd_drive *d, const struct hd_drive_round *r,
                    const struct hd_run_end *ran)
{
    if (!r->mixed)
        return;
    u64 price = 1 + (ran->steps + SWITCH_STEPS * ran->switches) / PRICE_STEPS;
    d->mix[r->mixed - 1].spent += price - r->paid;
    d->mix[r->mixed - 1].price = price;
}

/* Run i of the batch; false: the batch ends before it. */
static bool begin_round(struct hd_drive *d, struct hd_drive_slot *a, struct hd_worker *w, u32 i)
{
    struct hd_drive_round *r = &a->round[i];
    const u64 *runs = d->result.runs;
    u64 driven = runs[HD_DRIVE_ACTIVE] + runs[HD_DRIVE_RANDOM] + runs[HD_DRIVE_CORPUS] + i;
    *r = (struct hd_drive_round){.kind = HD_DRIVE_RANDOM};
    w->host->plan.at[i].goals.n = 0;
    w->host->plan.at[i].goals.order = HD_ORDER_CHANCE;
    if (hd_drive_is_profiling(d)) {
        r->kind = HD_DRIVE_PROFILE;
        begin_mixed(d, a, w, i);
    } else if (driven % RANDOM_EVERY == RANDOM_EVERY - 1) {
        begin_mixed(d, a, w, i);
    } else if (begin_active(d, a, w, i)) {
        r->kind = HD_DRIVE_ACTIVE;
    } else if (i) {
        return false; /* what the others bring may change that */
    } else if (driven % SET_EVERY && begin_corpus(d, a, w)) {
        r->kind = HD_DRIVE_CORPUS;
    } else if (driven % 2 || !begin_set(d, a, w, i)) {
        begin_mixed(d, a, w, i);
    }
    return true;
}

bool hd_drive_is_profiling(const struct hd_drive *d)
{
    return d->o.is_profile ||
           (d->quiet < HD_DRIVE_QUIET && d->result.runs[HD_DRIVE_PROFILE] < PROFILE_MAX);
}

u32 hd_drive_want(const struct hd_drive *d, const struct hd_worker *w)
{
    if (d->slot[w->index].size > HD_PLAN_LONG)
        return 1;
    u64 profiled = d->result.runs[HD_DRIVE_PROFILE];
    if (profiled < HD_DRIVE_MIX) /* the campaign gives the very first by itself */
        return (u32)(HD_DRIVE_MIX - profiled);
    return hd_drive_is_profiling(d) ? HD_DRIVE_QUIET : RANDOM_EVERY;
}

u32 hd_drive_begin(struct hd_drive *d, struct hd_worker *w, u32 count)
{
    struct hd_drive_slot *a = &d->slot[w->index];
    hd_shm_marks_begin(w->host, false);
    w->host->script_n = 0;
    w->host->plan.n = w->host->plan.n_goals = 0;
    a->n_rounds = a->ran = 0;
    if (a->n_sites != w->run.n_sites && !hd_drive_is_profiling(d))
        w->host->cfg.mode |= HD_MODE_LEARN; /* code that was never executed before: is its memory shared? */
    a->n_sites = w->run.n_sites;
    count = HD_MIN(count, hd_drive_want(d, w));
    while (a->n_rounds < count && !(w->host->cfg.mode & HD_MODE_REPLAY) &&
           begin_round(d, a, w, a->n_rounds))
        a->n_rounds++;
    w->host->plan.n = a->n_rounds;
    return a->n_rounds;
}
