/* profile.c: one cheap run of each input, as many at a time as there are workers: which
 * functions run at the same time, how much there is to see, and whether the input can be used
 * at all. Every run is the plainest there is (strategy stay), so that a failure says something
 * about the input and not about a schedule.
 */
#include "suite/recall.h"
#include "suite/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/command.h"
#include "process/interrupt.h"
#include "process/stray.h"
#include "process/oracle.h"
#include "process/worker.h"
#include "script/script.h"
#include "strategy/strategy.h"

#define TICK_NS 200000000ll
#define RUNS 2 /* of each input; the second one tells whether it differs */

/* One worker's place. */
struct slot {
    struct hd_suite_input *in; /* NULL = free */
    struct hd_target target;
    struct hd_config cfg;
    struct hd_scope scope;
    struct hd_around around;
    struct hd_script_file script;
    bool has_script, is_started;
    struct hd_cover *cover;
    int stdin_fd;
    u32 runs;                  /* done */
    u64 hash;                  /* of the first one */
    s64 sent_ns;
};

struct profile {
    struct hd_suite *s;
    const struct hd_suite_opts *o;
    struct hd_worker *w;
    struct slot *slot;
    struct hd_suite_memory memory;
    size_t next;
    u32 done;
    bool is_terminal;
    s64 printed_ns;
    s64 until_ns;         /* half of the time is for testing */
};

/* ---- the line that shows how far it is ---------------------------------------------------- */

static void show(struct profile *p, bool is_last)
{
    s64 now = hd_monotonic_ns();
    if (p->o->quiet || !p->is_terminal || (!is_last && now - p->printed_ns < TICK_NS))
        return;
    u32 all = (u32)p->s->input.n, filled = all ? 30 * p->done / all : 30;
    p->printed_ns = now;
    fprintf(stderr, "\r\033[Kheddle: one cheap run of each input [%.*s%.*s] %u of %u", (int)filled,
            "##############################", (int)(30 - filled), "..............................",
            p->done, all);
    if (is_last)
        fprintf(stderr, "\r\033[K");
    fflush(stderr);
}

/* ---- one input -------------------------------------------------------------------------------- */

static void set_state(struct hd_suite_input *in, enum hd_suite_state state, const char *why)
{
    in->profile.state = state;
    free(in->profile.why);
    in->profile.why = why ? strdup(why) : NULL;
}

static int open_stdin(const struct hd_suite_input *in, struct hd_error *err)
{
    bool is_silent;
    if (!in->stdin_file)
        return -1;
    int file = open(in->stdin_file, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        hd_error_set(err, -errno, "cannot read %s: %s", in->stdin_file, strerror(errno));
        return -2;
    }
    int fd = hd_stdin_copy(file, &is_silent);
    close(file);
    return fd;
}

static int open_script(struct slot *a, struct hd_launch *how, struct hd_error *err)
{
    const struct hd_suite_input *in = a->in;
    a->has_script = true;
    int e = hd_script_load(&a->script, in->script, NULL, err);
    if (e)
        return e;
    how->script = in->script_input ? hd_script_find(&a->script, in->script_input)
                                   : &a->script.input.at[0];
    if (!how->script)
        return hd_error_set(err, -EINVAL, "%s has no input '%s'", in->script, in->script_input);
    how->phases = &hd_script_phases;
    a->stdin_fd = hd_script_stdin(how->script, err);
    return a->stdin_fd < -1 ? a->stdin_fd : 0;
}

static int prepare(struct profile *p, u32 i, struct hd_launch *how, struct hd_error *err)
{
    struct slot *a = &p->slot[i];
    const struct hd_suite_input *in = a->in;
    a->cfg = p->o->cfg;
    a->cfg.mode |= HD_MODE_FUNCTIONS | HD_MODE_NO_HEAP;
    a->stdin_fd = -1;
    a->around = (struct hd_around){.setup = in->setup, .cleanup = in->cleanup,
                                   .timeout_ms = p->o->timeout_ms};
    *how = (struct hd_launch){.target = &a->target, .argv = in->argv, .cfg = &a->cfg, .index = i,
                              .cwd = in->cwd, .env = in->env,
                              .around = hd_around_is_empty(&a->around) ? NULL : &a->around};
    int e = in->script ? open_script(a, how, err) : 0;
    if (!e)
        e = hd_target_open(&a->target, in->script ? a->script.program : in->argv[0], err);
    if (!e && !in->script && (a->stdin_fd = open_stdin(in, err)) < -1)
        e = -EIO;
    how->stdin_fd = a->stdin_fd;
    how->scope = &a->scope;
    if (!e) {
        a->in->code = hd_suite_functions(&p->s->programs, a->target.path);
        hd_suite_scope_cheap(&a->scope, a->in->code);
    }
    return e;
}

