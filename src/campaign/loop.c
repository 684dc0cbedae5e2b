/* loop.c: the campaign: give batches to workers, judge what comes back, stop at
 * the budget, a finding or Ctrl-C. One thread, one poll loop.
 *
 * Batches grow until one takes about BATCH_NS, so that the round trip between
 * host and server costs next to nothing. The runtime looks for shared memory
 * (HD_MODE_LEARN) in the first 8 runs of each worker and then in 32 of every
 * 256; batches end at these borders, so with one worker the same seed gives
 * the same runs however fast the machine is.
 */
#include "cover/cover.h"
#include "process/tmp.h"
#include "process/stray.h"
#include "process/oracle.h"
#include "process/interrupt.h"
#include "campaign/progress.h"
#include "campaign/notes.h"
#include "campaign/limit.h"
#include "campaign/refuse.h"
#include "campaign/found.h"
#include "campaign/delay.h"
#include "campaign/race/races.h"
#include "plan/director.h"
#include "campaign/leftover.h"
#include "children/children.h"
#include "script/script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/clean.h"
#include "report/wanted.h"

#define BATCH_NS 50000000ll
#define BATCH_MAX 4096
#define LEARN_FIRST 8
#define LEARN_PERIOD 256
#define LEARN_RUNS 32
#define RACES_SHARE 5
#define RACES_NS 30000000000ll /* at most */
#define TICK_NS 100000000ll

/* One worker's place in the campaign. */
struct slot {
    u64 first, left, local; /* runs given to it and not done yet; done */
    u32 size;          /* of the next batch */
    s64 sent_ns;
    bool was_restarted;
};

struct loop {
    struct hd_campaign *c;
    const struct hd_campaign_opts *o;
    const struct hd_campaign_opts *given; /* o with the caller's on_finding */
    struct hd_worker *w;
    struct slot *slot;
    struct hd_director *d;
    struct hd_progress progress;
    struct hd_first first;
    u64 next_run;
    s64 deadline_ns;
    bool is_over, is_warned;
    struct hd_error *err;
};

/* ---- batches ------------------------------------------------------------------ */

static bool is_learning(u64 local, u64 *until)
{
    if (local < LEARN_FIRST) {
        *until = LEARN_FIRST;
        return true;
    }
    u64 start = local / LEARN_PERIOD * LEARN_PERIOD;
    bool is = start > 0 && local < start + LEARN_RUNS;
    *until = is ? start + LEARN_RUNS : start + LEARN_PERIOD;
    return is;
}

static int give(struct loop *l, u32 i)
{
    struct slot *a = &l->slot[i];
    struct hd_worker *w = &l->w[i];
    u64 until;
    bool learn = is_learning(a->local, &until);
    if (!a->left) {
        bool is_single = l->o->oracle || l->o->around || l->o->is_single || l->o->until_saturated ||
                         l->d->is_single;
        u32 size = l->d->want ? l->d->want(l->d, w) : a->size;
        u64 want = is_single || !l->next_run ? 1 /* the first is kept, leftover.h */
                                             : HD_MIN((u64)size, until - a->local);
        if (l->o->runs)
            want = HD_MIN(want, l->o->runs - HD_MIN(l->next_run, l->o->runs));
        if (!want)
            return 0;
        a->first = l->next_run;
        a->left = want;
        l->next_run += want;
    }
    u32 count = (u32)HD_MIN(a->left, until - a->local);
    u32 mode = l->o->cfg.mode & ~(u32)HD_MODE_LEARN;
    w->host->cfg.mode = mode | (learn ? HD_MODE_LEARN : 0);
    enum hd_next next = l->d->begin ? l->d->begin(l->d, w, &count) : HD_NEXT_RUN;
    if (next != HD_NEXT_RUN) {
        l->is_over = next == HD_NEXT_OVER;
        if (a->first + a->left == l->next_run)
            l->next_run -= a->left; /* the next one takes the number */
        a->left = 0;
        return 0;
    }
    if (l->o->cover)
        hd_cover_begin(l->o->cover, w, a->first);
    a->sent_ns = hd_monotonic_ns();
    int e = hd_worker_send(w, a->first, count);
    if (e)
        w->is_dead = true; /* noticed when it is waited for */
    return e == -EPIPE ? 0 : e;
}

