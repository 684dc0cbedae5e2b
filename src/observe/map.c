/* map.c: memory-access patterns (MAP-Coverage, ASE 2019), the part over one
 * variable: 1-3 are R W, W R, W W by threads a b; 4-8 are R W R, W W R, W R W,
 * R W W, W W W by a b a. Element: pattern (sub) and its sites in order.
 *
 * A later step may come anywhere later, so only the order of first occurrences
 * matters. An object has a list of its different accesses (thread, site, kind),
 * in order of appearance, and a log of the pairs i ... j that have happened.
 * Each access remembers how far it has seen both; if nothing was added since,
 * it can show nothing new:
 *   pairs:   every access behind its mark now precedes it
 *   triples: every pair (i, j) behind its mark, i by the same thread
 * Bound: THREADS per object, ACCESSES and PAIRS; what is beyond is not looked at
 * until REST more accesses have gone by, then the object starts anew.
 */
#include "observe/map.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, ACCESSES = 48, PAIRS = 1024, REST = 1024, FEW = 3, FEW_PAIRS = 2,
       LARGE = 4096 /* objects of a run whose table is not kept for the next */ };

struct access {
    u64 key;    /* site << 32 | thread of the object << 1 | is_write */
    u16 paired; /* accesses below this have been paired with it */
    u16 seen;   /* pairs of the log below this likewise */
    u32 now;    /* when it was made last */
};

/* Access i, later access j of another thread. */
struct happened {
    u8 i, j;
    u32 id; /* record of the element the two are */
};

/* What most have needs no second look elsewhere. */
struct variable {
    u64 generation;
    u16 n, cap, n_log, cap_log; /* cap: of `more`, 0 = it is `few` that has them; of the log, too */
    u16 beyond; /* accesses not looked at */
    u16 tid[THREADS];
    u8 n_tids;
    u8 hint[THREADS]; /* the access each thread made last */
    bool has_write, is_joined;
    u8 leads; /* bit per thread: it has the first access of a pair in the log */
    union {
        struct access few[FEW];
        struct access *more;
    };
    union {
        struct happened few_log[FEW_PAIRS];
        struct happened *more_log;
    };
};
_Static_assert(sizeof(struct variable) == 96, "there are as many as objects");

struct hd_mapcov {
    struct variable *var; /* by object */
    u32 cap;
    struct hd_mapcov_sites sites;
    struct hd_mapcov_two two;
};

static u32 site_of(const struct access *a) { return (u32)(a->key >> 32); }
static u32 who(const struct access *a) { return (u32)a->key >> 1; }
static bool is_write(const struct access *a) { return a->key & 1; }

static struct access *at(struct variable *v) { return v->cap ? v->more : v->few; }
static struct happened *logged(struct variable *v) { return v->cap_log ? v->more_log : v->few_log; }

static u8 pattern_of(bool i, bool j, bool k)
{
    static const u8 number[8] = {0, 0, 4, 7, 0, 6, 5, 8}; /* by W bits of i, j, k */
    return number[i << 2 | j << 1 | k];
}

/* Twice as much as `n` records, which were in `few` if cap is 0. */
static HD_COLD void *more_room(void *more, u16 *cap, u16 n, const void *few, size_t size)
{
    HD_ASSERT(n && size);
    more = realloc(*cap ? more : NULL, 2 * n * size);
    HD_ASSERT(more);
    if (!*cap)
        memcpy(more, few, n * size);
    *cap = (u16)(2 * n);
    return more;
}

static void log_pair(struct variable *v, u32 i, u32 j, u32 id)
{
    if (v->n_log == (v->cap_log ? v->cap_log : FEW_PAIRS))
        v->more_log = more_room(v->more_log, &v->cap_log, v->n_log, v->few_log,
                                sizeof *v->few_log);
    v->leads |= (u8)(1 << who(&at(v)[i]));
    logged(v)[v->n_log++] = (struct happened){(u8)i, (u8)j, id};
}

static void triple(struct variable *v, struct hd_observing *io, const struct happened *h,
                   const struct access *a)
{
    const struct access *i = &at(v)[h->i], *j = &at(v)[h->j];
    u8 sub = pattern_of(is_write(i), is_write(j), is_write(a));
    if (!sub || who(i) != who(a) || who(j) == who(a))
        return;
    u64 tag = hd_memo_tag(HD_METRIC_map, sub, h->id, site_of(a));
    if (hd_memo_has(&io->memo, tag))
        return;
    struct hd_key k = {.metric = HD_METRIC_map, .sub = sub, .n = 3,
                       .site = {site_of(i), site_of(j), site_of(a)}};
    hd_observe_add(io, &k);
    hd_memo_put(&io->memo, tag);
}

