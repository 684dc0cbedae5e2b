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

/* So many runs of what is prepared. *done: how many there were; a server that died is started
 * again. */
static int send(struct hd_gen_run *r, u32 n, bool is_seen, u32 *done, struct hd_error *err)
{
    r->w.host->cfg = r->cfg;
    r->w.host->cfg.mode |= r->is_learning ? HD_MODE_LEARN : 0;
    if (is_seen)
        hd_cover_begin(r->cover, &r->w, r->next_run);
    if (hd_worker_send(&r->w, r->next_run, n))
        r->w.is_dead = true;
    bool is_alive = !r->w.is_dead && hd_worker_await(&r->w, r->timeout_ms);
    *done = is_alive ? (u32)hd_worker_done(&r->w) : 0;
    if (is_alive && is_seen)
        hd_cover_end(r->cover, &r->w);
    return is_alive ? 0 : revive(r, err);
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
        u32 left = n - at, done;
        prepare(r, t + at, left);
        choose(r, how ? how + at : NULL, left);
        int e = send(r, left, is_observed && r->cover, &done, err);
        if (e)
            return e;
        if (!done) { /* the one it died in says nothing */
            memset(&out[at], 0, sizeof *out);
            at++;
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

int hd_gen_run_group(struct hd_gen_run *r, struct hd_wire_test *t, u32 n,
                     struct hd_gen_outcome *out, bool *is_whole, struct hd_error *err)
{
    u32 done;
    HD_ASSERT(n && n <= HD_WIRE_BATCH);
    if (hd_stop_is_late()) {
        return hd_error_set(err, -EINTR, "interrupted");
    }
    for (u32 i = 0; i < n; i++)
        t[i].follow = (u8)(n - 1 - i);
    prepare(r, t, n);
    for (u32 i = 0; i < n; i++)
        t[i].follow = 0;
    choose(r, NULL, 1);
    int e = send(r, 1, false, &done, err);
    *is_whole = !e && done && r->w.run.verdict.kind == HD_V_CLEAN;
    for (u32 i = 0; i < n && *is_whole; i++) {
        take(r, &t[i], i, HD_V_CLEAN, &out[i]);
        *is_whole = out[i].r.is_over;
    }
    r->next_run += done;
    r->order_runs += *is_whole ? n : 0;
    struct hd_gen_outcome last = {0};
    return e || !done ? e : judge_last(r, &last, err);
}
