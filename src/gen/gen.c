/* gen.c: the campaign of generated tests. See gen.h and docs/design/gen.md.
 *
 *   learn    each operation by itself: does it crash, block, what does it touch?
 *   loop     grow a prefix; pick a test; run all its orders; run it with threads; judge;
 *            what is wrong is made small (shrink.c) and proven (prove.c)
 */
#include "gen/gen.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/stop.h"
#include "process/interrupt.h"

#define BATCHES 1     /* of runs with threads for one test: other tests are worth more; */
#define MAP_BATCHES 3 /* ... while patterns are left to target: */
#define MAP_FIRST 3   /* first so many runs by chance, */
#define MAP_AIMED 1   /* ... or so many driven into what the test was made for, */
#define MAP_MORE 2    /* then so many driven at a time */
#define SHARED_PART 3 /* of its operations use synchronization, or an API is not for sharing */
#define RACES_SHARE 5 /* of the time, for races that were seen */
#define PROGRESS_NS 250000000ll

void hd_gen_message(struct hd_gen *g, const char *format, ...)
{
    char line[1024];
    va_list ap;
    va_start(ap, format);
    vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    if (g->o->print_line)
        g->o->print_line(g->o->self, line);
}

static void progress(struct hd_gen *g, const char *what)
{
    s64 now = hd_monotonic_ns();
    char line[256];
    if (!g->o->progress || now - g->printed_ns < PROGRESS_NS)
        return;
    g->printed_ns = now;
    double s = (double)(now - g->started_ns) / 1e9;
    snprintf(line, sizeof line, "%s  %.0f s  %llu tests  %llu runs (%.0f/s)  %u findings", what, s,
             (unsigned long long)g->result->tests,
             (unsigned long long)(g->run.runs + g->run.order_runs),
             s > 0 ? (double)(g->run.runs + g->run.order_runs) / s : 0, g->result->n_findings);
    g->o->progress(g->o->self, line);
}

static bool is_over(struct hd_gen *g)
{
    s64 until_ns = g->until_ns - (g->races.n ? g->races_ns : 0);
    return g->is_stopped || hd_stop_is_due() || hd_interrupt_count() ||
           hd_monotonic_ns() >= until_ns || (g->o->runs && g->run.runs >= g->o->runs) ||
           (!g->o->keep_going && g->result->n_findings);
}

/* ---- the driver ------------------------------------------------------------------------- */

static int start(struct hd_gen *g, struct hd_error *err)
{
    char program[PATH_MAX], area[PATH_MAX];
    int e = hd_gen_build_driver(g, program, sizeof program, err);
    if (e)
        return e;
    struct hd_target target;
    e = hd_target_open(&target, program, err);
    if (e)
        return e;
    snprintf(area, sizeof area, "%.*s/area", (int)sizeof area - 6, g->folder);
    char *argv[] = {target.path, NULL}; /* without the area: it is in another place each time */
    u64 races = (u64)hd_gen_races_wanted(g) << HD_METRIC_race;
    struct hd_cover_opts co = {.what = {.metrics = (u64)1 << HD_METRIC_map | races},
                               .target = &target,
                               .argv = argv,
                               .stdin_fd = -1,
                               .dir = g->o->dir,
                               .strategy = "gen",
                               .seed = g->o->cfg.seed,
                               .jobs = 1};
    g->cover = hd_cover_open(&co);
    hd_gen_watch_open(g);
    hd_gen_races_open(g);
    g->contract = g->api->contract;
    return hd_gen_run_open(&g->run, g->api, program, area, &g->o->cfg, g->cover, err);
}

/* ---- learning -------------------------------------------------------------------------- */

static bool is_operation(const struct hd_gen_func *f)
{
    return f->role == HD_GEN_OPERATION || f->role == HD_GEN_OBSERVES ||
           (f->role == HD_GEN_DESTROYS && f->after >= 0);
}

static int run_observed(struct hd_gen *g, const struct hd_wire_test *t, struct hd_gen_outcome *out,
                        struct hd_error *err)
{
    hd_gen_watch_batch(&g->watch, &g->run.w, &t, 1, g->run.results->mark);
    return hd_gen_run_batch(&g->run, t, 1, NULL, true, out, err);
}