/* All that access k shows, being made now. */
static void match(struct hd_mapcov *m, struct hd_observing *io, struct variable *v,
                  const struct hd_seen *s, u32 k)
{
    struct access *a = &at(v)[k];
    for (u32 q = a->seen; q < v->n_log && v->leads >> who(a) & 1; q++)
        triple(v, io, &logged(v)[q], a);
    for (u32 i = a->paired; i < v->n; i++) {
        const struct access *b = &at(v)[i];
        if (who(b) == who(a) || !(is_write(a) || is_write(b)))
            continue;
        u8 kind = !is_write(b) ? HD_MAPCOV_RW : is_write(a) ? HD_MAPCOV_WW : HD_MAPCOV_WR;
        u32 id = hd_mapcov_show_pair(io, kind, site_of(b), site_of(a));
        if (v->n_log < PAIRS)
            log_pair(v, i, k, id);
        if (v->generation == io->feed.object[s->part[0].obj].generation) /* wide: one variable */
            hd_mapcov_two_add(&m->two, io, s, v->generation, kind, v->tid[who(b)], b->now,
                              site_of(b), id);
    }
    a->paired = v->n;
    a->seen = v->n_log;
}

/* Sites of an object that two threads touch and one writes are one class. */
static void join_sites(struct hd_mapcov *m, struct hd_observing *io, struct variable *v)
{
    if (!v->has_write || v->n_tids < 2)
        return;
    for (u32 i = v->is_joined ? v->n - 1u : 0; i < v->n; i++) {
        const struct access *a = &at(v)[i];
        u8 does = is_write(a) ? HD_MAPCOV_WRITES : HD_MAPCOV_READS;
        hd_mapcov_sites_does(&m->sites, site_of(a), does);
        hd_mapcov_sites_join(&m->sites, site_of(&at(v)[0]), site_of(a), v->generation, io->run + 1);
    }
    v->is_joined = true;
}

static void start_anew(struct variable *v)
{
    v->n = v->n_log = v->beyond = v->n_tids = 0;
    v->has_write = v->is_joined = false;
    v->leads = 0;
}

/* No room: counts the access; true if the object may start anew. */
static bool is_rested(struct variable *v)
{
    if (++v->beyond <= REST)
        return false;
    start_anew(v);
    return true;
}

/* The thread's number in the object; THREADS = there is no room. */
static u32 thread_of(struct variable *v, u16 tid)
{
    for (u32 i = 0; i < v->n_tids; i++)
        if (v->tid[i] == tid)
            return i;
    if (v->n_tids == THREADS && !is_rested(v))
        return THREADS;
    v->tid[v->n_tids] = tid;
    return v->n_tids++;
}

/* The access, made if need be; ACCESSES = there is no room. */
static u32 find(struct hd_mapcov *m, struct hd_observing *io, struct variable *v, u16 tid,
                u32 site, bool write)
{
    u32 t = thread_of(v, tid);
    if (t == THREADS)
        return ACCESSES;
    u64 key = (u64)site << 32 | t << 1 | write;
    if (HD_LIKELY(v->hint[t] < v->n && at(v)[v->hint[t]].key == key))
        return v->hint[t];
    for (u32 i = 0; i < v->n; i++)
        if (at(v)[i].key == key)
            return v->hint[t] = (u8)i;
    if (v->n == ACCESSES) {
        if (!is_rested(v))
            return ACCESSES;
        return find(m, io, v, tid, site, write);
    }
    if (v->n == (v->cap ? v->cap : FEW))
        v->more = more_room(v->more, &v->cap, v->n, v->few, sizeof *v->few);
    at(v)[v->n++] = (struct access){.key = key};
    v->has_write |= write;
    join_sites(m, io, v);
    return v->hint[t] = (u8)(v->n - 1);
}

static void touch(struct hd_mapcov *m, struct hd_observing *io, struct variable *v,
                  const struct hd_seen *s, bool write)
{
    u32 k = find(m, io, v, s->tid, s->site, write);
    if (HD_UNLIKELY(k == ACCESSES))
        return;
    at(v)[k].now = s->now;
    if (at(v)[k].paired != v->n || at(v)[k].seen != v->n_log)
        match(m, io, v, s, k);
}

