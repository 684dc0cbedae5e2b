/* steps.c: from the recorded events to the rows a person reads.
 *
 * Events nobody n_read for are dropped, repeats (also of several steps: a spin
 * loop, two threads in turn) folded; of the rest the last ones are kept and
 * those the sentence speaks of, wherever they are; of a minimized run those
 * around its preemptions. Where the thread changes, a
 * row says why, as far as events tell: was what it did next possible then?
 */
#include "report/explain/refine.h"
#include "report/explain/model.h"
#include "report/explain/race.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PERIOD 8
#define MAX_KEYS 80
#define MAX_PREEMPTIONS 8 /* that get rows of their own */
#define BESIDE 2          /* rows on each side of one */
#define BEHIND_RACE 4     /* rows after the accesses */
#define MAX_READ (1 << 24) /* events read to find them, from the last on */
#define PREEMPTED "preempted"

/* ---- key events --------------------------------------------------------------------- */

static u32 add_key(u32 *out, u32 n, u32 max, u32 event)
{
    for (u32 i = 0; i < n; i++)
        if (out[i] == event)
            return n;
    if (n < max)
        out[n++] = event;
    return n;
}

static int by_number(const void *a, const void *b)
{
    u32 x = *(const u32 *)a, y = *(const u32 *)b;
    return x < y ? -1 : x > y;
}

static u32 deadlock_keys(const struct hd_model *st, u32 *out, u32 max)
{
    const struct hd_finding *f = st->f;
    const struct hd_cycle *c = &st->cycle;
    u32 n = 0;
    for (u32 i = 0; i < c->n; i++) {
        const struct hd_held *h = hd_held_find(&st->held, c->obj[i], HD_NO_THREAD);
        if (h)
            n = add_key(out, n, max, h->event);
        for (u32 e = f->n_events; e-- > 0 && !c->is_cycle;)
            if (f->events[e].obj == c->obj[i] &&
                (f->events[e].kind == HD_EV_COND_SIGNAL ||
                 f->events[e].kind == HD_EV_COND_BROADCAST)) {
                n = add_key(out, n, max, e);
                break;
            }
    }
    return n;
}

/* A race that is no failure: what the run did after it does not matter. */
static bool is_race_alone(const struct hd_finding *f)
{
    return f->race.class && f->race.class != HD_RACE_FAILS;
}

static u32 race_keys(const struct hd_finding *f, u32 *out, u32 max)
{
    u32 n = 0;
    for (u32 i = 0; is_race_alone(f) && i < HD_COUNT(f->race.step); i++) {
        u32 e = f->race.step[i] ? hd_race_find(f, i) : ~0u;
        if (e != ~0u)
            n = add_key(out, n, max, e + hd_model_is_free(f, e));
    }
    return n;
}

u32 hd_model_keys(const struct hd_model *st, u32 *out, u32 max)
{
    const struct hd_finding *f = st->f;
    static const u32 parts[] = {[HD_SUSPECT_PAIR] = 2, [HD_SUSPECT_PENDING] = 1,
                                [HD_SUSPECT_TRIPLE] = 3};
    u32 n = race_keys(f, out, max);
    for (u32 i = 0; i < parts[st->suspect.kind]; i++)
        n = add_key(out, n, max, st->suspect.e[i]);
    if (f->verdict.kind == HD_V_DEADLOCK)
        n = deadlock_keys(st, out, max);
    struct hd_refined r;
    hd_refine(f, &r);
    for (u32 i = 0; i < r.n_events; i++)
        n = add_key(out, n, max, r.event[i]);
    for (u32 e = f->n_events; e-- > 0 && f->verdict.kind == HD_V_HEAP;)
        if (f->events[e].kind == HD_EV_FREE && f->events[e].obj == f->verdict.heap.block) {
            n = add_key(out, n, max, e);
            break;
        }
    for (u32 i = 0; i < HD_DECIDED_EVENTS; i++) {
        u32 e = hd_decided_find(f, i);
        if (e != ~0u)
            n = add_key(out, n, max, e + hd_model_is_free(f, e)); /* what people look for */
    }
    if (n)
        qsort(out, n, sizeof *out, by_number);
    return n;
}

/* ---- why did it stop? ----------------------------------------------------------------- */

/* Locks held after the events before `next`. It only goes forward: questions about later and
 * later events cost one walk through them in all. */
struct lock_walk {
    struct hd_held_set held;
    u32 next;
};

