/* minimize.c: see minimize.h. Every run of the search is made here: the script and
 * the recorded set of sites go into the worker's shared memory, the run follows
 * loosely and then goes on without preemption (strategy stay), and its verdict
 * is compared with the finding's: same kind and same identity.
 *
 * Three stages: the fewest preemptions, while there are fewer and fewer; the order that
 * decides, while tests of candidates pass; the replays that confirm the result, up to
 * twenty, one at least.
 */
#include "minimize/minimize.h"
#include "process/oracle.h"
#include "process/interrupt.h"
#include "process/confirm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "strategy/strategy.h"

#define SHARE_SHRINK 0.55 /* of the patience */
#define SHARE_PAIR 0.35
#define SHARE_CONFIRM 0.5
#define MAX_DECIDED 16    /* preemptions, for an order of two events to mean something */
#define PROOF_TIMES 4     /* as many steps as the run that was found: it may hang */
#define MOST 20           /* times the patience, if it gets smaller all the time */
#define MOST_ENTRIES (1u << 24) /* of a schedule, 8 bytes each */

/* ---- one run ----------------------------------------------------------------------- */

static bool is_budget_left(const struct hd_trials *t)
{
    if (t->is_last)
        return !t->w->is_dead;
    return !hd_stop_is_due() && !t->w->is_dead &&
           hd_budget_is_left(&t->budget, hd_monotonic_ns(), t->done);
}

static bool is_over(void *self) { return !is_budget_left(self); }

static void configure(struct hd_trials *t, u64 variant, u32 more_mode)
{
    struct hd_config *c = &t->w->host->cfg;
    c->mode &= ~(u32)(HD_MODE_STRICT | HD_MODE_STREAM | HD_MODE_ALL_EVENTS |
                      HD_MODE_DETAIL);
    c->mode |= HD_MODE_REPLAY | more_mode;
    c->strategy = hd_strategy_index(hd_strategy_find("stay"));
    c->strategy_param = HD_MIN(variant, (u64)2);
    c->seed = t->base.cfg.seed + variant * 0x9e3779b97f4a7c15ull;
    c->early_per_1024 = 0;
    /* The search for a proof of a hang preempts threads: not before a run is suspicious. */
    c->proof_step = t->f->verdict.kind == HD_V_HANG ? 0 : PROOF_TIMES * t->f->stats.steps + 4096;
}

static bool is_clean(const struct hd_trials *t, const struct hd_verdict *v)
{
    return hd_verdict_is_clean(v, t->o->exit_ok, t->o->n_exit_ok);
}

/* The same failure? Where a hang is met is chance: its kind is all there is. */
static bool is_same(struct hd_trials *t)
{
    struct hd_finding g;
    struct hd_snapshot *m = &t->w->run;
    if (m->verdict.kind != t->f->verdict.kind)
        return false;
    if (m->verdict.kind == HD_V_HANG)
        return true;
    if (hd_finding_from_run(&g, m, t->w->out_fd, t->w->err_fd))
        return false;
    snprintf(g.program, sizeof g.program, "%s", t->f->program);
    hd_finding_identify(&g, t->s);
    bool is = !strcmp(g.id, t->f->id);
    hd_finding_release(&g);
    return is;
}

static void take_pending(struct hd_trials *t, struct hd_ran *out)
{
    u32 n;
    const struct hd_shm_thread *th = hd_snapshot_threads(&t->w->run, &n);
    hd_vec_clear(&t->pending);
    for (u32 i = 0; i < n; i++)
        if (th[i].state == HD_T_PENDING)
            *hd_vec_add(&t->pending) = (struct hd_event){
                .tid = (u16)i, .kind = th[i].op_kind, .site = th[i].op_site, .obj = th[i].op_obj};
    out->pending = t->pending.at;
    out->n_pending = (u32)t->pending.n;
}

/* Who failed, where it is one thread and not the program: see struct hd_ran. */
static u16 failing_thread(const struct hd_verdict *v)
{
    switch (v->kind) {
    case HD_V_SIGNAL: case HD_V_ASSERT: case HD_V_CHECK: case HD_V_HEAP: case HD_V_MISUSE:
        return (u16)(v->tid + 1);
    default:
        return 0;
    }
}

/* A hang is proven by steps that the scheduler chose: they are no part of how it came to
 * it. The next run makes a proof of its own. How often threads go round before that says
 * nothing: only preemptions count. */
