/* race_trace.c: a run that is looked at as a whole, to tell which possible races are certain
 * (detect/sync_preserving.h) and which will hardly ever happen (detect/fixed.h). Runs that are driven
 * have events at scheduling points alone; here all that touches shared memory comes along, as in runs of
 * the campaign.
 */
#include "campaign/race/race_case.h"
#include "cover/cover.h"
#include "strategy/strategy.h"

#define LONGEST (1u << 20) /* events: of longer runs nothing is told */
#define TRACES 4           /* such runs, */
#define WORTH 2            /* ... as long as there are so many possible races that none of them explains */

struct trace {
    struct hd_worker *w;
    u64 read;
    HD_VEC(struct hd_event) ev;
};

static u64 drain(void *self)
{
    struct trace *t = self;
    u64 written = hd_shm_written(&t->w->run.shm), from = t->read;
    for (; t->read < written; t->read++)
        if (t->ev.n <= LONGEST)
            *hd_vec_add(&t->ev) = hd_shm_event(hd_shm_ring(t->w->run.shm.run), t->read);
    __atomic_store_n(&t->w->host->ring_read, t->read, __ATOMIC_RELEASE);
    return t->read - from;
}

static void set_up(struct hd_explorer *x)
{
    const struct hd_strategy *random = hd_strategy_find("random");
    struct hd_shm_host *m = x->w->host;
    m->cfg = x->o->cfg;
    m->cfg.mode &= ~(u32)(HD_MODE_LEARN | HD_MODE_SEARCH | HD_MODE_REPLAY);
    m->cfg.mode |= HD_MODE_STREAM;
    m->cfg.stream_all = LONGEST + 1;
    m->cfg.strategy = hd_strategy_index(random);
    m->cfg.strategy_param = random->param_default;
    m->script_n = 0;
    m->plan.n = m->plan.n_goals = 0;
}

static bool trace(struct hd_explorer *x)
{
    struct hd_worker *w = x->w;
    struct trace t = {.w = w};
    u64 (*before)(void *) = w->drain;
    void *before_self = w->drain_self;
    if (!x->hidden_runs || !w->host)
        return false;
    set_up(x);
    w->drain = drain;
    w->drain_self = &t;
    bool is_there = hd_races_run(x->o, w, x->run++);
    if (is_there) {
        drain(&t);
        x->c->race_runs++;
        x->hidden_runs--;
    }
    w->drain = before;
    w->drain_self = before_self;
    bool is_whole = is_there && t.ev.n && t.ev.n <= LONGEST;
    if (is_whole)
        hd_race_ask(x, 0, t.ev.at, (u32)t.ev.n);
    hd_vec_release(&t.ev);
    return is_whole;
}

/* Possible races that no run showed, and none explains; at most `most`. */
static u32 unexplained(struct hd_explorer *x, u32 most)
{
    const struct hd_races *r = x->o->races;
    u32 n = 0;
    for (size_t i = 0; x->symbols && i < r->pair.n && n < most; i++) {
        const struct hd_race_pair *p = &r->pair.at[i];
        u64 site[2];
        n += hd_race_is_hidden(p) && !p->is_fixed && !p->is_predicted && !p->is_known && hd_race_sites(x, p, site);
    }
    return n;
}

/* Pairs that some run explains. */
static size_t explained(const struct hd_races *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->pair.n; i++)
        n += r->pair.at[i].is_fixed + r->pair.at[i].is_predicted + r->pair.at[i].is_open;
    return n;
}

/* In a suite pairs that no run explains share their runs in any case: one trace for each run that they would take,
 * as long as it tells something. */
static u32 traces_of(struct hd_explorer *x)
{
    return x->o->tested ? HD_MIN(1 + unexplained(x, TRACES * HD_GOALS) / HD_GOALS, (u32)TRACES / 2) : TRACES;
}

void hd_race_trace(struct hd_explorer *x)
{
    size_t before = SIZE_MAX;
    u32 most = traces_of(x);
    for (u32 i = 0; i < most && unexplained(x, WORTH) == WORTH; i++) {
        size_t now = explained(x->o->races);
        if ((x->o->tested && now == before) || !trace(x))
            break;
        before = now;
    }
    hd_race_class_order(x);
}
