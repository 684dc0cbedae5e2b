/* run.c: see run.h. */
#include "gen/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/stop.h"
#include "strategy/strategy.h"

#define RESTARTS 20 /* of a driver whose server dies, in one campaign */

/* ---- lifecycle ----------------------------------------------------------------------------- */

static int map_area(struct hd_gen_run *r, const char *path, struct hd_error *err)
{
    snprintf(r->area_path, sizeof r->area_path, "%s", path);
    r->area_fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (r->area_fd < 0 || ftruncate(r->area_fd, (off_t)HD_WIRE_BYTES)) {
        return hd_error_set(err, -errno, "cannot make %s: %s", path, strerror(errno));
    }
    char *p = mmap(NULL, HD_WIRE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, r->area_fd, 0);
    if (p == MAP_FAILED) {
        return hd_error_set(err, -ENOMEM, "cannot map %s: %s", path, strerror(errno));
    }
    r->tests = (struct hd_wire_tests *)p;
    r->results = (struct hd_wire_results *)(p + HD_WIRE_TESTS_BYTES);
    return 0;
}

static int start(struct hd_gen_run *r, struct hd_error *err)
{
    struct hd_launch how = {.target = &r->target, .argv = r->argv, .cfg = &r->cfg, .stdin_fd = -1};
    int e = hd_worker_start(&r->w, &how, err);
    r->is_started = !e;
    if (!e && r->cover)
        hd_cover_attach(r->cover, &r->w);
    return e;
}

int hd_gen_run_open(struct hd_gen_run *r, const struct hd_api *a, const char *program,
                    const char *area_path, const struct hd_config *cfg, struct hd_cover *cover,
                    struct hd_error *err)
{
    memset(r, 0, sizeof *r);
    r->api = a;
    r->cfg = *cfg;
    r->cover = cover;
    r->area_fd = -1;
    r->timeout_ms = 2000;
    r->is_learning = true;
    int e = hd_target_open(&r->target, program, err);
    if (!e)
        e = map_area(r, area_path, err);
    r->argv[0] = r->target.path;
    r->argv[1] = r->area_path;
    if (!e)
        e = start(r, err);
    if (e)
        hd_gen_run_close(r);
    return e;
}

void hd_gen_run_close(struct hd_gen_run *r)
{
    if (r->is_started)
        hd_worker_stop(&r->w);
    if (r->tests)
        munmap(r->tests, HD_WIRE_BYTES);
    if (r->area_fd >= 0)
        close(r->area_fd);
    r->is_started = false;
    r->tests = NULL;
    r->area_fd = -1;
}

/* ---- batches -----------------------------------------------------------------------------------
 */

static void prepare(struct hd_gen_run *r, const struct hd_wire_test *t, u32 n)
{
    r->results->next = 0;
    for (u32 i = 0; i < n; i++) {
        r->tests->test[i] = t[i];
        struct hd_wire_result *w = &r->results->result[i];
        w->is_over = w->callbacks = 0;
        memset(w->call, 0, t[i].n * sizeof *w->call);
    }
}

static void choose(struct hd_gen_run *r, const struct hd_gen_how *how, u32 n)
{
    struct hd_shm_host *m = r->w.host;
    m->plan.n = m->plan.n_goals = 0;
    m->script_n = 0;
    hd_shm_marks_begin(m, false);
    if (!how) {
        const struct hd_strategy *stay = hd_strategy_find("stay");
        m->cfg.strategy = hd_strategy_index(stay);
        m->cfg.strategy_param = stay->param_default;
        return;
    }
    for (u32 i = 0; i < n && i < HD_PLAN; i++) {
        const struct hd_strategy *s = hd_strategy_find(how[i].strategy);
        HD_ASSERT(s);
        m->plan.at[i].strategy = hd_strategy_index(s);
        m->plan.at[i].param = s->param_default;
        m->plan.at[i].goals = how[i].goals;
        m->plan.n_goals += how[i].goals.n;
        for (u32 k = 0; how[i].goals.n && k < how[i].goals.at[0].n; k++)
            hd_shm_mark(m, how[i].goals.at[0].event[k].site, 0, HD_SITE_GOAL);
        m->plan.n = i + 1;
    }
}

static void take(struct hd_gen_run *r, const struct hd_wire_test *t, u32 i, u32 verdict,
                 struct hd_gen_outcome *out)
{
    memset(out, 0, sizeof *out);
    out->verdict = verdict;
    out->is_order = t->is_sequential;
    memcpy(out->order, t->order, sizeof out->order);
    out->n_order = t->n_order;
    out->r.is_over = r->results->result[i].is_over;
    out->r.callbacks = r->results->result[i].callbacks;
    memcpy(out->r.call, r->results->result[i].call, t->n * sizeof *out->r.call);
    for (u32 k = 0; k < t->n; k++)
        out->r.call[k].n = (u8)HD_MIN((u32)out->r.call[k].n, (u32)HD_WIRE_VALUES);
}

/* A server that died: that test says nothing. */
static int revive(struct hd_gen_run *r, struct hd_error *err)
{
    if (r->cover)
        hd_cover_end(r->cover, &r->w);
    hd_worker_stop(&r->w);
    r->is_started = false;
    if (++r->restarts > RESTARTS) {
        return hd_error_set(
            err, -ECHILD,
            "the driver's server process ended again and again in the middle of its work");
    }
    return start(r, err);
}

