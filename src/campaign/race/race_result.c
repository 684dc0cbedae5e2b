/* race_result.c: what does a race do? The run that showed it is followed up to the moment when
 * both threads stand at their accesses; then one goes first, or the other, and the rest goes
 * on without preemption, in several ways. The orders are compared way by way: verdict,
 * exit status, output; if all that is the same, what is left in memory (race_final.h), in runs of
 * their own. What a program prints also differs by itself (times, addresses): if
 * the same schedule gives two outputs, output says nothing.
 */
#include "campaign/race/explorer.h"
#include "campaign/race/judge/race_final.h"
#include "detect/meet.h"
#include "detect/passage.h"
#include "minimize/shrink.h"
#include "process/confirm.h"
#include "strategy/strategy.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_TIMES 20
#define MOST_OUTPUT 65536
#define MEMORY_TIMES 5 /* runs of each order whose memory is compared */

struct result {
    bool is_there;
    u32 kind;
    s32 status;
    size_t n;
    char *out;
};

struct judge {
    const struct hd_campaign_opts *o;
    struct hd_worker *w;
    struct hd_replay base; /* program, sites and configuration; no schedule */
    struct hd_list script[3];
    u32 from;              /* of three accesses: the step behind which orders differ */
    u16 tid[2];            /* ... and whose they are */
    bool has_output;       /* it depends on the schedule alone */
    bool wants_memory;     /* runs say what they leave there */
};

/* ---- runs ---------------------------------------------------------------------------- */

static void take_output(struct result *r, int fd)
{
    r->out = calloc(1, MOST_OUTPUT + 1);
    HD_ASSERT(r->out);
    while (fd >= 0 && r->n < MOST_OUTPUT) {
        ssize_t n = pread(fd, r->out + r->n, MOST_OUTPUT - r->n, (off_t)r->n);
        if (n <= 0)
            break;
        r->n += (size_t)n;
    }
}

static struct result run(struct judge *j, u32 order, u64 variant)
{
    struct result r = {0};
    struct hd_shm_host *m = j->w->host;
    const struct hd_list *l = &j->script[order];
    if (!m || l->v.n > HD_SHM_LOG || hd_replay_to_shm(&j->base, &j->w->run))
        return r;
    memcpy(hd_shm_script_choice(m), l->v.at, l->v.n * sizeof *l->v.at);
    m->script_n = (u32)l->v.n;
    m->plan.n = m->plan.n_goals = 0;
    struct hd_config *c = &m->cfg;
    c->mode &= ~(u32)(HD_MODE_STRICT | HD_MODE_STREAM | HD_MODE_ALL_EVENTS | HD_MODE_DETAIL);
    c->mode |= HD_MODE_REPLAY | (j->wants_memory ? HD_MODE_FINAL : 0);
    c->strategy = hd_strategy_index(hd_strategy_find("stay"));
    c->strategy_param = HD_MIN(variant, (u64)2);
    c->seed = j->base.cfg.seed + variant * 0x9e3779b97f4a7c15ull;
    c->early_per_1024 = 0;
    if (!hd_races_run(j->o, j->w, j->base.run))
        return r;
    r.kind = j->w->run.verdict.kind;
    r.status = j->w->run.verdict.status;
    r.is_there = r.kind != HD_V_LIMIT && r.kind != HD_V_NONE && r.kind != HD_V_ENV;
    take_output(&r, j->w->out_fd);
    return r;
}

static bool is_same(const struct judge *j, const struct result *a, const struct result *b)
{
    if (a->kind != b->kind || a->status != b->status)
        return false;
    return !j->has_output || (a->n == b->n && !memcmp(a->out, b->out, a->n));
}

/* ---- words --------------------------------------------------------------------------- */

/* The first line of `a` that `b` has not in the same place. */
static const char *differing_line(const struct result *a, const struct result *b, int *n)
{
    size_t from = 0;
    for (size_t i = 0; i < a->n && i < b->n && a->out[i] == b->out[i]; i++)
        if (a->out[i] == '\n')
            from = i + 1;
    *n = (int)strcspn(a->out + from, "\n");
    return a->out + from;
}

