/* race_result.c: what does a race do? The run that showed it is followed up to the moment when
 * both threads stand at their accesses; then one goes first, or the other, and the rest goes
 * on without preemption, in several ways. The orders are compared way by way: verdict,
 * exit status, output; if all that is the same, what is left in memory (race_final.h), in runs of
 * their own.
 */
#include "campaign/race/explorer.h"
#include "campaign/race/judge/judge.h"
#include "campaign/race/judge/race_final.h"
#include "minimize/shrink.h"

#include <stdlib.h>

#define MEMORY_TIMES 5 /* runs of each order whose memory is compared */

/* ---- both orders --------------------------------------------------------------------- */

/* A call that touches two places (strcmp) states both at first: does another one of the same call follow the access? */
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
static void arrange(struct hd_judge *j, const struct hd_finding *f, const u16 tid[2])
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

static void compare(struct hd_judge *j, struct hd_finding *f, u32 times, struct hd_finding *failed)
{
    struct hd_outcome r[2][HD_JUDGE_TIMES] = {{{0}}};
    struct hd_race *race = &f->race;
    u32 n = 0, differ = ~0u, fails[2] = {0};
    for (; n < times; n++) {
        bool is_failure[2] = {false};
        for (u32 order = 0; order < 2; order++) {
            r[order][n] = hd_judge_run(j, order, n);
            is_failure[order] = r[order][n].is_there && hd_races_is_failure(j->o, &j->w->run.verdict);
            if (is_failure[order])
                hd_judge_take(j, f, failed);
        }
        if (!r[0][n].is_there || !r[1][n].is_there)
            break;
        fails[0] += is_failure[0];
        fails[1] += is_failure[1];
        if (differ == ~0u && !hd_judge_is_same(j, &r[0][n], &r[1][n]))
            differ = n;
    }
    race->decides = hd_judge_decides(fails, n);
    if (n && differ != ~0u) {
        struct hd_outcome swap;
        for (u32 order = 0; order < 2 && differ; order++) {
            swap = r[order][0];
            r[order][0] = r[order][differ];
            r[order][differ] = swap;
        }
        race->class = HD_RACE_CHANGES;
        for (u32 order = 0; order < 2; order++) {
            hd_judge_describe(j, race->result[order], sizeof race->result[order], &r[order][0],
                              &r[!order][0]);
            race->same[order] = hd_judge_count(j, r[order], n);
            race->of[order] = n;
        }
    } else {
        race->of[0] = race->of[1] = n;
    }
    for (u32 i = 0; i < 2 * HD_JUDGE_TIMES; i++)
        free(r[i / HD_JUDGE_TIMES][i % HD_JUDGE_TIMES].out);
}

/* ---- memory ---------------------------------------------------------------------------- */

static bool run_memory(struct hd_judge *j, u32 order, u64 variant, struct hd_race_final *to)
{
    struct hd_outcome r = hd_judge_run(j, order, variant);
    free(r.out);
    if (r.is_there)
        hd_race_final_take(to, &j->w->run);
    return r.is_there && to->is_there;
}

/* The same schedules once more: what they leave in other ways does not count. */
static bool mask_again(struct hd_judge *j, u64 variant, const struct hd_race_final was[2],
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

/* One order leaves the same in all runs, and the other one never does. What varies in both is not the race's work. */
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
static void compare_memory(struct hd_judge *j, struct hd_finding *f, u64 variable, struct hd_symbols *s)
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

/* Of the access at a step. */
static u64 address_at(const struct hd_finding *f, u32 step)
{
    for (u32 i = 0; i < f->n_events; i++)
        if (f->events[i].step == step)
            return f->events[i].obj;
    return 0;
}

static void compare_all(struct hd_judge *j, struct hd_finding *f, u32 times, struct hd_symbols *s,
                        struct hd_finding *failed)
{
    compare(j, f, HD_MIN(times, (u32)HD_JUDGE_TIMES), failed);
    if (f->race.class == HD_RACE_SAME && f->race.of[0] && !failed->modules)
        compare_memory(j, f, address_at(f, f->race.step[0]), s);
}

void hd_races_judge(const struct hd_campaign_opts *o, struct hd_worker *w, struct hd_symbols *s,
                    struct hd_finding *f, u32 times, struct hd_finding *failed)
{
    struct hd_judge j = {.o = o, .w = w, .has_output = true};
    struct hd_worker_state before;
    u16 tid[2];
    f->race.class = HD_RACE_SAME;
    if (!hd_judge_threads(f, tid) || !hd_judge_begin(&j, f, &before, failed))
        return;
    arrange(&j, f, tid);
    hd_judge_try_output(&j);
    compare_all(&j, f, times, s, failed);
    if (f->race.class == HD_RACE_SAME && !failed->modules && hd_race_apart(&j.script[1], f, tid)) {
        j.sound = 0;
        compare_all(&j, f, times, s, failed);
        f->race.is_apart = f->race.class == HD_RACE_CHANGES;
    }
    hd_judge_end(&j, &before, f, failed);
}