static u16 holder_at(const struct hd_model *st, struct lock_walk *w, u32 event, u64 obj, u16 but)
{
    if (event + 1 < w->next) {
        hd_held_release(&w->held);
        *w = (struct lock_walk){0};
    }
    for (; w->next <= event; w->next++)
        hd_held_step(&w->held, st->f, w->next);
    u16 holder = HD_NO_THREAD;
    for (size_t i = 0; i < w->held.v.n; i++)
        if (w->held.v.at[i].obj == obj && w->held.v.at[i].tid != but)
            holder = w->held.v.at[i].tid;
    return holder;
}

static bool happened(const struct hd_finding *f, u32 from, u32 to, u8 kind, u64 obj, u16 tid)
{
    for (u32 i = from; i < to; i++)
        if (f->events[i].kind == kind &&
            (tid == HD_NO_THREAD ? f->events[i].obj == obj : f->events[i].tid == tid))
            return true;
    return false;
}

/* Why an operation that thread tid was about to do after event x did not happen at once;
 * `next`: where it did, or the end. Nothing is written if that is not known. */
static void why_pending(struct hd_model *st, struct lock_walk *w, u32 x, u32 next, u8 kind, u64 obj,
                        char *buf, size_t size)
{
    const struct hd_finding *f = st->f;
    bool has_next = next < f->n_events;
    char name[96], who[40];
    if (hd_may(kind, HD_TAKES) && hd_may(kind, HD_BLOCKS)) {
        u16 holder = holder_at(st, w, x, obj, f->events[x].tid);
        if (holder == HD_NO_THREAD)
            return;
        hd_name_object(st, kind, obj, name, sizeof name);
        hd_name_thread(st, holder, who, sizeof who);
        snprintf(buf, size, "blocked on %s, held by %s", name, who);
    } else if (kind == HD_EV_JOIN) {
        if (!happened(f, 0, x + 1, HD_EV_EXIT, 0, (u16)obj))
            snprintf(buf, size, "waits for T%u to end", (u32)obj);
    } else if (kind == HD_EV_SEM_WAIT || kind == HD_EV_ONCE_BEGIN) {
        u8 waker = kind == HD_EV_SEM_WAIT ? HD_EV_SEM_POST : HD_EV_ONCE_END;
        if (has_next && !happened(f, x + 1, next, waker, obj, HD_NO_THREAD))
            return;
        hd_name_object(st, kind, obj, name, sizeof name);
        snprintf(buf, size, "blocked on %s", name);
    } else if (kind == HD_EV_SLEEP) {
        snprintf(buf, size, "sleeps");
    } else if (kind == HD_EV_IO && (s64)obj < 0) {
        snprintf(buf, size, "waits for another process or a file");
    } else if (kind == HD_EV_IO) {
        snprintf(buf, size, "in a call on descriptor %d", (int)obj);
    } else if (kind == HD_EV_SIGWAIT) {
        snprintf(buf, size, "waits for a signal");
    }
}

/* Writes why the thread of event x did not go on after it; "" if that event
 * says so itself. */
static void reason(struct hd_model *st, struct lock_walk *w, u32 x, char *buf, size_t size)
{
    const struct hd_finding *f = st->f;
    const struct hd_event *e = &f->events[x];
    const struct hd_finding_thread *t = hd_model_thread(st, e->tid);
    char name[96];
    u32 next = x + 1;
    while (next < f->n_events && f->events[next].tid != e->tid)
        next++;
    snprintf(buf, size, PREEMPTED);
    if (e->kind == HD_EV_EXIT) {
        buf[0] = 0;
    } else if ((hd_may(e->kind, HD_WAITS) || e->kind == HD_EV_BARRIER_WAIT) && !e->arg) {
        hd_name_object_of(st, e, name, sizeof name);
        snprintf(buf, size, "blocked on %s", name);
    } else if (e->kind == HD_EV_YIELD) {
        snprintf(buf, size, "gave way");
    } else if (next < f->n_events && hd_is_file_call(&f->events[next])) {
        ; /* it could go on */
    } else if (next < f->n_events) {
        why_pending(st, w, x, next, f->events[next].kind, f->events[next].obj, buf, size);
    } else if (t && t->state == HD_T_PENDING) {
        why_pending(st, w, x, next, t->op_kind, t->op_obj, buf, size);
    } else if (t && t->state == HD_T_BLOCKED_OUTSIDE) {
        snprintf(buf, size, "in a system call");
    }
}

/* ---- rows --------------------------------------------------------------------------------- */

