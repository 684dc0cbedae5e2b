/* races.c: from races that runs showed (detect/races.h) to findings; see races.h. A race is
 * driven by the goal "one access, then the other" (event/goal.h, idiom 1), whose first event
 * waits for its partner: so both stand at their accesses at the same time. What cannot be
 * brought there is not reported, unless only memory orders are missing.
 */
#include "campaign/race/race_case.h"
#include "campaign/found.h"
#include "cover/cover.h"
#include "detect/meet.h"
#include "detect/passage.h"
#include "process/confirm.h"
#include "process/oracle.h"
#include "report/explain/model.h"
#include "strategy/strategy.h"

#include <stdlib.h>
#include <string.h>

#include "base/stop.h"

#define ATTEMPTS 8      /* at one race */
#define PASSAGES 8      /* ... and more, once it is known what keeps them apart (detect/passage.h) */
#define FOLLOWED 4      /* runs that are followed for one race (follow.c) */
#define CHANCE_RUNS 64  /* most, to find one that is worth it */
#define TIMES 10        /* runs of each order */
#define UNSEEN 5        /* hd_race_rank() from which on no run showed them and none is sure to */
#define LEAST_NS 5000000000ll /* for all races, or as long as the campaign took if that is more; */
#define RACES_NS 60000000000ll /* ... if races are what it is for */
#define HIDDEN_RUNS 64  /* for races that no run showed, or half as many as the campaign made if
                           that is more; as many as there is time if races are what it is for */

/* ---- runs ----------------------------------------------------------------------------- */

bool hd_races_run(const struct hd_campaign_opts *o, struct hd_worker *w, u64 run)
{
    if (hd_stop_is_due() || w->is_dead || hd_worker_send(w, run, 1))
        return false;
    while (w->is_busy && !w->is_dead && !hd_stop_is_due())
        hd_workers_wait(w, 1, o->timeout_ms, INT64_MAX);
    return !w->is_busy && !w->is_dead && w->host;
}

bool hd_races_is_failure(const struct hd_campaign_opts *o, const struct hd_verdict *v)
{
    switch (v->kind) {
    case HD_V_EXIT: case HD_V_SIGNAL: case HD_V_ASSERT: case HD_V_DEADLOCK: case HD_V_CHECK:
    case HD_V_HEAP: case HD_V_MISUSE: case HD_V_OUTPUT: case HD_V_HANG:
        return !hd_verdict_is_clean(v, o->exit_ok, o->n_exit_ok);
    default:
        return false;
    }
}

struct hd_goal *hd_explorer_goal(struct hd_explorer *x, u32 nth)
{
    struct hd_shm_host *m = x->w->host;
    const struct hd_strategy *active = hd_strategy_find("active");
    struct hd_goals *goals = &m->plan.at[0].goals;
    m->cfg = x->o->cfg;
    m->cfg.mode &= ~(u32)(HD_MODE_STREAM | HD_MODE_LEARN | HD_MODE_SEARCH | HD_MODE_REPLAY);
    m->cfg.mode |= HD_MODE_DETAIL; /* suppressions look at callers */
    m->cfg.strategy = hd_strategy_index(active);
    m->cfg.strategy_param = active->param_default;
    m->script_n = 0;
    m->plan.n = m->plan.n_goals = 1;
    m->plan.at[0].strategy = m->cfg.strategy;
    m->plan.at[0].param = m->cfg.strategy_param;
    *goals = (struct hd_goals){.n = 1, .order = (u8)(nth % 3 ? HD_ORDER_CHANCE : HD_ORDER_LATER),
                               .holds_all = nth % 2 == 1, .awaits = true, .patience = 16};
    return &goals->at[0];
}

void hd_explorer_mark(struct hd_explorer *x, const u64 *site, u32 n)
{
    struct hd_shm_host *m = x->w->host;
    if (!m)
        return;
    hd_shm_marks_begin(m, false);
    for (u32 i = 0; i < n; i++)
        hd_shm_mark(m, site[i], 0, HD_SITE_GOAL);
}

void hd_race_case_goal(const struct hd_race_case *c, bool is_turned, struct hd_goal *g)
{
    *g = (struct hd_goal){.n = 2, .n_vars = 1};
    for (u32 i = 0; i < 2; i++)
        g->event[i] = (struct hd_goal_event){
            .site = c->site[i ^ is_turned], .addr = c->p->var, .does = c->p->is.does[i ^ is_turned],
            .role = (u8)i, .after = (u8)(i ? 1 : 0)};
}

