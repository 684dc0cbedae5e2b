/* suspect.c: which accesses to which variable most likely decided the failure.
 *
 * A guess from one run, and reports call it one. Variables the failing thread
 * touched last are looked at first; for each, from strong to weak:
 *   4  another thread's access came between two accesses of one thread that
 *      did no synchronization in between (an update that was not atomic)
 *   3  two accesses that nothing orders; or the failing thread read what
 *      another thread was just about to write
 *   2  like 4, but with synchronization in between (check, then act)
 * Should the failing thread's variables give nothing, the latest such accesses
 * of any threads are offered as a possibility (score 1). Accesses that
 * synchronization orders are never suspects, and those of an earlier part of the
 * program, whose threads have all ended, only if the last part has none.
 */
#include "report/explain/model.h"
#include "order/knowledge.h"

#include <stdlib.h>
#include <string.h>

#define MAX_OBJECTS 48   /* variables of the failing thread, latest first */
#define MAX_ACCESSES 4096 /* latest accesses of one variable */
#define MAX_CHECKS 64     /* happens-before questions per variable */

static bool is_memory(u8 kind)
{
    return kind <= HD_EV_ARMW;
}

static bool is_write(u8 kind)
{
    return kind == HD_EV_WRITE || kind == HD_EV_ASTORE || kind == HD_EV_ARMW;
}

static u64 bytes_of(const struct hd_event *e)
{
    return e->size ? e->size : 1;
}

static bool overlaps(const struct hd_event *a, const struct hd_event *b)
{
    return a->obj < b->obj + bytes_of(b) && b->obj < a->obj + bytes_of(a);
}

struct accesses {
    u32 v[MAX_ACCESSES]; /* event indices, latest first */
    u32 n;
    u32 from;            /* first event that is looked at */
    struct hd_knowledge known; /* at these events, */
    bool is_read;              /* once it was asked for */
};

/* Where the part of the program began that failed: the last creation of a thread when all
 * those before had ended. What threads did in an earlier part is not why this one failed,
 * as long as there is something in this one. */
static u32 part_begin(const struct hd_finding *f)
{
    u32 live = 0, from = 0;
    if (f->stats.events != f->n_events) /* the first ones were not kept */
        return 0;
    for (u32 i = 0; i < f->n_events; i++)
        if (f->events[i].kind == HD_EV_CREATE) {
            from = live ? from : i;
            live++;
        } else if (f->events[i].kind == HD_EV_EXIT && f->events[i].tid && live) {
            live--;
        }
    return from;
}

/* All known accesses to the variable of event x. */
static void collect(const struct hd_finding *f, u32 x, struct accesses *a)
{
    a->n = 0;
    a->is_read = false;
    for (u32 i = f->n_events; i-- > a->from && a->n < MAX_ACCESSES;)
        if (is_memory(f->events[i].kind) && overlaps(&f->events[i], &f->events[x]))
            a->v[a->n++] = i;
}

/* Does synchronization order access a->v[x] before the later a->v[y]? */
static bool is_before(const struct hd_finding *f, struct accesses *a, u32 x, u32 y)
{
    if (!a->is_read)
        hd_knowledge_read(&a->known, f->events, a->v, a->n);
    a->is_read = true;
    return hd_knowledge_is_before(&a->known, f->events, a->v, x, y);
}

static bool has_sync_between(const struct hd_finding *f, u16 tid, u32 i, u32 j)
{
    for (u32 k = i + 1; k < j; k++) {
        if (f->events[k].tid != tid || f->events[k].kind >= HD_EV_COUNT)
            continue;
        enum hd_evclass c = hd_event_class(f->events[k].kind);
        if (c >= HD_CLASS_ACQ)
            return true;
    }
    return false;
}

/* Local accesses i < k with remote m between: can no serial order explain it? */
static bool is_unserializable(const struct hd_event *i, const struct hd_event *m,
                              const struct hd_event *k)
{
    if (is_write(m->kind))
        return !(is_write(i->kind) && is_write(k->kind) && i->kind != HD_EV_ARMW &&
                 k->kind != HD_EV_ARMW);
    return is_write(i->kind) && is_write(k->kind);
}

static void consider(struct hd_suspect *best, struct hd_suspect s)
{
    if (s.score > best->score)
        *best = s;
}