/* One operation by itself, with a few choices of arguments. */
static int learn_op(struct hd_gen *g, u32 op, struct hd_error *err)
{
    struct hd_gen_func *f = &g->api->func.at[op];
    struct hd_wire_test t;
    struct hd_gen_outcome out;
    u32 bad = 0, blocked = 0, late = 0, n = 3;
    char call[256] = "", why[256] = "";
    for (u32 k = 0; k < n; k++) {
        hd_gen_begin_test(g, &t, NULL);
        if (f->after >= 0)
            hd_gen_add_call(g, &t, (u32)f->after, 1);
        hd_gen_add_call(g, &t, op, 1);
        if (!k)
            memset(t.call[t.n - 1].arg, 0, HD_WIRE_ARGS);
        t.threads = 1;
        int e = run_observed(g, &t, &out, err);
        if (e)
            return e;
        if (hd_gen_is_failure(out.verdict) && !bad++) {
            hd_gen_call_text(g->api, &t, t.n - 1, NULL, call, sizeof call);
            snprintf(why, sizeof why, "%s%s%s", hd_replay_verdict_word(out.verdict),
                     out.msg[0] ? ": " : "", out.msg);
        }
        blocked += hd_gen_is_blocked(out.verdict);
        late += out.verdict == HD_V_LIMIT;
    }
    if (bad && bad == n) {
        f->is_dropped = true; /* until a state is known that it works in: learn_again */
        f->note = "fails when nothing else runs";
        hd_gen_message(g, "%s fails when nothing else runs (%s): it is called in other states only",
                   call, why);
    } else if (bad) {
        f->note = "fails when nothing else runs";
        hd_gen_message(g, "%s fails when nothing else runs (%s): such calls are avoided", call,
                       why);
    }
    if (blocked) {
        f->is_blocking = true;
        f->note = "may wait for another call";
    }
    if (late == n) {
        f->is_dropped = true;
        f->note = "takes too long";
    }
    return 0;
}

/* An operation that failed with new objects: does it work after any of the prefixes? */
static int learn_again(struct hd_gen *g, u32 op, struct hd_error *err)
{
    struct hd_gen_func *f = &g->api->func.at[op];
    struct hd_wire_test t;
    struct hd_gen_outcome out;
    for (u32 k = 1; k < g->n_prefixes && f->is_dropped && !is_over(g); k++) {
        hd_gen_begin_test(g, &t, &g->prefix[k]);
        if (f->after >= 0)
            hd_gen_add_call(g, &t, (u32)f->after, 1);
        hd_gen_add_call(g, &t, op, 1);
        t.threads = 1;
        int e = run_observed(g, &t, &out, err);
        if (e)
            return e;
        f->is_dropped = out.verdict != HD_V_CLEAN || out.r.call[t.n - 1].is_skipped;
    }
    return 0;
}

static void list_ops(struct hd_gen *g)
{
    g->n_ops = 0;
    for (u32 i = 0; i < g->api->func.n && i < HD_GEN_OPS; i++) {
        const struct hd_gen_func *f = &g->api->func.at[i];
        if (is_operation(f) && !f->is_exclusive && !f->is_dropped)
            g->op[g->n_ops++] = i;
    }
}

/* An API most of whose operations do without any synchronization is not made for sharing: said
 * once. Some of them may count references or print errors under a lock. */
static void judge_contract(struct hd_gen *g)
{
    u32 syncs = 0;
    u64 writes = 0;
    char some[80] = "no operation of this API uses";
    for (u32 i = 0; i < g->n_ops; i++)
        syncs += hd_gen_bit(g->watch.syncs, g->op[i]);
    for (u32 i = 0; i < 4; i++)
        writes |= g->watch.writes[i];
    if (g->contract != HD_GEN_UNDECLARED || SHARED_PART * syncs >= HD_MAX(g->n_ops, 1u))
        return;
    g->contract = HD_GEN_SEPARATE;
    if (syncs)
        snprintf(some, sizeof some, "only %u of %u operations of this API use%s", syncs, g->n_ops,
                 syncs == 1 ? "s" : "");
    hd_gen_message(g,
                   "%s %s. Tested with one object per thread; if it is meant to be shared, say "
                   "--contract thread-safe",
                   some,
                   writes || syncs
                       ? "any synchronization: calls on one object must not overlap"
                       : "locks, and its memory accesses are not seen (it is not built with "
                         "-fsanitize=thread)");
}