static void resize(struct slot *a, u64 done)
{
    s64 took = hd_monotonic_ns() - a->sent_ns;
    if (!done)
        return;
    u64 fit = took > 0 ? (u64)BATCH_NS * done / (u64)took : BATCH_MAX;
    a->size = (u32)HD_MAX((u64)1, HD_MIN(fit, HD_MIN((u64)a->size * 2, (u64)BATCH_MAX)));
}

/* ---- totals --------------------------------------------------------------------- */

void hd_campaign_count(struct hd_campaign *c, struct hd_worker *w, u64 runs)
{
    const struct hd_totals *t = &w->run.totals;
    c->runs += runs;
    c->steps += t->steps - w->counted.steps;
    c->switches += t->switches - w->counted.switches;
    c->points += t->points - w->counted.points;
    w->counted = *t;
    c->has_far |= t->has_far != 0;
    c->max_threads = HD_MAX(c->max_threads, t->max_threads);
    c->is_instrumented |= w->run.stats.instrumented;
    if (!c->uncontrolled_call[0] && t->uncontrolled)
        memcpy(c->uncontrolled_call, t->uncontrolled_call, sizeof c->uncontrolled_call - 1);
    c->uncontrolled |= t->uncontrolled | w->uncontrolled;
}

/* ---- what came back ---------------------------------------------------------------- */

static int fail(struct loop *l, int e, const char *what, const char *more)
{
    return hd_error_set(l->err, e, "%s%s", what, more);
}

static int launch(struct loop *l, u32 i)
{
    const struct hd_campaign_opts *o = l->o;
    struct hd_launch how = {.target = o->target, .argv = o->argv, .cfg = &o->cfg,
                            .stdin_fd = o->stdin_fd, .index = i, .oracle = o->oracle, .around = o->around,
                            .phases = o->script ? &hd_script_phases : o->children ? &hd_children_phases : NULL,
                            .script = o->script, .children = o->children,
                            .is_visible = o->show_output, .scope = o->scope};
    l->slot[i].local = 0;
    int e = hd_worker_start(&l->w[i], &how, l->err);
    if (!e && o->cover)
        hd_cover_attach(o->cover, &l->w[i]);
    return e;
}

