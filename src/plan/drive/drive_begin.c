/* drive_begin.c: what the next runs are for: profile, one candidate, a few orders at once, or
 * chance; and telling the target so. Short runs go in batches, which are planned without
 * what their first ones bring. */
#include "plan/drive/drive.h"

#include <string.h>

#define PROFILE_MAX 20 /* profile runs before driving begins in any case */
#define PROFILE_LEAST 1 /* runs by chance before any is driven */
#define CORPUS_LEAST 12 /* runs before one goes on from another: first what has never been tried */
#define BATCH 4        /* runs that are planned at once, */
#define ONE_BY_ONE 12  /* ... but for the first ones: what each brings counts for the next */
#define AHEAD 4096     /* choices of an imagined run that is followed, at most */
#define SWITCH_STEPS 20    /* a switch takes as long as so many steps; */
#define PRICE_STEPS 20000  /* ... so many take as long as starting a run */

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
    u32 nth = d->o.as_paper ? 0 : c->tries;
    if (!hd_drive_goal(c, nth, window, &d->o.cover->places, &w->run, &goals->at[goals->n]))
        return false;
    mark(w->host, &goals->at[goals->n]);
    goals->n++;
    goals->awaits |= c->is.is_external || c->is_external;
    w->host->plan.n_goals++;
    r->chosen[r->n_chosen++] = at;
    c->is_busy = true;
    return true;
}

/* Attempts differ in all that the goal leaves open. */
static void set_manner(struct hd_goals *goals, u32 nth)
{
    static const u8 order[4] = {HD_ORDER_CHANCE, HD_ORDER_LATER, HD_ORDER_EARLIER, HD_ORDER_CHANCE};
    goals->order = order[nth % 4];
    goals->is_eager = nth % 4 == 2;
    goals->holds_all = nth % 2 == 1;
    goals->lets_pass = true;
    goals->patience = 16;
}

/* In long runs to change threads at every step costs as much as several runs, and to hold all who come
 * to a site keeps them from the goal. So most go by strict priorities, the other way round in every
 * other run, whatever it is for: the first attempts at ten goals shall not be the same run ten times. */
static void set_long_manner(struct hd_goals *goals, u32 nth, u64 run)
{
    set_manner(goals, nth);
    goals->order = (nth + run) % 2 ? HD_ORDER_EARLIER : HD_ORDER_LATER;
    goals->holds_all = nth % 4 == 3;
    if (nth % 4 == 3)
        goals->order = HD_ORDER_CHANCE;
}

void hd_drive_paper_manner(struct hd_goals *goals, u32 nth)
{
    goals->order = nth % 2 ? HD_ORDER_LATER : HD_ORDER_EARLIER;
    goals->is_eager = goals->holds_all = goals->lets_pass = false;
    goals->patience = 16;
}

/* The next candidate of the idiom worth a run, 0 = none. */
static u32 next_candidate(struct hd_drive *d, u32 idiom)
{
    u32 at;
    while ((at = hd_drive_choose(d, idiom)) && !d->only &&
           hd_drive_is_tried_out(d, &d->candidate.at[at])) /* or not any more */
        hd_drive_abandon(d, at);
    return at;
}

/* Others that the run may show as well, if it comes by. A deadlock is driven alone. */
static void add_queue(struct hd_drive *d, struct hd_drive_slot *a, struct hd_worker *w, u32 i, u32 at)
{
    u32 more[HD_GOALS], n = 0;
    struct hd_goals *goals = &w->host->plan.at[i].goals;
    struct hd_drive_round *r = &a->round[i];
    if (!d->only && !d->o.as_paper && !d->candidate.at[at].is.is_deadlock)
        n = hd_drive_choose_queue(d, d->candidate.at[at].element.sub, more, HD_GOALS - goals->n);
    bool awaits = goals->awaits; /* real time is for the first one */
    for (u32 k = 0; k < n; k++)
        r->n_queued += add_goal(d, w, goals, r, more[k]);
    goals->awaits = awaits;
    goals->n_queued = r->n_queued;
}

/* Every second attempt follows a recorded run. */
static bool is_led(const struct hd_drive *d, u32 at)
{
    const struct hd_drive_candidate *c = &d->candidate.at[at];
    return c->tries % 2 == 1 && c->log && c->log <= d->log.n && !d->o.as_paper;
}

