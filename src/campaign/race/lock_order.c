/* lock_order.c: locks that threads take in different orders (detect/lock_orders.h), driven into
 * the deadlock: a run in which each thread has taken its lock before any of them wants the next.
 * What ends in a deadlock is a finding as any other deadlock; what does not is listed as possible.
 */
#include "campaign/race/tried.h"
#include "cover/cover.h"

#include <stdio.h>
#include <stdlib.h>

#define ATTEMPTS 8
#define PLACE 320

struct circle {
    u32 n;
    struct hd_lock_order_step at[HD_LOCK_ORDER_MOST]; /* sites as addresses of this process */
};

static bool find_sites(struct hd_explorer *x, const struct hd_lock_order_seen *is, struct circle *c)
{
    struct hd_places *places = &x->o->cover->places;
    c->n = is->n;
    for (u32 i = 0; i < is->n; i++) {
        c->at[i] = is->at[i];
        c->at[i].take = hd_places_pc(places, &x->w->run, is->at[i].take);
        c->at[i].want = hd_places_pc(places, &x->w->run, is->at[i].want);
        if (!c->at[i].take || !c->at[i].want)
            return false;
    }
    return true;
}

static struct hd_goal_event take(u64 site, u64 lock, u8 role, u8 var, u8 after)
{
    return (struct hd_goal_event){.site = site, .addr = lock, .does = HD_GOAL_TAKE, .role = role,
                                  .var = var, .after = after};
}

/* Two threads: idiom 5, one goal. More: a goal for each and its neighbour, all at once; what a
 * thread wants comes after both have taken theirs. */
static void set_up(struct hd_explorer *x, const struct circle *c, u32 nth)
{
    struct hd_goal *g = hd_explorer_goal(x, nth);
    const struct hd_lock_order_step *a = &c->at[0], *b = &c->at[1];
    if (c->n == 2) {
        *g = (struct hd_goal){.n = 4, .n_vars = 2, .exclusive = 3};
        g->event[0] = take(a->take, a->lock, 0, 0, 0);
        g->event[1] = take(b->want, a->lock, 1, 0, 1 << 0 | 1 << 2);
        g->event[2] = take(b->take, b->lock, 1, 1, 0);
        g->event[3] = take(a->want, b->lock, 0, 1, 1 << 0 | 1 << 2);
        return;
    }
    x->w->host->plan.at[0].goals.n = c->n;
    for (u32 i = 0; i < c->n; i++) {
        a = &c->at[i];
        b = &c->at[(i + 1) % c->n];
        g[i] = (struct hd_goal){.n = 3, .n_vars = 2};
        g[i].event[0] = take(a->take, a->lock, 0, 0, 0);
        g[i].event[1] = take(b->take, b->lock, 1, 1, 0);
        g[i].event[2] = take(a->want, b->lock, 0, 1, 1 << 0 | 1 << 1);
    }
}

/* *is_over: all attempts were made. */
static bool drive(struct hd_explorer *x, const struct circle *c, struct hd_finding *f, bool *is_over)
{
    *is_over = false;
    for (u32 nth = 0; nth < ATTEMPTS; nth++) {
        set_up(x, c, nth);
        if (!x->hidden_runs || !hd_races_run(x->o, x->w, x->run++))
            return false;
        x->c->race_runs++;
        x->hidden_runs--;
        const struct hd_verdict *v = &x->w->run.verdict;
        if (v->kind == HD_V_DEADLOCK && hd_races_is_failure(x->o, v))
            return !hd_finding_take(f, x->w, x->o->target->path,
                                    x->w->argv ? x->w->argv : x->o->argv);
    }
    *is_over = true;
    return false;
}

/* ---- words ---------------------------------------------------------------------------- */

static void name_lock(struct hd_explorer *x, u64 lock, char *buf, size_t size)
{
    char name[200];
    if (lock && hd_symbols_data(x->symbols, lock, name, sizeof name, NULL))
        snprintf(buf, size, "%s", name);
    else
        snprintf(buf, size, "a lock");
}

/* "deadlock: a at x.c:3, then b at x.c:4; b at x.c:10, then a at x.c:11" */
static char *words_of(struct hd_explorer *x, const struct circle *c)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    HD_ASSERT(to);
    fprintf(to, "deadlock: ");
    for (u32 i = 0; i < c->n; i++) {
        char lock[2][200], place[2][PLACE];
        name_lock(x, c->at[i].lock, lock[0], sizeof lock[0]);
        name_lock(x, c->at[(i + 1) % c->n].lock, lock[1], sizeof lock[1]);
        hd_explorer_place(x, c->at[i].take, place[0], sizeof place[0]);
        hd_explorer_place(x, c->at[i].want, place[1], sizeof place[1]);
        fprintf(to, "%s%s at %s, then %s at %s", i ? "; " : "", lock[0], place[0], lock[1], place[1]);
    }
    fclose(to);
    return text;
}

static void list(struct hd_explorer *x, const struct circle *c)
{
    char *text = words_of(x, c);
    hd_race_list_other(x, text);
    free(text);
}

/* Circles of two are remembered: their four sites are what the store has room for. */
static u32 find_tried(struct hd_explorer *x, const struct hd_lock_order_seen *is, const struct circle *c)
{
    const struct hd_lock_order_step *a = &is->at[0], *b = &is->at[1];
    const u64 site[] = {a->take, a->want, b->take, b->want};
    const u64 pc[] = {c->at[0].take, c->at[0].want, c->at[1].take, c->at[1].want};
    return c->n == 2 ? hd_tried_get(x, HD_TRIED_LOCKS, site, pc, 4, "") + 1 : 0;
}

static bool show(struct hd_explorer *x, const struct hd_event *ev, u32 n, void *self, u32 step[4])
{
    return x->w->run.verdict.kind == HD_V_DEADLOCK;
}

/* What earlier campaigns know of it is enough. */
static bool is_known(struct hd_explorer *x, const struct circle *c, u32 tried)
{
    struct hd_finding f;
    if (hd_tried_is_vain(x, tried, 0)) {
        list(x, c);
        return true;
    }
    if (!hd_tried_again(x, tried, show, NULL, &f))
        return false;
    f.race = (struct hd_race){0};
    hd_explorer_keep(x, &f, 0, true, tried + 1);
    return true;
}

static void explore(struct hd_explorer *x, const struct hd_lock_order_seen *is)
{
    struct circle c;
    struct hd_finding f;
    bool is_over = false;
    if (!find_sites(x, is, &c))
        return;
    u32 tried = find_tried(x, is, &c);
    if (tried && is_known(x, &c, tried - 1))
        return;
    bool is_found = drive(x, &c, &f, &is_over);
    if (tried && (is_found || is_over))
        hd_tried_note(x, tried - 1, 0, is_found ? &(struct hd_race){.class = HD_RACE_FAILS} : NULL);
    if (is_found)
        hd_explorer_keep(x, &f, 0, true, tried);
    else
        list(x, &c);
}

void hd_lock_order_explore(struct hd_explorer *x)
{
    const struct hd_lock_orders *all = &x->o->races->locks;
    for (size_t i = 0; i < all->all.n && hd_explorer_goes_on(x); i++)
        explore(x, &all->all.at[i].is);
}
