/* hb.c: who is ordered before whom in this run, while learning: vector clocks
 * over everything that orders (event/effect.h) but signals. order/order.h is its
 * model: this one has fixed arrays and finds objects by address alone, so it may order
 * more than the model, never less (tests/unit/test_order_hb.c).
 *
 * Locks count here, unlike in prediction (ALGORITHMS 1.2): data that is handed
 * from thread to thread through a locked queue is touched without the lock,
 * and a scheduling point at each such access would cost a lot and give
 * nothing. A real race that one run's lock order hides shows in another run.
 *
 * Threads beyond HD_HB_THREADS have no clock and count as concurrent with
 * everything: that costs scheduling points, not findings.
 */
#include "runtime/filter/hb.h"

#include "event/effect.h"
#include "runtime/core/gate.h"
#include "runtime/filter/site.h"

#define OBJECTS (1u << 14)  /* with a clock of their own; what comes later has none */

struct object {
    u64 addr;
    struct hd_hb_clock *clock;
};

static struct hb_thread {
    u32 first;
    struct hd_hb_clock *clock;
    bool has_fence;           /* a release fence: its later stores release, whatever their order */
    struct hd_hb_clock *read; /* what it would know if an acquire fence came now; NULL = nothing */
} hb[HD_MAX_THREADS];
static struct hd_hb_clock *fences; /* what threads knew at fences that are sequentially consistent */

u64 hd_epoch = 1;
struct hd_segment *hd_segments;
static bool is_learning;
static u32 n_segments, n_objects;
static struct object *objects;

void hd_hb_begin(void)
{
    is_learning = hd_rt.server->cfg.mode & HD_MODE_LEARN;
    hd_tls.segment = 0;
    if (is_learning && !hd_segments) {
        hd_segments = hd_arena_alloc(NULL, (size_t)HD_SEGMENTS * sizeof *hd_segments);
        objects = hd_arena_alloc(NULL, (size_t)OBJECTS * sizeof *objects);
    }
}

static struct hd_hb_clock *clock_of(u32 t)
{
    if (t >= HD_HB_THREADS)
        return NULL;
    if (!hb[t].clock) {
        hb[t].clock = hd_arena_alloc(NULL, sizeof(struct hd_hb_clock));
        hb[t].clock->at[t] = 1;
    }
    return hb[t].clock;
}

static struct hd_hb_clock *clock_of_object(u64 addr, bool make)
{
    /* What is near in memory is near here: a page that a run touches is a page fault. */
    u32 at = (u32)(((addr >> 10) * 0x9e3779b97f4a7c15ull >> 50) + (addr >> 3 & 127)) % OBJECTS;
    while (objects[at].addr && objects[at].addr != addr)
        at = (at + 1) % OBJECTS;
    struct object *o = &objects[at];
    if (!o->addr && make && n_objects < OBJECTS / 2) {
        n_objects++;
        o->addr = addr;
        o->clock = hd_arena_alloc(NULL, sizeof *o->clock);
    }
    return o->clock;
}

static void join_into(struct hd_hb_clock *to, const struct hd_hb_clock *from)
{
    if (!to || !from)
        return;
    u32 n = HD_MIN(hd_rt.sched.n_threads, (u32)HD_HB_THREADS);
    for (u32 i = 0; i < n; i++)
        to->at[i] = HD_MAX(to->at[i], from->at[i]);
}

static void end_segment(u16 t)
{
    hd_epoch++;
    if (hd_thread[t].tls) { /* t may be another thread: its step was taken for it */
        hd_thread[t].tls->segment = 0;
        hd_thread[t].tls->looks = 0;
    }
    if (HD_UNLIKELY(hd_site_n_resting))
        hd_site_look_again();
}

/* What t did so far is published; what follows is later. */
static void advance(u16 t)
{
    struct hd_hb_clock *c = clock_of(t);
    if (c)
        c->at[t]++;
    end_segment(t);
}

static void release(u16 t, u64 obj)
{
    join_into(clock_of_object(obj, true), clock_of(t));
    advance(t);
}

static void acquire(u16 t, u64 obj)
{
    join_into(clock_of(t), clock_of_object(obj, false));
    end_segment(t);
}

static void join_made(struct hd_hb_clock **to, const struct hd_hb_clock *from)
{
    if (from && !*to)
        *to = hd_arena_alloc(NULL, sizeof **to);
    join_into(*to, from);
}

static void fence(const struct hd_event *ev, u32 effects)
{
    struct hb_thread *h = &hb[ev->tid];
    if (effects & HD_ACQUIRES)
        join_into(clock_of(ev->tid), h->read);
    h->has_fence |= (effects & HD_RELEASES) != 0;
    if (ev->arg == HD_MO_SEQ_CST) {
        join_into(clock_of(ev->tid), fences);
        join_made(&fences, clock_of(ev->tid));
        advance(ev->tid);
    }
    end_segment(ev->tid);
}

/* Operations that order nothing by themselves may do so together with fences. */
static u32 with_fences(const struct hd_event *ev, u32 effects)
{
    struct hb_thread *h = &hb[ev->tid];
    if (effects & HD_READS && !(effects & HD_ACQUIRES) && ev->tid < HD_HB_THREADS)
        join_made(&h->read, clock_of_object(ev->obj, false));
    return effects & HD_WRITES && h->has_fence ? effects | HD_RELEASES : effects;
}

void hd_hb_event(const struct hd_event *ev)
{
    u16 t = ev->tid;
    u32 effects = hd_effects(ev);
    if (!is_learning)
        return;
    if (effects & HD_ATOMIC && hd_space_of(ev->kind) == HD_SPACE_MEMORY)
        effects = with_fences(ev, effects);
    if (!(effects & (HD_ACQUIRES | HD_RELEASES)))
        return;
    switch (hd_space_of(ev->kind)) {
    case HD_SPACE_SIGNAL:
        break;
    case HD_SPACE_FENCE:
        fence(ev, effects);
        break;
    case HD_SPACE_THREAD:
        if (effects & HD_RELEASES) { /* create */
            join_into(clock_of((u32)ev->obj), clock_of(t));
            advance(t);
        } else { /* join */
            join_into(clock_of(t), clock_of((u32)ev->obj));
            end_segment(t);
        }
        break;
    default:
        if (effects & HD_ACQUIRES)
            acquire(t, ev->obj);
        if (effects & HD_RELEASES)
            release(t, ev->obj);
    }
}

u32 hd_hb_segment(void)
{
    if (HD_LIKELY(hd_tls.segment))
        return hd_tls.segment;
    struct hb_thread *h = &hb[hd_tls.tid];
    if (n_segments < HD_SEGMENTS - 1)
        n_segments++;
    const struct hd_hb_clock *c = hd_tls.clock = clock_of(hd_tls.tid);
    hd_segments[n_segments] = (struct hd_segment){hd_tls.tid, c ? c->at[hd_tls.tid] : 0};
    hd_tls.segment = n_segments | HD_MIN((u32)hd_tls.tid, 1023u) << HD_SEGMENT_BITS;
    if (!h->first)
        h->first = n_segments;
    return hd_tls.segment;
}

bool hd_hb_is_mine(u32 seg) { return hd_segments[seg & (HD_SEGMENTS - 1)].tid == hd_tls.tid; }

bool hd_hb_is_before_me(u32 seg) { return (seg & (HD_SEGMENTS - 1)) < hb[hd_tls.tid].first; }
