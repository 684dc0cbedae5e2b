/* watch.c: which memory each operation reads and writes, from the events of runs: the driver
 * marks the begin and the end of each call with a note (wire.h). Sites that touched the same
 * address in one run are one variable, as in the MAP metric (observe/map_possible.c). */
#include "gen/gen.h"

#include "event/effect.h"

void hd_gen_watch_release(struct hd_gen_watch *w)
{
    hd_vec_release(&w->site);
    hd_map_release(&w->by_id);
    hd_map_release(&w->by_addr);
    hd_map_release(&w->stack);
}

u32 hd_gen_watch_root(struct hd_gen_watch *w, u32 i)
{
    while (w->site.at[i].up != i)
        i = w->site.at[i].up = w->site.at[w->site.at[i].up].up;
    return i;
}

u32 hd_gen_watch_writers(struct hd_gen *g, u32 site, u32 *op)
{
    struct hd_gen_watch *w = &g->watch;
    u32 root = hd_gen_watch_root(w, site), n = 0;
    u64 ops[4] = {0};
    for (u32 i = 0; i < w->site.n; i++)
        for (u32 k = 0; k < 4 && w->site.at[i].does & 2 && hd_gen_watch_root(w, i) == root; k++)
            ops[k] |= w->site.at[i].ops[k];
    for (u32 i = 0; i < g->n_ops; i++)
        if (hd_gen_bit(ops, g->op[i]))
            op[n++] = g->op[i];
    return n;
}

void hd_gen_watch_batch(struct hd_gen_watch *w, const struct hd_worker *on,
                        const struct hd_wire_test *const *t, u32 n, u64 mark)
{
    w->w = on;
    w->tests = t;
    w->n_tests = n;
    w->at = 0;
    w->mark = mark;
}

static void begin(void *self, u32 slot, u64 run)
{
    struct hd_gen_watch *w = self;
    if (w->gen->map.is_estimating)
        hd_map_run_begin(&w->gen->map.run);
    memset(w->op_of, 0, sizeof w->op_of);
    memset(w->locks, 0, sizeof w->locks);
    for (u32 i = 0; i < HD_COUNT(w->log); i++)
        w->log[i].n = w->log[i].n_held = 0;
    hd_map_clear(&w->by_addr);
}

/* A call of thread `tid` begins or ends here. */
static void mark(struct hd_gen_watch *w, u16 tid, u64 at)
{
    u32 call = (u32)(at / 2);
    if (tid >= HD_COUNT(w->op_of) || w->at >= w->n_tests || call >= w->tests[w->at]->n)
        return;
    if (w->tests[w->at]->call[call].thread == 1)
        w->first_tid = tid;
    w->op_of[tid] = at % 2 ? 0 : (u8)(w->tests[w->at]->call[call].op + 1);
    if (at % 2 && hd_gen_is_driven(w->gen))
        hd_gen_gap_call_ended(w->gen, w->tests[w->at], call, &w->log[tid]);
    w->log[tid].n = 0;
}

static u32 touch(struct hd_gen_watch *w, u32 op, u64 id, u64 addr, u8 does)
{
    u64 *known = hd_map_get(&w->by_id, id);
    u32 i = known ? (u32)*known : (u32)w->site.n;
    if (!known) {
        *hd_vec_add(&w->site) = (struct hd_gen_site){.id = id, .up = i};
        hd_map_put(&w->by_id, id, i);
    }
    struct hd_gen_site *s = &w->site.at[i];
    if ((s->does & does) != does || !hd_gen_bit(s->ops, op)) {
        s->does |= does;
        hd_gen_bit_set(s->ops, op);
        w->changes++;
    }
    if (does & 2)
        hd_gen_bit_set(w->writes, op);
    u64 *other = hd_map_ref(&w->by_addr, addr & ~7ull, i);
    u32 a = hd_gen_watch_root(w, (u32)*other), b = hd_gen_watch_root(w, i);
    if (a != b) {
        w->site.at[b].up = a;
        w->changes++;
    }
    return i;
}

/* Does a call wait for something, with or without a time-out, while nothing else runs? A lock made
 * of futexes has nobody to wait for then. */
static bool waits(const struct hd_gen_watch *w, const struct hd_event *ev)
{
    if (w->at >= w->n_tests || w->tests[w->at]->threads > 1)
        return false;
    return hd_may(ev->kind, HD_WAITS) || (ev->kind == HD_EV_SEM_WAIT && ev->arg);
}

