/* trace.c: a run as the search needs it: one step per transition, with what it
 * acted on. A step is its operation (a cond wait is two acts), and the memory its
 * thread freed before the next one. Other notes are left out: accesses that are
 * no scheduling points are ordered by synchronization, else they would have
 * become points.
 */
#include "search/node.h"

#include <string.h>

#define MAX_FREES (HD_MAX_ACTS - 2) /* of one step; the largest blocks are not preferred */

/* Does thread t, about to give up rwlock obj, hold it for reading? */
static bool holds_for_reading(const struct hd_branch *s, u16 t, u64 obj)
{
    for (size_t k = s->of_thread[t].n; k--;) {
        const struct hd_search_step *p = &s->step.at[s->of_thread[t].at[k]];
        const struct hd_act *a = &s->act.at[p->act];
        if (a->obj != obj || a->arg)
            continue;
        if (a->kind == HD_EV_RDLOCK || a->kind == HD_EV_TRYRDLOCK)
            return true;
        if (a->kind == HD_EV_WRLOCK || a->kind == HD_EV_TRYWRLOCK)
            return false;
    }
    return false;
}

static struct hd_act act_of(const struct hd_branch *s, const struct hd_event *ev, u8 flags)
{
    struct hd_act a = {.tid = ev->tid,
                       .kind = ev->kind,
                       .flags = (u8)(HD_ACT_DONE | flags),
                       .size = hd_act_size(ev->size),
                       .obj = ev->obj,
                       .arg = ev->arg};
    if (ev->kind == HD_EV_FREE)
        a.size = HD_MIN(HD_MAX(ev->arg, 1u), HD_ACT_LARGE);
    if ((ev->kind == HD_EV_LOCK || ev->kind == HD_EV_TRYLOCK) && ev->size == 1)
        a.flags |= HD_ACT_RECURSIVE;
    if (ev->kind == HD_EV_RW_UNLOCK && holds_for_reading(s, ev->tid, ev->obj))
        a.flags |= HD_ACT_READ_HOLD;
    return a;
}

/* Events of the step that begins at event i; returns the first of the next. */
static u32 take_step(struct hd_branch *s, const struct hd_trace *t, const struct hd_option *o,
                     u32 i)
{
    struct hd_search_step *p = &s->step.at[s->step.n - 1];
    const struct hd_event *main = &t->event[i];
    u8 flags = (u8)((o->flags & HD_OPTION_GIVES_UP ? HD_ACT_GIVES_UP : 0) |
                    (o->flags & HD_OPTION_ROBUST ? HD_ACT_ROBUST : 0) |
                    (o->flags & HD_OPTION_LAST_UNIT ? HD_ACT_LAST_UNIT : 0));
    p->act = (u32)s->act.n;
    p->site = main->site;
    p->ctx = main->ctx;
    struct hd_act a = act_of(s, main, flags);
    *hd_vec_add(&s->act) = a;
    i++;
    if (main->kind == HD_EV_UNLOCK && i < t->n_events && t->event[i].step == o->step &&
        t->event[i].kind == HD_EV_COND_WAIT) {
        a = act_of(s, &t->event[i++], flags);
        *hd_vec_add(&s->act) = a;
    }
    u32 frees = 0;
    for (; i < t->n_events && t->event[i].step == o->step; i++)
        if (t->event[i].kind == HD_EV_FREE && frees++ < MAX_FREES) {
            a = act_of(s, &t->event[i], 0);
            *hd_vec_add(&s->act) = a;
        }
    p->n_acts = (u32)s->act.n - p->act;
    return i;
}

static void note_limits(struct hd_branch *s, const struct hd_option *o)
{
    if (o->flags & HD_OPTION_LATE)
        hd_search_limit(s->of, HD_LIMIT_LATE);
    if (o->flags & HD_OPTION_TIMER)
        hd_search_limit(s->of, HD_LIMIT_TIMER);
    if (o->flags & HD_OPTION_PREFERS)
        hd_search_limit(s->of, HD_LIMIT_PREFERS);
}

/* Who has a pending operation when the run ends? One stated after the thread's
 * last step; an EXIT carried out leaves none. */
static void find_waiting(struct hd_branch *s, const struct hd_trace *t)
{
    s->waiting = 0;
    memcpy(s->pending, t->pending, sizeof s->pending);
    for (u32 q = 0; q < s->n_threads; q++) {
        size_t n = s->of_thread[q].n;
        u32 last = n ? s->of_thread[q].at[n - 1] + 1 : 0;
        bool has_left = n && s->act.at[s->step.at[last - 1].act].kind == HD_EV_EXIT;
        bool has_stated = s->pending[q].site || s->pending[q].kind || s->pending[q].obj ||
                          s->pending[q].step;
        if (has_stated && s->pending[q].step >= last && !has_left)
            s->waiting |= HD_BIT(q);
    }
}

/* The last step ended the process while others could have gone on. */
static void mark_last(struct hd_branch *s, const struct hd_trace *t, u64 stuck, bool is_stuck)
{
    if (!s->step.n || t->is_cut || t->is_partial)
        return;
    struct hd_search_step *p = &s->step.at[s->step.n - 1];
    u64 others = s->waiting & ~HD_BIT(p->tid);
    if (is_stuck ? stuck & s->waiting : others)
        for (u32 i = 0; i < p->n_acts; i++)
            s->act.at[p->act + i].flags |= HD_ACT_LAST;
}