static void try_triples(const struct hd_finding *f, struct accesses *a,
                        struct hd_suspect *best)
{
    int checks = 0;
    for (u32 x = 0; x + 2 < a->n && checks < MAX_CHECKS; x++) {
        const struct hd_event *k = &f->events[a->v[x]];
        u32 mid = ~0u;
        for (u32 y = x + 1; y < a->n; y++) {
            const struct hd_event *e = &f->events[a->v[y]];
            if (e->tid != k->tid) {
                if (mid == ~0u || (is_write(e->kind) && !is_write(f->events[a->v[mid]].kind)))
                    mid = y;
                continue;
            }
            if (mid == ~0u || !is_unserializable(e, &f->events[a->v[mid]], k))
                break;
            checks++;
            u32 i = a->v[y], m = a->v[mid], j = a->v[x];
            bool is_synced = has_sync_between(f, k->tid, i, j) ||
                             (is_before(f, a, y, mid) && is_before(f, a, mid, x));
            consider(best, (struct hd_suspect){HD_SUSPECT_TRIPLE, {i, m, j}, 0, is_synced ? 2 : 4});
            break;
        }
    }
}

/* The latest access of thread tid (HD_NO_THREAD: of any) and the latest
 * conflicting one that is not ordered with it. */
static void try_pairs(const struct hd_finding *f, u16 tid, struct accesses *a,
                      struct hd_suspect *best)
{
    int checks = 0;
    u32 own = 0; /* past the earliest access of tid: no pair without one of those */
    for (u32 y = 0; y < a->n; y++)
        if (tid == HD_NO_THREAD || f->events[a->v[y]].tid == tid)
            own = y + 1;
    for (u32 x = 0; x < own && checks < MAX_CHECKS; x++)
        for (u32 y = x + 1; y < a->n && checks < MAX_CHECKS; y++) {
            const struct hd_event *late = &f->events[a->v[x]], *early = &f->events[a->v[y]];
            if (y >= own && tid != HD_NO_THREAD && late->tid != tid)
                break;
            if (late->tid == early->tid ||
                (tid != HD_NO_THREAD && late->tid != tid && early->tid != tid) ||
                (!is_write(late->kind) && !is_write(early->kind)))
                continue;
            checks++;
            if (is_before(f, a, y, x))
                continue;
            consider(best, (struct hd_suspect){HD_SUSPECT_PAIR, {a->v[y], a->v[x]}, 0, 3});
            return;
        }
}

/* Somebody is about to write what the failing thread read at event x, and
 * nobody has written it since. */
static void try_pending(const struct hd_finding *f, u16 tid, u32 x, struct hd_suspect *best)
{
    const struct hd_event *e = &f->events[x];
    for (u32 i = 0; i < f->n_threads; i++) {
        const struct hd_finding_thread *t = &f->threads[i];
        if (t->tid == tid || t->state != HD_T_PENDING || !is_memory(t->op_kind) ||
            (!is_write(t->op_kind) && !is_write(e->kind)) || t->op_obj < e->obj ||
            t->op_obj >= e->obj + bytes_of(e))
            continue;
        consider(best, (struct hd_suspect){HD_SUSPECT_PENDING, {x}, i, 3});
    }
}

/* Looks at the variables touched by `tid` (HD_NO_THREAD: by anybody). */
static struct hd_suspect search(const struct hd_finding *f, u16 tid, struct accesses *a)
{
    struct hd_suspect best = {0};
    u64 seen[MAX_OBJECTS];
    u32 n = 0;
    for (u32 i = f->n_events; i-- > a->from && n < MAX_OBJECTS && best.score < 4;) {
        const struct hd_event *e = &f->events[i];
        bool is_known = (tid != HD_NO_THREAD && e->tid != tid) || !is_memory(e->kind);
        for (u32 k = 0; k < n && !is_known; k++)
            is_known = seen[k] == e->obj;
        if (is_known)
            continue;
        seen[n++] = e->obj;
        collect(f, i, a);
        struct hd_suspect here = {0};
        try_triples(f, a, &here);
        if (tid != HD_NO_THREAD)
            try_pending(f, tid, i, &here);
        try_pairs(f, tid, a, &here);
        consider(&best, here);
    }
    return best;
}

void hd_suspect_find(struct hd_model *st)
{
    const struct hd_finding *f = st->f;
    switch (f->verdict.kind) {
    case HD_V_EXIT: case HD_V_SIGNAL: case HD_V_ASSERT: case HD_V_CHECK: case HD_V_OUTPUT:
        break;
    default:
        return; /* deadlocks, hangs, misuse and heap errors have evidence of their own */
    }
    struct accesses *a = malloc(sizeof *a);
    HD_ASSERT(a);
    hd_knowledge_init(&a->known);
    a->from = part_begin(f);
    st->suspect = search(f, f->verdict.tid, a);
    if (st->suspect.kind == HD_SUSPECT_NONE && a->from) {
        a->from = 0;
        st->suspect = search(f, f->verdict.tid, a);
    }
    if (st->suspect.kind == HD_SUSPECT_NONE) {
        st->suspect = search(f, HD_NO_THREAD, a);
        st->suspect.score = HD_MIN(st->suspect.score, 1);
    }
    hd_knowledge_release(&a->known);
    free(a);
}
