/* violation_result.c: what does an atomicity violation do? The run that showed it, with the other thread in
 * between, is compared with runs in which that thread comes before or after the two accesses (judge.h).
 */
#include "campaign/race/explorer.h"
#include "campaign/race/judge/judge.h"
#include "detect/meet.h"
#include "detect/passage.h"
#include "event/snapshot.h"
#include "minimize/shrink.h"

#include <stdlib.h>

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
static void arrange_three(struct hd_judge *j, const struct hd_finding *f)
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
static bool came_first(struct hd_judge *j, const struct hd_finding *f)
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

/* Both orders in one piece. Outside of blocks the first that ends like the run in between says all. False: nothing to compare with. */
static bool run_apart(struct hd_judge *j, const struct hd_finding *f, const struct hd_outcome *between, struct hd_outcome *apart, u32 n,
                      bool is_whole, u32 *made)
{
    for (*made = 0; *made < n;) {
        struct hd_outcome *r = &apart[*made];
        *r = hd_judge_run(j, 1 + *made % 2, *made / 2);
        ++*made;
        if (!r->is_there || hd_races_is_failure(j->o, &j->w->run.verdict))
            return false;
        if (*made % 2 && !came_first(j, f))
            return false;
        if (!is_whole && hd_judge_is_same(j, between, r))
            break;
    }
    return true;
}

/* A result that no order of the whole pieces has. What also varies within one order says nothing about the others. */
static void compare_three(struct hd_judge *j, struct hd_finding *f, u32 times, bool in_block,
                          bool is_observed, struct hd_finding *failed)
{
    struct hd_outcome between[HD_JUDGE_TIMES] = {{0}}, apart[2 * HD_JUDGE_TIMES] = {{0}};
    bool is_new = true, is_failure = false, is_good = true;
    u32 made = 0;
    for (u32 n = 0; n < times && is_good; n++) {
        between[n] = hd_judge_run(j, 0, n);
        is_good = between[n].is_there;
        if (is_good && hd_races_is_failure(j->o, &j->w->run.verdict)) {
            is_failure = true;
            hd_judge_take(j, f, failed);
        }
    }
    is_good = is_good && run_apart(j, f, &between[0], apart, 2 * times, in_block || is_failure, &made);
    if (!is_good && failed->modules) { /* in one piece it fails as well, or nobody knows */
        hd_finding_release(failed);
        *failed = (struct hd_finding){0};
    }
    for (u32 n = 0; n < made && is_good; n++)
        is_new &= !hd_judge_is_same(j, &between[0], &apart[n]) && hd_judge_is_same(j, &apart[n], &apart[is_observed ? 0 : n % 2]);
    for (u32 n = 1; n < times && is_good; n++)
        is_new &= hd_judge_is_same(j, &between[n], &between[0]);
    if (is_good && is_new) {
        f->race.class = HD_RACE_CHANGES;
        hd_judge_describe(j, f->race.result[0], sizeof f->race.result[0], &between[0], &apart[0]);
        hd_judge_describe(j, f->race.result[1], sizeof f->race.result[1], &apart[0], &between[0]);
        f->race.same[0] = hd_judge_count(j, between, times);
        f->race.same[1] = hd_judge_count(j, apart, made);
    }
    f->race.of[0] = is_good ? times : 0;
    f->race.of[1] = is_good ? made : 0;
    for (u32 n = 0; n < 2 * HD_JUDGE_TIMES; n++)
        free(apart[n].out);
    for (u32 n = 0; n < HD_JUDGE_TIMES; n++)
        free(between[n].out);
}

void hd_atomicity_judge(const struct hd_campaign_opts *o, struct hd_worker *w, struct hd_finding *f,
                        u32 times, bool in_block, bool is_observed, struct hd_finding *failed)
{
    struct hd_judge j = {.o = o, .w = w, .has_output = true};
    struct hd_worker_state before;
    f->race.class = HD_RACE_SAME;
    if (!hd_judge_threads(f, j.tid) || !hd_judge_begin(&j, f, &before, failed))
        return;
    arrange_three(&j, f);
    hd_judge_try_output(&j);
    compare_three(&j, f, HD_MIN(times, (u32)HD_JUDGE_TIMES), in_block, is_observed, failed);
    hd_judge_end(&j, &before, f, failed);
}
