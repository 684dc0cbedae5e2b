/* map_arm.c: see map_arm.h. */
#include "plan/map/map_arm.h"

#include <stdlib.h>

#define EVENTS 8192 /* of a run that is looked at at most */
#define CHEAP 30000 /* combinations of accesses: about the time of a short run */

static bool is_observed(const struct hd_cover *c) { return c->now.metrics >> HD_METRIC_map & 1; }

struct hd_map_arm *hd_map_arm_open(struct hd_cover *cover, u64 seed)
{
    if (!(cover->o.what.metrics >> HD_METRIC_map & 1))
        return NULL;
    struct hd_map_arm *m = calloc(1, sizeof *m);
    HD_ASSERT(m);
    hd_map_source_init(&m->source, cover, seed);
    hd_map_run_init(&m->run);
    return m;
}

void hd_map_arm_close(struct hd_map_arm *m)
{
    if (!m)
        return;
    hd_map_run_release(&m->run);
    hd_map_source_release(&m->source);
    free(m);
}

/* Combinations of three accesses to one variable. */
static u64 work(const struct hd_map_run *r)
{
    u64 sum = 0;
    for (u32 i = 0; i < r->n_vars; i++)
        sum += (u64)r->var[i].n * r->var[i].n * r->var[i].n;
    return sum;
}

void hd_map_arm_look(struct hd_map_arm *m, const struct hd_event *ev, size_t n)
{
    if (!m || n > EVENTS || !is_observed(m->source.cover))
        return;
    if (m->skip) {
        m->skip--;
        return;
    }
    hd_map_run_begin(&m->run);
    for (size_t i = 0; i < n; i++)
        hd_map_run_event(&m->run, &ev[i]);
    hd_map_source_update(&m->source, &m->run);
    m->skip = work(&m->run) / CHEAP;
    hd_map_run_rest(&m->run);
}

bool hd_map_arm_is_open(const struct hd_map_arm *m)
{
    return m && m->source.open.n && is_observed(m->source.cover);
}

u32 hd_map_arm_begin(struct hd_map_arm *m, struct hd_worker *w, u32 i)
{
    while (hd_map_arm_is_open(m)) {
        u32 number = hd_map_source_pick(&m->source, w, i);
        if (number)
            return number;
    }
    return 0;
}

void hd_map_arm_ran(struct hd_map_arm *m, u32 number)
{
    if (m && number)
        hd_map_source_ran(&m->source, number);
}