static void leave_to_chance(struct hd_shm_host *m)
{
    const struct hd_strategy *random = hd_strategy_find("random");
    m->plan.n = m->plan.n_goals = 0;
    m->cfg.strategy = hd_strategy_index(random);
    m->cfg.strategy_param = random->param_default;
}

/* Attempts differ in the order that is asked for and in what the goal leaves open. */
static void set_up(struct hd_explorer *x, const struct hd_race_case *c, u32 nth, bool is_turned)
{
    hd_race_case_goal(c, is_turned, hd_explorer_goal(x, nth));
    x->w->host->plan.at[0].goals.must_meet = true;
    hd_explorer_mark(x, c->site, 2);
}

/* The same, after the thread of the access outside has passed the section. */
static void set_up_passage(struct hd_explorer *x, const struct hd_race_case *c,
                           const struct hd_passage *way, u32 nth, bool is_turned)
{
    const struct hd_race_pair *p = c->p;
    const u64 *site = c->site;
    struct hd_goal *g = hd_explorer_goal(x, nth);
    *g = (struct hd_goal){.n = 4, .n_vars = 2};
    g->event[0] = (struct hd_goal_event){.site = way->give, .does = HD_GOAL_GIVE, .role = 1, .var = 1};
    g->event[1] = (struct hd_goal_event){.site = way->take, .does = HD_GOAL_TAKE, .var = 1, .after = 1};
    for (u32 i = 0; i < 2; i++) {
        u32 which = way->inside ^ i ^ is_turned;
        g->event[2 + i] = (struct hd_goal_event){
            .site = site[which], .addr = p->var, .does = p->is.does[which],
            .role = which != way->inside, .after = (u8)(i ? 7 : 3)};
    }
    hd_explorer_mark(x, site, 2);
}

/* ---- which ---------------------------------------------------------------------------- */

bool hd_explorer_is_done(const struct hd_explorer *x, const char *key)
{
    for (size_t i = 0; i < x->done.n; i++)
        if (!strcmp(x->done.at[i], key))
            return true;
    return false;
}

/* ---- one race -------------------------------------------------------------------------- */

bool hd_explorer_take(struct hd_explorer *x, const u32 *step, u32 n, struct hd_finding *f)
{
    if (hd_finding_take(f, x->w, x->o->target->path, x->w->argv ? x->w->argv : x->o->argv))
        return false;
    for (u32 i = 0; i < n; i++)
        f->race.step[i] = step[i];
    f->replay.decides = f->race.step[0];
    f->replay.cfg.mode &= ~(u32)HD_MODE_DETAIL;
    return true;
}

static bool take(struct hd_explorer *x, const struct hd_event *ev, const struct hd_meeting *m,
                 struct hd_finding *f)
{
    return hd_explorer_take(x, (u32[]){ev[m->first].step, ev[m->second].step}, 2, f);
}

/* In a suite it shares runs with others first (race_joint.c); driven alone, half of the attempts are left. */
static bool shares(const struct hd_explorer *x, const struct hd_race_pair *p)
{
    return x->o->tested && !p->pending && !p->is_predicted && !hd_race_is_weak(p);
}

static u32 attempts_of(const struct hd_explorer *x, const struct hd_race_pair *p)
{
    return shares(x, p) ? ATTEMPTS / 2 : ATTEMPTS;
}

/* Runs left to chance for a pair that runs showed with nothing that orders it, so that one shows it
 * again and is followed: four times as many as it took so far; in a suite, where other inputs may show it as well, no more
 * than attempts with a goal. */
static u32 runs_of_chance(const struct hd_explorer *x, const struct hd_race_pair *p)
{
    u64 seen = p->times - p->weak, least = attempts_of(x, p), most = x->o->tested ? least : CHANCE_RUNS;
    return seen ? (u32)HD_MIN(HD_MAX(4 * x->c->runs / seen, least), most) : 0;
}

/* In a suite what runs of chance could not bring about three times in two functions is not left to chance again. */
static bool is_vain_in_suite(struct hd_explorer *x, const struct hd_race_case *c)
{
    return x->o->tested && hd_race_class(x, HD_TRIED_PAIR, c->site, 2) == HD_CLASS_VAIN;
}

static void note(struct hd_explorer *x, const struct hd_race_case *c, bool is_found, bool is_over)
{
    bool is_hidden = hd_race_is_hidden(c->p);
    if (is_found || (is_over && (is_hidden || x->o->tested)))
        hd_race_class_note(x, HD_TRIED_PAIR, c->site, 2, is_found);
    if (is_found || (is_over && !is_hidden))
        hd_race_places_note(x, c->p->is.site, is_found);
}

