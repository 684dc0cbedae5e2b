/* search_run.c: see search_run.h.
 *
 * Which accesses are scheduling points is learned first, in a few runs under a
 * random schedule, until WARM_STABLE in a row bring nothing new; the runtime goes
 * on looking in every run of the search, and a new point makes the search begin
 * again: the tree is another one then. With several workers all of them get to know
 * the point before their next run; what they were at comes back to nobody.
 * A guided search learns from its own good runs: it begins at once, and the runs by
 * chance come when guidance has nothing left, unless some were asked for.
 */
#include "plan/search_run.h"
#include "process/oracle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search/search.h"

#define WARM_STABLE 3
#define WARM_MAX 24
#define SAVE_NS 1000000000ll /* between two times that it is saved while it goes on, at least; */
#define SAVE_SHARE 20        /* ... and so many times as long as saving took */
#define WAIT_SECONDS 1.0     /* at the end, for another heddle in the same folder */

struct search_slot {
    bool is_busy, is_warm;  /* a run was begun; it is one by chance */
    u32 marks;              /* n_marks of its worker when it began */
    u32 version;            /* of the sites its worker knows */
    u64 runs_done;          /* by its server; goes back when that is a new one */
};

struct hd_search_run {
    struct hd_director director; /* first: one is the other */
    struct hd_director_opts o;
    struct hd_search_outcome outcome;
    struct hd_search *search;
    struct hd_search_memory memory;
    u32 stable;        /* runs before the search without news, the last so many */
    u64 before;        /* runs of earlier campaigns */
    u64 layout;
    u32 version;       /* of keep.site */
    bool is_open, is_searching;
    bool is_by_chance; /* ... and the next run is one of those before it, or after guidance */
    s64 next_save_ns;
    struct hd_error not_saved, not_continued; /* why, for the outcome */
    struct search_slot slot[HD_SEARCH_SLOTS];
};

void hd_search_run_config(struct hd_config *cfg)
{
    cfg->step_ns = 0;
    cfg->early_per_1024 = 0;
    cfg->spin_limit = HD_SPIN_FIRST;
}

/* ---- scheduling points ------------------------------------------------------------------- */

/* What the worker's table has and we have not. */
static void collect_sites(struct hd_search_run *r, struct hd_snapshot *m)
{
    u32 n;
    const struct hd_site *s = hd_snapshot_sites(m, &n);
    for (u32 i = 0; i < n; i++) {
        u64 known = s[i].known & (HD_SITE_EVENT | HD_SITE_POINT);
        if (!known)
            continue;
        u64 *ours = hd_map_ref(&r->memory.site, s[i].pc, 0);
        r->version += (*ours | known) != *ours;
        *ours |= known;
    }
}

static void send_sites(struct hd_search_run *r, struct search_slot *a, struct hd_worker *w)
{
    u64 pc, known;
    if (w->run.runs_done < a->runs_done)
        a->version = 0; /* its server was started again */
    if (a->version == r->version)
        return;
    for (size_t i = 0; hd_map_next(&r->memory.site, &i, &pc, &known);)
        hd_shm_mark(w->host, pc, HD_SINCE_START, (u8)known);
    a->version = r->version;
}

/* ---- runs ---------------------------------------------------------------------------------- */

static bool is_any_busy(const struct hd_search_run *r)
{
    for (u32 i = 0; i < HD_SEARCH_SLOTS; i++)
        if (r->slot[i].is_busy)
            return true;
    return false;
}

/* The search of an earlier campaign goes on, or what hapset knows comes back. */
static void open_saved(struct hd_search_run *r, struct hd_worker *w)
{
    r->is_open = true;
    r->memory.seed = w->host->cfg.seed;
    r->memory.data_seed = w->host->cfg.data_seed;
    r->memory.epoch_ns = w->host->cfg.epoch_ns;
    r->layout = hd_search_memory_layout(&w->run);
    if (r->o.learn_from)
        hd_search_memory_learn_from(&r->o, r->layout, r->search, &r->not_continued);
    if (!r->o.dir || r->o.search_fresh)
        return;
    if (hd_search_memory_load(&r->o, r->layout, r->search, &r->memory, &r->not_continued)) {
        hd_search_memory_learned(&r->o, r->layout, r->search);
        return;
    }
    r->is_searching = true;
    r->stable = r->memory.warm;
    r->version++;
    r->before = hd_search_result(r->search)->runs;
}

