/* shrink_list.c: edits of schedules. See shrink.h.
 *
 * A log is cut into parts: a pick with the wake-ups chosen while it was carried
 * out, and with the early timeouts and signals chosen right before it. Edits
 * move whole parts; what no longer fits is skipped when the list is followed.
 */
#include "minimize/shrink.h"

#include <stdlib.h>
#include <string.h>

void hd_list_add(struct hd_list *l, struct hd_choice c)
{
    if (!c.count)
        return;
    if (l->v.n) {
        struct hd_choice *last = hd_vec_last(&l->v);
        if (last->kind == c.kind && last->tid == c.tid && last->count <= ~0u - c.count) {
            last->count += c.count;
            return;
        }
    }
    *hd_vec_add(&l->v) = c;
}

void hd_list_set(struct hd_list *l, const struct hd_choice *c, u32 n)
{
    hd_vec_clear(&l->v);
    hd_vec_reserve(&l->v, n);
    if (n)
        memcpy(l->v.at, c, n * sizeof *c);
    l->v.n = n;
}

void hd_list_release(struct hd_list *l)
{
    hd_vec_release(&l->v);
}

static bool preempts(const struct hd_choice *c)
{
    return c->kind == HD_CHOICE_PICK && c->flags & HD_CHOICE_PREEMPTS;
}

u32 hd_list_preemptions(const struct hd_list *l)
{
    u32 n = 0;
    for (size_t i = 0; i < l->v.n; i++)
        n += preempts(&l->v.at[i]);
    return n;
}

/* ---- parts -------------------------------------------------------------------- */

struct part {
    u32 from, pick, to; /* entries from <= pick < to */
    u16 tid;
    bool preempts, is_done;
};
struct parts {
    HD_VEC(struct part) v;
    /* Where the search for a part that is not done begins; both only move forward. */
    u32 oldest, *oldest_of; /* of all, of thread t */
    u16 top;                /* highest thread number */
};

static void split(struct parts *p, const struct hd_list *l)
{
    u32 n = (u32)l->v.n;
    const struct hd_choice *c = l->v.at;
    for (u32 i = 0; i < n;) {
        struct part one = {.from = i};
        while (i < n && c[i].kind != HD_CHOICE_PICK)
            i++;
        if (i == n)
            break; /* chosen, but never acted upon */
        one.pick = i;
        one.tid = c[i].tid;
        one.preempts = preempts(&c[i]);
        for (i++; i < n && c[i].kind == HD_CHOICE_WAKE;)
            i++;
        one.to = i;
        *hd_vec_add(&p->v) = one;
    }
}

static void put(struct hd_list *out, const struct hd_list *l, const struct part *p)
{
    for (u32 i = p->from; i < p->to; i++)
        hd_list_add(out, l->v.at[i]);
}

void hd_list_prefix(struct hd_list *out, const struct hd_list *l, u64 steps)
{
    hd_vec_clear(&out->v);
    for (size_t i = 0; i < l->v.n && steps; i++) {
        struct hd_choice c = l->v.at[i];
        if (c.kind == HD_CHOICE_PICK) {
            c.count = (u32)HD_MIN((u64)c.count, steps);
            steps -= c.count;
        }
        hd_list_add(out, c);
    }
}

void hd_list_hold(struct hd_list *out, const struct hd_list *l, u64 from, u64 to, u16 t)
{
    u64 step = 0;
    hd_vec_clear(&out->v);
    for (size_t i = 0; i < l->v.n && step < to; i++) {
        struct hd_choice c = l->v.at[i];
        if (c.kind == HD_CHOICE_PICK) {
            u64 end = HD_MIN(step + c.count, to), kept = c.tid == t ? HD_MIN(end, from) : end;
            c.count = (u32)(kept > step ? kept - step : 0);
            step = end;
        } else if (c.tid == t && step >= from) {
            continue;
        }
        if (c.count)
            hd_list_add(out, c);
    }
}

/* ---- preemptions left out --------------------------------------------------------- */