static int judge_last(struct hd_gen_run *r, struct hd_gen_outcome *out, struct hd_error *err)
{
    const struct hd_verdict *v = &r->w.run.verdict;
    out->verdict = v->kind;
    out->limit = v->limit;
    snprintf(out->msg, sizeof out->msg, "%.*s", (int)sizeof out->msg - 1, v->msg);
    if (v->kind == HD_V_ENV || v->kind == HD_V_BUG) {
        return hd_error_set(err, -EPROTO, "%s: %.400s",
                            v->kind == HD_V_BUG ? "internal error in Heddle's runtime"
                                                : "the driver cannot be run under control",
                            v->msg);
    }
    return 0;
}

int hd_gen_run_batch(struct hd_gen_run *r, const struct hd_wire_test *t, u32 n,
                     const struct hd_gen_how *how, bool is_observed, struct hd_gen_outcome *out,
                     struct hd_error *err)
{
    HD_ASSERT(n <= HD_WIRE_BATCH && (!how || n <= HD_PLAN));
    for (u32 at = 0; at < n;) {
        if (hd_stop_is_late()) {
            return hd_error_set(err, -EINTR, "interrupted");
        }
        u32 left = n - at;
        bool is_seen = is_observed && r->cover;
        prepare(r, t + at, left);
        r->w.host->cfg = r->cfg;
        r->w.host->cfg.mode |= r->is_learning ? HD_MODE_LEARN : 0;
        choose(r, how ? how + at : NULL, left);
        if (is_seen)
            hd_cover_begin(r->cover, &r->w, r->next_run);
        int e = hd_worker_send(&r->w, r->next_run, left);
        if (e)
            r->w.is_dead = true;
        bool is_alive = !e && hd_worker_await(&r->w, r->timeout_ms);
        u32 done = is_alive ? (u32)hd_worker_done(&r->w) : 0;
        if (is_alive && is_seen)
            hd_cover_end(r->cover, &r->w);
        if (!is_alive || !done) { /* the one it died in says nothing */
            memset(&out[at], 0, sizeof *out);
            at++;
            e = is_alive ? 0 : revive(r, err);
            if (e)
                return e;
            continue;
        }
        for (u32 i = 0; i < done; i++)
            take(r, &t[at + i], i, HD_V_CLEAN, &out[at + i]);
        at += done;
        r->next_run += done;
        *(how ? &r->runs : &r->order_runs) += done;
        e = judge_last(r, &out[at - 1], err);
        if (e)
            return e;
    }
    return 0;
}

/* ---- orders -------------------------------------------------------------------------------- */

/* The same order with other clocks and other chance. */
static int run_again(struct hd_gen_run *r, const struct hd_wire_test *t,
                     const struct hd_gen_outcome *was, u32 *varies, struct hd_error *err)
{
    struct hd_gen_outcome again = {0};
    struct hd_config cfg = r->cfg;
    r->cfg.data_seed ^= 0x9e3779b97f4a7c15ull;
    r->cfg.epoch_ns += 86400ll * 1000000000 * 41 + 12345678901ll;
    r->cfg.step_ns *= 3;
    int e = hd_gen_run_batch(r, t, 1, NULL, false, &again, err);
    r->cfg = cfg;
    if (e || again.verdict != HD_V_CLEAN || was->verdict != HD_V_CLEAN)
        return e;
    for (u32 i = 0; i < t->n; i++) {
        const struct hd_wire_value *x = &was->r.call[i], *y = &again.r.call[i];
        bool is_same = x->n == y->n && x->is_skipped == y->is_skipped;
        for (u32 k = 0; k < x->n && is_same; k++)
            is_same = x->kind[k] == y->kind[k] && (x->v[k] == y->v[k] || x->kind[k] == 'p');
        *varies |= is_same ? 0 : 1u << i;
    }
    return 0;
}

static int run_orders(struct hd_gen_run *r, const struct hd_wire_test *t, struct hd_gen_orders *out,
                      u32 *varies, struct hd_error *err)
{
    static struct hd_wire_test order[HD_GEN_ORDERS];
    out->n = 0;
    out->is_failing = out->is_blocking = false;
    while (out->n < HD_GEN_ORDERS && hd_gen_order(t, out->n, &order[out->n]))
        out->n++;
    for (u32 at = 0; at < out->n;) {
        u32 k = HD_MIN(out->n - at, (u32)HD_WIRE_BATCH);
        int e = hd_gen_run_batch(r, order + at, k, NULL, false, out->at + at, err);
        if (e)
            return e;
        at += k;
    }
    for (u32 i = 0; i < out->n; i++) {
        out->is_failing |= hd_gen_is_failure(out->at[i].verdict);
        out->is_blocking |= hd_gen_is_blocked(out->at[i].verdict);
    }
    *varies = 0;
    return out->n && varies ? run_again(r, &order[0], &out->at[0], varies, err) : 0;
}

int hd_gen_run_orders(struct hd_gen_run *r, const struct hd_wire_test *t, struct hd_gen_orders *out,
                      u32 *varies, struct hd_error *err)
{
    r->is_learning = false; /* one call at a time: nothing is shared */
    int e = run_orders(r, t, out, varies, err);
    r->is_learning = true;
    return e;
}