static void leave_out_proof(const struct hd_snapshot *m, struct hd_choice *c, struct hd_ran *out)
{
    u64 left = m->stats.proof_step;
    u32 n = 0;
    if (!left)
        return;
    for (out->preemptions = 0; n < out->n && left; n++) {
        if (c[n].kind != HD_CHOICE_PICK)
            continue;
        c[n].count = (u32)HD_MIN((u64)c[n].count, left);
        left -= c[n].count;
        out->preemptions += (c[n].flags & HD_CHOICE_PREEMPTS) != 0;
    }
    out->n = n;
    out->switches = out->steps = 0;
}

/* ---- long schedules: arrays, and a file for the rest ---------------------------------- */

static bool add_more(struct hd_list *l, const struct hd_tail *more)
{
    struct hd_tail_reader r;
    struct hd_choice c;
    u64 check;
    hd_tail_reader_init(&r, more);
    while (l->v.n < MOST_ENTRIES && hd_tail_next(&r, &c, &check))
        *hd_vec_add(&l->v) = c;
    return l->v.n < MOST_ENTRIES;
}

static bool put_script(struct hd_worker *w, const struct hd_list *script)
{
    struct hd_tail_writer to;
    struct hd_tail more;
    u32 n = (u32)HD_MIN(script->v.n, (size_t)HD_SHM_LOG);
    if (n)
        memcpy(hd_shm_script_choice(w->host), script->v.at, n * sizeof *script->v.at);
    w->host->script_n = n;
    hd_tail_begin(&to);
    for (size_t i = n; i < script->v.n; i++)
        hd_tail_add(&to, &script->v.at[i], 0);
    bool is = !hd_tail_end(&to, &more) && !hd_replay_place_more(&more, n, &w->run);
    hd_tail_release(&more);
    return is;
}

/* The choices of the run that ended; NULL: there are too many. They may be changed. */
static struct hd_choice *take_log(struct hd_trials *t, u32 *n)
{
    struct hd_choice *c = hd_snapshot_choices(&t->w->run, n);
    struct hd_tail more;
    if (hd_snapshot_tail(&t->w->run, &more))
        return NULL;
    if (!more.n)
        return c;
    hd_list_set(&t->log, c, *n);
    bool is_whole = add_more(&t->log, &more);
    hd_tail_release(&more);
    *n = (u32)t->log.v.n;
    return is_whole ? t->log.v.at : NULL;
}

static void show(struct hd_trials *t)
{
    struct hd_minimize_state s = {.preemptions = t->preemptions,
                                  .preemptions_before = t->f->stats.preemptions,
                                  .runs = t->done, .is_pair = t->is_pair,
                                  .seconds = (double)(hd_monotonic_ns() - t->began_ns) / 1e9};
    if (t->o->on_run && !t->is_last)
        t->o->on_run(t->o->self, &s);
}

/* Does the run give reason to go on? */
static void judge(struct hd_trials *t, const struct hd_ran *ran)
{
    if (t->is_pair && ran->end == HD_END_CLEAN)
        hd_budget_renew(&t->budget, hd_monotonic_ns(), t->done);
    if (t->is_pair || ran->end != HD_END_SAME)
        return;
    t->preemptions = HD_MIN(t->preemptions, ran->preemptions);
    hd_budget_improve(&t->budget, hd_monotonic_ns(), t->done, t->preemptions);
}

void hd_trials_run(struct hd_trials *t, const struct hd_list *script, u64 variant, u32 more_mode,
                   struct hd_ran *out)
{
    struct hd_worker *w = t->w;
    struct hd_snapshot *ran = &w->run;
    *out = (struct hd_ran){.end = HD_END_STOP};
    /* The sites anew each time: a run may add to the table. */
    if (!is_budget_left(t) || hd_replay_to_shm(&t->base, ran) || !put_script(w, script))
        return;
    configure(t, variant, more_mode);
    t->done++;
    s64 left_ms = HD_MAX((t->budget.end_ns - hd_monotonic_ns()) / 1000000 + 1, (s64)1);
    show(t);
    if (hd_worker_send(w, t->base.run, 1))
        return;
    if (!hd_worker_await(w, (u32)HD_MIN((s64)t->o->timeout_ms, left_ms)))
        return;
    struct hd_choice *log = take_log(t, &out->n);
    if (!log)
        return;
    out->end = is_clean(t, &ran->verdict) ? HD_END_CLEAN : is_same(t) ? HD_END_SAME : HD_END_OTHER;
    out->log = log;
    out->preemptions = ran->stats.preemptions;
    out->switches = ran->stats.switches;
    out->steps = ran->stats.steps;
    out->delay_ns = ran->stats.delay.ns;
    out->failed = failing_thread(&ran->verdict);
    if (ran->verdict.kind == HD_V_HANG && !t->is_last)
        leave_out_proof(ran, log, out);
    out->events = hd_snapshot_events(ran, &out->n_events);
    take_pending(t, out);
    judge(t, out);
}