/* The first part not yet used; of thread t unless HD_NO_THREAD. */
static u32 unused(struct parts *p, u16 t)
{
    u32 *from = t == HD_NO_THREAD ? &p->oldest : &p->oldest_of[t], i = *from;
    while (i < p->v.n && (p->v.at[i].is_done || (t != HD_NO_THREAD && p->v.at[i].tid != t)))
        i++;
    return *from = i;
}

/* Who comes after part i, when the preemption behind it is left out or not. A
 * thread's own parts stay in their order. */
static u32 follower(struct parts *p, u32 i, bool is_dropped, bool is_oldest)
{
    u32 n = (u32)p->v.n, next = is_dropped ? i : i + 1, k = n;
    if (next < n && (is_dropped || !is_oldest))
        k = unused(p, p->v.at[next].tid);
    return k < n ? k : unused(p, HD_NO_THREAD);
}

/* The parts in their new order; is_kept: a preemption that stays leads there. */
struct place {
    u32 part;
    bool is_kept;
};
struct places {
    HD_VEC(struct place) v;
};

static void arrange(struct places *to, struct parts *p, const bool *drop, bool is_oldest)
{
    u32 n = (u32)p->v.n, *nth = calloc((size_t)n + 1, sizeof *nth);
    HD_ASSERT(nth);
    for (u32 i = 0; i < n; i++) { /* preemptions before part i */
        nth[i + 1] = nth[i] + p->v.at[i].preempts;
        p->top = HD_MAX(p->top, p->v.at[i].tid);
    }
    p->oldest_of = calloc((size_t)p->top + 1, sizeof *p->oldest_of);
    HD_ASSERT(p->oldest_of);
    bool is_kept = false;
    for (u32 i = 0; i < n;) {
        *hd_vec_add(&to->v) = (struct place){i, is_kept};
        p->v.at[i].is_done = true;
        bool ends = i + 1 < n && p->v.at[i + 1].preempts;
        is_kept = ends && !drop[nth[i + 1]];
        i = follower(p, i, ends && !is_kept, is_oldest);
    }
    free(nth);
}

/* Where a cut list ends: at the last preemption kept, `more` switches on. */
static size_t end_of(const struct places *o, const struct parts *p, u32 more)
{
    size_t end = 0;
    for (size_t i = 0; i < o->v.n; i++)
        if (o->v.at[i].is_kept)
            end = i;
    bool is_any = end > 0;
    for (; more && end + 1 < o->v.n; end++)
        more -= p->v.at[o->v.at[end + 1].part].tid != p->v.at[o->v.at[end].part].tid;
    return is_any || end ? end + 1 : 0;
}

void hd_list_without(struct hd_list *out, const struct hd_list *l, const bool *drop, u32 how,
                     u32 more)
{
    struct parts p = {0};
    struct places o = {0};
    hd_vec_clear(&out->v);
    split(&p, l);
    arrange(&o, &p, drop, how & HD_LIST_OLDEST);
    bool is_cut = how & HD_LIST_CUT;
    size_t end = is_cut ? end_of(&o, &p, more) : o.v.n;
    for (size_t i = 0; i < end; i++) {
        const struct part *part = &p.v.at[o.v.at[i].part];
        if (is_cut && i + 1 == end)
            hd_list_add(out, (struct hd_choice){1, part->tid, HD_CHOICE_PICK, 0});
        else
            put(out, l, part);
    }
    hd_vec_release(&o.v);
    hd_vec_release(&p.v);
    free(p.oldest_of);
}

void hd_list_postpone(struct hd_list *out, const struct hd_list *l, u32 k)
{
    struct parts p = {0};
    u32 at = 0, later;
    hd_vec_clear(&out->v);
    split(&p, l);
    for (; at < p.v.n; at++)
        if (p.v.at[at].preempts && !k--)
            break;
    bool is_there = at > 0 && at < p.v.n;
    later = (u32)p.v.n;
    if (is_there)
        for (later = at; later < p.v.n && p.v.at[later].tid != p.v.at[at - 1].tid;)
            later++;
    for (u32 i = 0; i < p.v.n; i++) {
        if (is_there && i == later)
            put(out, l, &p.v.at[at - 1]);
        if (!is_there || i != at - 1)
            put(out, l, &p.v.at[i]);
    }
    hd_vec_release(&p.v);
}