/* A run in which both stand at their accesses at the same time. *is_over: all attempts were made. */
static bool drive(struct hd_explorer *x, const struct hd_race_case *c, struct hd_finding *f,
                  bool *is_over)
{
    bool is_found = false, is_hidden = hd_race_is_hidden(c->p), has_way = false;
    struct hd_passage way;
    u32 nth = 0, followed = 0, first = attempts_of(x, c->p), goals = first;
    u32 chance = is_vain_in_suite(x, c) ? 0 : runs_of_chance(x, c->p);
    for (; nth < goals + chance && !is_found; nth++) {
        struct hd_meeting met;
        u32 n;
        if (is_hidden && !x->hidden_runs)
            break;
        if (nth >= first && nth < goals)
            set_up_passage(x, c, &way, nth / 2, nth % 2);
        else
            set_up(x, c, nth / 2, nth % 2);
        if (nth >= goals)
            leave_to_chance(x->w->host);
        if (!hd_races_run(x->o, x->w, x->run++))
            break;
        x->c->race_runs++;
        x->hidden_runs -= is_hidden;
        x->tried.at[c->tried].runs[nth % 2]++;
        const struct hd_event *ev = hd_snapshot_events(&x->w->run, &n);
        is_found = hd_meet_pending(ev, n, c->site, false, &met) && take(x, ev, &met, f);
        has_way = has_way || (!is_found && hd_passage_find(ev, n, c->site, &way));
        goals = has_way ? first + PASSAGES : first;
        if (!is_found && followed < FOLLOWED && !hd_race_is_weak(c->p)) {
            u64 runs = x->c->race_runs;
            is_found = hd_race_follow(x, c->site, f);
            followed += x->c->race_runs != runs;
        }
        if (followed == FOLLOWED)
            chance = 0;
    }
    *is_over = nth >= goals + chance;
    hd_explorer_mark(x, NULL, 0);
    note(x, c, is_found, *is_over);
    return is_found;
}

static void name_atomics(struct hd_explorer *x, const struct hd_race_pair *p, struct hd_race *race)
{
    struct hd_places *places = &x->o->cover->places;
    race->class = HD_RACE_WEAK;
    race->store = hd_places_pc(places, &x->w->run, p->is.edge.store);
    race->load = hd_places_pc(places, &x->w->run, p->is.edge.load);
    race->store_order = p->is.edge.store_order;
    race->load_order = p->is.edge.load_order;
}

/* A run in which nothing orders them but atomics that are too weak. */
static bool show_weak(struct hd_explorer *x, const struct hd_race_case *c, struct hd_finding *f,
                      bool *is_over)
{
    const u64 *site = c->site;
    bool is_found = false;
    u32 nth = 0;
    for (; nth < 2 * ATTEMPTS && !is_found; nth++) {
        struct hd_meeting met;
        u32 n;
        set_up(x, c, nth, false);
        x->w->host->plan.at[0].goals.is_eager = true;
        if (nth % 2) /* what has to come between the two the goal does not know */
            leave_to_chance(x->w->host);
        if (!hd_races_run(x->o, x->w, x->run++))
            break;
        x->c->race_runs++;
        x->tried.at[c->tried].runs[0]++;
        const struct hd_event *ev = hd_snapshot_events(&x->w->run, &n);
        is_found = x->w->run.stats.events <= HD_SHM_RING && hd_meet_weak(ev, n, site, &met) &&
                   take(x, ev, &met, f);
    }
    *is_over = nth == 2 * ATTEMPTS;
    hd_explorer_mark(x, NULL, 0);
    if (is_found)
        name_atomics(x, c->p, &f->race);
    return is_found;
}

static bool show_again(struct hd_explorer *x, const struct hd_event *ev, u32 n, void *self,
                       u32 step[4])
{
    const struct hd_race_case *c = self;
    struct hd_meeting met;
    bool is_whole = x->w->run.stats.events <= HD_SHM_RING;
    u64 site[2]; /* as it was brought about: of two lines that each read and write, several pairs are one race */
    for (u32 i = 0; i < 2; i++)
        site[i] = hd_places_pc(&x->o->cover->places, &x->w->run, x->tried.at[c->tried].site[i]);
    if (!hd_meet_pending(ev, n, site, false, &met) &&
        !((hd_race_is_weak(c->p) || hd_race_is_carried(c->p)) && is_whole && hd_meet_weak(ev, n, site, &met)))
        return false;
    step[0] = ev[met.first].step;
    step[1] = ev[met.second].step;
    return true;
}

