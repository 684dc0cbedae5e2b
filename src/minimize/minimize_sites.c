/* minimize_sites.c: a run early in a campaign knows few of the accesses that
 * threads share, so its schedule says little about their order, and the events
 * that decided may not even have been recorded. This adds what is known by now, and once
 * the schedule is small what threads access under locks: `balance` says more than `lock`.
 *
 *   1. one run that learns            -> sites the recorded run did not know
 *   2. the same schedule, these sites -> how many such accesses each thread made
 *      noted but not yet points          after each of its steps
 *   3. the schedule with each of them counted as a step of its thread
 *
 * If the run of step 3 does not fail the same way, everything stays as it was.
 */
#include "minimize/minimize.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "event/effect.h"

#define MAX_STEPS 20000 /* of a run that is looked at: the ring must hold its events */

/* Module and offset of an address, in the terms of t->base. */
static bool pack(const struct hd_trials *t, u64 pc, struct hd_replay_site *out)
{
    u32 n, i = 0;
    const struct hd_module *m = hd_snapshot_modules(&t->w->run, &n);
    while (i < n && (pc < m[i].start || pc >= m[i].end))
        i++;
    for (u32 k = 0; i < n && k < t->base.n_modules; k++)
        if (!strcmp(t->base.modules[k].path, m[i].path)) {
            *out = (struct hd_replay_site){(u16)k, 0, pc - m[i].bias};
            return true;
        }
    return false;
}

static bool is_known(const struct hd_replay *r, const struct hd_replay_site *s)
{
    for (u32 i = 0; i < r->n_sites; i++)
        if (r->sites[i].module == s->module && r->sites[i].offset == s->offset)
            return r->sites[i].flags & HD_SITE_POINT;
    return false;
}

/* Adds the points of `list` that t->base does not have, as `fresh` addresses. */
static void collect(struct hd_trials *t, const struct hd_site *list, u32 n, struct hd_map *fresh)
{
    struct hd_replay_site s;
    for (u32 i = 0; i < n; i++)
        if (list[i].known & HD_SITE_POINT && pack(t, list[i].pc, &s) &&
            !is_known(&t->base, &s))
            hd_map_put(fresh, list[i].pc, 1);
}

/* The fresh sites in t->base, from index `from` on, with these flags. */
static bool put_sites(struct hd_trials *t, u32 from, const struct hd_map *fresh, u8 flags)
{
    struct hd_replay *r = &t->base;
    struct hd_replay_site *grown = realloc(r->sites, (from + fresh->n + 1) * sizeof *grown);
    u64 pc;
    if (!grown)
        return false;
    r->sites = grown;
    r->n_sites = from;
    for (size_t i = 0; hd_map_next(fresh, &i, &pc, NULL);)
        if (pack(t, pc, &r->sites[r->n_sites]))
            r->sites[r->n_sites++].flags = flags;
    return true;
}

/* Notes of fresh sites that follow step `step`; *i moves over its events. */
static u32 notes_after(const struct hd_ran *ran, u32 *i, u64 step, const struct hd_map *fresh)
{
    u32 n = 0;
    while (*i < ran->n_events && ran->events[*i].step < step)
        ++*i;
    bool is_own = step > 0; /* the first event of a step is the step itself */
    for (; *i < ran->n_events && ran->events[*i].step == step; ++*i) {
        u8 kind = ran->events[*i].kind;
        if (!is_own && (kind == HD_EV_READ || kind == HD_EV_WRITE))
            n += hd_map_has(fresh, ran->events[*i].site);
        is_own = false;
    }
    return n;
}

/* The schedule of `ran` in which each noted access is a step as well. */
static void stretch(struct hd_list *out, const struct hd_ran *ran, const struct hd_map *fresh)
{
    u32 at = 0;
    u64 step = 0;
    hd_list_add(out, (struct hd_choice){notes_after(ran, &at, 0, fresh), 0, HD_CHOICE_PICK, 0});
    for (u32 i = 0; i < ran->n; i++) {
        struct hd_choice c = ran->log[i];
        if (c.kind == HD_CHOICE_PICK)
            for (u32 k = ran->log[i].count; k--;)
                c.count += notes_after(ran, &at, ++step, fresh);
        hd_list_add(out, c);
    }
}

static bool relive(struct hd_trials *t, struct hd_shrunk *s, u32 from, const struct hd_map *fresh)
{
    struct hd_ran ran;
    struct hd_list longer = {0};
    bool is = put_sites(t, from, fresh, HD_SITE_EVENT);
    if (is) {
        hd_trials_run(t, &s->list, 0, HD_MODE_STREAM | HD_MODE_ALL_EVENTS, &ran);
        is = ran.end == HD_END_SAME && t->w->run.stats.events < HD_SHM_RING;
    }
    if (is) {
        stretch(&longer, &ran, fresh);
        is = put_sites(t, from, fresh, HD_SITE_EVENT | HD_SITE_POINT);
    }
    if (is) {
        hd_trials_run(t, &longer, 0, 0, &ran);
        is = ran.end == HD_END_SAME;
    }
    if (is) {
        hd_list_set(&s->list, ran.log, ran.n);
        s->preemptions = ran.preemptions;
        s->switches = ran.switches;
        s->steps = ran.steps;
    }
    hd_list_release(&longer);
    return is;
}