/* Half of the time is for tests, however many operations there are. */
static bool is_learned(struct hd_gen *g)
{
    return is_over(g) || hd_monotonic_ns() > g->until_ns - g->all_ns / 2;
}

/* Each operation by itself, as far as the time goes. */
static int learn_ops(struct hd_gen *g, struct hd_error *err)
{
    u32 learned = 0;
    for (; learned < g->n_ops && !is_learned(g); learned++) {
        int e = learn_op(g, g->op[learned], err);
        if (e)
            return e;
        progress(g, "learning");
    }
    if (learned < g->n_ops)
        hd_gen_message(g, "half of the time went to %u of %u operations, each by itself: the others "
                          "are not called (--time, --prefix)", learned, g->n_ops);
    for (u32 i = learned; i < g->n_ops; i++) {
        g->api->func.at[g->op[i]].is_dropped = true;
        g->api->func.at[g->op[i]].note = "there was no time to try it";
    }
    return 0;
}

static int learn(struct hd_gen *g, struct hd_error *err)
{
    list_ops(g);
    g->n_prefixes = 1; /* the empty one */
    int e = learn_ops(g, err);
    if (e)
        return e;
    list_ops(g);
    for (u32 i = 0; i < g->n_ops; i++) {
        struct hd_gen_func *f = &g->api->func.at[g->op[i]];
        if (hd_gen_bit(g->watch.trylocks, g->op[i]) && !f->no_result) {
            f->no_result = true;
            f->note = "tries a lock, and may refuse while another call has it: its results are not "
                      "compared";
            hd_gen_message(g, "%s %s", f->name, f->note);
        }
    }
    if (!is_over(g))
        judge_contract(g);
    if (!g->n_ops)
        return hd_error_set(err, -ENOENT, "no operation is left to be called");
    for (u32 i = 0; i < 4 * g->n_ops && i < 200 && !is_learned(g) && !e; i++) {
        e = hd_gen_prefix_grow(g, err);
        progress(g, "learning");
    }
    for (u32 i = 0; i < g->api->func.n && i < HD_GEN_OPS && !e && !is_learned(g); i++)
        if (is_operation(&g->api->func.at[i]) && g->api->func.at[i].is_dropped)
            e = learn_again(g, i, err);
    list_ops(g);
    return e ? e : hd_gen_memory_load(g, err);
}

/* ---- tests ------------------------------------------------------------------------------ */

static const char *const mix[] = {"random", "pct",      "pos", "surw",
                                  "random", "pctlarge", "pos", "pct"};

/* One batch of n runs of the test, its first or a later one; the first wrong outcome, if any. */
static int run_threads(struct hd_gen *g, const struct hd_wire_test *t, struct hd_gen_how *how,
                       u32 n, bool is_first, enum hd_gen_wrong *wrong, struct hd_gen_outcome *got,
                       struct hd_error *err)
{
    static struct hd_gen_outcome out[HD_PLAN];
    static struct hd_wire_test copy[HD_PLAN];
    static const struct hd_wire_test *list[HD_PLAN];
    bool is_measured = g->o->no_confirm && g->o->keep_going; /* what a number of runs covers */
    bool is_observed = hd_gen_is_driven(g) || g->races.is_on || is_measured;
    for (u32 i = 0; i < n; i++) {
        copy[i] = *t;
        copy[i].is_sequential = 0;
        list[i] = &copy[i];
        if (!how[i].strategy)
            how[i].strategy = mix[(g->run.runs + i) % HD_COUNT(mix)];
    }
    hd_gen_watch_batch(&g->watch, &g->run.w, list, n, g->run.results->mark);
    g->run.is_learning = is_first;
    int e = hd_gen_run_batch(&g->run, copy, n, how, is_observed, out, err);
    g->run.is_learning = true;
    *wrong = HD_GEN_RIGHT;
    for (u32 i = 0; i < n && !e; i++) {
        hd_gen_picked(g, t, &out[i]);
        if (*wrong == HD_GEN_RIGHT) {
            *wrong = hd_gen_judge(g->api, t, &g->orders, &out[i]);
            *got = out[i];
            g->map.pattern = how[i].pattern;
        }
    }
    if (!e && hd_gen_races_took(g, t) && *wrong == HD_GEN_RIGHT)
        *wrong = HD_GEN_WRONG_RACE;
    return e;
}