static void describe(const struct judge *j, char *to, size_t size, const struct result *a,
                     const struct result *b)
{
    const char *word = hd_replay_verdict_word(a->kind);
    int n = 0;
    if (hd_races_is_failure(j->o, &(struct hd_verdict){.kind = a->kind, .status = a->status}) &&
        a->kind != HD_V_EXIT) {
        snprintf(to, size, "the run fails (%s)", word ? word : "?");
    } else if (a->status != b->status && WIFEXITED(a->status)) {
        snprintf(to, size, "the program ends with status %d", WEXITSTATUS(a->status));
    } else if (j->has_output && a->out && b->out && strcmp(a->out, b->out)) {
        const char *line = differing_line(a, b, &n);
        if (!n)
            snprintf(to, size, "the program prints %s", a->n ? "nothing there" : "nothing");
        else
            snprintf(to, size, "the program prints \"%.*s\"", n > 60 ? 60 : n, line);
    } else {
        snprintf(to, size, "the program ends as in the other order");
    }
}

/* ---- both orders --------------------------------------------------------------------- */

/* A call that touches two places (strcmp) states both before it does anything: is the access
 * followed by another one of the same call? */
static bool has_second(const struct hd_finding *f, u32 step)
{
    u32 i = 0;
    while (i < f->n_events && f->events[i].step < step)
        i++;
    for (u32 k = i + 1; i < f->n_events && k < f->n_events; k++) {
        const struct hd_event *a = &f->events[i], *b = &f->events[k];
        if (b->tid == a->tid)
            return b->site == a->site && b->ctx == a->ctx && b->obj != a->obj && b->step > a->step;
    }
    return false;
}

/* Up to where both stand at their accesses, then one and the other. */
static void arrange(struct judge *j, const struct hd_finding *f, const u16 tid[2])
{
    u32 times[2] = {1 + has_second(f, f->race.step[0]), 1 + has_second(f, f->race.step[1])};
    struct hd_list all = {0};
    hd_list_set(&all, f->replay.choice, f->replay.n);
    for (u32 order = 0; order < 2; order++) {
        hd_list_prefix(&j->script[order], &all, f->race.step[0] - 1);
        for (u32 k = 0; k < 2; k++)
            for (u32 n = 0; n < times[order ^ k]; n++)
                hd_list_add(&j->script[order], (struct hd_choice){1, tid[order ^ k], HD_CHOICE_PICK, 0});
    }
    hd_list_release(&all);
}

static bool find_threads(const struct hd_finding *f, u16 tid[2])
{
    u32 found = 0;
    for (u32 i = 0; i < f->n_events; i++)
        for (u32 k = 0; k < 2; k++)
            if (f->events[i].step == f->race.step[k] && !(found >> k & 1)) {
                tid[k] = f->events[i].tid;
                found |= 1u << k;
            }
    return found == 3;
}

static void take_failure(struct judge *j, struct hd_finding *f, struct hd_finding *failed)
{
    if (!failed->modules && !hd_finding_take(failed, j->w, f->program, f->replay.argv)) {
        failed->race = f->race;
        failed->race.class = HD_RACE_FAILS;
    }
}

/* So many of the results are like the first. */
static u32 count_same(const struct judge *j, const struct result *r, u32 n)
{
    u32 same = 0;
    for (u32 i = 0; i < n; i++)
        same += is_same(j, &r[0], &r[i]);
    return same;
}

static void compare(struct judge *j, struct hd_finding *f, u32 times, struct hd_finding *failed)
{
    struct result r[2][MOST_TIMES] = {{{0}}};
    struct hd_race *race = &f->race;
    u32 n = 0, differ = ~0u;
    for (; n < times; n++) {
        for (u32 order = 0; order < 2; order++) {
            r[order][n] = run(j, order, n);
            if (r[order][n].is_there && hd_races_is_failure(j->o, &j->w->run.verdict))
                take_failure(j, f, failed);
        }
        if (!r[0][n].is_there || !r[1][n].is_there)
            break;
        if (differ == ~0u && !is_same(j, &r[0][n], &r[1][n]))
            differ = n;
    }
    if (n && differ != ~0u) {
        struct result swap;
        for (u32 order = 0; order < 2 && differ; order++) {
            swap = r[order][0];
            r[order][0] = r[order][differ];
            r[order][differ] = swap;
        }
        race->class = HD_RACE_CHANGES;
        for (u32 order = 0; order < 2; order++) {
            describe(j, race->result[order], sizeof race->result[order], &r[order][0],
                     &r[!order][0]);
            race->same[order] = count_same(j, r[order], n);
            race->of[order] = n;
        }
    } else {
        race->of[0] = race->of[1] = n;
    }
    for (u32 i = 0; i < 2 * MOST_TIMES; i++)
        free(r[i / MOST_TIMES][i % MOST_TIMES].out);
}