static struct hd_row *add_row(struct hd_rows *r, u8 kind)
{
    struct hd_row *row = hd_vec_add(&r->v);
    *row = (struct hd_row){.kind = kind, .count = 1};
    return row;
}

/* One visible event, before rows are made of them. */
struct item {
    u32 event;
    bool is_key;
};

static bool is_same(const struct hd_finding *f, const struct item *a, const struct item *b)
{
    const struct hd_event *x = &f->events[a->event], *y = &f->events[b->event];
    return !a->is_key && !b->is_key && x->tid == y->tid && x->kind == y->kind &&
           x->site == y->site && x->obj == y->obj;
}

/* How often the p items at i come in a row, and the best p. */
static u32 best_period(const struct hd_finding *f, const struct item *v, u32 i, u32 n, u32 *times)
{
    u32 best = 0, covered = 0;
    for (u32 p = 1; p <= MAX_PERIOD && i + 2 * p <= n; p++) {
        u32 k = i + p;
        while (k < n && is_same(f, &v[k], &v[k - p]))
            k++;
        u32 reps = (k - i) / p;
        if (reps >= (p == 1 ? 2u : 3u) && reps * p > covered) {
            best = p;
            covered = reps * p;
            *times = reps;
        }
    }
    return best;
}

static void fold(struct hd_rows *r, const struct hd_finding *f, const struct item *v, u32 n)
{
    for (u32 i = 0; i < n;) {
        u32 times = 1, p = best_period(f, v, i, n, &times);
        for (u32 k = i; k < i + (p ? p : 1); k++) {
            struct hd_row *row = add_row(r, HD_ROW_STEP);
            row->event = v[k].event;
            row->tid = f->events[v[k].event].tid;
            row->is_key = v[k].is_key;
            row->count = p == 1 ? times : 1;
            row->last = v[p == 1 ? i + times - 1 : k].event;
        }
        if (p > 1) {
            struct hd_row *row = add_row(r, HD_ROW_REPEAT);
            row->count = times;
            row->span = p;
            row->tid = f->events[v[i + p - 1].event].tid;
            row->last = v[i + p * times - 1].event;
        }
        i += p ? p * times : 1;
    }
}

/* Of a minimized run every preemption matters: rows on both sides of each. */
static void mark_preemptions(struct hd_model *st, const struct hd_rows *all, bool *is_in)
{
    u32 left = MAX_PREEMPTIONS;
    u64 n_read = 0;
    struct lock_walk w = {0};
    for (size_t i = all->v.n; i-- > 1 && left && n_read < MAX_READ;) {
        char why[160];
        if (all->v.at[i].kind != HD_ROW_STEP || all->v.at[i].tid == all->v.at[i - 1].tid)
            continue;
        n_read += st->f->n_events; /* what a reason costs */
        reason(st, &w, all->v.at[i - 1].last, why, sizeof why);
        if (strcmp(why, PREEMPTED))
            continue;
        left--;
        for (size_t k = i > BESIDE ? i - BESIDE : 0; k < i + BESIDE && k < all->v.n; k++)
            is_in[k] = true;
    }
    hd_held_release(&w.held);
}

/* Which of all rows to show: the last ones, or those up to a race, and key rows with a neighbour.
 * Of a minimized run fewer at the end, and those around its preemptions. */
static bool *choose(struct hd_model *st, const struct hd_rows *all, u32 last)
{
    bool *is_in = calloc(all->v.n + 1, 1);
    u32 end = (u32)all->v.n;
    HD_ASSERT(is_in);
    for (u32 i = end; is_race_alone(st->f) && i-- > 0 && end == all->v.n;)
        if (all->v.at[i].is_key)
            end = (u32)HD_MIN((size_t)i + 1 + BEHIND_RACE, all->v.n);
    if (st->f->decided.is_minimized && all->v.n > last) {
        mark_preemptions(st, all, is_in);
        last /= 4;
    }
    for (u32 i = 0; i < all->v.n; i++) {
        if (i + last >= end && i < end)
            is_in[i] = true;
        if (!all->v.at[i].is_key)
            continue;
        is_in[i] = is_in[i + 1] = true;
        if (i)
            is_in[i - 1] = true;
    }
    for (u32 i = 0; i < all->v.n; i++)
        if (is_in[i] && all->v.at[i].kind == HD_ROW_REPEAT)
            for (u32 k = i - all->v.at[i].span; k < i; k++)
                is_in[k] = true;
    /* a gap of one row is no gap */
    for (u32 i = 1; i + 1 < all->v.n; i++)
        if (!is_in[i] && is_in[i - 1] && is_in[i + 1])
            is_in[i] = true;
    return is_in;
}