static int begin_run(struct profile *p, u32 i)
{
    struct slot *a = &p->slot[i];
    struct hd_worker *w = &p->w[i];
    w->host->cfg.mode = a->cfg.mode;
    hd_cover_begin(a->cover, w, 0);
    a->sent_ns = hd_monotonic_ns();
    return hd_worker_send(w, 0, 1);
}

static void finish(struct profile *p, u32 i)
{
    struct slot *a = &p->slot[i];
    if (a->is_started) {
        p->w[i].drain = NULL;
        hd_worker_stop(&p->w[i]);
    }
    hd_cover_close(a->cover);
    hd_suite_scope_release(&a->scope);
    if (a->has_script)
        hd_script_release(&a->script);
    if (a->stdin_fd >= 0)
        close(a->stdin_fd);
    *a = (struct slot){0};
    p->done++;
}

static void start(struct profile *p, u32 i)
{
    struct slot *a = &p->slot[i];
    struct hd_error err = {""};
    struct hd_launch how;
    struct hd_suite_input *in = &p->s->input.at[p->next++];
    if (in->profile.state != HD_SUITE_UNSEEN) { /* it is known already (sift.c) */
        p->done++;
        return;
    }
    if (p->o->seconds > 0 && hd_monotonic_ns() > p->until_ns) {
        set_state(in, HD_SUITE_UNSEEN, "no time was left to look at it (--time)");
        p->done++;
        return;
    }
    a->in = in;
    int e = prepare(p, i, &how, &err);
    if (!e && hd_suite_recall(&p->memory, in, &a->target)) {
        finish(p, i);
        return;
    }
    if (!e) {
        e = hd_worker_start(&p->w[i], &how, &err);
        a->is_started = !e;
    }
    if (!e) {
        struct hd_cover_opts cover = {.what = {.metrics = (u64)1 << HD_METRIC_cfp},
                                      .target = &a->target, .argv = a->in->argv, .stdin_fd = -1,
                                      .strategy = "stay", .jobs = p->o->jobs};
        a->cover = hd_cover_open(&cover);
        hd_cover_attach(a->cover, &p->w[i]);
        e = begin_run(p, i);
    }
    if (e) {
        set_state(a->in, HD_SUITE_BROKEN, err.text[0] ? err.text : strerror(-e));
        finish(p, i);
    }
}

/* ---- what it said ---------------------------------------------------------------------------- */

static int compare(const void *x, const void *y)
{
    const struct hd_suite_pair *p = x, *q = y;
    return p->a != q->a ? p->a < q->a ? -1 : 1 : p->b < q->b ? -1 : p->b > q->b;
}

static void take_pairs(struct slot *a)
{
    struct hd_suite_profile *to = &a->in->profile;
    struct hd_element e;
    to->pair.n = 0;
    for (u32 i = 0; i < hd_coverage_size(a->cover->total); i++) {
        hd_coverage_at(a->cover->total, i, &e, NULL);
        *hd_vec_add(&to->pair) = (struct hd_suite_pair){HD_MIN(e.site[0], e.site[1]),
                                                        HD_MAX(e.site[0], e.site[1])};
    }
    if (to->pair.n)
        qsort(to->pair.at, to->pair.n, sizeof *to->pair.at, compare);
}

static int by_id(const void *x, const void *y)
{
    u64 a = *(const u64 *)x, b = *(const u64 *)y;
    return a < b ? -1 : a > b;
}

/* Every access has been noticed once, before its call left the code. */
static void take_sites(struct slot *a, struct hd_worker *w)
{
    struct hd_suite_profile *to = &a->in->profile;
    HD_VEC(u64) function = {0};
    u32 n;
    const struct hd_site *s = hd_snapshot_sites(&w->run, &n);
    for (size_t i = 0; i < to->pair.n; i++) {
        *hd_vec_add(&function) = to->pair.at[i].a;
        *hd_vec_add(&function) = to->pair.at[i].b;
    }
    if (function.n)
        qsort(function.at, function.n, sizeof *function.at, by_id);
    to->site.n = 0;
    for (u32 i = 0; i < n && function.n; i++) {
        u64 id = s[i].pc ? hd_places_of(&a->cover->places, &w->run, s[i].pc, 0) : 0;
        u64 of = id ? hd_places_function(&a->cover->places, id) : 0;
        if (of && bsearch(&of, function.at, function.n, sizeof of, by_id))
            *hd_vec_add(&to->site) = (struct hd_suite_site){id, of};
    }
    hd_vec_release(&function);
}

static bool is_fine(const struct profile *p, const struct hd_suite_input *in,
                    const struct hd_verdict *v)
{
    return hd_verdict_is_clean(v, p->o->exit_ok, p->o->n_exit_ok) ||
           hd_verdict_is_clean(v, in->exit_ok, in->n_exit_ok);
}