enum hd_gen_wrong hd_gen_try(struct hd_gen *g, const struct hd_wire_test *t, u32 batches,
                             struct hd_gen_outcome *got, struct hd_error *err)
{
    enum hd_gen_wrong wrong = HD_GEN_RIGHT;
    if (hd_gen_order_count(t) > HD_GEN_ORDERS || hd_gen_orders_run(g, t, true, err) ||
        g->orders.is_failing)
        return HD_GEN_RIGHT;
    for (u32 i = 0; i < batches && wrong == HD_GEN_RIGHT && !hd_stop_is_late(); i++) {
        struct hd_gen_how how[HD_PLAN] = {{0}};
        if (run_threads(g, t, how, HD_PLAN, !i, &wrong, got, err))
            return HD_GEN_RIGHT;
    }
    return wrong;
}

/* What makes two failures one: the kind, and the calls of the threads. */
static u64 cause(const struct hd_wire_test *t, enum hd_gen_wrong wrong, u32 verdict)
{
    u64 ops = 0;
    for (u32 i = 0; i < t->n; i++)
        if (hd_gen_is_threaded(&t->call[i]))
            ops += (t->call[i].op + 1) * 0x9e3779b97f4a7c15ull;
    return ops ^ (u64)wrong << 56 ^ (u64)verdict << 48;
}

static int found(struct hd_gen *g, struct hd_wire_test *t, enum hd_gen_wrong wrong,
                 struct hd_gen_outcome *got, struct hd_error *err)
{
    bool is_proven = false;
    if (!g->result->found_runs) {
        g->result->found_runs = g->run.runs;
        g->result->found_seconds = (double)(hd_monotonic_ns() - g->started_ns) / 1e9;
    }
    if (g->o->no_confirm) {
        g->result->n_findings++;
        hd_gen_count_failure(g, t, wrong, got);
        return 0;
    }
    struct hd_gen_outcome again;
    if (hd_gen_try(g, t, HD_GEN_RETRY, &again, err) == wrong)
        *got = again;
    int e = hd_gen_shrink(g, t, wrong, got, err);
    if (e)
        return e;
    if (!hd_map_put(&g->reported, cause(t, wrong, got->verdict), 1))
        return 0; /* known */
    e = hd_gen_prove(g, t, wrong, got, &is_proven, err);
    if (e)
        return e;
    g->result->n_findings += is_proven;
    g->result->n_unconfirmed += !is_proven;
    if (!is_proven)
        hd_gen_message(
            g, "a test failed in the driver and not in a program of its own: it is not counted");
    return 0;
}

/* By orders that had a process each, if they had not. */
static int judge_again(struct hd_gen *g, const struct hd_wire_test *t, enum hd_gen_wrong *wrong,
                       const struct hd_gen_outcome *got, struct hd_error *err)
{
    if (g->orders.is_exact)
        return 0;
    int e = hd_gen_orders_run(g, t, true, err);
    if (!e && g->orders.is_failing)
        *wrong = HD_GEN_RIGHT;
    else if (!e && *wrong != HD_GEN_WRONG_RACE)
        *wrong = hd_gen_judge(g->api, t, &g->orders, got);
    return e;
}

static int one_test(struct hd_gen *g, struct hd_error *err)
{
    struct hd_wire_test t;
    struct hd_gen_how how[HD_PLAN] = {{0}};
    struct hd_gen_outcome got;
    enum hd_gen_wrong wrong = HD_GEN_RIGHT;
    hd_gen_pick(g, &t);
    g->result->tests++;
    int e = hd_gen_orders_run(g, &t, false, err);
    if (e || g->orders.is_failing)
        return e; /* fails in some order by itself: the threads are not to blame */
    bool is_map = hd_gen_is_driven(g);
    u32 n = is_map ? MAP_FIRST : HD_PLAN;
    hd_gen_map_begin(g);
    if (g->map.is_aimed) /* every other time one goes by chance besides */
        n = HD_MAX(hd_gen_map_first_goals(g, how, MAP_AIMED) + (u32)hd_rng_below(&g->rng, 2), 1u);
    for (u32 i = 0; i < (is_map ? MAP_BATCHES : BATCHES) && n && wrong == HD_GEN_RIGHT && !e &&
                    !is_over(g);
         i++) {
        e = run_threads(g, &t, how, n, !i, &wrong, &got, err);
        memset(how, 0, sizeof how);
        if (is_map && !e)
            n = hd_gen_map_goals(g, how, MAP_MORE);
        progress(g, "testing");
    }
    g->map.is_estimating = false;
    if (!e && wrong != HD_GEN_RIGHT)
        e = judge_again(g, &t, &wrong, &got, err);
    return e || wrong == HD_GEN_RIGHT ? e : found(g, &t, wrong, &got, err);
}

