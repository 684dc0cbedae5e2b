/* later.c: schedules whose cost is past the present bound. They are kept as
 * "the first n choices of schedule i, then this one": a run's choices are stored
 * once, each alternative deferred costs a few bytes more. Rounds go up bound by
 * bound (iterative context bounding; Musuvathi and Qadeer, PLDI 2007), and each
 * schedule is executed exactly once.
 */
#include "search/node.h"

size_t hd_later_bytes(const struct hd_search *s)
{
    return s->n_later * sizeof(struct hd_later) + s->schedule.n * sizeof(struct hd_schedule) +
           s->pool.n * sizeof(struct hd_choice);
}

/* The choices of the present path, stored once per run. */
static u32 keep_path(struct hd_branch *b)
{
    struct hd_search *s = b->of;
    struct hd_schedule *k = hd_vec_add(&s->schedule);
    k->first = (u32)s->pool.n;
    hd_vec_clear(&b->choice);
    for (size_t i = 0; i < b->node.n; i++)
        hd_search_put_node(b, &b->node.at[i], b->node.at[i].tid);
    k->n = (u32)b->choice.n;
    for (size_t i = 0; i < b->choice.n; i++)
        *hd_vec_add(&s->pool) = b->choice.at[i];
    return (u32)s->schedule.n - 1;
}

void hd_later_add(struct hd_branch *b, u32 k, u64 set)
{
    struct hd_search *s = b->of;
    const struct hd_node *n = &b->node.at[k];
    size_t limit = s->opts.memory ? s->opts.memory : HD_SEARCH_MEMORY;
    if (!s->later)
        s->later = calloc((size_t)s->max_bound + 1, sizeof *s->later);
    HD_ASSERT(s->later != NULL);
    HD_EACH_BIT(t, set) {
        u32 cost = n->cost + hd_search_cost(s, n, (u16)t);
        if (cost > s->max_bound) {
            hd_search_limit(s, HD_LIMIT_BOUND);
            continue;
        }
        if (hd_later_bytes(s) > limit) {
            hd_search_limit(s, HD_LIMIT_MEMORY);
            return;
        }
        if (b->run_schedule == ~0u)
            b->run_schedule = keep_path(b);
        *hd_vec_add(&s->later[cost]) = (struct hd_later){
            .schedule = b->run_schedule,
            .at = k,
            .tid = (u16)t,
            .kind = n->o.kind,
            .is_early = n->o.kind == HD_CHOICE_PICK && !(n->o.could & HD_BIT(t))};
        s->n_later++;
    }
}

/* Makes the plan: `at` choices of the schedule, then the alternative. */
static void plan(struct hd_search *s, struct hd_branch *b, const struct hd_later *l)
{
    const struct hd_schedule *k = &s->schedule.at[l->schedule];
    u32 left = l->at;
    hd_branch_forget(b);
    for (u32 i = 0; i < k->n && left; i++) {
        struct hd_choice c = s->pool.at[k->first + i];
        u32 take = c.kind == HD_CHOICE_TIMEOUT ? c.count : HD_MIN(c.count, left);
        for (u32 m = 0; m < take; m++)
            hd_search_put(b, c.kind, c.tid);
        left -= c.kind == HD_CHOICE_TIMEOUT ? 0 : take;
    }
    if (l->is_early)
        hd_search_put(b, HD_CHOICE_TIMEOUT, l->tid);
    hd_search_put(b, l->kind, l->tid);
    b->n_fixed = l->at + 1;
    b->is_deferred = true;
    b->late = *l;
}

bool hd_later_next(struct hd_search *s, struct hd_branch *b, bool is_last)
{
    for (;;) {
        hd_later_list *list = s->later ? &s->later[s->bound] : NULL;
        if (list && list->n) {
            struct hd_later l = list->at[--list->n];
            s->n_later--;
            plan(s, b, &l);
            return true;
        }
        if (!is_last)
            return false;
        s->result.bound = s->bound + 1;
        if (s->bound >= s->max_bound || !s->n_later)
            return false;
        s->bound++;
    }
}

void hd_later_clear(struct hd_search *s)
{
    for (u32 i = 0; s->later && i <= s->max_bound; i++)
        hd_vec_release(&s->later[i]);
    free(s->later);
    s->later = NULL;
    s->n_later = 0;
    hd_vec_clear(&s->schedule);
    hd_vec_clear(&s->pool);
}
