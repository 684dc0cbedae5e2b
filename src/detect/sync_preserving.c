/* sync_preserving.c: see sync_preserving.h. */
#include "detect/sync_preserving.h"

#include "detect/accesses.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST 256 /* bytes of an access that are told apart */
#define INSTANCES 8 /* earlier accesses that one is compared with */

/* ---- what needs what -------------------------------------------------------------------- */

struct making {
    struct hd_sp *s;
    struct hd_map wrote;  /* by byte: last write, index + 1 */
    struct hd_map before; /* by object: last event, index + 1 */
    struct hd_map lock;   /* number + 1 */
    struct hd_map held;   /* by lock and thread: index + 1 of the acquire << 32 | depth */
    u32 *last;            /* by thread: index + 1 */
};

static void add_need(struct making *m, u32 i, u32 event)
{
    struct hd_sp *s = m->s;
    *hd_vec_add(&s->need) = (struct hd_sp_need){event, s->at[i].needs};
    s->at[i].needs = (u32)s->need.n;
}

static u64 object_key(const struct hd_event *e)
{
    return (e->obj ^ (u64)hd_space_of(e->kind) << 58) * 0x9e3779b97f4a7c15ull;
}

static void add_access(struct making *m, u32 i, u32 effects)
{
    const struct hd_event *e = &m->s->ev[i];
    u32 size = HD_MIN(HD_MAX((u32)e->size, 1u), (u32)LONGEST), seen = 0;
    for (u32 k = 0; k < size; k++) {
        u32 from = effects & HD_READS ? (u32)hd_map_get_or(&m->wrote, e->obj + k, 0) : 0;
        if (from && from != seen)
            add_need(m, i, from - 1);
        seen = from ? from : seen;
        if (effects & HD_WRITES)
            hd_map_put(&m->wrote, e->obj + k, i + 1);
    }
}

/* What else was done to the object stays in its order. */
static void keep_order(struct making *m, u32 i, u64 key)
{
    u64 *before = hd_map_ref(&m->before, key, 0);
    if (*before)
        add_need(m, i, (u32)*before - 1);
    *before = i + 1;
}

static void add_lock(struct making *m, u32 i, u32 effects)
{
    const struct hd_event *e = &m->s->ev[i];
    u64 key = object_key(e);
    u64 *number = hd_map_ref(&m->lock, key, 0);
    if (!*number)
        *number = ++m->s->n_locks;
    u32 lock = (u32)*number;
    u64 *held = hd_map_ref(&m->held, key ^ ((u64)e->tid + 1) * 0xff51afd7ed558ccdull, 0);
    if (effects & HD_TAKES) {
        if (!(u32)*held) {
            m->s->at[i].lock = lock;
            *held = (u64)(i + 1) << 32;
        }
        ++*held;
    } else if (effects & HD_GIVES && (u32)*held) {
        if (!(u32)--*held)
            m->s->at[(*held >> 32) - 1].release = i + 1;
    } else {
        keep_order(m, i, key); /* tried in vain, made, destroyed */
    }
}

static void add_event(struct making *m, u32 i)
{
    const struct hd_event *e = &m->s->ev[i];
    u32 effects = hd_effects(e);
    switch (hd_space_of(e->kind)) {
    case HD_SPACE_MEMORY:
        add_access(m, i, effects);
        break;
    case HD_SPACE_MUTEX: case HD_SPACE_RWLOCK:
        add_lock(m, i, effects);
        break;
    case HD_SPACE_THREAD:
        if (e->kind == HD_EV_CREATE && e->obj < m->s->n_threads)
            m->s->created[e->obj] = i + 1;
        else if (effects & HD_ACQUIRES && e->obj < m->s->n_threads && m->last[e->obj])
            add_need(m, i, m->last[e->obj] - 1);
        break;
    case HD_SPACE_IO: case HD_SPACE_SIGNAL:
        keep_order(m, i, 1); /* who hands what to whom is not known */
        break;
    case HD_SPACE_NONE: case HD_SPACE_FENCE:
        break;
    default:
        keep_order(m, i, object_key(e));
        break;
    }
    m->last[e->tid] = i + 1;
}

static void sort_by_thread(struct hd_sp *s)
{
    for (u32 i = 0; i < s->n; i++)
        s->first[s->ev[i].tid + 1]++;
    for (u32 t = 0; t < s->n_threads; t++)
        s->first[t + 1] += s->first[t];
    u32 *next = calloc((size_t)s->n_threads + 1, sizeof *next);
    HD_ASSERT(next);
    for (u32 i = 0; i < s->n; i++) {
        u32 t = s->ev[i].tid;
        s->list[s->first[t] + next[t]] = i;
        s->at[i].nth = ++next[t];
    }
    free(next);
}