static void hold(struct hd_gen_watch *w, const struct hd_event *ev, enum hd_evclass c)
{
    bool has_failed = ev->arg && c == HD_CLASS_ACQ;
    if (c == HD_CLASS_ACQ && !has_failed && w->locks[ev->tid] && w->op_of[ev->tid])
        hd_gen_bit_set(w->nests, w->op_of[ev->tid] - 1u);
    if ((c == HD_CLASS_ACQ && !has_failed) || c == HD_CLASS_REL)
        hd_gen_gap_lock(&w->log[ev->tid], ev->obj, c == HD_CLASS_ACQ);
    if (c == HD_CLASS_ACQ && !has_failed && w->locks[ev->tid] < UINT8_MAX)
        w->locks[ev->tid]++;
    else if (c == HD_CLASS_REL && w->locks[ev->tid])
        w->locks[ev->tid]--;
}

static bool is_global(const struct hd_gen_watch *w, u64 addr)
{
    u32 n;
    const struct hd_module *m = hd_snapshot_modules((struct hd_snapshot *)&w->w->run, &n);
    for (u32 i = 0; i < n; i++)
        if (addr >= m[i].start && addr < m[i].end)
            return true;
    return false;
}

void hd_gen_watch_tell(struct hd_gen *g)
{
    char names[300] = "";
    u32 n = 0;
    for (u32 i = 0; i < g->n_ops; i++) {
        if (!hd_gen_bit(g->watch.globals, g->op[i]))
            continue;
        size_t at = strlen(names);
        if (n++ < 4)
            snprintf(names + at, sizeof names - at, "%s%s", at ? ", " : "",
                     g->api->func.at[g->op[i]].name);
    }
    if (n)
        hd_gen_message(g,
                       "%s%s: global variables are written without a lock: state that all objects "
                       "share behind the API's back",
                       names, n > 4 ? ", ..." : "");
}

static void event(void *self, u32 slot, const struct hd_event *ev)
{
    struct hd_gen_watch *w = self;
    if (w->gen->map.is_estimating)
        hd_map_run_event(&w->gen->map.run, ev);
    if (ev->kind == HD_EV_HB_RELEASE && ev->obj - w->mark < 2 * HD_WIRE_CALLS) {
        mark(w, ev->tid, ev->obj - w->mark);
        return;
    }
    enum hd_evclass c = hd_event_class(ev->kind);
    if (ev->tid < HD_COUNT(w->locks))
        hold(w, ev, c);
    if (ev->tid >= HD_COUNT(w->op_of) || !w->op_of[ev->tid])
        return;
    u32 op = w->op_of[ev->tid] - 1;
    bool is_atomic = ev->kind == HD_EV_ALOAD || ev->kind == HD_EV_ASTORE || ev->kind == HD_EV_ARMW;
    if (is_atomic || c == HD_CLASS_ACQ || c == HD_CLASS_WAITS || c == HD_CLASS_WAKES)
        hd_gen_bit_set(w->syncs, op);
    if (ev->kind == HD_EV_TRYLOCK || ev->kind == HD_EV_TRYRDLOCK || ev->kind == HD_EV_TRYWRLOCK ||
        ev->kind == HD_EV_SEM_TRYWAIT)
        hd_gen_bit_set(w->trylocks, op);
    if (waits(w, ev))
        hd_gen_bit_set(w->waits, op);
    if (c != HD_CLASS_READ && c != HD_CLASS_WRITE && c != HD_CLASS_RMW)
        return;
    if (hd_shm_is_stack(&w->w->run.shm, ev->tid, ev->obj))
        return; /* its own */
    if (c == HD_CLASS_WRITE && !is_atomic && !w->locks[ev->tid] && !hd_gen_bit(w->globals, op) &&
        is_global(w, ev->obj))
        hd_gen_bit_set(w->globals, op);
    u8 does = c == HD_CLASS_READ ? 1 : c == HD_CLASS_WRITE ? 2 : 3;
    hd_gen_gap_event(&w->log[ev->tid], touch(w, op, ev->site, ev->obj, does), ev->obj, does);
}

static void end(void *self, u32 slot) { hd_gen_map_run_ended(((struct hd_gen_watch *)self)->gen); }

static void ran(void *self, u32 slot, const struct hd_run_end *end)
{
    struct hd_gen_watch *w = self;
    w->at++;
}

void hd_gen_watch_open(struct hd_gen *g)
{
    struct hd_gen_watch *w = &g->watch;
    memset(w, 0, sizeof *w);
    w->gen = g;
    struct hd_cover_subscriber s = {
        .self = w, .begin = begin, .event = event, .end = end, .ran = ran};
    hd_cover_subscriber(g->cover, &s);
}