static void judge_end(struct profile *p, struct hd_worker *w, struct hd_suite_input *in)
{
    const struct hd_verdict *v = &w->run.verdict;
    char text[700], words[300];
    bool is_exit = v->kind == HD_V_EXIT && WIFEXITED(v->status);
    if (v->kind == HD_V_LIMIT) {
        set_state(in, HD_SUITE_ENDLESS, "did not end within its time");
    } else if (v->kind == HD_V_NONE || v->kind == HD_V_ENV || v->kind == HD_V_BUG ||
               v->kind == HD_V_DIVERGED) {
        set_state(in, HD_SUITE_BROKEN, v->msg[0] ? v->msg : "the run was killed from outside");
    } else if (!is_fine(p, in, v) && w->run.stats.threads < 2) {
        hd_script_last_words(w->err_fd, words, sizeof words);
        snprintf(text, sizeof text, "fails by itself, before it has a second thread%s%s",
                 words[0] ? ": " : "", words);
        if (is_exit && !words[0])
            snprintf(text, sizeof text,
                     "fails by itself, before it has a second thread: exit status %d",
                     WEXITSTATUS(v->status));
        set_state(in, HD_SUITE_REFUSED, text);
    } else if (w->run.stats.threads < 2) {
        set_state(in, HD_SUITE_SINGLE, "never has a second thread");
    } else {
        set_state(in, HD_SUITE_READY, NULL);
        in->profile.fails = !is_fine(p, in, v);
    }
}

static void judge(struct profile *p, u32 i)
{
    struct slot *a = &p->slot[i];
    struct hd_worker *w = &p->w[i];
    struct hd_suite_profile *to = &a->in->profile;
    hd_cover_end(a->cover, w);
    if (w->is_dead) {
        set_state(a->in, HD_SUITE_BROKEN, "its process ended without a result");
    } else if (!a->runs) {
        judge_end(p, w, a->in);
        to->threads = w->run.stats.threads;
        to->events = w->run.stats.events;
        to->seconds = (double)(w->ended_ns - a->sent_ns) / 1e9;
        a->hash = w->run.stats.hash;
    } else {
        to->differs = w->run.stats.hash != a->hash;
    }
    a->runs++;
    if (to->state == HD_SUITE_READY && a->runs < RUNS && !begin_run(p, i))
        return;
    if (to->state == HD_SUITE_READY) {
        take_pairs(a);
        if (!w->is_dead)
            take_sites(a, w);
    }
    if (!w->is_dead)
        hd_suite_remember(&p->memory, a->in, &a->target);
    finish(p, i);
}

/* ---- all of them ------------------------------------------------------------------------------- */

static bool is_busy(const struct profile *p)
{
    for (u32 i = 0; i < p->o->jobs; i++)
        if (p->slot[i].in)
            return true;
    return false;
}

static u32 timeout_of(const struct profile *p)
{
    u32 ms = 0;
    for (u32 i = 0; i < p->o->jobs; i++)
        if (p->slot[i].in && p->slot[i].in->timeout_ms)
            ms = HD_MAX(ms, p->slot[i].in->timeout_ms);
    return ms ? ms : p->o->timeout_ms;
}

void hd_suite_profile(struct hd_suite *s, const struct hd_suite_opts *o)
{
    struct profile p = {.s = s, .o = o, .is_terminal = isatty(STDERR_FILENO)};
    s64 began = hd_monotonic_ns();
    p.until_ns = began + (s64)(HD_MAX(o->seconds / 2 - s->profile_seconds, 0.0) * 1e9);
    p.w = calloc(o->jobs, sizeof *p.w);
    p.slot = calloc(o->jobs, sizeof *p.slot);
    HD_ASSERT(p.w && p.slot);
    hd_interrupt_catch();
    hd_interrupt_until(INT64_MAX);
    hd_stray_adopt();
    hd_suite_memory_open(&p.memory, o->dir);
    while (!hd_interrupt_count() && (p.next < s->input.n || is_busy(&p))) {
        for (u32 i = 0; i < o->jobs; i++)
            while (!p.slot[i].in && p.next < s->input.n)
                start(&p, i);
        show(&p, false);
        if (!is_busy(&p))
            continue;
        int k = hd_workers_wait(p.w, o->jobs, timeout_of(&p), hd_monotonic_ns() + TICK_NS);
        if (k >= 0)
            judge(&p, (u32)k);
    }
    s->is_interrupted = hd_interrupt_count() > 0;
    for (u32 i = 0; i < o->jobs; i++)
        if (p.slot[i].in)
            finish(&p, i);
    show(&p, true);
    hd_suite_memory_close(&p.memory);
    hd_stray_kill(NULL, 0, 0);
    hd_interrupt_release();
    free(p.w);
    free(p.slot);
    s->profile_seconds += (double)(hd_monotonic_ns() - began) / 1e9;
}