static bool is_warm(const struct hd_search_run *r)
{
    u32 least = r->o.search_learn;
    if (least == HD_LEARN_NONE)
        return true;
    return r->memory.warm >= least &&
           (r->stable >= WARM_STABLE || r->memory.warm >= HD_MAX(least, (u32)WARM_MAX));
}

static enum hd_next next_plan(struct hd_search_run *r, u32 slot, struct hd_plan *plan)
{
    for (;;) {
        enum hd_next next = hd_search_next_at(r->search, slot, plan);
        u32 limits = hd_search_result(r->search)->limits;
        if (next != HD_NEXT_OVER)
            return next;
        if (hd_search_is_guided_only(r->search)) {
            hd_search_go_on(r->search);
            r->is_by_chance = !is_warm(r);
            if (r->is_by_chance)
                return HD_NEXT_OVER;
            continue;
        }
        if (!(limits & 1u << HD_LIMIT_FAIR) || limits & 1u << HD_LIMIT_CHANCE ||
            r->memory.spin_limit >= HD_SPIN_LAST)
            return HD_NEXT_OVER;
        r->memory.before = *hd_search_result(r->search);
        r->memory.spin_limit *= 4;
        hd_search_restart(r->search);
    }
}

static enum hd_next begin(struct hd_director *d, struct hd_worker *w, u32 *count)
{
    struct hd_search_run *r = (struct hd_search_run *)d;
    (void)count; /* it is one at a time */
    struct search_slot *a = &r->slot[w->index];
    struct hd_shm_host *m = w->host;
    struct hd_plan plan;
    if (w->index && (w->uncontrolled & 1u << HD_UNC_ASLR))
        return HD_NEXT_WAIT; /* its addresses are not those of the others */
    if (!r->is_open)
        open_saved(r, w);
    if (a->is_busy && !a->is_warm)
        hd_search_ran_at(r->search, w->index, NULL); /* the server died with it */
    a->is_busy = a->is_warm = false;
    w->directed_by = r->o.search->name;
    send_sites(r, a, w);
    m->cfg.mode |= HD_MODE_LEARN | HD_MODE_SEARCH;
    m->cfg.seed = r->memory.seed;
    m->cfg.data_seed = r->memory.data_seed;
    m->cfg.epoch_ns = r->memory.epoch_ns;
    m->script_n = 0;
    m->asleep = 0;
    a->marks = w->run.n_marks;
    enum hd_next next = HD_NEXT_OVER;
    if (!r->is_searching)
        r->is_by_chance = !hd_search_is_guided_only(r->search) && !is_warm(r);
    if (!r->is_by_chance) {
        r->is_searching = true;
        next = next_plan(r, w->index, &plan);
    }
    if (r->is_by_chance) {
        if (is_any_busy(r))
            return HD_NEXT_WAIT; /* one at a time: the next may know more */
        a->is_busy = a->is_warm = true;
        return HD_NEXT_RUN;
    }
    if (next != HD_NEXT_RUN)
        return next;
    a->is_busy = true;
    m->cfg.spin_limit = r->memory.spin_limit;
    HD_ASSERT(plan.n <= HD_SHM_LOG);
    memcpy(hd_shm_script_choice(m), plan.choice, plan.n * sizeof *plan.choice);
    m->script_n = plan.n;
    m->asleep = plan.asleep;
    m->cfg.mode |= HD_MODE_REPLAY;
    return HD_NEXT_RUN;
}

static struct hd_trace trace_of(const struct hd_director_opts *o, struct hd_snapshot *m)
{
    const struct hd_verdict *v = &m->verdict;
    u32 n_options, n_events;
    const struct hd_option *option = hd_snapshot_options(m, &n_options);
    const struct hd_event *event = hd_snapshot_events(m, &n_events);
    return (struct hd_trace){
        .option = option,
        .n_options = n_options,
        .event = event,
        .n_events = n_events,
        .pending = hd_snapshot_pending(m),
        .n_threads = m->stats.threads,
        .is_cut = v->kind == HD_V_CUT,
        .is_partial = v->kind == HD_V_LIMIT || v->kind == HD_V_NONE,
        .is_lost = m->n_options > HD_SHM_OPTIONS || m->stats.events > HD_SHM_RING,
        .is_good = hd_verdict_is_clean(v, o->exit_ok, o->n_exit_ok),
    };
}

/* A run by chance, before the search or after guidance. */
static void end_warm(struct hd_search_run *r, struct hd_snapshot *m, bool has_news)
{
    u32 n;
    const struct hd_event *event = hd_snapshot_events(m, &n);
    r->memory.warm++;
    r->stable = has_news ? 0 : r->stable + 1;
    if (hd_verdict_is_clean(&m->verdict, r->o.exit_ok, r->o.n_exit_ok) &&
        m->stats.events <= HD_SHM_RING)
        hd_search_learn(r->search, event, n, m->stats.threads);
    r->is_by_chance = !is_warm(r);
}

