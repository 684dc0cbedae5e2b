/* result.c: what a campaign has covered, in numbers. */
#include "cover/cover.h"

static struct hd_saturation saturation_of(const struct hd_cover *c, u32 m)
{
    static const struct hd_saturate how;
    const struct hd_curve *v = &c->curve[m];
    return hd_saturate(v->point.at, (u32)v->point.n, HD_BY_RUNS, (double)c->runs, &how);
}

bool hd_cover_is_saturated(const struct hd_cover *c)
{
    for (u32 m = 0; m < HD_METRIC_COUNT; m++)
        if (c->now.metrics >> m & 1 && !saturation_of(c, m).is_saturated)
            return false;
    return c->runs > 0;
}

/* Elements that came up in one of the last runs and in no other: see report/outcome.c. */
static void count_singles(const struct hd_cover *c, struct hd_covered *out)
{
    u64 loaded = 0;
    if (c->o.jobs > 1)
        return; /* how often an element was met is known by worker only */
    for (u32 m = 0; m < HD_METRIC_COUNT; m++)
        loaded += c->loaded[m];
    out->window = c->runs - c->runs / 2;
    for (u64 i = loaded; i < hd_coverage_size(c->total); i++) {
        struct hd_element e;
        struct hd_first_seen when;
        hd_coverage_at(c->total, (u32)i, &e, &when);
        out->singles += e.metric == HD_METRIC_iroot && when.runs == 1 && when.run >= c->runs / 2;
    }
}

static void count_weak(const struct hd_cover *c, struct hd_covered *out)
{
    u64 site, order;
    for (size_t i = 0; hd_map_next(&c->weak, &i, &site, &order);)
        *(order == HD_MO_RELAXED ? &out->relaxed : &out->weaker) += 1;
}

void hd_cover_result(const struct hd_cover *c, struct hd_covered *out)
{
    *out = (struct hd_covered){.metrics = c->now.metrics, .only_pairs = c->now.only_pairs,
                               .runs = c->runs, .cut = c->cut, .sampled = c->sampled,
                               .sampled_events = c->sampled_events, .left_out = c->left_out, .events = c->events,
                               .observe_seconds = (double)c->observe_ns / 1e9,
                               .store_seconds = (double)c->store_ns / 1e9,
                               .name_seconds = (double)c->name_ns / 1e9};
    for (u32 m = 0; m < HD_METRIC_COUNT; m++) {
        out->covered[m] = hd_coverage_count(c->total, m)->covered;
        out->is_new[m] = out->covered[m] - c->loaded[m];
        out->possible[m] = hd_coverage_possible(c->total, m);
        out->saturation[m] = saturation_of(c, m);
    }
    count_singles(c, out);
    count_weak(c, out);
    out->bytes = c->o.jobs > 1 ? hd_coverage_bytes(&c->all) : 0;
    for (u32 i = 0; i < c->o.jobs; i++)
        out->bytes += hd_coverage_bytes(&c->slot[i].own);
}