/* ---- the campaign
 * ---------------------------------------------------------------------------------- */

static int campaign(struct hd_gen *g, struct hd_error *err)
{
    double seconds = g->o->seconds > 0 ? g->o->seconds : g->o->runs ? 1e9 : HD_GEN_SECONDS;
    int e = start(g, err);
    g->all_ns = (s64)(seconds * 1e9);
    g->until_ns = hd_monotonic_ns() + g->all_ns; /* compiling does not count */
    g->races_ns = g->all_ns / RACES_SHARE;
    if (!e)
        e = learn(g, err);
    while (!e && !is_over(g)) {
        e = one_test(g, err);
        hd_gen_count_point(g);
        if (!e && hd_rng_chance(&g->rng, 1, 4))
            e = hd_gen_prefix_grow(g, err);
    }
    if (!e)
        hd_gen_watch_tell(g);
    return e ? e : hd_gen_races_report(g, err);
}

int hd_gen_campaign(struct hd_api *a, const struct hd_gen_opts *o, struct hd_gen_result *out,
                    struct hd_error *err)
{
    struct hd_gen *g = calloc(1, sizeof *g);
    struct hd_tmp tmp = {.path = ""};
    char base[PATH_MAX];
    HD_ASSERT(g);
    memset(out, 0, sizeof *out);
    g->api = a;
    g->o = o;
    g->result = out;
    g->run.area_fd = -1;
    g->rng = hd_rng_make(o->cfg.seed, 0, HD_RNG_DRIVE);
    hd_map_run_init(&g->map.run);
    g->pair = calloc((size_t)HD_GEN_OPS * HD_GEN_OPS, sizeof *g->pair);
    g->orders.at = calloc(HD_GEN_ORDERS, sizeof *g->orders.at);
    HD_ASSERT(g->pair && g->orders.at);
    g->started_ns = hd_monotonic_ns();
    g->until_ns = INT64_MAX;
    hd_interrupt_catch();
    int e = hd_tmp_base(base);
    if (!e)
        e = hd_tmp_make(&tmp, base, "heddle-gen-");
    if (e)
        hd_error_set(err, e, "cannot make a temporary folder: %s", strerror(-e));
    snprintf(g->folder, sizeof g->folder, "%s", tmp.path);
    if (!e)
        e = campaign(g, err);
    out->is_interrupted = g->is_stopped || hd_interrupt_count() > 0;
    out->runs = g->run.runs;
    out->order_runs = g->run.order_runs;
    out->n_causes = (u32)g->causes.n;
    out->pairs_covered = hd_gen_count_pairs(g);
    if (g->cover) {
        out->covered = hd_coverage_count(g->cover->total, HD_METRIC_map)->covered;
        out->possible = hd_coverage_possible(g->cover->total, HD_METRIC_map);
    }
    hd_gen_memory_save(g);
    if (g->cover)
        hd_cover_finish(g->cover, g->run.runs, g->run.is_started ? &g->run.w : NULL,
                        g->run.is_started);
    hd_gen_run_close(&g->run);
    hd_cover_close(g->cover);
    hd_gen_watch_release(&g->watch);
    hd_gen_races_release(g);
    hd_map_release(&g->tried);
    hd_map_run_release(&g->map.run);
    hd_map_release(&g->map.here);
    hd_gen_gaps_release(&g->gaps);
    hd_vec_release(&g->map.pairs);
    hd_vec_release(&g->map.open);
    hd_vec_release(&g->map.attempts);
    hd_map_release(&g->reported);
    hd_vec_release(&g->causes);
    hd_tmp_remove(&tmp);
    hd_interrupt_release();
    out->seconds = (double)(hd_monotonic_ns() - g->started_ns) / 1e9;
    free(g->pair);
    free(g->orders.at);
    free(g);
    return e == -EINTR && out->is_interrupted ? 0 : e;
}