/* A campaign that is killed goes on from here. */
static void save_meanwhile(struct hd_search_run *r)
{
    s64 began = hd_monotonic_ns();
    hd_search_memory_save(&r->o, r->layout, r->search, &r->memory, 0, NULL);
    s64 took = hd_monotonic_ns() - began;
    r->next_save_ns = began + took + HD_MAX(SAVE_NS, SAVE_SHARE * took);
}

static void ran(struct hd_director *d, struct hd_worker *w, u64 done)
{
    struct hd_search_run *r = (struct hd_search_run *)d;
    struct search_slot *a = &r->slot[w->index];
    struct hd_shm_host *m = w->host;
    struct hd_snapshot *run = &w->run;
    if (!done)
        return;
    bool has_news = run->n_marks != a->marks;
    m->cfg.mode &= ~(u32)(HD_MODE_SEARCH | HD_MODE_REPLAY);
    m->asleep = 0;
    m->script_n = 0;
    a->is_busy = false;
    a->runs_done = run->runs_done;
    if (has_news)
        collect_sites(r, run);
    if (a->is_warm) {
        end_warm(r, run, has_news);
    } else {
        struct hd_trace t = trace_of(&r->o, run);
        hd_search_ran_at(r->search, w->index, &t);
    }
    if (has_news && r->is_searching) {
        hd_search_restart(r->search);
        r->memory.restarts++;
    }
    if (r->o.dir && hd_monotonic_ns() > r->next_save_ns)
        save_meanwhile(r);
}

static void save(struct hd_director *d, const struct hd_director_end *end)
{
    struct hd_search_run *r = (struct hd_search_run *)d;
    const struct hd_search_result *now = hd_search_result(r->search);
    struct hd_search_outcome *c = &r->outcome;
    *c = (struct hd_search_outcome){.method = r->o.search, .param = r->o.search_param, .is = *now,
                                    .rounds = r->memory.spin_limit, .warm = r->memory.warm,
                                    .restarts = r->memory.restarts, .before = r->before,
                                    .campaign = *end};
    if (r->not_continued.text[0])
        c->not_continued = r->not_continued.text;
    if (!now->is_over && r->memory.before.runs) { /* what is certain counts */
        c->is = r->memory.before;
        c->rounds = r->memory.spin_limit / 4;
    }
    if (!r->o.dir || !r->is_open)
        return;
    hd_search_memory_learn(&r->o, r->layout, r->search, WAIT_SECONDS);
    if (now->is_over || end->n_findings) { /* found again by the same command */
        hd_search_memory_remove(&r->o, WAIT_SECONDS);
    } else if (now->runs) {
        c->is_saved = !hd_search_memory_save(&r->o, r->layout, r->search, &r->memory, WAIT_SECONDS,
                                            &r->not_saved);
        c->not_saved = c->is_saved ? NULL : r->not_saved.text;
    }
}

/* ---- as a director ------------------------------------------------------------------------- */

static void close_run(struct hd_director *d)
{
    struct hd_search_run *r = (struct hd_search_run *)d;
    hd_search_close(r->search);
    hd_map_release(&r->memory.site);
    free(r);
}

const struct hd_search_outcome *hd_search_outcome(const struct hd_director *d)
{
    return d && d->close == close_run ? &((const struct hd_search_run *)d)->outcome : NULL;
}

bool hd_search_is_wanted(const struct hd_director_opts *o) { return o->search != NULL; }

int hd_search_direct(struct hd_director **out, const struct hd_director_opts *o,
                     struct hd_error *err)
{
    struct hd_search_opts how = {.method = o->search, .param = o->search_param,
                                 .guided_only = !o->search_learn};
    struct hd_search_run *r = calloc(1, sizeof *r);
    if (r)
        r->search = hd_search_open(&how);
    if (!r || !r->search) {
        free(r);
        return hd_error_set(err, -ENOMEM, "out of memory");
    }
    r->director = (struct hd_director){.name = "search", .is_single = true, .owns_schedule = true,
                                       .begin = begin, .ran = ran, .save = save,
                                       .close = close_run};
    r->o = *o;
    r->memory.spin_limit = HD_SPIN_FIRST;
    r->next_save_ns = hd_monotonic_ns() + SAVE_NS;
    *out = &r->director;
    return 0;
}