/* What earlier campaigns know of it is enough. */
static bool is_known(struct hd_explorer *x, struct hd_race_case *c)
{
    struct hd_finding f;
    if (hd_tried_is_vain(x, c->tried, hd_race_rank(c->p))) {
        hd_race_list_possible(x, c->p, c->site);
        return true;
    }
    if (hd_tried_is_harmless(x, c->tried)) {
        x->c->races_folded++;
    } else if (hd_tried_again(x, c->tried, show_again, c, &f)) {
        if (f.race.class == HD_RACE_WEAK)
            name_atomics(x, c->p, &f.race);
        hd_explorer_keep(x, &f, c->p->var, f.race.class == HD_RACE_FAILS, c->tried + 1);
    } else {
        return false;
    }
    *hd_vec_add(&x->done) = strdup(c->key);
    return true;
}

bool hd_race_case_open(struct hd_explorer *x, const struct hd_race_pair *p, struct hd_race_case *c)
{
    char variable[256];
    c->p = p;
    if (!hd_race_sites(x, p, c->site) || hd_race_is_by_design(x, c->site, 2))
        return false;
    hd_race_variable(x, p, variable, sizeof variable);
    hd_race_key(x, c->site, variable, c->key);
    if (hd_explorer_is_done(x, c->key))
        return false;
    c->tried = hd_tried_get(x, HD_TRIED_PAIR, p->is.site, c->site, 2, variable);
    return !is_known(x, c);
}

/* It happened, with `f` as the run that shows it; `failed`, if any, is the failure it leads to. */
static void keep(struct hd_explorer *x, const struct hd_race_case *c, struct hd_finding *f,
                 struct hd_finding *failed)
{
    hd_tried_note(x, c->tried, hd_race_rank(c->p), failed->modules ? &failed->race : &f->race);
    *hd_vec_add(&x->done) = strdup(c->key);
    if (failed->modules)
        hd_explorer_keep_failure(x, failed, f, c->p->var, c->tried + 1);
    else
        hd_explorer_keep(x, f, c->p->var, f->race.class == HD_RACE_FAILS, c->tried + 1);
}

void hd_race_case_met(struct hd_explorer *x, const struct hd_race_case *c, struct hd_finding *f)
{
    struct hd_finding failed = {0};
    if (hd_races_is_failure(x->o, &f->verdict) && !hd_explorer_is_known(x, f)) {
        f->race.class = HD_RACE_FAILS;
    } else { /* a known failure may have come of something else, which both orders tell */
        struct hd_finding seen = *f;
        hd_races_judge(x->o, x->w, x->symbols, &seen, TIMES, &failed);
        f->race = seen.race;
    }
    keep(x, c, f, &failed);
}

void hd_race_case_vain(struct hd_explorer *x, const struct hd_race_case *c, bool is_over)
{
    if (is_over)
        hd_tried_note(x, c->tried, hd_race_rank(c->p), NULL);
    hd_race_list_possible(x, c->p, c->site);
}

bool hd_race_case_is_hopeless(struct hd_explorer *x, const struct hd_race_case *c)
{
    if (!hd_race_is_hidden(c->p))
        return hd_race_places_are_vain(x, c->p->is.site);
    return hd_race_class(x, HD_TRIED_PAIR, c->site, 2) == HD_CLASS_VAIN || hd_race_is_fixed(c->p) ||
           (!c->p->is_open && hd_race_class_is_ordered(x, c->site));
}

/* It is better driven together with others (race_case.h). */
static bool is_deferred(struct hd_explorer *x, const struct hd_race_case *c)
{
    if (c->p->is_predicted || hd_race_class(x, HD_TRIED_PAIR, c->site, 2) == HD_CLASS_MET)
        return false;
    return shares(x, c->p) || (hd_race_is_hidden(c->p) && hd_race_case_is_hopeless(x, c));
}

/* No run turns it round, as it seems, and what carries the value over orders nothing: atomics, or a race that was brought about. */
static bool is_memory_order_only(struct hd_explorer *x, const struct hd_race_case *c)
{
    const struct hd_race_edge *e = &c->p->is.edge;
    if (!x->w->host || hd_race_is_library(x, c->site))
        return false;
    if (hd_race_is_weak(c->p))
        return true;
    u64 carrier[2] = {hd_places_pc(&x->o->cover->places, &x->w->run, e->store),
                      hd_places_pc(&x->o->cover->places, &x->w->run, e->load)};
    return hd_race_is_carried(c->p) && e->store && hd_explorer_has_kept(x, carrier);
}