/* ---- memory ---------------------------------------------------------------------------- */

static bool run_memory(struct judge *j, u32 order, u64 variant, struct hd_race_final *to)
{
    struct result r = run(j, order, variant);
    free(r.out);
    if (r.is_there)
        hd_race_final_take(to, &j->w->run);
    return r.is_there && to->is_there;
}

/* The same schedules once more: what they leave in other ways does not count. */
static bool mask_again(struct judge *j, u64 variant, const struct hd_race_final was[2],
                       struct hd_race_final_mask *m)
{
    bool is_good = true;
    for (u32 order = 0; order < 2 && is_good; order++) {
        struct hd_race_final again = {0};
        is_good = run_memory(j, order, variant, &again);
        if (is_good)
            hd_race_final_mask(m, &was[order], &again);
        hd_race_final_release(&again);
    }
    return is_good;
}

static void tell_memory(struct hd_race *race, struct hd_race_final r[MEMORY_TIMES][2], u32 n, u32 at,
                        const struct hd_race_final_change *c, struct hd_symbols *s)
{
    race->class = HD_RACE_CHANGES;
    for (u32 order = 0; order < 2; order++) {
        hd_race_final_say(&r[at][order], c, order, s, race->result[order], sizeof race->result[order]);
        race->of[order] = n;
        race->same[order] = 0;
        for (u32 i = 0; i < n; i++) {
            struct hd_final_word w = hd_race_final_at(&r[i][order], c->where);
            race->same[order] += w.value == c->word[order].value && w.kind == c->word[order].kind;
        }
    }
}

/* Of the heap as a whole, or of the variable. */
static u64 left_at(const struct hd_race_final *r, const struct hd_race_final_change *c)
{
    bool is_heap = !c->where || c->where & HD_FINAL_HEAP;
    return is_heap ? r->is.heap : hd_race_final_at(r, c->where).value;
}

/* One order leaves the same in all runs, however they go on, and the other one never does. What varies
 * in both (a count of rounds, what a client in another process sent) is not the race's work. */
static bool is_steady(struct hd_race_final r[MEMORY_TIMES][2], u32 n, u32 at,
                      const struct hd_race_final_change *c)
{
    for (u32 order = 0; order < 2; order++) {
        u64 value = left_at(&r[at][order], c);
        u32 same = 0, other = 0;
        for (u32 i = 0; i < n; i++) {
            same += left_at(&r[i][order], c) == value;
            other += left_at(&r[i][!order], c) == value;
        }
        if (same == n && !other)
            return true;
    }
    return false;
}

/* Nothing was seen of it from outside. */
static void compare_memory(struct judge *j, struct hd_finding *f, u64 variable, struct hd_symbols *s)
{
    struct hd_race_final r[MEMORY_TIMES][2] = {{{0}}};
    struct hd_race_final_mask mask = {0};
    struct hd_race_final_change c;
    u32 n = 0, differ = MEMORY_TIMES;
    j->wants_memory = true;
    for (; n < MEMORY_TIMES; n++) {
        if (!run_memory(j, 0, n, &r[n][0]) || !run_memory(j, 1, n, &r[n][1]))
            break;
        if (differ == MEMORY_TIMES && hd_race_final_differ(&r[n][0], &r[n][1], &mask, s, variable, &c) &&
            mask_again(j, n, r[n], &mask) &&
            hd_race_final_differ(&r[n][0], &r[n][1], &mask, s, variable, &c))
            differ = n;
    }
    if (differ < n && is_steady(r, n, differ, &c))
        tell_memory(&f->race, r, n, differ, &c, s);
    for (u32 i = 0; i < MEMORY_TIMES; i++)
        for (u32 order = 0; order < 2; order++)
            hd_race_final_release(&r[i][order]);
    hd_race_final_mask_release(&mask);
    j->wants_memory = false;
}

