/* run.c: the three steps: a cheap run of each input, the choice, and testing what was chosen,
 * the input that shows most first. What an input leaves of its share goes to those after it. */
#include "suite/suite.h"

#include <stdlib.h>

#include "process/worker.h"

#define LOOKS 0.2 /* of the time: for those that were not chosen */

static int more_first(const void *x, const void *y)
{
    const struct hd_suite_input *const *a = x, *const *b = y;
    if (!((*a)->weight <= (*b)->weight && (*a)->weight >= (*b)->weight))
        return (*a)->weight > (*b)->weight ? -1 : 1;
    return *a < *b ? -1 : *a > *b;
}

static bool is_other(const struct hd_suite_input *in)
{
    return !in->is_chosen && in->profile.state == HD_SUITE_READY;
}

static bool has_others(const struct hd_suite *s)
{
    for (size_t i = 0; i < s->input.n; i++)
        if (is_other(&s->input.at[i]))
            return true;
    return false;
}

static void test_chosen(struct hd_suite *s, const struct hd_suite_opts *o)
{
    struct hd_suite_input **chosen = calloc(s->input.n + 1, sizeof *chosen);
    u32 n = 0;
    u64 runs = 0;
    s64 began = hd_monotonic_ns();
    double seconds = o->looks && has_others(s) ? o->seconds * (1 - LOOKS) : o->seconds;
    HD_ASSERT(chosen);
    for (size_t i = 0; i < s->input.n; i++)
        if (s->input.at[i].is_chosen)
            chosen[n++] = &s->input.at[i];
    qsort(chosen, n, sizeof *chosen, more_first);
    double weights = 0;
    for (u32 i = 0; i < n; i++)
        weights += chosen[i]->weight;
    for (u32 i = 0; i < n && !s->is_interrupted; i++) {
        double part = chosen[i]->weight / weights;
        double spent = s->profile_seconds + (double)(hd_monotonic_ns() - began) / 1e9;
        struct hd_suite_share share = {0};
        if (seconds > 0 && !((share.seconds = (seconds - spent) * part) > 0))
            break;
        share.runs = (u64)((double)(o->runs - HD_MIN(runs, o->runs)) * part + 0.5);
        if (o->runs && !share.runs)
            break;
        o->test(o->self, s, chosen[i], &share);
        runs += chosen[i]->result.runs;
        weights -= chosen[i]->weight;
    }
    s->test_seconds = (double)(hd_monotonic_ns() - began) / 1e9;
    free(chosen);
}

/* Inputs that were not chosen: what they show and no other has. */
static void look_at_others(struct hd_suite *s, const struct hd_suite_opts *o)
{
    s64 began = hd_monotonic_ns();
    for (size_t i = 0; i < s->input.n && !s->is_interrupted; i++) {
        struct hd_suite_input *in = &s->input.at[i];
        struct hd_suite_share share = {.is_look = true};
        if (!is_other(in))
            continue;
        double spent = s->profile_seconds + s->test_seconds + (double)(hd_monotonic_ns() - began) / 1e9;
        if (o->seconds > 0 && !((share.seconds = o->seconds - spent) > 0))
            break;
        o->test(o->self, s, in, &share);
    }
    s->test_seconds += (double)(hd_monotonic_ns() - began) / 1e9;
}

void hd_suite_run(struct hd_suite *s, const struct hd_suite_opts *o)
{
    hd_suite_profile(s, o);
    if (s->is_interrupted)
        return;
    hd_suite_choose(s, o->test_all);
    if (!o->profile_only)
        test_chosen(s, o);
    if (!o->profile_only && o->looks)
        look_at_others(s, o);
}
