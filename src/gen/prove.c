/* prove.c: a test that went wrong becomes a program of its own, which is compiled and tested
 * as any other program: what counts is whether *it* fails. Its finding has a schedule that
 * replays, a report, and the source as gen_<id>.c beside it. */
#include "gen/gen.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "gen/emit/driver.h"
#include "plan/director.h"
#include "process/command.h"
#include "process/interrupt.h"
#include "strategy/strategy.h"

#define PROVE_RUNS 3000
#define PROVE_SECONDS 20
#define RACE_RUNS 60
#define LINES 64

struct notes {
    char *at[LINES + 1];
    u32 n;
};

HD_PRINTF(2, 3) static void note(struct notes *n, const char *format, ...)
{
    va_list ap;
    char text[600];
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    for (char *c = strstr(text, "*/"); c; c = strstr(c, "*/"))
        *c = ' '; /* it goes into a comment */
    if (n->n < LINES)
        n->at[n->n++] = hd_gen_copy(text);
    n->at[n->n] = NULL;
}

static void release(struct notes *n)
{
    for (u32 i = 0; i < n->n; i++)
        free(n->at[i]);
}

static u32 threaded(const struct hd_wire_test *t)
{
    u32 n = 0;
    for (u32 i = 0; i < t->n; i++)
        n += hd_gen_is_threaded(&t->call[i]);
    return n;
}

/* "no order of these 4 calls gives this" */
static void sentence(const struct hd_gen *g, const struct hd_wire_test *t, enum hd_gen_wrong how,
                     char *buf, size_t size)
{
    u32 n = threaded(t);
    const char *if_ = g->api->contract == HD_GEN_UNDECLARED && g->contract != HD_GEN_SEPARATE
                          ? ", if these calls may overlap"
                          : "";
    if (how == HD_GEN_WRONG_RESULT)
        snprintf(buf, size, "no order of these %u calls gives this%s", n, if_);
    else if (how == HD_GEN_WRONG_RACE)
        snprintf(buf, size, "nothing orders accesses of these %u calls to the same memory", n);
    else
        snprintf(buf, size, "no order of these %u calls %s%s", n,
                 how == HD_GEN_WRONG_BLOCK ? "blocks" : "fails like this", if_);
}

/* The calls of each thread with what they gave. */
static void describe_calls(struct notes *n, const struct hd_api *a, const struct hd_wire_test *t,
                 const struct hd_gen_outcome *got)
{
    char text[300];
    for (u32 i = 0; i < t->n; i++) {
        const struct hd_wire_call *c = &t->call[i];
        hd_gen_call_text(a, t, i, got, text, sizeof text);
        if (c->thread == HD_WIRE_BEFORE)
            note(n, "  before      %s", text);
        else if (c->thread == HD_WIRE_AFTER)
            note(n, "  afterwards  %s", text);
        else
            note(n, "  thread %u    %s", c->thread, text);
    }
}

static void describe_order(struct notes *n, const struct hd_api *a, const struct hd_wire_test *t,
                       const struct hd_gen_outcome *o)
{
    char text[300];
    note(n, "The nearest order gives:");
    for (u32 i = 0; i < o->n_order; i++) {
        hd_gen_call_text(a, t, o->order[i], o, text, sizeof text);
        note(n, "  %u. thread %u %s", i + 1, t->call[o->order[i]].thread, text);
    }
    for (u32 i = 0; i < t->n; i++)
        if (t->call[i].thread == HD_WIRE_AFTER) {
            hd_gen_call_text(a, t, i, o, text, sizeof text);
            note(n, "  afterwards  %s", text);
        }
}

static void describe(const struct hd_gen *g, const struct hd_wire_test *t, enum hd_gen_wrong how,
                     const struct hd_gen_outcome *got, const char *name, struct notes *n)
{
    char text[200];
    sentence(g, t, how, text, sizeof text);
    const struct hd_gen_outcome *near =
        how == HD_GEN_WRONG_RESULT ? hd_gen_nearest(g->api, t, &g->orders, got) : NULL;
    note(n, "%s: made by `heddle gen` from %s.", name, g->api->header);
    note(n, "%s", "");
    note(n, "%c%s:", text[0] - 'a' + 'A', text + 1);
    describe_calls(n, g->api, t, got);
    if (near)
        describe_order(n, g->api, t, near);
    note(n, "%s", "");
    char flags[400] = "";
    for (char *const *f = g->o->flags; f && *f; f++)
        snprintf(flags + strlen(flags), sizeof flags - strlen(flags), " %s", *f);
    note(n, "Build: gcc%s -g -fsanitize=thread %s%s%s", g->api->is_cxx ? " -std=c++17" : "", name,
         flags, g->api->is_cxx ? " -lstdc++" : "");
    note(n, "Run:   heddle test -- ./a.out");
}

/* ---- its campaign
 * ----------------------------------------------------------------------------------- */

struct printed {
    const struct hd_gen *g;
    char id[24], dir[512];
    const struct notes *notes;
};

static void on_finding(void *self, const struct hd_finding *f, struct hd_symbols *s)
{
    struct printed *w = self;
    snprintf(w->id, sizeof w->id, "%s", f->id);
    snprintf(w->dir, sizeof w->dir, "%s", f->dir);
    if (w->g->o->on_finding)
        w->g->o->on_finding(w->g->o->self, f, s);
}