/* What both judges need. False: nothing can be run. */
static bool begin(struct judge *j, const struct hd_finding *f, struct hd_worker_state *before,
                  struct hd_finding *failed)
{
    memset(failed, 0, sizeof *failed);
    if (hd_worker_remember(before, j->w))
        return false;
    if (hd_replay_copy(&j->base, &f->replay)) {
        hd_worker_put_back(before, j->w);
        return false;
    }
    j->base.n = 0;
    j->base.run = HD_MAX(j->base.run, (u64)1); /* sites must have been known before it */
    return true;
}

/* Output counts if the same schedule gives the same twice. */
static void try_output(struct judge *j)
{
    struct result a = run(j, 0, 0), b = run(j, 0, 0);
    j->has_output = a.is_there && b.is_there && is_same(j, &a, &b);
    free(a.out);
    free(b.out);
}

static void end(struct judge *j, struct hd_worker_state *before, struct hd_finding *f,
                const struct hd_finding *failed)
{
    if (failed->modules)
        f->race.class = HD_RACE_FAILS;
    hd_replay_release(&j->base);
    for (u32 i = 0; i < HD_COUNT(j->script); i++)
        hd_list_release(&j->script[i]);
    hd_worker_put_back(before, j->w);
}

/* Of the access at a step. */
static u64 address_at(const struct hd_finding *f, u32 step)
{
    for (u32 i = 0; i < f->n_events; i++)
        if (f->events[i].step == step)
            return f->events[i].obj;
    return 0;
}

static void compare_all(struct judge *j, struct hd_finding *f, u32 times, struct hd_symbols *s,
                        struct hd_finding *failed)
{
    compare(j, f, HD_MIN(times, (u32)MOST_TIMES), failed);
    if (f->race.class == HD_RACE_SAME && f->race.of[0] && !failed->modules)
        compare_memory(j, f, address_at(f, f->race.step[0]), s);
}

void hd_races_judge(const struct hd_campaign_opts *o, struct hd_worker *w, struct hd_symbols *s,
                    struct hd_finding *f, u32 times, struct hd_finding *failed)
{
    struct judge j = {.o = o, .w = w, .has_output = true};
    struct hd_worker_state before;
    u16 tid[2];
    f->race.class = HD_RACE_SAME;
    if (!find_threads(f, tid) || !begin(&j, f, &before, failed))
        return;
    arrange(&j, f, tid);
    try_output(&j);
    compare_all(&j, f, times, s, failed);
    if (f->race.class == HD_RACE_SAME && !failed->modules && hd_race_apart(&j.script[1], f, tid)) {
        compare_all(&j, f, times, s, failed);
        f->race.is_apart = f->race.class == HD_RACE_CHANGES;
    }
    end(&j, &before, f, failed);
}

/* ---- three accesses ------------------------------------------------------------------ */

/* The step before the section of locks that the first access stands in. */
static u32 before_section(const struct hd_finding *f)
{
    u32 i = 0;
    while (i < f->n_events && f->events[i].step < f->race.step[0])
        i++;
    return f->events[i < f->n_events ? hd_passage_begin(f->events, i) : 0].step - 1;
}

/* As recorded up to the third; the other thread first, and before the section of the first access, which
 * may keep it out; the thread of the two first. The other thread may not be there yet at that step, or on its
 * way: so all but the thread of the two go on as recorded. */
static void arrange_three(struct judge *j, const struct hd_finding *f)
{
    struct hd_list all = {0};
    hd_list_set(&all, f->replay.choice, f->replay.n);
    hd_list_prefix(&j->script[0], &all, f->race.step[2]);
    j->from = before_section(f);
    hd_list_hold(&j->script[1], &all, j->from, HD_MAX(f->race.step[1], f->race.step[3]), j->tid[0]);
    hd_list_add(&j->script[1], (struct hd_choice){1, j->tid[1], HD_CHOICE_PICK, 0});
    hd_list_prefix(&j->script[2], &all, f->race.step[0] - 1);
    hd_list_add(&j->script[2], (struct hd_choice){1, j->tid[0], HD_CHOICE_PICK, 0});
    hd_list_release(&all);
}

