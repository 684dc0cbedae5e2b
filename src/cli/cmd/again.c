/* again.c: findings of earlier builds of a program come first: the recorded schedule, found again in
 * the new build by source lines, and if it does not fail any more, runs around it.
 *
 *   still fails                      it ends as recorded, or a run around it does; a race: both threads
 *                                    stand at their accesses at the same time, or only atomics that
 *                                    are too weak order them; an atomicity violation: the other
 *                                    thread comes in between again
 *   cannot be followed from step N   the new build leaves the schedule there
 *   fixed                            it can be followed to its end and ends well, and so do AROUND
 *                                    runs that follow it up to a few steps before the order that
 *                                    decided, and go on by chance
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "detect/meet.h"
#include "detect/triples.h"
#include "detect/twos.h"
#include "process/interrupt.h"
#include "process/oracle.h"
#include "process/stray.h"

#define AROUND 24
#define BEFORE 6 /* steps before the one that decides, at most */

/* A finding of the store. */
struct earlier {
    char *key, *title, *file;
};

struct list {
    s64 build; /* the present one */
    HD_VEC(struct earlier) v;
};

static int take(void *self, const struct hd_store_finding *f)
{
    struct list *l = self;
    struct stat st;
    struct earlier e = {0};
    if (f->build == l->build)
        return 0;
    for (size_t i = 0; i < l->v.n; i++)
        if (!strcmp(l->v.at[i].key, f->key))
            return 0;
    HD_ASSERT(asprintf(&e.file, "%s/replay.heddle", f->dir) > 0);
    if (stat(e.file, &st)) {
        free(e.file);
        return 0;
    }
    e.key = strdup(f->key);
    e.title = strdup(f->title);
    *hd_vec_add(&l->v) = e;
    return 0;
}

/* ---- one of them ------------------------------------------------------------------------- */

enum outcome { CANNOT, FAILS, LEAVES, FIXED };

/* Entries of the schedule up to this step. */
static u32 entries_until(const struct hd_replay *r, u64 step)
{
    u64 steps = 0;
    u32 i = 0;
    for (; i < r->n && steps < step; i++)
        if (r->choice[i].kind == HD_CHOICE_PICK || r->choice[i].kind == HD_CHOICE_RULE)
            steps += r->choice[i].count;
    return i;
}

/* One run along the schedule, by chance from entry `until` on. False: it could not be done. */
static bool run(struct hd_recorded *a, u32 until, u32 number)
{
    bool is_whole = until >= a->r.n;
    if (hd_replay_to_shm(&a->r, &a->w.run))
        return false;
    struct hd_config *cfg = &a->w.host->cfg;
    cfg->mode &= ~(u32)HD_MODE_STRICT;
    cfg->strategy = hd_strategy_index(hd_strategy_find(is_whole ? "stay" : "pos"));
    cfg->strategy_param = 0;
    cfg->seed = a->r.cfg.seed + number;
    a->w.host->script_n = HD_MIN(a->w.host->script_n, until);
    if (hd_worker_send(&a->w, a->r.run, 1))
        return false;
    while (a->w.is_busy && !hd_interrupt_count())
        hd_workers_wait(&a->w, 1, a->o->timeout_ms, INT64_MAX);
    return !a->w.is_busy && !a->w.is_dead;
}

/* Where the accesses of a race, or of a piece that is not atomic, are in this build: in the steps that
 * the record names. */
static void find_race(struct hd_recorded *a, u64 site[4])
{
    const u64 step[4] = {a->r.race, a->r.race_with, a->r.race_third, a->r.race_fourth};
    u32 n;
    const struct hd_event *ev = hd_snapshot_events(&a->w.run, &n);
    for (u32 i = 0; i < n; i++)
        for (u32 k = 0; k < 4 && (!i || ev[i].step > ev[i - 1].step); k++)
            if (step[k] && ev[i].step == step[k])
                site[k] = ev[i].site;
}

/* The third and the fourth are of the two threads as the first and the second (struct hd_race). */
static bool is_torn(const struct hd_recorded *a, const struct hd_event *ev, u32 n, const u64 site[4])
{
    u32 found[4];
    const u64 four[4] = {site[0], site[1], site[3], site[2]};
    if (!a->r.race_fourth)
        return site[2] && hd_triple_find(ev, n, site, false, found);
    return site[2] && site[3] && (hd_two_find(ev, n, four, false, false, found) ||
                                  hd_two_find(ev, n, four, true, false, found));
}