static u32 *numbers(size_t n)
{
    u32 *p = calloc(n + 1, sizeof *p);
    HD_ASSERT(p);
    return p;
}

void hd_sp_init(struct hd_sp *s, const struct hd_event *ev, u32 n)
{
    *s = (struct hd_sp){.ev = ev, .n = n};
    for (u32 i = 0; i < n; i++)
        s->n_threads = HD_MAX(s->n_threads, ev[i].tid + 1u);
    s->at = calloc((size_t)n + 1, sizeof *s->at);
    HD_ASSERT(s->at);
    s->list = numbers(n);
    s->first = numbers(s->n_threads + 1);
    s->cut = numbers(s->n_threads);
    s->done = numbers(s->n_threads);
    s->created = numbers(s->n_threads);
    struct making m = {.s = s, .last = numbers(s->n_threads)};
    sort_by_thread(s);
    for (u32 i = 0; i < n; i++)
        add_event(&m, i);
    s->latest = numbers(s->n_locks);
    hd_map_release(&m.wrote);
    hd_map_release(&m.before);
    hd_map_release(&m.lock);
    hd_map_release(&m.held);
    free(m.last);
}

void hd_sp_release(struct hd_sp *s)
{
    hd_vec_release(&s->need);
    free(s->at);
    free(s->list);
    free(s->first);
    free(s->cut);
    free(s->done);
    free(s->created);
    free(s->latest);
}

/* ---- the set ------------------------------------------------------------------------------ */

static void want(struct hd_sp *s, u32 event)
{
    u32 t = s->ev[event].tid;
    s->cut[t] = HD_MAX(s->cut[t], s->at[event].nth);
}

/* Of the sections of a lock that have begun all but the last are over. False: one never ends. */
static bool take_lock(struct hd_sp *s, u32 event)
{
    u32 *latest = &s->latest[s->at[event].lock - 1], over = event;
    if (!*latest || *latest - 1 < event) {
        over = *latest ? *latest - 1 : event;
        *latest = event + 1;
    }
    if (over == event && *latest - 1 == event)
        return true;
    if (!s->at[over].release)
        return false;
    want(s, s->at[over].release - 1);
    return true;
}

static void want_thread(struct hd_sp *s, u32 t)
{
    if (s->created[t])
        want(s, s->created[t] - 1);
}

static bool take_event(struct hd_sp *s, u32 event)
{
    if (s->at[event].nth == 1)
        want_thread(s, s->ev[event].tid);
    for (u32 k = s->at[event].needs; k; k = s->need.at[k - 1].next)
        want(s, s->need.at[k - 1].event);
    return !s->at[event].lock || take_lock(s, event);
}

bool hd_sp_is_race(struct hd_sp *s, u32 a, u32 b)
{
    u32 t[2] = {s->ev[a].tid, s->ev[b].tid}, until[2] = {s->at[a].nth, s->at[b].nth};
    memset(s->cut, 0, s->n_threads * sizeof *s->cut);
    memset(s->done, 0, s->n_threads * sizeof *s->done);
    memset(s->latest, 0, s->n_locks * sizeof *s->latest);
    for (u32 k = 0; k < 2; k++)
        s->cut[t[k]] = until[k] - 1;
    want_thread(s, t[0]);
    want_thread(s, t[1]);
    for (bool is_more = true; is_more;) {
        is_more = false;
        if (s->cut[t[0]] >= until[0] || s->cut[t[1]] >= until[1])
            return false;
        for (u32 u = 0; u < s->n_threads; u++)
            while (s->done[u] < s->cut[u]) {
                is_more = true;
                s->work++;
                if (!take_event(s, s->list[s->first[u] + s->done[u]++]) ||
                    s->cut[t[0]] >= until[0] || s->cut[t[1]] >= until[1])
                    return false;
            }
    }
    return true;
}

/* ---- sites -------------------------------------------------------------------------------- */

static bool is_at(const struct hd_event *e, u64 site)
{
    return e->site == site && hd_space_of(e->kind) == HD_SPACE_MEMORY;
}

bool hd_sp_has_race(struct hd_sp *s, const u64 site[2], u64 most)
{
    u64 until = s->work + most;
    u32 kept[2][INSTANCES] = {{0}}, n[2] = {0}; /* index + 1 */
    for (u32 i = 0; i < s->n && s->work < until; i++)
        for (u32 k = 0; k < 2; k++) {
            if (!is_at(&s->ev[i], site[k]))
                continue;
            for (u32 j = 0; j < INSTANCES && s->work < until; j++) {
                u32 earlier = kept[!k][j];
                if (earlier && hd_accesses_conflict(&s->ev[earlier - 1], &s->ev[i]) &&
                    hd_sp_is_race(s, earlier - 1, i))
                    return true;
            }
            kept[k][n[k]++ % INSTANCES] = i + 1;
        }
    return false;
}