/* Did the other thread really come first in the run that just ended? */
static bool came_first(struct judge *j, const struct hd_finding *f)
{
    u64 site[2] = {0};
    u32 n;
    for (u32 i = 0; i < f->n_events; i++)
        for (u32 k = 0; k < 2; k++)
            if (f->events[i].step == f->race.step[k])
                site[k] = f->events[i].site;
    const struct hd_event *ev = hd_snapshot_events(&j->w->run, &n);
    return hd_meet_is_first(ev, n, j->from, site, j->tid);
}

/* Runs of the two orders in one piece. Outside of blocks the first that ends like the run in between
 * says all: what comes of it is nothing new. False: there is nothing to compare with. */
static bool run_apart(struct judge *j, const struct hd_finding *f, const struct result *between, struct result *apart, u32 n,
                      bool is_whole, u32 *made)
{
    for (*made = 0; *made < n;) {
        struct result *r = &apart[*made];
        *r = run(j, 1 + *made % 2, *made / 2);
        ++*made;
        if (!r->is_there || hd_races_is_failure(j->o, &j->w->run.verdict))
            return false;
        if (*made % 2 && !came_first(j, f))
            return false;
        if (!is_whole && is_same(j, between, r))
            break;
    }
    return true;
}

/* A result that no order of the whole pieces has. What also varies within one order (who took which job) says
 * nothing about the others. */
static void compare_three(struct judge *j, struct hd_finding *f, u32 times, bool in_block,
                          bool is_observed, struct hd_finding *failed)
{
    struct result between[MOST_TIMES] = {{0}}, apart[2 * MOST_TIMES] = {{0}};
    bool is_new = true, is_failure = false, is_good = true;
    u32 made = 0;
    for (u32 n = 0; n < times && is_good; n++) {
        between[n] = run(j, 0, n);
        is_good = between[n].is_there;
        if (is_good && hd_races_is_failure(j->o, &j->w->run.verdict)) {
            is_failure = true;
            take_failure(j, f, failed);
        }
    }
    is_good = is_good && run_apart(j, f, &between[0], apart, 2 * times, in_block || is_failure, &made);
    if (!is_good && failed->modules) { /* in one piece it fails as well, or nobody knows */
        hd_finding_release(failed);
        *failed = (struct hd_finding){0};
    }
    for (u32 n = 0; n < made && is_good; n++)
        is_new &= !is_same(j, &between[0], &apart[n]) && is_same(j, &apart[n], &apart[is_observed ? 0 : n % 2]);
    for (u32 n = 1; n < times && is_good; n++)
        is_new &= is_same(j, &between[n], &between[0]);
    if (is_good && is_new) {
        f->race.class = HD_RACE_CHANGES;
        describe(j, f->race.result[0], sizeof f->race.result[0], &between[0], &apart[0]);
        describe(j, f->race.result[1], sizeof f->race.result[1], &apart[0], &between[0]);
        f->race.same[0] = count_same(j, between, times);
        f->race.same[1] = count_same(j, apart, made);
    }
    f->race.of[0] = is_good ? times : 0;
    f->race.of[1] = is_good ? made : 0;
    for (u32 n = 0; n < 2 * MOST_TIMES; n++)
        free(apart[n].out);
    for (u32 n = 0; n < MOST_TIMES; n++)
        free(between[n].out);
}

void hd_atomicity_judge(const struct hd_campaign_opts *o, struct hd_worker *w, struct hd_finding *f,
                        u32 times, bool in_block, bool is_observed, struct hd_finding *failed)
{
    struct judge j = {.o = o, .w = w, .has_output = true};
    struct hd_worker_state before;
    f->race.class = HD_RACE_SAME;
    if (!find_threads(f, j.tid) || !begin(&j, f, &before, failed))
        return;
    arrange_three(&j, f);
    try_output(&j);
    compare_three(&j, f, HD_MIN(times, (u32)MOST_TIMES), in_block, is_observed, failed);
    end(&j, &before, f, failed);
}