static void run(void *self, const struct hd_choice *script, u32 n, u64 variant, struct hd_ran *out)
{
    struct hd_list l = {.v = {.at = (struct hd_choice *)script, .n = n, .cap = n}};
    hd_trials_run(self, &l, variant, 0, out);
}

/* ---- the stages --------------------------------------------------------------------- */

static u32 share_of(u32 runs, double share)
{
    return runs ? HD_MAX((u32)(runs * share), 1u) : 0;
}

/* With its share of the patience, and `so_far` of all time and runs used by its end. */
static void begin_stage(struct hd_trials *t, double share, double so_far)
{
    const struct hd_minimize_opts *o = t->o;
    double most = o->most_seconds > 0 ? o->most_seconds : MOST * o->seconds;
    s64 now = hd_monotonic_ns();
    most = HD_MAX(most, o->least_replays * (double)t->run_ns / 1e9);
    t->budget = (struct hd_budget){.patience_ns = (s64)(o->seconds * share * 1e9),
                                   .end_ns = t->began_ns + (s64)(most * so_far * 1e9),
                                   .patience_runs = share_of(o->replays, share),
                                   .end_run = share_of(o->most_replays, so_far)};
    hd_budget_begin(&t->budget, now, t->done, t->preemptions);
}

/* The recorded schedule once more, as a log with the places of its preemptions. */
static bool first_run(struct hd_trials *t, struct hd_shrunk *s)
{
    struct hd_ran ran;
    hd_list_set(&s->list, t->f->replay.choice, t->f->replay.n);
    if (!add_more(&s->list, &t->f->replay.more))
        return false;
    hd_trials_run(t, &s->list, 0, 0, &ran);
    if (ran.end != HD_END_SAME)
        return false;
    hd_list_set(&s->list, ran.log, ran.n);
    s->preemptions = ran.preemptions;
    s->switches = ran.switches;
    s->steps = ran.steps;
    s->delay_ns = ran.delay_ns;
    return true;
}

/* A schedule that is complete needs no strategy and no chance: the file says how
 * the failure was found, not how it was made small. */
static void take_origin(struct hd_replay *to, const struct hd_replay *from)
{
    memcpy(to->cwd, from->cwd, sizeof to->cwd);
    memcpy(to->input, from->input, sizeof to->input);
    memcpy(to->strategy, from->strategy, sizeof to->strategy);
    to->cfg.strategy = from->cfg.strategy;
    to->cfg.strategy_param = from->cfg.strategy_param;
    to->cfg.seed = from->cfg.seed;
    to->cfg.early_per_1024 = from->cfg.early_per_1024;
    to->run = from->run;
}

/* What a finding knows about its campaign stays; what it shows is the new run. */
static void move_run(struct hd_finding *f, struct hd_finding *g)
{
    struct hd_finding old = *f;
    *f = *g;
    memcpy(f->id, old.id, sizeof f->id);
    memcpy(f->dir, old.dir, sizeof f->dir);
    f->strategy = old.strategy;
    f->seed = old.seed;
    f->run = old.run;
    f->runs_until = old.runs_until;
    f->reproduced = old.reproduced;
    f->tried = old.tried;
    f->seconds = old.seconds;
    f->command = old.command;
    f->oracle = old.oracle;
    f->around = old.around;
    f->script = old.script;
    f->stats.uncontrolled |= old.stats.uncontrolled;
    f->decided = old.decided;
    f->original = old.replay;
    hd_replay_init(&old.replay);
    hd_finding_release(&old);
}

static const char *why_stopped(void)
{
    return hd_interrupt_count() ? "it was interrupted" : "the time allowed was over";
}