static int test_program(struct hd_gen *g, const char *program, enum hd_gen_wrong how_wrong,
                        struct printed *w, bool *is_proven, struct hd_error *err)
{
    struct hd_races races;
    struct hd_target target;
    struct hd_campaign c;
    char *argv[] = {(char *)program, NULL};
    int e = hd_target_open(&target, program, err);
    if (e)
        return e;
    struct hd_campaign_opts co = {.target = &target,
                                  .argv = argv,
                                  .cfg = g->o->cfg,
                                  .runs = PROVE_RUNS,
                                  .seconds = PROVE_SECONDS,
                                  .timeout_ms = 5000,
                                  .jobs = 1,
                                  .dir = g->o->dir,
                                  .quiet = true,
                                  .minimize_seconds = g->o->minimize_seconds,
                                  .stdin_fd = -1,
                                  .on_finding = on_finding,
                                  .self = w,
                                  .command = g->o->command};
    const struct hd_strategy *active = hd_strategy_find("active");
    co.cfg.strategy = hd_strategy_index(active);
    co.cfg.strategy_param = active->param_default;
    struct hd_cover_opts cover = {.target = &target,
                                  .argv = argv,
                                  .stdin_fd = -1,
                                  .strategy = "active",
                                  .seed = co.cfg.seed,
                                  .jobs = 1};
    hd_cover_choose(&cover.what, "auto", NULL);
    co.cover = hd_cover_open(&cover);
    hd_races_init(&races);
    if (how_wrong == HD_GEN_WRONG_RACE) {
        hd_cover_races(co.cover, &races);
        co.races = &races;
        co.runs = RACE_RUNS;
    }
    struct hd_director_opts how = {.target = &target,
                                   .argv = argv,
                                   .stdin_fd = -1,
                                   .jobs = 1,
                                   .timeout_ms = co.timeout_ms,
                                   .cfg = &co.cfg,
                                   .cover = co.cover,
                                   .is_driven = true,
                                   .search_learn = HD_LEARN_NONE};
    e = hd_director_open(&co.director, &how, err);
    if (!e) {
        e = hd_campaign_run(&c, &co, err);
        *is_proven = c.n_findings > 0;
        g->is_stopped |= c.interrupted;
        hd_interrupt_catch(); /* the campaign has let go of the signals, and has set its own
                                 deadline */
        hd_campaign_release(&c);
        hd_director_close(co.director);
    }
    hd_cover_close(co.cover);
    hd_races_release(&races);
    return *is_proven || e == -EPROTO ? 0 : e;
}

/* ---- the file
 * --------------------------------------------------------------------------------------- */

static int write_program(struct hd_gen *g, const struct hd_wire_test *t, enum hd_gen_wrong how,
                         const char *path, const struct notes *n, struct hd_error *err)
{
    char wrong[200];
    FILE *to = hd_gen_create(path);
    if (!to)
        return hd_error_set(err, -errno, "cannot write %s: %s", path, strerror(errno));
    sentence(g, t, how, wrong, sizeof wrong);
    hd_gen_standalone(to, g->api, t, &g->orders, how, wrong, (const char *const *)n->at);
    fclose(to);
    return 0;
}

static int copy_to_finding(const char *source, const struct printed *w, const char *suffix,
                           struct hd_error *err)
{
    char path[PATH_MAX];
    char *text;
    size_t n;
    if (!w->dir[0])
        return 0;
    snprintf(path, sizeof path, "%s/gen_%s.%s", w->dir, w->id, suffix);
    int e = hd_read_file(source, &text, &n);
    FILE *to = e ? NULL : hd_gen_create(path);
    if (!to)
        return hd_error_set(err, e ? e : -errno, "cannot write %s: %s", path, strerror(errno));
    fwrite(text, 1, n, to);
    fclose(to);
    free(text);
    return 0;
}

int hd_gen_prove(struct hd_gen *g, const struct hd_wire_test *t, enum hd_gen_wrong how,
                 const struct hd_gen_outcome *got, bool *is_proven, struct hd_error *err)
{
    char folder[PATH_MAX], source[PATH_MAX + 64], program[PATH_MAX + 64], name[64];
    const char *suffix = g->api->is_cxx ? "cc" : "c";
    struct notes n = {.n = 0};
    u64 hash = 14695981039346656037ull;
    for (u32 i = 0; i < t->n * sizeof *t->call; i++)
        hash = (hash ^ ((const u8 *)t->call)[i]) * 1099511628211ull;
    snprintf(name, sizeof name, "gen_%08x.%s", (u32)(hash ^ hash >> 32), suffix);
    snprintf(folder, sizeof folder, "%s/gen", g->o->dir);
    int e = hd_folder_make_own(g->o->dir);
    if (!e)
        e = hd_folder_make(folder);
    if (e)
        return hd_error_set(err, e, "cannot make the folder %s: %s", folder, strerror(-e));
    snprintf(source, sizeof source, "%s/%s", folder, name);
    snprintf(program, sizeof program, "%.*s", (int)(strlen(source) - strlen(suffix) - 1), source);
    describe(g, t, how, got, name, &n);
    struct printed w = {.g = g, .notes = &n};
    e = write_program(g, t, how, source, &n, err);
    if (!e)
        e = hd_gen_build(source, g->o->flags, program, NULL, err);
    if (!e)
        e = test_program(g, program, how, &w, is_proven, err);
    if (!e && *is_proven) {
        for (u32 i = 2; i + 3 < n.n; i++)
            hd_gen_message(g, "%s", n.at[i]);
        e = copy_to_finding(source, &w, suffix, err);
        hd_gen_message(g, "the program of this finding: %s/gen_%s.%s", w.dir, w.id, suffix);
    }
    release(&n);
    return e;
}