static struct variable *variable(struct hd_mapcov *m, u32 obj, u64 generation)
{
    m->var = hd_observe_room(m->var, &m->cap, obj, sizeof *m->var);
    struct variable *v = &m->var[obj];
    if (v->generation != generation) {
        v->generation = generation;
        start_anew(v);
    }
    return v;
}

static void map_event(void *state, struct hd_observing *io, const struct hd_seen *s)
{
    struct hd_mapcov *m = state;
    for (u32 i = 0; i < s->n; i++) {
        u32 obj = s->part[i].obj;
        struct variable *v = variable(m, obj, io->feed.object[obj].generation);
        if (s->what != HD_DOES_WRITE)
            touch(m, io, v, s, false);
        if (s->what != HD_DOES_READ)
            touch(m, io, v, s, true);
    }
    hd_mapcov_two_event(&m->two, io, s);
}

static void map_split(void *state, struct hd_observing *io, u32 from, u32 to)
{
    struct hd_mapcov *m = state;
    m->var = hd_observe_room(m->var, &m->cap, HD_MAX(from, to), sizeof *m->var); /* both stay */
    struct variable *v = variable(m, to, io->feed.object[to].generation);
    struct variable *w = variable(m, from, io->feed.object[from].generation);
    for (u32 i = 0; i < w->n; i++)
        find(m, io, v, w->tid[who(&at(w)[i])], site_of(&at(w)[i]), is_write(&at(w)[i]));
    for (u32 i = 0; i < w->n_log; i++)
        log_pair(v, logged(w)[i].i, logged(w)[i].j, logged(w)[i].id);
    for (u32 i = 0; i < w->n; i++) { /* same keys: threads appear in the same order */
        at(v)[i].paired = at(w)[i].paired;
        at(v)[i].seen = at(w)[i].seen;
        at(v)[i].now = at(w)[i].now;
    }
}

static void map_begin(void *state, struct hd_observing *io)
{
    struct hd_mapcov *m = state;
    m->two.sites = &m->sites;
    hd_mapcov_two_begin(&m->two);
}

static void free_variables(struct hd_mapcov *m)
{
    for (u32 i = 0; i < m->cap; i++) {
        if (m->var[i].cap)
            free(m->var[i].more);
        if (m->var[i].cap_log)
            free(m->var[i].more_log);
    }
    free(m->var);
    m->var = NULL;
    m->cap = 0;
}

static void map_end(void *state, struct hd_observing *io)
{
    struct hd_mapcov *m = state;
    io->changes = m->sites.changes;
    if (m->cap > LARGE)
        free_variables(m);
}

static void map_release(void *state)
{
    struct hd_mapcov *m = state;
    free_variables(m);
    free(m->sites.at);
}

/* A stored instance tells which sites share a variable, too. */
static void map_learn(void *state, struct hd_observing *io, const struct hd_key *k)
{
    static const char *const steps[18] = { /* kind and variable of each step */
        "", "RxWx", "WxRx", "WxWx", "RxWxRx", "WxWxRx", "WxRxWx", "RxWxWx", "WxWxWx",
        "WxWxWyWy", "WxWyWxWy", "WxWyWyWx", "WxRxRyWy", "WxRyRxWy", "RxWxWyRy", "RxWyWxRy",
        "RxWyRyWx", "WxRyWyRx"};
    struct hd_mapcov_sites *m = &((struct hd_mapcov *)state)->sites;
    const char *step = steps[k->sub];
    u32 of[2] = {0, 0};
    if (strlen(step) != 2u * k->n)
        return;
    for (u32 i = 0; i < k->n; i++) {
        u32 *first = &of[step[2 * i + 1] == 'y'];
        u8 does = step[2 * i] == 'W' ? HD_MAPCOV_WRITES : HD_MAPCOV_READS;
        hd_mapcov_sites_does(m, k->site[i], does);
        if (*first)
            hd_mapcov_sites_join(m, *first, k->site[i], 0, 0);
        else
            *first = k->site[i];
    }
    if (of[1])
        hd_mapcov_sites_many(m, of[0], of[1]);
}

static u64 map_possible(const void *state)
{
    return hd_mapcov_sites_possible(&((const struct hd_mapcov *)state)->sites);
}

const struct hd_observer hd_observer_map = {
    .state = sizeof(struct hd_mapcov),
    .wants = HD_WANTS_MEMORY,
    .begin = map_begin,
    .event = map_event,
    .split = map_split,
    .end = map_end,
    .release = map_release,
    .learn = map_learn,
    .possible = map_possible,
};