static bool begin_active(struct hd_drive *d, struct hd_drive_slot *a, struct hd_worker *w, u32 i,
                         u32 idiom)
{
    struct hd_goals *goals = &w->host->plan.at[i].goals;
    u32 at;
    while ((at = next_candidate(d, idiom))) {
        if (i && is_led(d, at))
            return false; /* there is one script for a batch */
        if (add_goal(d, w, goals, &a->round[i], at))
            break;
        hd_drive_abandon(d, at); /* it is not in this process */
    }
    if (!at)
        return false;
    if (d->o.as_paper)
        hd_drive_paper_manner(goals, d->candidate.at[at].tries);
    else if (d->candidate.at[at].is_from_long)
        set_long_manner(goals, d->candidate.at[at].tries, d->result.runs[HD_DRIVE_ACTIVE]);
    else
        set_manner(goals, d->candidate.at[at].tries);
    add_queue(d, a, w, i, at);
    if (is_led(d, at))
        follow(d, w, &d->candidate.at[at]);
    use(w, i, d->o.as_paper ? "maple" : "active");
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

/* Goes on from what few runs did: up to there, or a little less, as the run that is kept for
 * it; then by chance. */
static bool begin_corpus(struct hd_drive *d, struct hd_drive_slot *a, struct hd_worker *w)
{
    struct hd_corpus_start s;
    struct hd_choice *to = hd_shm_script_choice(w->host);
    if (d->o.no_corpus || d->only)
        return false;
    /* Most promises come true, but habits are learned from runs that were not imagined, too. */
    w->host->script_n = hd_rng_below(&d->rng, 4) ? hd_corpus_ahead(&d->corpus, &d->rng, to, AHEAD) : 0;
    if (!w->host->script_n) {
        if (!hd_corpus_choose(&d->corpus, &d->rng, &s))
            return false;
        w->host->script_n = hd_corpus_script(&d->corpus, &s, &d->rng, to);
        a->round[0].from = s.feature;
    }
    w->host->cfg.mode |= HD_MODE_REPLAY;
    use(w, 0, hd_rng_below(&d->rng, 2)
                  ? "burst"
                  : hd_arm_name((u32)hd_rng_below(&d->rng, HD_ARM_STRATEGIES)));
    return true;
}

/* Counted, not timed: the same seed gives the same runs. */
void hd_drive_paid(struct hd_drive *d, const struct hd_drive_round *r, const struct hd_run_end *ran,
                   u64 news)
{
    u64 cost = 1 + (ran->steps + SWITCH_STEPS * ran->switches) / PRICE_STEPS;
    hd_portfolio_paid(&d->portfolio, r->arm, cost, r->charged, news);
}

static u64 runs_of(const struct hd_drive *d)
{
    u64 n = 0;
    for (u32 i = 0; i < HD_DRIVE_KINDS; i++)
        n += d->result.runs[i];
    return n;
}

/* Bit i: there may be something for arm i to do. */
static u32 available(const struct hd_drive *d)
{
    u32 bits = (1u << HD_ARM_STRATEGIES) - 1;
    /* What is predicted is driven at once; others are predicted meanwhile. */
    bool is_early = !d->is_from_long && runs_of(d) < PROFILE_LEAST;
    if (hd_drive_is_profiling(d) && (d->o.is_profile || is_early))
        return bits;
    if (d->only)
        return bits | 1u << HD_ARM_GOAL(d->candidate.at[d->only].element.sub);
    bits |= hd_drive_idioms(d) >> 1 << HD_ARM_goal1;
    bits |= (u32)hd_map_arm_is_open(d->map) << HD_ARM_map;
    bool has_corpus = !d->o.no_corpus && runs_of(d) >= CORPUS_LEAST;
    return bits | 1u << HD_ARM_set | (u32)has_corpus << HD_ARM_corpus;
}

/* Run i of the batch for that arm; false: there is nothing to do for it, now. */
static bool begin_arm(struct hd_drive *d, struct hd_drive_slot *a, struct hd_worker *w, u32 i, u32 arm)
{
    struct hd_drive_round *r = &a->round[i];
    r->kind = hd_drive_is_profiling(d) ? HD_DRIVE_PROFILE : HD_DRIVE_RANDOM;
    if (arm == HD_ARM_corpus) {
        r->kind = HD_DRIVE_CORPUS;
        return begin_corpus(d, a, w);
    }
    if (arm == HD_ARM_set)
        return begin_set(d, a, w, i);
    if (arm == HD_ARM_map) {
        use(w, i, "map");
        return (r->pattern = hd_map_arm_begin(d->map, w, i)) != 0;
    }
    if (arm >= HD_ARM_STRATEGIES) {
        r->kind = HD_DRIVE_ACTIVE;
        return begin_active(d, a, w, i, arm - HD_ARM_goal1 + 1);
    }
    use(w, i, hd_arm_name(arm));
    return true;
}

/* As the paper: one strategy profiles, then idiom after idiom. */
static bool begin_as_paper(struct hd_drive *d, struct hd_drive_slot *a, struct hd_worker *w, u32 i)
{
    struct hd_drive_round *r = &a->round[i];
    struct hd_goals *goals = &w->host->plan.at[i].goals;
    *r = (struct hd_drive_round){.arm = HD_ARM_pctlarge, .kind = HD_DRIVE_PROFILE};
    goals->n = goals->n_queued = 0;
    goals->awaits = false;
    for (u32 idiom = 1; idiom <= 6 && !hd_drive_is_profiling(d); idiom++) {
        r->arm = (u8)HD_ARM_GOAL(idiom);
        r->kind = HD_DRIVE_ACTIVE;
        if (begin_active(d, a, w, i, idiom))
            return true;
        r->arm = HD_ARM_pctlarge;
        r->kind = HD_DRIVE_RANDOM;
    }
    use(w, i, "pctlarge");
    return true;
}

/* Run i of the batch; false: the batch ends before it. */
static bool begin_round(struct hd_drive *d, struct hd_drive_slot *a, struct hd_worker *w, u32 i)
{
    struct hd_drive_round *r = &a->round[i];
    if (d->o.as_paper)
        return begin_as_paper(d, a, w, i);
    for (u32 open = available(d);;) {
        u32 arm = hd_portfolio_choose(&d->portfolio, open);
        *r = (struct hd_drive_round){.arm = (u8)arm};
        w->host->plan.at[i].goals.n = w->host->plan.at[i].goals.n_queued = 0;
        w->host->plan.at[i].goals.awaits = false;
        w->host->plan.at[i].goals.order = HD_ORDER_CHANCE;
        if (i && arm == HD_ARM_corpus)
            return false; /* there is one script for a batch */
        if (begin_arm(d, a, w, i, arm)) {
            r->charged = hd_portfolio_charge(&d->portfolio, arm);
            return true;
        }
        if (i && arm != HD_ARM_set)
            return false; /* what the others bring may change that */
        open &= ~(1u << arm);
    }
}

bool hd_drive_is_profiling(const struct hd_drive *d)
{
    /* What earlier builds taught holds, but for what changed: one run tells that. */
    if (d->o.cover->inherited.was_tested && !d->o.no_memory && !d->o.is_profile &&
        d->result.runs[HD_DRIVE_PROFILE])
        return false;
    return d->o.is_profile ||
           (d->quiet < HD_DRIVE_QUIET && d->result.runs[HD_DRIVE_PROFILE] < PROFILE_MAX);
}

u32 hd_drive_want(const struct hd_drive *d, const struct hd_worker *w)
{
    if (d->slot[w->index].size > HD_PLAN_LONG || d->o.as_paper)
        return 1;
    return runs_of(d) < ONE_BY_ONE ? 1 : BATCH;
}

/* In the first run of a campaign every access is an event: nobody knows yet which memory is shared (a few plain
 * runs before do not tell), and what is predicted from it is driven in the second one already. Not with metrics that were asked
 * for by name: they get all events of however long a run. */
static bool tells_all(const struct hd_drive *d)
{
    return !runs_of(d) && d->o.cover->now.is_auto && !d->was_driven && !d->o.is_profile && !d->o.as_paper;
}

u32 hd_drive_begin(struct hd_drive *d, struct hd_worker *w, u32 count)
{
    struct hd_drive_slot *a = &d->slot[w->index];
    hd_shm_marks_begin(w->host, false);
    hd_drive_mark_changed(d, w);
    if (!d->o.no_corpus)
        w->host->cfg.mode |= HD_MODE_VALUES;
    if (tells_all(d))
        w->host->cfg.mode |= HD_MODE_ALL_EVENTS;
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