static bool has_failed(struct hd_recorded *a, u64 site[4])
{
    struct hd_meeting met;
    u32 n;
    if (!a->r.race)
        return a->w.run.verdict.kind == a->r.verdict;
    if (!site[0] || !site[1])
        find_race(a, site);
    const struct hd_event *ev = hd_snapshot_events(&a->w.run, &n);
    if (!site[0] || !site[1])
        return false;
    if (a->r.race_third)
        return is_torn(a, ev, n, site);
    bool is_whole = a->w.run.stats.events <= HD_SHM_RING;
    return hd_meet_pending(ev, n, site, false, &met) ||
           (a->r.race_class == HD_RACE_WEAK && is_whole && hd_meet_weak(ev, n, site, &met));
}

static enum outcome around(struct hd_recorded *a, u64 site[4], u32 *runs)
{
    u64 decides = a->r.decides ? a->r.decides : a->r.steps;
    for (*runs = 0; *runs < AROUND; ++*runs) {
        u64 back = *runs % BEFORE;
        u64 step = a->r.decides ? decides - HD_MIN(back, decides) : decides * (*runs + 1) / (AROUND + 1);
        if (!run(a, entries_until(&a->r, step), *runs + 1))
            return CANNOT;
        if (has_failed(a, site))
            return FAILS;
    }
    return FIXED;
}

static enum outcome replay(struct hd_recorded *a, u32 *runs, u64 *step, char *deviation, size_t size)
{
    u64 site[4] = {0};
    *runs = 0;
    deviation[0] = '\0';
    if (hd_recorded_start(a) || hd_recorded_move(a) || !run(a, a->r.n, 0))
        return CANNOT;
    if (has_failed(a, site))
        return FAILS;
    *step = hd_recorded_followed(a, deviation, size);
    return deviation[0] ? LEAVES : around(a, site, runs);
}

static void print_outcome(const struct earlier *e, enum outcome is, u32 runs, u64 step, const char *deviation)
{
    switch (is) {
    case FAILS:
        hd_cli_print("%s still fails: %s heddle replay %s", e->key, e->title, e->file);
        break;
    case LEAVES:
        hd_cli_print("%s cannot be followed from step %llu on (%s): it is tested like the rest",
                     e->key, (unsigned long long)step + 1, deviation);
        break;
    case FIXED:
        hd_cli_print("%s is fixed: the recorded schedule passes, and so do %u runs around the order "
                     "that decided", e->key, runs);
        break;
    case CANNOT:
        hd_cli_print("%s of an earlier build could not be replayed", e->key);
        break;
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Those of other inputs are theirs: of a suite, each input has a campaign. */
static bool has_arguments(const struct hd_replay *r, char *const *argv)
{
    u32 i = 1;
    while (i < r->argc && argv[i] && !strcmp(r->argv[i], argv[i]))
        i++;
    return i >= r->argc && !argv[i];
}

static enum outcome check_one(const struct hd_options *o, const struct earlier *e, const char *program,
                              struct hd_suppressions *suppress)
{
    struct hd_options own = *o;
    char deviation[1400] = "";
    u64 step = 0;
    u32 runs = 0;
    own.check = own.expect_stdout = own.setup = own.cleanup = NULL;
    own.gdb = own.show_output = false;
    own.n_rest = own.n_plain = 0; /* the program is where it was */
    struct hd_recorded a = {.o = &own, .file = e->file, .stdin_fd = -1, .may_move = true};
    enum outcome is = CANNOT;
    hd_replay_init(&a.r);
    if (!hd_recorded_open(&a) && !strcmp(a.target.path, program) && has_arguments(&a.r, o->rest) &&
        !hd_suppress_id(suppress, e->key)) {
        is = replay(&a, &runs, &step, deviation, sizeof deviation);
        hd_worker_stop(&a.w);
        print_outcome(e, is, runs, step, deviation);
    }
    hd_recorded_release(&a);
    return is;
}

u32 hd_cli_again(const struct hd_options *o, struct hd_store *st, s64 build, const char *program,
                 struct hd_suppressions *suppress)
{
    struct list l = {.build = build};
    u32 failing = 0;
    hd_store_findings(st, 0, take, &l);
    if (l.v.n) {
        hd_interrupt_catch();
        hd_stray_adopt();
    }
    for (size_t i = 0; i < l.v.n && !hd_interrupt_count(); i++)
        failing += check_one(o, &l.v.at[i], program, suppress) == FAILS;
    if (l.v.n) {
        hd_stray_kill(NULL, 0, 0);
        hd_interrupt_release();
    }
    for (size_t i = 0; i < l.v.n; i++) {
        free(l.v.at[i].key);
        free(l.v.at[i].title);
        free(l.v.at[i].file);
    }
    hd_vec_release(&l.v);
    return failing;
}
