/* observe.c: the observers as a table, made from observe.def, and what they
 * share. */
#include "observe/observe.h"

#include "base/huge.h"

#define HD_OBSERVER(name, text) extern const struct hd_observer hd_observer_##name;
#include "observe/observe.def"
#undef HD_OBSERVER

static const struct hd_observer *const observer_rows[HD_METRIC_COUNT] = {
#define HD_OBSERVER(name, text) &hd_observer_##name,
#include "observe/observe.def"
#undef HD_OBSERVER
};

const struct hd_observer *hd_observer_at(u32 metric)
{
    HD_ASSERT(metric < HD_METRIC_COUNT);
    return observer_rows[metric];
}

HD_NOINLINE u32 hd_observe_first(struct hd_observing *io, const struct hd_key *k, u32 at)
{
    struct hd_metric_count *c = &io->count[k->metric];
    bool is_new = !at;
    if (is_new) {
        at = hd_set_insert(&io->set, k);
        io->set.record[at].first_run = (u32)HD_MIN(io->run, (u64)UINT32_MAX);
        io->set.record[at].first_seconds = (float)io->seconds;
        c->covered++;
        c->new_in_run++;
        c->by_sub[k->sub]++;
        c->last_new_run = io->run;
        c->last_new_seconds = io->seconds;
    }
    io->set.record[at].stamp = io->set.stamp;
    *hd_vec_add(&io->met) = at;
    if (!io->set.record[at].runs++)
        *hd_vec_add(&io->fresh) = at;
    c->in_run++;
    if (io->cfg.sink) {
        struct hd_element e;
        hd_set_element(&io->set, k, &e);
        io->cfg.sink(io->cfg.self, &e, is_new);
    }
    return at;
}

enum { TAGS_FEW = 1 << 10, TAGS_MANY = 1 << 18 };

void hd_memo_begin(struct hd_memo *m)
{
    if (!m->tag)
        m->tag = calloc(m->cap = TAGS_FEW, sizeof *m->tag);
    else if (m->n_tags)
        memset(m->tag, 0, m->cap * sizeof *m->tag);
    HD_ASSERT(m->tag);
    if (m->n_pairs)
        memset(m->pair, 0, sizeof m->pair);
    m->n_tags = m->n_pairs = 0;
}

/* What is lost is looked up in the set again. */
HD_COLD void hd_memo_grow(struct hd_memo *m)
{
    m->n_tags = 1;
    if (m->cap == TAGS_MANY)
        return;
    free(m->tag);
    m->tag = calloc(m->cap *= 4, sizeof *m->tag);
    HD_ASSERT(m->tag);
}

HD_COLD void *hd_observe_grow(void *at, u32 *cap, u32 i, size_t size)
{
    u32 want = HD_MAX(64u, HD_MAX(i + 1, *cap * 2));
    at = hd_huge_grow(at, *cap * size, want * size);
    hd_vec_zero((char *)at + *cap * size, (want - *cap) * size);
    *cap = want;
    return at;
}
