/* run.c: the three steps: a cheap run of each input, the choice, and testing what was chosen,
 * the input that shows most first. What an input leaves of its share goes to those after it. */
#include "suite/suite.h"

#include <stdlib.h>

#include "process/worker.h"

static int more_first(const void *x, const void *y)
{
    const struct hd_suite_input *const *a = x, *const *b = y;
    if (!((*a)->weight <= (*b)->weight && (*a)->weight >= (*b)->weight))
        return (*a)->weight > (*b)->weight ? -1 : 1;
    return *a < *b ? -1 : *a > *b;
}

static void test_chosen(struct hd_suite *s, const struct hd_suite_opts *o)
{
    struct hd_suite_input **chosen = calloc(s->input.n + 1, sizeof *chosen);
    u32 n = 0;
    u64 runs = 0;
    s64 began = hd_monotonic_ns();
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
        if (o->seconds > 0 && !((share.seconds = (o->seconds - spent) * part) > 0))
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

void hd_suite_run(struct hd_suite *s, const struct hd_suite_opts *o)
{
    hd_suite_profile(s, o);
    if (s->is_interrupted)
        return;
    hd_suite_choose(s, o->test_all);
    if (!o->profile_only)
        test_chosen(s, o);
}