void hd_trials_learn(struct hd_trials *t, struct hd_shrunk *s, const struct hd_site *known,
                     u32 n_known)
{
    struct hd_map fresh = {0};
    struct hd_ran ran;
    u32 from = t->base.n_sites, n;
    if (s->steps > MAX_STEPS || t->base.cfg.mode & HD_MODE_NO_FILTER)
        return;
    hd_trials_run(t, &s->list, 0, HD_MODE_LEARN, &ran);
    const struct hd_site *list = hd_snapshot_sites(&t->w->run, &n);
    if (ran.end == HD_END_SAME)
        collect(t, list, n, &fresh);
    if (known)
        collect(t, known, n_known, &fresh);
    if (fresh.n && !relive(t, s, from, &fresh))
        t->base.n_sites = from;
    hd_map_release(&fresh);
}

/* ---- accesses under locks -------------------------------------------------------------- */

#define MAX_GUARDED 64 /* sites: of more, what is named is no longer what decides */
#define MAX_CLEAN 4    /* runs tried to see one that passes */

/* What is known of a piece of memory: its first thread, and */
enum { BY_SEVERAL = 1 << 16, WRITTEN = 2 << 16 };

struct guarded {
    struct hd_map memory;           /* by address */
    HD_VEC(struct hd_event) access; /* the first of each site there */
    struct hd_map seen;             /* site and address of those */
};

static bool is_guarded(const struct hd_event *e, struct hd_map *held)
{
    u32 effects = hd_effects(e);
    u64 *n = hd_map_ref(held, e->tid, 0);
    *n += (effects & HD_TAKES) != 0;
    *n -= (effects & HD_GIVES) && *n;
    return *n && (e->kind == HD_EV_READ || e->kind == HD_EV_WRITE);
}

static void note_guarded(struct guarded *g, const struct hd_ran *ran)
{
    struct hd_map held = {0}; /* locks, by thread */
    for (u32 i = 0; i < ran->n_events; i++) {
        const struct hd_event *e = &ran->events[i];
        if (!is_guarded(e, &held))
            continue;
        u64 *known = hd_map_ref(&g->memory, e->obj, e->tid);
        *known |= ((u16)*known != e->tid ? BY_SEVERAL : 0) | (e->kind == HD_EV_WRITE ? WRITTEN : 0);
        if (hd_map_put(&g->seen, e->site * 0x9e3779b97f4a7c15ull ^ e->obj, 1))
            *hd_vec_add(&g->access) = *e;
    }
    hd_map_release(&held);
}

/* Sites of accesses that several threads make to the same memory, each under a lock, if one of
 * them writes there. */
static void collect_guarded(const struct hd_trials *t, const struct guarded *g, struct hd_map *fresh)
{
    const u32 both = BY_SEVERAL | WRITTEN;
    struct hd_replay_site s;
    for (size_t i = 0; i < g->access.n; i++) {
        const struct hd_event *e = &g->access.at[i];
        if ((hd_map_get_or(&g->memory, e->obj, 0) & both) == both && pack(t, e->site, &s) &&
            !is_known(&t->base, &s))
            hd_map_put(fresh, e->site, 1);
    }
}

/* A run in which every access is an event: does it end like that, and are all there? */
static bool watch(struct hd_trials *t, const struct hd_list *script, u64 variant, enum hd_end end,
                  struct hd_ran *ran)
{
    hd_trials_run(t, script, variant, HD_MODE_STREAM | HD_MODE_ALL_EVENTS, ran);
    return ran->end == end && t->w->run.stats.events < HD_SHM_RING;
}

void hd_trials_guarded(struct hd_trials *t, struct hd_shrunk *s)
{
    const struct hd_list none = {0};
    struct guarded g = {0};
    struct hd_map fresh = {0};
    struct hd_ran ran;
    u32 from = t->base.n_sites;
    bool passes = false;
    if (s->steps > MAX_STEPS || t->base.cfg.mode & HD_MODE_NO_FILTER)
        return;
    if (watch(t, &s->list, 0, HD_END_SAME, &ran)) {
        note_guarded(&g, &ran);
        /* What the failure cut short only shows in a run that passes. */
        for (u64 v = 0; v < MAX_CLEAN && !passes; v++)
            passes = watch(t, &none, v, HD_END_CLEAN, &ran);
        if (passes)
            note_guarded(&g, &ran);
        collect_guarded(t, &g, &fresh);
    }
    if (fresh.n && (fresh.n > MAX_GUARDED || !relive(t, s, from, &fresh)))
        t->base.n_sites = from;
    hd_map_release(&g.memory);
    hd_map_release(&g.seen);
    hd_vec_release(&g.access);
    hd_map_release(&fresh);
}