bool hd_list_swap(struct hd_list *out, const struct hd_list *l, u32 k)
{
    struct parts p = {0};
    size_t at = 1;
    hd_vec_clear(&out->v);
    split(&p, l);
    for (; at < p.v.n; at++)
        if (p.v.at[at].tid != p.v.at[at - 1].tid && !k--)
            break;
    bool is_there = at < p.v.n;
    for (size_t i = 0; i < p.v.n && is_there; i++)
        put(out, l, &p.v.at[i == at ? at - 1 : i == at - 1 ? at : i]);
    hd_vec_release(&p.v);
    return is_there;
}

bool hd_list_without_early(struct hd_list *out, const struct hd_list *l, u32 k)
{
    u32 n = 0;
    bool is_any = false;
    hd_vec_clear(&out->v);
    for (size_t i = 0; i < l->v.n; i++) {
        const struct hd_choice *c = &l->v.at[i];
        bool is_early = c->kind == HD_CHOICE_TIMEOUT || c->kind == HD_CHOICE_CLOCK;
        bool is_out = is_early && (k == HD_LIST_ALL_EARLY || n == k);
        n += is_early;
        is_any |= is_out;
        if (!is_out)
            hd_list_add(out, *c);
    }
    return is_any;
}

void hd_list_without_thread(struct hd_list *out, const struct hd_list *l, u16 t)
{
    hd_vec_clear(&out->v);
    for (size_t i = 0; i < l->v.n; i++)
        if (l->v.at[i].kind != HD_CHOICE_PICK || l->v.at[i].tid != t)
            hd_list_add(out, l->v.at[i]);
}

void hd_list_without_range(struct hd_list *out, const struct hd_list *l, size_t from, size_t to)
{
    hd_vec_clear(&out->v);
    for (size_t k = 0; k < l->v.n; k++)
        if (k < from || k >= to)
            hd_list_add(out, l->v.at[k]);
}

/* ---- one thread held back ---------------------------------------------------------- */

void hd_list_delay(struct hd_list *out, struct hd_list *cut, const struct hd_list *l, u16 t,
                   u64 from, u64 to, u16 next, u32 more)
{
    u64 step = 0; /* done before entry i */
    u32 owed = 0;
    bool is_cut = false, is_left_out = false;
    hd_vec_clear(&out->v);
    for (size_t i = 0; i < l->v.n; i++) {
        struct hd_choice c = l->v.at[i];
        if (c.kind != HD_CHOICE_PICK) {
            if (c.kind != HD_CHOICE_WAKE || !is_left_out)
                hd_list_add(out, c);
            continue;
        }
        is_left_out = false;
        u64 last = step + c.count;
        if (c.tid == t && last >= from && (!to || step < to)) {
            u64 before = from > step + 1 ? from - 1 - step : 0;
            struct hd_choice head = c;
            head.count = (u32)HD_MIN(before, (u64)c.count);
            hd_list_add(out, head);
            owed += c.count - head.count;
            is_left_out = true;
        } else if (to && step < to && last >= to) { /* the one it waits for */
            struct hd_choice head = c;
            head.count = (u32)(to - step);
            hd_list_add(out, head);
            hd_list_set(cut, out->v.at, (u32)out->v.n);
            is_cut = true;
            c.count -= head.count;
            hd_list_add(out, c);
        } else {
            if (is_cut && c.tid == t) {
                c.count += owed;
                owed = 0;
            }
            hd_list_add(out, c);
        }
        step = last;
    }
    if (!to)
        hd_list_add(out, (struct hd_choice){more, next, HD_CHOICE_PICK, 0});
    if (!is_cut)
        hd_list_set(cut, out->v.at, (u32)out->v.n);
}