/* The small schedule becomes the finding's if it fails each time it is replayed. */
static void settle(struct hd_trials *t, struct hd_finding *f, const struct hd_shrunk *s)
{
    s64 end_ns = hd_monotonic_ns() + (s64)(t->o->seconds * SHARE_CONFIRM * 1e9);
    struct hd_decided *d = &f->decided;
    struct hd_finding g;
    struct hd_ran ran;
    t->is_last = true;
    t->budget.end_ns = INT64_MAX;
    hd_trials_run(t, &s->list, 0, HD_MODE_DETAIL, &ran);
    if (ran.end != HD_END_SAME || hd_finding_take(&g, t->w, f->program, f->replay.argv)) {
        d->is = false;
        d->why_not = hd_stop_is_due() ? why_stopped() : "the smaller schedule did not fail again";
        return;
    }
    take_origin(&g.replay, &f->replay);
    do {
        u32 times = 1;
        d->fails += hd_confirm(t->w, &g.replay, &times, 3 * t->o->timeout_ms);
        d->fails_of += times;
        t->done++;
    } while (d->fails == d->fails_of && d->fails_of < HD_MINIMIZE_TIMES && !hd_stop_is_due() &&
             !t->w->is_dead && hd_monotonic_ns() < end_ns);
    if (!d->fails || d->fails < d->fails_of) {
        d->is = false;
        d->why_not = hd_stop_is_due() && d->fails == d->fails_of
                         ? why_stopped()
                         : "the smaller schedule did not fail each time";
        hd_finding_release(&g);
        return;
    }
    d->preemptions = g.stats.preemptions;
    d->switches = g.stats.switches;
    d->steps = g.stats.steps;
    d->is_minimized = true;
    g.replay.decides = d->is ? d->event[HD_DECIDED_FIRST].step : 0;
    move_run(f, &g);
}

static bool is_as_large(const struct hd_shrunk *a, const struct hd_shrunk *b)
{
    return a->preemptions == b->preemptions && a->switches == b->switches && a->steps == b->steps &&
           a->delay_ns == b->delay_ns;
}

static const char *reason_not(const struct hd_finding *f)
{
    if (f->verdict.kind == HD_V_LIMIT)
        return "the run was ended by a limit";
    if (!f->tried || f->reproduced < f->tried)
        return "its schedule does not lead to it each time";
    if (f->verdict.kind == HD_V_CLEAN)
        return "the run did not fail";
    if (f->replay.n + f->replay.more.n >= MOST_ENTRIES)
        return "its schedule has too many switches: give it less to do";
    return NULL;
}

void hd_minimize(struct hd_finding *f, struct hd_symbols *s, struct hd_worker *w,
                 const struct hd_minimize_opts *o)
{
    struct hd_decided *d = &f->decided;
    struct hd_trials t = {.w = w, .o = o, .f = f, .s = s, .began_ns = hd_monotonic_ns(),
                          .preemptions = f->stats.preemptions};
    struct hd_runner r = {.self = &t, .run = run, .is_over = is_over};
    struct hd_shrunk small = {0};
    struct hd_worker_state before;
    memset(d, 0, sizeof *d);
    d->why_not = reason_not(f);
    if (d->why_not || hd_worker_remember(&before, w))
        return;
    if (hd_replay_copy(&t.base, &f->replay)) {
        hd_worker_put_back(&before, w);
        return;
    }
    t.base.n = 0;
    hd_tail_release(&t.base.more);
    t.base.run = HD_MAX(t.base.run, (u64)1); /* sites must have been known before it */
    begin_stage(&t, SHARE_SHRINK, SHARE_SHRINK);
    if (o->least_replays) /* who knows how long the first one takes */
        t.budget.end_ns = INT64_MAX;
    if (first_run(&t, &small)) {
        t.run_ns = hd_monotonic_ns() - t.began_ns;
        begin_stage(&t, SHARE_SHRINK, SHARE_SHRINK);
        d->preemptions_before = f->stats.preemptions;
        d->switches_before = f->stats.switches;
        d->steps_before = f->stats.steps;
        hd_trials_learn(&t, &small, before.sites, before.n_sites);
        struct hd_shrunk whole = small; /* its numbers */
        hd_shrink(&small, &r);
        d->is_complete = small.is_complete;
        t.is_pair = true;
        begin_stage(&t, SHARE_PAIR, SHARE_SHRINK + SHARE_PAIR);
        if (small.preemptions <= MAX_DECIDED) { /* among many, any order may decide */
            hd_trials_guarded(&t, &small);
            hd_shrink_pair(d, &small, &r, HD_MINIMIZE_TIMES);
        }
        if (!d->is && !small.is_complete && is_as_large(&small, &whole))
            d->why_not = "the time or number of runs allowed was not enough";
        else
            settle(&t, f, &small);
    } else {
        d->why_not = hd_stop_is_due() ? why_stopped()
                                      : "the schedule, followed loosely, leads elsewhere";
    }
    d->replays = t.done;
    d->seconds = (double)(hd_monotonic_ns() - t.began_ns) / 1e9;
    hd_worker_put_back(&before, w);
    hd_replay_release(&t.base);
    hd_list_release(&small.list);
    hd_vec_release(&t.pending);
    hd_list_release(&t.log);
}