void hd_race_case_drive(struct hd_explorer *x, const struct hd_race_case *c)
{
    struct hd_finding f, none = {0};
    bool is_over;
    if (drive(x, c, &f, &is_over))
        hd_race_case_met(x, c, &f);
    else if (is_memory_order_only(x, c) && show_weak(x, c, &f, &is_over))
        keep(x, c, &f, &none);
    else
        hd_race_case_vain(x, c, is_over);
}

static void explore(struct hd_explorer *x, u32 i)
{
    struct hd_race_case c;
    if (x->o->races->pair.at[i].is_known || !hd_race_case_open(x, &x->o->races->pair.at[i], &c))
        return;
    if (is_deferred(x, &c))
        *hd_vec_add(&x->later) = i;
    else
        hd_race_case_drive(x, &c);
}

/* ---- all ------------------------------------------------------------------------------- */

bool hd_explorer_goes_on(const struct hd_explorer *x)
{
    return x->symbols && x->w->host && !x->w->is_dead && !hd_stop_is_due() &&
           hd_monotonic_ns() < x->until_ns && x->c->n_findings + x->kept.n < HD_RACES_LISTED;
}

/* What is no race: few runs each, and seen in most programs that have it. It comes before races that no run showed,
 * of which a queue makes hundreds and which may take all the time there is. */
static void look_at_rest(struct hd_explorer *x)
{
    hd_lock_order_explore(x);
    if (x->o->is_races)
        hd_checks_explore(x);
}

static bool is_wanted(const struct hd_campaign *c, const struct hd_campaign_opts *o)
{
    const struct hd_races *r = o->races;
    return r && (o->is_races || r->pair.n || r->triples.all.n || r->twos.all.n || r->locks.all.n) && o->cover && !c->interrupted && !hd_stop_is_due();
}

int hd_races_explore(struct hd_campaign *c, const struct hd_campaign_opts *o, struct hd_worker *w,
                     u64 first_run, struct hd_error *err)
{
    struct hd_worker_state before;
    s64 now = hd_monotonic_ns();
    struct hd_explorer x = {.c = c, .o = o, .w = w, .err = err, .run = first_run,
                            .until_ns = o->brings_all ? INT64_MAX : now + HD_MAX(o->is_races ? RACES_NS : LEAST_NS, now - c->started_ns),
                            .hidden_runs = o->is_races ? UINT64_MAX
                                                       : HD_MAX(c->runs / 2, (u64)HIDDEN_RUNS)};
    if (!is_wanted(c, o)) {
        c->races_left = !c->n_findings && hd_stop_is_due() ? hd_race_count_seen(o->races, 0) : 0;
        return 0;
    }
    while (w->is_busy && !w->is_dead && !hd_stop_is_due())
        hd_workers_wait(w, 1, o->timeout_ms, INT64_MAX);
    if (w->is_dead || w->is_busy || !w->host || hd_worker_remember(&before, w))
        return 0;
    hd_tried_recall(&x);
    x.symbols = hd_symbols_open(w->run.modules, w->run.n_modules);
    hd_tried_mark_known(&x);
    hd_tried_load(&x);
    bool is_short = c->n_findings && !o->keep_going;
    if (!is_short)
        hd_race_trace(&x);
    hd_race_order(&x, 0);
    u32 i = 0;
    bool is_rest = is_short; /* all but races was looked at */
    if (is_short && x.symbols)
        hd_race_list_seen(&x);
    for (; i < o->races->pair.n && !is_short && hd_explorer_goes_on(&x); i++) {
        if (!is_rest && hd_race_rank(&o->races->pair.at[i]) >= UNSEEN) {
            look_at_rest(&x);
            is_rest = true;
        }
        u64 runs = c->race_runs;
        explore(&x, i);
        if (c->race_runs != runs)
            hd_race_order(&x, i + 1); /* the run may tell more of those to come */
    }
    if (!is_rest)
        look_at_rest(&x);
    hd_race_joint(&x);
    if (!is_short) {
        hd_atomicity_explore(&x);
        hd_two_explore(&x);
    }
    int e = hd_explorer_persist(&x);
    c->races_left = is_short ? 0 : hd_race_count_seen(o->races, i); /* what no run showed is nothing that is left */
    hd_tried_save(&x);
    if (x.symbols)
        hd_symbols_close(x.symbols);
    hd_tried_remember(&x);
    hd_map_release(&x.vain);
    hd_map_release(&x.order);
    if (!w->is_dead && !w->is_busy && w->host)
        hd_worker_put_back(&before, w);
    else
        free(before.sites);
    return e;
}
