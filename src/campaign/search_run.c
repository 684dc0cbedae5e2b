/* search_run.c: see search_run.h.
 *
 * Which accesses are scheduling points is learned first, in a few runs under a
 * random schedule, until WARM_STABLE in a row bring nothing new; the runtime goes
 * on looking in every run of the search, and a new point makes the search begin
 * again: the tree is another one then.
 */
#include "campaign/search_run.h"

#include <stdlib.h>
#include <string.h>

#include "search/search.h"

#define WARM_STABLE 3
#define WARM_MAX 24
#define SPIN_FIRST 4 /* fruitless rounds before a loop counts as waiting: each is a branch */
#define SPIN_LAST 64 /* ... where they were what limited the search, it begins again with more */

struct hd_search_run {
    const struct hd_search_method *method;
    u64 param;
    struct hd_search *search;
    u32 warm, stable;  /* runs before the search, of these the last without news */
    u32 restarts;
    u32 marks;         /* shm->n_marks when the run began */
    u32 spin_limit;
    struct hd_search_result before; /* with a smaller spin_limit; runs 0 = none */
    bool is_searching;
    bool is_under_way; /* a plan was given and did not come back yet */
};

struct hd_search_run *hd_search_run_open(const struct hd_search_method *method, u64 param)
{
    struct hd_search_run *r = calloc(1, sizeof *r);
    struct hd_search_opts o = {.method = method, .param = param};
    if (!r)
        return NULL;
    r->method = method;
    r->param = param;
    r->spin_limit = SPIN_FIRST;
    r->search = hd_search_open(&o);
    if (!r->search) {
        free(r);
        return NULL;
    }
    return r;
}

void hd_search_run_close(struct hd_search_run *r)
{
    if (!r)
        return;
    hd_search_close(r->search);
    free(r);
}

void hd_search_run_config(struct hd_config *cfg)
{
    cfg->step_ns = 0;
    cfg->early_per_1024 = 0;
    cfg->spin_limit = SPIN_FIRST;
}

/* The next plan; false: there is none. */
static bool next_plan(struct hd_search_run *r, struct hd_plan *plan)
{
    while (!hd_search_next(r->search, plan)) {
        u32 limits = hd_search_result(r->search)->limits;
        if (!(limits & 1u << HD_LIMIT_FAIR) || limits & 1u << HD_LIMIT_CHANCE ||
            r->spin_limit >= SPIN_LAST)
            return false;
        r->before = *hd_search_result(r->search);
        r->spin_limit *= 4;
        hd_search_restart(r->search);
    }
    return true;
}

bool hd_search_run_begin(struct hd_search_run *r, struct hd_worker *w)
{
    struct hd_shm *m = w->shm;
    struct hd_plan plan;
    w->directed_by = r->method->name;
    m->cfg.mode |= HD_MODE_LEARN | HD_MODE_SEARCH;
    m->script_n = 0;
    m->asleep = 0;
    r->marks = m->n_marks;
    if (r->stable < WARM_STABLE && r->warm < WARM_MAX)
        return true;
    if (r->is_under_way) { /* the server died with it */
        hd_search_restart(r->search);
        r->restarts++;
    }
    r->is_searching = true;
    if (!next_plan(r, &plan))
        return false;
    r->is_under_way = true;
    m->cfg.spin_limit = r->spin_limit;
    HD_ASSERT(plan.n <= HD_SHM_LOG);
    memcpy(hd_shm_script_choice(m), plan.choice, plan.n * sizeof *plan.choice);
    m->script_n = plan.n;
    m->asleep = plan.asleep;
    m->cfg.mode |= HD_MODE_REPLAY;
    return true;
}

static struct hd_trace trace_of(const struct hd_campaign_opts *o, struct hd_shm *m)
{
    const struct hd_verdict *v = &m->verdict;
    return (struct hd_trace){
        .option = hd_shm_options(m),
        .n_options = HD_MIN(m->n_options, HD_SHM_OPTIONS),
        .event = hd_shm_ring(m),
        .n_events = (u32)HD_MIN(m->stats.events, (u64)HD_SHM_RING),
        .pending = hd_shm_pending(m),
        .n_threads = m->stats.threads,
        .is_cut = v->kind == HD_V_CUT,
        .is_partial = v->kind == HD_V_HANG || v->kind == HD_V_TIMEOUT || v->kind == HD_V_NONE,
        .is_lost = m->n_options > HD_SHM_OPTIONS || m->stats.events > HD_SHM_RING,
        .is_good = hd_campaign_is_clean(o, v),
    };
}

void hd_search_run_end(struct hd_search_run *r, const struct hd_campaign_opts *o,
                       struct hd_worker *w)
{
    struct hd_shm *m = w->shm;
    bool has_news = m->n_marks != r->marks;
    m->cfg.mode &= ~(u32)(HD_MODE_SEARCH | HD_MODE_REPLAY);
    m->asleep = 0;
    m->script_n = 0;
    if (!r->is_searching) {
        r->warm++;
        r->stable = has_news ? 0 : r->stable + 1;
        return;
    }
    r->is_under_way = false;
    struct hd_trace t = trace_of(o, m);
    hd_search_ran(r->search, &t);
    if (has_news) {
        hd_search_restart(r->search);
        r->restarts++;
    }
}