static u32 steps_in(const struct hd_row *row)
{
    return row->kind == HD_ROW_REPEAT ? row->span * (row->count - 1) : row->count;
}

static void arrange(struct hd_rows *r, struct hd_model *st, const struct hd_rows *all, u32 last)
{
    bool *is_in = choose(st, all, last);
    struct lock_walk w = {0};
    u32 skipped = 0;
    for (u32 i = 0; i < all->v.n; i++) {
        if (!is_in[i]) {
            skipped += steps_in(&all->v.at[i]);
            continue;
        }
        if (skipped && r->v.n)
            add_row(r, HD_ROW_GAP)->count = skipped;
        skipped = 0;
        *add_row(r, 0) = all->v.at[i];
        r->n_steps += steps_in(&all->v.at[i]);
        if (i + 1 < all->v.n && is_in[i + 1] && all->v.at[i + 1].kind == HD_ROW_STEP &&
            all->v.at[i + 1].tid != all->v.at[i].tid) {
            struct hd_row *row = add_row(r, HD_ROW_SWITCH);
            row->tid = all->v.at[i].tid;
            reason(st, &w, all->v.at[i].last, row->text, sizeof row->text);
            if (!row->text[0])
                r->v.n--;
        }
    }
    hd_held_release(&w.held);
    free(is_in);
}

/* ---- how it ended --------------------------------------------------------------------------- */

static void add_end(struct hd_rows *r, u16 tid, u64 site, const char *text)
{
    struct hd_row *row = add_row(r, HD_ROW_END);
    row->tid = tid;
    row->site = site;
    row->is_key = true;
    snprintf(row->text, sizeof row->text, "%.159s", text);
}

static void add_ends(struct hd_rows *r, struct hd_model *st)
{
    const struct hd_verdict *v = &st->f->verdict;
    const struct hd_cycle *c = &st->cycle;
    char text[400];
    switch (v->kind) {
    case HD_V_DEADLOCK:
        for (u32 i = 0; i < c->n && i < 8; i++) {
            const struct hd_finding_thread *t = hd_model_thread(st, c->tid[i]);
            if (!t)
                continue;
            hd_name_thread_wait(st, t, c->obj[i], text, sizeof text);
            add_end(r, t->tid, t->op_site, text);
        }
        return;
    case HD_V_ASSERT:
        add_end(r, v->tid, 0,
                st->assert_text[0]                             ? "assertion fails"
                : hd_model_exception(st->f, text, sizeof text) ? "exception not caught"
                                                               : "aborts");
        return;
    case HD_V_SIGNAL:
        snprintf(text, sizeof text, "crashes (%s)", hd_name_signal(v->signo));
        add_end(r, v->tid, v->pc, text);
        return;
    case HD_V_HEAP:
        add_end(r, v->tid, v->pc, "heap error");
        return;
    case HD_V_MISUSE:
        if (v->misuse.kind != HD_MISUSE_LEAK) /* its thread was created there, and has ended */
            add_end(r, v->misuse.tid, v->misuse.site, "misuse");
        return;
    case HD_V_CHECK:
        add_end(r, v->tid, v->pc, "check fails");
        return;
    case HD_V_EXIT:
        add_end(r, v->tid, 0, hd_model_has_returned(st) || !v->pc ? "program ends" : "exit()");
        return;
    default:
        return;
    }
}

void hd_rows_make(struct hd_rows *r, struct hd_model *st, u32 last)
{
    const struct hd_finding *f = st->f;
    u32 keys[MAX_KEYS], n_keys = hd_model_keys(st, keys, MAX_KEYS), next_key = 0, n = 0;
    struct item *v = malloc((f->n_events + 1) * sizeof *v);
    HD_ASSERT(v);
    for (u32 i = 0; i < f->n_events; i++) {
        bool is_key = next_key < n_keys && keys[next_key] == i;
        next_key += is_key;
        if (is_key || hd_model_is_visible(st, i))
            v[n++] = (struct item){i, is_key};
    }
    struct hd_rows all = {0};
    *r = (struct hd_rows){0};
    fold(&all, f, v, n);
    arrange(r, st, &all, last);
    add_ends(r, st);
    hd_rows_release(&all);
    free(v);
}

void hd_rows_release(struct hd_rows *r)
{
    hd_vec_release(&r->v);
}