/* The server is gone without a verdict: once is bad luck, twice is a reason. */
static int revive(struct loop *l, u32 i)
{
    int status = 0;
    struct hd_worker *w = &l->w[i];
    if (l->o->cover)
        hd_cover_end(l->o->cover, w);
    if (w->pid > 0 && waitpid(w->pid, &status, WNOHANG) == w->pid) {
        hd_interrupt_remove(w->pid);
        w->pid = 0;
    }
    if (l->slot[i].was_restarted) {
        char how[160];
        int n = snprintf(how, sizeof how, WIFSIGNALED(status) ? "signal %d" : "status %d",
                         WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        if (w->run.bad)
            snprintf(how + n, sizeof how - (size_t)n, "%s", hd_refuse_overwritten);
        return fail(l, -ECHILD, "the target's server process ended twice in the middle of its "
                    "work, last with ", how);
    }
    l->slot[i].was_restarted = true;
    hd_worker_stop(w);
    return launch(l, i);
}

/* The screen makes room for a report, and only for one: findings that are known
 * or suppressed may come many times a second. */
static void on_found(void *self, const struct hd_finding *f, struct hd_symbols *s)
{
    struct loop *l = self;
    hd_progress_clear(&l->progress);
    if (l->o->wanted && hd_wanted_is(l->o->wanted, f, s))
        l->is_over = l->c->is_reproduced = true;
    if (l->given->on_finding)
        l->given->on_finding(l->given->self, f, s);
}

/* Takes the failed run and keeps it, unless it is none. */
static int persist_failure(struct loop *l, struct hd_worker *w)
{
    struct hd_finding f;
    bool is_new;
    const struct hd_campaign_opts *o = l->o;
    int e = hd_finding_take(&f, w, o->target->path, w->argv ? w->argv : o->argv);
    if (e)
        return fail(l, e, "cannot copy the failed run: ", strerror(-e));
    s64 took_ns = w->ended_ns - w->run.started_ns;
    if (hd_first_fails_too(&l->first, o, w, &f)) {
        e = hd_refuse_leftover(l->c, w, &f, l->err);
        hd_finding_release(&f);
        return e;
    }
    return hd_found_persist(l->c, o, w, &f, took_ns, &is_new, l->err);
}

static int judge(struct loop *l, struct hd_worker *w)
{
    const struct hd_verdict *v = &w->run.verdict;
    if (hd_verdict_is_clean(v, l->o->exit_ok, l->o->n_exit_ok))
        return 0;
    switch (v->kind) {
    case HD_V_LIMIT:
        hd_limit_count(l->c, v);
        return 0;
    case HD_V_NONE:
        return fail(l, -ECHILD, "a run was killed from outside",
                    " (out of memory? see the kernel log, or use fewer jobs)");
    case HD_V_ENV:
        l->c->is_refused = w->is_untested;
        return fail(l, -EIO, w->is_check_bad ? "" : "the program cannot be run under control: ",
                    v->msg);
    case HD_V_BUG:
    case HD_V_DIVERGED: /* nothing was being followed */
        return hd_refuse_own_bug(l->o, w, l->err);
    default:
        break;
    }
    if (hd_refuse_is_refusal(l->c, &w->run))
        return hd_refuse_refusal(l->c, l->o, w, l->err);
    int e = persist_failure(l, w);
    if (!e && !l->o->keep_going && l->c->n_findings) /* not if it was suppressed */
        l->is_over = true;
    return e;
}

static void warn_uninstrumented(struct loop *l)
{
    if (l->is_warned || l->c->is_instrumented || l->o->quiet)
        return;
    l->is_warned = true;
    hd_progress_clear(&l->progress);
    fprintf(stderr, "heddle: warning: the program is not built with -fsanitize=thread, so only its "
                    "synchronization calls are controlled, not its memory accesses\n");
}

static bool is_done(const struct loop *l)
{
    return l->d->is_done &&
           l->d->is_done(l->d, l->c->runs, hd_monotonic_ns() - l->c->started_ns);
}

/* Of the time that is given, a part is for the races that were seen (races.h). */
static s64 last_run_ns(const struct loop *l)
{
    bool has_races = l->o->races && l->o->races->pair.n;
    if (!has_races || l->deadline_ns == INT64_MAX)
        return l->deadline_ns;
    return l->deadline_ns - HD_MIN((l->deadline_ns - l->c->started_ns) / RACES_SHARE, RACES_NS);
}

static bool is_budget_left(const struct loop *l)
{
    return !l->is_over && !l->c->interrupted && hd_monotonic_ns() < last_run_ns(l);
}

static int finished(struct loop *l, u32 i)
{
    struct hd_worker *w = &l->w[i];
    struct slot *a = &l->slot[i];
    bool is_beside = w->has_failed_beside; /* in another process of the command */
    u64 done = HD_MIN(is_beside ? 1 : hd_worker_done(w), a->left);
    a->first += done;
    a->left -= done;
    a->local += done;
    if (done)
        hd_campaign_count(l->c, w, done);
    if (l->o->cover)
        hd_cover_end(l->o->cover, w);
    if (w->is_dead)
        return revive(l, i);
    if (l->d->ran)
        l->d->ran(l->d, w, done);
    resize(a, done);
    if (l->c->runs == 1 && !is_beside)
        hd_first_take(&l->first, l->o, w);
    hd_children_turn(w, is_beside);
    int e = judge(l, w);
    hd_children_turn(w, is_beside);
    if (l->o->cover)
        hd_campaign_remember(l->c, l->o->cover);
    if (l->o->until_saturated && (l->d->is_saturated ? l->d->is_saturated(l->d)
                                                     : hd_cover_is_saturated(l->o->cover)))
        l->is_over = l->c->is_saturated = true;
    if (l->o->until_done && is_done(l))
        l->is_over = l->c->is_done = true;
    if (l->o->until_command && hd_refuse_is_command(l->c))
        l->is_over = true;
    if (w->was_restarted && w->host && l->o->cover) /* while a finding was confirmed */
        hd_cover_attach(l->o->cover, w);
    w->was_restarted = false;
    if (w->is_dead && !e && is_budget_left(l))
        e = revive(l, i); /* it died each time */
    warn_uninstrumented(l);
    if (w->host && w->pid > 0 && w->run.stats.uncontrolled & 1u << HD_UNC_CHILD)
        hd_stray_kill(l->w, l->o->jobs, l->o->jobs > 1 ? w->pid : 0);
    return e;
}

/* ---- the loop -------------------------------------------------------------------- */

static int go(struct loop *l)
{
    u32 n = l->o->jobs;
    while (is_budget_left(l)) {
        bool is_any = false;
        for (u32 i = 0; i < n; i++) {
            int e = l->w[i].is_busy ? 0 : give(l, i);
            if (e)
                return fail(l, e, "cannot talk to the target's server: ", strerror(-e));
            if (l->w[i].is_dead)
                e = revive(l, i);
            if (e)
                return e;
            is_any |= l->w[i].is_busy || l->slot[i].left;
        }
        if (!is_any)
            return 0;
        int k = hd_workers_wait(l->w, n, l->o->timeout_ms,
                                HD_MIN(l->deadline_ns, hd_monotonic_ns() + TICK_NS));
        int e = k >= 0 ? finished(l, (u32)k) : 0;
        if (e)
            return e;
        l->c->interrupted = hd_interrupt_count() > 0;
        hd_progress_tick(&l->progress, l->c, l->o, l->c->max_threads);
    }
    return 0;
}

/* Runs that were under way when the campaign ended still count as done. */
static void count_rest(struct loop *l)
{
    for (u32 i = 0; i < l->o->jobs; i++)
        if (l->w[i].is_busy && l->w[i].host)
            l->c->runs += hd_worker_done(&l->w[i]);
}

int hd_campaign_run(struct hd_campaign *c, const struct hd_campaign_opts *o, struct hd_error *err)
{
    struct hd_campaign_opts own = *o;
    struct loop l = {.c = c, .o = &own, .given = o, .d = o->director, .err = err};
    own.on_finding = on_found;
    own.self = &l;
    memset(c, 0, sizeof *c);
    c->started_ns = hd_monotonic_ns();
    l.deadline_ns = o->seconds > 0 ? c->started_ns + (s64)(o->seconds * 1e9) : INT64_MAX;
    l.w = calloc(o->jobs, sizeof *l.w);
    l.slot = calloc(o->jobs, sizeof *l.slot);
    if (!l.w || !l.slot) {
        free(l.w);
        free(l.slot);
        return fail(&l, -ENOMEM, "out of memory", "");
    }
    hd_interrupt_catch();
    hd_interrupt_until(l.deadline_ns);
    hd_stray_adopt();
    hd_progress_init(&l.progress, o->quiet);
    int e = 0;
    u32 started = 0;
    for (; started < o->jobs && !e; started++) {
        l.slot[started].size = 1;
        e = launch(&l, started);
    }
    if (!e)
        e = go(&l);
    count_rest(&l);
    if (!e && started && !o->is_races)
        e = hd_delay_explore(c, &own, &l.w[0], l.next_run, err);
    if (!e && started)
        e = hd_races_explore(c, &own, &l.w[0], l.next_run + c->slow_runs, err);
    if (!e && started && o->is_races) /* the time that was kept is for races */
        e = hd_delay_explore(c, &own, &l.w[0], l.next_run + c->race_runs, err);
    hd_first_release(&l.first);
    hd_progress_clear(&l.progress);
    for (u32 i = 0; i < started; i++) {
        hd_notes_collect(c, o, &l.w[i]);
        hd_delay_note(c, &l.w[i]);
        hd_worker_end(&l.w[i]);
    }
    if (l.d->save)
        l.d->save(l.d, &(struct hd_director_end){c->n_findings, c->max_threads, c->uncontrolled,
                                                 c->is_instrumented});
    if (o->cover) {
        hd_campaign_remember_end(c, o->cover);
        hd_cover_finish(o->cover, c->runs, l.w, started);
    }
    for (u32 i = 0; i < started; i++)
        hd_worker_stop(&l.w[i]);
    hd_stray_kill(NULL, 0, 0);
    struct rusage ru;
    if (!getrusage(RUSAGE_CHILDREN, &ru))
        c->peak_rss_kib = (u64)ru.ru_maxrss;
    c->seconds = (double)(hd_monotonic_ns() - c->started_ns) / 1e9;
    c->interrupted |= hd_interrupt_count() > 0;
    hd_interrupt_release();
    free(l.w);
    free(l.slot);
    return (e == -EINTR && c->interrupted) || e == -ETIME ? 0 : e;
}

void hd_campaign_release(struct hd_campaign *c)
{
    for (u32 i = 0; i < c->n_findings; i++)
        hd_finding_release(&c->findings[i]);
    for (u32 i = 0; i < c->n_remarks; i++)
        hd_finding_release(&c->remarks[i]);
    free(c->remarks);
    free(c->findings);
    free(c->times);
    for (u32 i = 0; i < c->n_notes; i++)
        free(c->notes[i]);
    free(c->notes);
    hd_races_forget(c);
    if (c->symbols)
        hd_symbols_close(c->symbols);
    memset(c, 0, sizeof *c);
}