void hd_search_run_result(const struct hd_search_run *r, struct hd_campaign *c)
{
    c->search_method = r->method;
    c->search_param = r->param;
    c->search = *hd_search_result(r->search);
    c->search_rounds = r->spin_limit;
    if (!c->search.is_over && r->before.runs) { /* what is certain counts */
        c->search = r->before;
        c->search_rounds = r->spin_limit / 4;
    }
    c->search_warm = r->warm;
    c->search_restarts = r->restarts;
}

/* ---- in words ------------------------------------------------------------------------- */

bool hd_search_run_is_complete(const struct hd_campaign *c)
{
    return c->search_method && c->search.is_complete && !c->uncontrolled;
}

/* "1, 4 and 7" */
static void put_threads(char *buf, size_t size, u64 set)
{
    size_t n = 0;
    buf[0] = '\0';
    for (u32 t = 0, left = (u32)__builtin_popcountll(set); t < 64 && n < size; t++)
        if (set >> t & 1)
            n += (size_t)snprintf(buf + n, size - n, "T%u%s", t,
                                  --left > 1 ? ", " : left ? " and " : "");
}

static void say_first(const struct hd_campaign *c, char *buf, size_t size)
{
    const struct hd_search_result *r = &c->search;
    unsigned long long n = r->explored;
    const char *param = c->search_method->param_name;
    bool is_bound = r->limits == 1u << HD_LIMIT_BOUND && param;
    if (hd_search_run_is_complete(c))
        snprintf(buf, size, "all %llu interleaving%s explored%s%s", n, n == 1 ? "" : "s",
                 r->is_reduced ? ", up to the order of steps that do not touch each other" : "",
                 c->is_instrumented ? "" : "; memory accesses were not seen");
    else if (r->is_over && is_bound && !c->uncontrolled)
        snprintf(buf, size, "all %llu interleaving%s with at most %llu %s explored%s", n,
                 n == 1 ? "" : "s", (unsigned long long)c->search_param, param,
                 r->is_reduced ? ", up to the order of steps that do not touch each other" : "");
    else if (r->is_over)
        snprintf(buf, size, "search over after %llu interleaving%s, but not everything was "
                 "explored", n, n == 1 ? "" : "s");
    else if (r->bound && param)
        snprintf(buf, size, "search not finished: %llu interleavings so far, all with fewer than "
                 "%u %s among them", n, r->bound, param);
    else
        snprintf(buf, size, "search not finished: %llu interleaving%s so far", n,
                 n == 1 ? "" : "s");
}

static void say_chance(const struct hd_campaign *c, char *buf, size_t size)
{
    const struct hd_search_result *r = &c->search;
    char before[128], now[128];
    if (!r->chance.expected && !r->chance.met) {
        snprintf(buf, size, "not deterministic: at step %u thread T%u did another thing after the "
                 "same choices", r->chance.step, r->chance.tid);
        return;
    }
    put_threads(before, sizeof before, r->chance.expected);
    put_threads(now, sizeof now, r->chance.met);
    snprintf(buf, size, "not deterministic: at step %u, where %s could go before, the same choices "
             "led to %s", r->chance.step, before[0] ? before : "nobody", now[0] ? now : "nobody");
}

bool hd_search_run_say(const struct hd_campaign *c, u32 i, char *buf, size_t size)
{
    const struct hd_search_result *r = &c->search;
    if (!c->search_method || c->max_threads < 2)
        return false;
    if (i-- == 0) {
        say_first(c, buf, size);
        return true;
    }
    bool is_named = r->is_over && r->limits == 1u << HD_LIMIT_BOUND;
    for (u32 l = 0; l < HD_LIMIT_COUNT && !is_named; l++)
        if ((r->limits >> l & 1) && i-- == 0) {
            if (l == HD_LIMIT_CHANCE)
                say_chance(c, buf, size);
            else if (l == HD_LIMIT_FAIR)
                snprintf(buf, size, "limit: loops that wait were left to wait after %u rounds "
                         "without news", c->search_rounds);
            else
                snprintf(buf, size, "limit: %s", hd_search_limit_text((enum hd_limit)l));
            return true;
        }
    if (r->guided && i-- == 0) {
        snprintf(buf, size, "guidance had nothing left after %llu runs",
                 (unsigned long long)r->guided);
        return true;
    }
    if (c->search_restarts && i-- == 0) {
        snprintf(buf, size, "the search began again %u time%s, when more scheduling points became "
                 "known", c->search_restarts, c->search_restarts == 1 ? "" : "s");
        return true;
    }
    return false;
}
