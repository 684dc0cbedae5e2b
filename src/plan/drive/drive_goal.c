/* drive_goal.c: a candidate as a goal of the strategy `active`: who has to come
 * after whom in each idiom, and which instances are asked for. */
#include "plan/drive/drive.h"

/* Events in the order of the element's sites. */
static const struct shape {
    u8 n_vars;
    u8 exclusive;
    struct {
        u8 role, var, after;
    } event[HD_GOAL_EVENTS];
} shape[7] = {
    [1] = {1, 0, {{0, 0, 0}, {1, 0, 1 << 0}}},
    [2] = {1, 1, {{0, 0, 0}, {1, 0, 1 << 0}, {0, 0, 1 << 1}}},
    [3] = {1, 1, {{0, 0, 0}, {1, 0, 1 << 0}, {1, 0, 1 << 1}, {0, 0, 1 << 2}}},
    [4] = {2, 1, {{0, 0, 0}, {1, 0, 1 << 0}, {1, 1, 1 << 1}, {0, 1, 1 << 2}}},
    [5] = {2, 3, {{0, 0, 0}, {1, 0, 1 << 0 | 1 << 2}, {1, 1, 0}, {0, 1, 1 << 0 | 1 << 2}}},
    [6] = {2, 3, {{0, 0, 0}, {1, 0, 1 << 0}, {0, 1, 1 << 0}, {1, 1, 1 << 1 | 1 << 2}}},
};

_Static_assert((int)HD_ACC_READ == HD_GOAL_READ && (int)HD_ACC_UPDATE == HD_GOAL_UPDATE &&
               (int)HD_ACC_ACQ == HD_GOAL_TAKE && (int)HD_ACC_WAKE == HD_GOAL_WAKE, "same order");

/* Attempts ask for: any instances, the last, any, the first, ... The last ones are
 * what a schedule rarely gets to. */
static void choose_instance(struct hd_goal_event *out, const struct hd_candidate_event *e, u32 nth)
{
    const struct hd_instance *which = nth % 4 == 1 ? &e->last : nth % 4 == 3 ? &e->first : NULL;
    if (!which || !which->nth || e->executed < 2)
        return;
    out->ctx = which->ctx;
    out->nth = which->nth;
}

/* Variables with a name are where they were; what lies on a heap may be elsewhere
 * in another schedule, so half of the attempts take any. */
static u64 choose_addr(const struct hd_candidate_event *e, u32 nth, struct hd_snapshot *m)
{
    u32 n;
    const struct hd_module *all = hd_snapshot_modules(m, &n);
    for (u32 i = 0; i < n; i++)
        if (e->addr >= all[i].start && e->addr < all[i].end)
            return e->addr;
    return nth % 2 ? e->addr : 0;
}

bool hd_drive_goal(const struct hd_drive_candidate *c, u32 nth, u32 window, struct hd_places *p,
                   struct hd_snapshot *m, struct hd_goal *out)
{
    u32 idiom = c->element.sub;
    HD_ASSERT(idiom < HD_COUNT(shape) && c->is.n <= HD_GOAL_EVENTS);
    *out = (struct hd_goal){.n = (u8)c->is.n, .n_vars = shape[idiom].n_vars,
                            .exclusive = shape[idiom].exclusive,
                            .window = idiom > 1 ? window : 0};
    for (u32 i = 0; i < c->is.n; i++) {
        const struct hd_candidate_event *e = &c->is.event[i];
        struct hd_goal_event *to = &out->event[i];
        *to = (struct hd_goal_event){.site = hd_places_pc(p, m, e->site), .addr = choose_addr(e, nth, m),
                                     .does = e->kind, .tid = e->tid,
                                     .role = shape[idiom].event[i].role,
                                     .var = shape[idiom].event[i].var,
                                     .after = shape[idiom].event[i].after};
        choose_instance(to, e, nth);
        if (!to->site)
            return false;
    }
    return true;
}