struct hold {
    u64 obj;
    u16 tid;
    u8 space;
    u32 step, depth;
};

/* Since when does the thread of each step hold a lock, other than the step's own? */
static void find_holds(struct hd_branch *s)
{
    HD_VEC(struct hold) held = {0};
    for (u32 i = 0; i < s->step.n; i++) {
        struct hd_search_step *e = &s->step.at[i];
        const struct hd_act *a = &s->act.at[e->act];
        u8 space = (u8)hd_act_space(a->kind);
        struct hold *own = NULL;
        e->holds_since = HD_HOLDS_NONE;
        for (size_t k = 0; k < held.n; k++) {
            struct hold *h = &held.at[k];
            if (h->tid != e->tid)
                continue;
            if (h->obj == a->obj && h->space == space)
                own = h;
            else
                e->holds_since = HD_MIN(e->holds_since, h->step);
        }
        if (hd_act_failed(a))
            continue;
        if (hd_may(a->kind, HD_TAKES) && own)
            own->depth++;
        else if (hd_may(a->kind, HD_TAKES))
            *hd_vec_add(&held) = (struct hold){a->obj, e->tid, space, i, 1};
        else if (hd_may(a->kind, HD_GIVES) && own && !--own->depth)
            hd_vec_del_fast(&held, (size_t)(own - held.at));
    }
    hd_vec_release(&held);
}

bool hd_trace_take(struct hd_branch *s, const struct hd_trace *t)
{
    u32 at = 0;
    u64 stuck = 0;
    bool is_stuck = false;
    if (t->n_threads > HD_SEARCH_THREADS)
        hd_search_limit(s->of, HD_LIMIT_THREADS);
    if (t->is_lost)
        hd_search_limit(s->of, HD_LIMIT_LENGTH);
    if (t->n_threads > HD_SEARCH_THREADS || t->is_lost)
        return false;
    s->n_threads = t->n_threads;
    hd_vec_clear(&s->step);
    hd_vec_clear(&s->act);
    for (u32 q = 0; q < HD_SEARCH_THREADS; q++)
        hd_vec_clear(&s->of_thread[q]);
    for (u32 i = 0; i < t->n_options; i++) {
        const struct hd_option *o = &t->option[i];
        note_limits(s, o);
        if (o->tid == HD_NO_THREAD) {
            is_stuck = true;
            stuck = o->candidates | o->early;
            break;
        }
        if (o->kind != HD_CHOICE_PICK)
            continue;
        while (at < t->n_events && t->event[at].step < o->step)
            at++;
        if (at == t->n_events || t->event[at].step != o->step)
            break; /* picked, and the process ended before it took effect */
        const struct hd_search_step *before = s->step.n ? hd_vec_last(&s->step) : NULL;
        u32 stretch = before && before->tid == o->tid ? before->stretch : (u32)s->step.n;
        *hd_vec_add(&s->step) = (struct hd_search_step){.tid = o->tid,
                                                        .node = i,
                                                        .nth = (u32)s->of_thread[o->tid].n + 1,
                                                        .stretch = stretch};
        at = take_step(s, t, o, at);
        *hd_vec_add(&s->of_thread[o->tid]) = (u32)s->step.n - 1;
    }
    if (t->is_partial)
        hd_search_limit(s->of, HD_LIMIT_STEPS);
    find_holds(s);
    find_waiting(s, t);
    mark_last(s, t, stuck, is_stuck);
    return true;
}

/* ---- what a thread is about to do -------------------------------------------------- */

u32 hd_trace_pending(const struct hd_branch *s, u16 q, struct hd_act *to)
{
    const struct hd_pending *p = &s->pending[q];
    struct hd_op op = {.kind = p->kind,
                       .flags = p->flags & HD_OPTION_GIVES_UP ? HD_OP_TIMED : 0,
                       .size = p->size,
                       .site = p->site,
                       .obj = p->obj,
                       .obj2 = p->obj2,
                       .arg = p->arg};
    u32 n = hd_act_of_op(to, q, &op);
    if (p->kind == HD_EV_RW_UNLOCK && holds_for_reading(s, q, p->obj))
        to[0].flags |= HD_ACT_READ_HOLD;
    return n;
}

u32 hd_trace_next(const struct hd_branch *s, u32 from, u16 q, struct hd_act *to)
{
    size_t lo = 0, hi = s->of_thread[q].n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (s->of_thread[q].at[mid] < from)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == s->of_thread[q].n)
        return s->waiting & HD_BIT(q) ? hd_trace_pending(s, q, to) : 0;
    const struct hd_search_step *p = &s->step.at[s->of_thread[q].at[lo]];
    u32 n = HD_MIN(p->n_acts, (u32)HD_MAX_ACTS);
    memcpy(to, &s->act.at[p->act], n * sizeof *to);
    for (u32 i = 0; i < n; i++) /* done elsewhere it may end otherwise */
        if (to[i].kind != HD_EV_FREE) {
            to[i].flags &= (u8)~(HD_ACT_DONE | HD_ACT_LAST_UNIT);
            to[i].arg = 0;
        }
    return n;
}
