/* cfp.c: concurrent function pairs (position paper on interleaving-space overlap
 * across inputs and versions). Element: <function, function>, no order.
 *
 * Two invocations are concurrent if an entry or exit of one and an entry or
 * exit of the other are not ordered by create, join or barrier and have no
 * lock in common (a lock both hold in shared mode does not count).
 * In cheap runs (HD_MODE_FUNCTIONS) the stream has entries and exits. In others it
 * has none: a thread's events are cut where the function changes; each cut is an exit
 * of one function and an entry of the next, at the locks and the logical time of that
 * moment. Functions without events (no shared access, no synchronization) do not
 * appear then.
 * Work: a *place* is (thread, logical time, locks). Which places are concurrent
 * is settled when a place is made; a function met at a place for the first time
 * is then paired with whole sets of functions at a time.
 * Bounds: PLACES at a time (then they start anew); FUNCTIONS in a campaign.
 */
#include "observe/feed/feed_order.h"
#include "observe/observe.h"

#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES = 1024, SLOTS = 4 * PLACES, LOCKS = 8, FUNCTIONS = 4096 };
#define WORDS HD_BITS_WORDS(FUNCTIONS)

/* Locks as object << 1 | shared, sorted; more than LOCKS are left out, which can
 * only add pairs. */
struct place {
    u32 epoch; /* of its thread: grows with every order event */
    u32 time;
    u16 tid, n;
    u32 lock[LOCKS];
    u64 concurrent[HD_BITS_WORDS(PLACES)];
    u64 function[WORDS];
};

struct cfp_thread {
    u32 function;      /* where it is, + 1; 0 = not known */
    u32 epoch;
    u32 place, round;  /* its place as of ... */
    u32 at_epoch, at_locks;
};

/* Functions get numbers; a row says with which ones it was paired in this run. */
struct row {
    u32 site; /* interned name */
    u32 stamp;
    u64 paired[WORDS];
};

struct hd_cfp {
    struct hd_order order;
    struct cfp_thread *thread;
    u32 cap_threads, n_threads;
    u32 *function; /* by site: number + 1, 0 = not asked yet */
    u32 cap_functions;
    struct row **row;
    u32 n_rows;
    u32 *number;   /* by interned name: number + 1 */
    u32 cap_numbers;
    u32 n;         /* places */
    u32 round;     /* grows when they start anew; never 0 */
    bool has_passes; /* this run tells entries and exits */
    struct place place[PLACES];
    u16 slot[SLOTS]; /* place + 1, 0 = free */
};

static u32 number_of(struct hd_cfp *p, u32 name)
{
    p->number = hd_observe_room(p->number, &p->cap_numbers, name, sizeof *p->number);
    if (!p->number[name]) {
        if (p->n_rows == FUNCTIONS)
            return FUNCTIONS + 1;
        if (!p->row)
            p->row = calloc(FUNCTIONS, sizeof *p->row);
        HD_ASSERT(p->row);
        p->row[p->n_rows] = calloc(1, sizeof *p->row[0]);
        HD_ASSERT(p->row[p->n_rows]);
        p->row[p->n_rows]->site = name;
        p->number[name] = ++p->n_rows;
    }
    return p->number[name];
}

/* Number of the function + 1; above FUNCTIONS: too many. */
static u32 function_of(struct hd_cfp *p, struct hd_observing *io, const struct hd_seen *s)
{
    p->function = hd_observe_room(p->function, &p->cap_functions, s->site, sizeof *p->function);
    u32 *f = &p->function[s->site];
    if (HD_UNLIKELY(!*f)) {
        u32 name = s->site;
        if (io->cfg.function)
            name = hd_set_site(&io->set, io->cfg.function(io->cfg.self, s->ev->site));
        *f = number_of(p, name);
    }
    return *f;
}

/* ---- places ---------------------------------------------------------------------- */

static void note_locks(struct place *h, const struct hd_feed *f, const struct hd_feed_thread *th)
{
    h->n = 0;
    for (size_t i = 0; i < th->held.n && h->n < LOCKS; i++) {
        const struct hd_feed_lock *l = &th->held.at[i];
        if (l->generation != f->object[l->obj].generation)
            continue;
        u32 lock = l->obj << 1 | l->is_shared, at = h->n++;
        for (; at && h->lock[at - 1] > lock; at--)
            h->lock[at] = h->lock[at - 1];
        h->lock[at] = lock;
    }
}

static bool is_same(const struct place *a, const struct place *b)
{
    return a->epoch == b->epoch && a->tid == b->tid && a->n == b->n &&
           !memcmp(a->lock, b->lock, a->n * sizeof *a->lock);
}

static bool has_common_lock(const struct place *a, const struct place *b)
{
    for (u32 i = 0, k = 0; i < a->n && k < b->n;) {
        u32 x = a->lock[i] >> 1, y = b->lock[k] >> 1;
        if (x == y && !(a->lock[i] & b->lock[k] & 1))
            return true;
        i += x <= y;
        k += y <= x;
    }
    return false;
}

static u32 home(const struct place *p)
{
    u64 h = ((u64)p->tid << 32 | p->epoch) * 0x9e3779b97f4a7c15ull;
    for (u32 i = 0; i < p->n; i++)
        h = (h ^ h >> 29 ^ p->lock[i]) * 0xbf58476d1ce4e5b9ull;
    return (u32)(h >> 40) & (SLOTS - 1);
}

/* Slot of the place, or the free one where it would go. */
static u32 find_slot(const struct hd_cfp *p, const struct place *h)
{
    u32 i = home(h);
    while (p->slot[i] && !is_same(&p->place[p->slot[i] - 1], h))
        i = (i + 1) & (SLOTS - 1);
    return i;
}

static void start_anew(struct hd_cfp *p)
{
    if (p->n)
        memset(p->slot, 0, sizeof p->slot);
    p->n = 0;
    p->round++;
}

static void relate(struct hd_cfp *p, u32 at)
{
    struct place *h = &p->place[at];
    for (u32 i = 0; i < at; i++) {
        struct place *o = &p->place[i];
        if (o->tid == h->tid || hd_order_is_before(&p->order, o->tid, o->time, h->tid) ||
            has_common_lock(o, h))
            continue;
        hd_bit_set(o->concurrent, at);
        hd_bit_set(h->concurrent, i);
    }
}

/* No room: only the places where threads are now stay. A function that is streamed once for each
 * place is not told again there. */
static void keep_present(struct hd_cfp *p)
{
    u32 n = 0;
    struct place *kept = calloc(HD_MIN(p->n_threads, (u32)PLACES / 2), sizeof *kept);
    HD_ASSERT(kept);
    for (u32 t = 0; t < p->n_threads && n < PLACES / 2; t++)
        if (p->thread[t].round == p->round && p->thread[t].at_epoch == p->thread[t].epoch)
            kept[n++] = p->place[p->thread[t].place];
    start_anew(p);
    for (u32 i = 0; i < n; i++) {
        p->place[i] = kept[i];
        memset(p->place[i].concurrent, 0, sizeof p->place[i].concurrent);
        p->slot[find_slot(p, &kept[i])] = (u16)(i + 1);
        p->n++;
        relate(p, i);
    }
    free(kept);
}

static HD_NOINLINE u32 make_place(struct hd_cfp *p, const struct place *h)
{
    if (p->n == PLACES)
        keep_present(p);
    u32 at = p->n++;
    struct place *new = &p->place[at];
    p->slot[find_slot(p, h)] = (u16)(at + 1);
    memcpy(new, h, offsetof(struct place, concurrent));
    memset(new->concurrent, 0, sizeof new->concurrent + sizeof new->function);
    relate(p, at);
    return at;
}

static struct place *place_of(struct hd_cfp *p, struct hd_observing *io, const struct hd_seen *s)
{
    struct cfp_thread *t = &p->thread[s->tid];
    const struct hd_feed_thread *th = &io->feed.thread[s->tid];
    if (HD_LIKELY(t->at_locks == th->locks_changed && t->at_epoch == t->epoch &&
                  t->round == p->round))
        return &p->place[t->place];
    struct place h = {.epoch = t->epoch, .time = s->time, .tid = s->tid};
    note_locks(&h, &io->feed, th);
    u32 slot = find_slot(p, &h);
    t->place = p->slot[slot] ? p->slot[slot] - 1u : make_place(p, &h);
    t->round = p->round;
    t->at_epoch = t->epoch;
    t->at_locks = th->locks_changed;
    return &p->place[t->place];
}

/* ---- functions at places ------------------------------------------------------------ */

static HD_NOINLINE void pair(struct hd_cfp *p, struct hd_observing *io, struct place *at, u32 f)
{
    struct row *row = p->row[f];
    hd_bit_set(at->function, f);
    if (row->stamp != io->set.stamp) {
        row->stamp = io->set.stamp;
        memset(row->paired, 0, sizeof row->paired);
    }
    u32 words = HD_BITS_WORDS(p->n_rows);
    HD_BITS_EACH (o, at->concurrent, HD_BITS_WORDS(PLACES)) {
        for (u32 w = 0; w < words; w++) {
            u64 new = p->place[o].function[w] & ~row->paired[w];
            for (row->paired[w] |= new; new; new &= new - 1)
                hd_observe_both(io, HD_METRIC_cfp, 0, row->site,
                                p->row[w * 64 + (u32)__builtin_ctzll(new)]->site);
        }
    }
}

/* The thread enters or leaves function f - 1 now. */
static void pass(struct hd_cfp *p, struct hd_observing *io, const struct hd_seen *s, u32 f)
{
    if (!f || f > FUNCTIONS)
        return;
    struct place *at = place_of(p, io, s);
    if (HD_UNLIKELY(!hd_bit_is_set(at->function, f - 1)))
        pair(p, io, at, f - 1);
}

static void cfp_event(void *state, struct hd_observing *io, const struct hd_seen *s)
{
    struct hd_cfp *p = state;
    p->thread = hd_observe_room(p->thread, &p->cap_threads, s->tid, sizeof *p->thread);
    p->n_threads = HD_MAX(p->n_threads, s->tid + 1u);
    struct cfp_thread *t = &p->thread[s->tid];
    if (s->ev->kind == HD_EV_EXIT || s->ev->kind == HD_EV_START) {
        pass(p, io, s, t->function); /* the site of both lies in nobody's function */
        t->function = 0;
        return;
    }
    if (s->what == HD_DOES_PASS) {
        p->has_passes = true;
        pass(p, io, s, function_of(p, io, s));
        return;
    }
    u32 function = p->has_passes ? 0 : function_of(p, io, s);
    if (t->function != function && !p->has_passes) {
        pass(p, io, s, t->function);
        pass(p, io, s, function);
        t->function = function;
    }
    if (!(HD_WANTS_MEMORY >> s->what & 1) && hd_feed_order(&p->order, &io->feed, s))
        t->epoch++;
}

static void cfp_init(void *state, struct hd_observing *io)
{
    hd_order_init(&((struct hd_cfp *)state)->order, HD_ORDER_STRUCTURE);
}

static void cfp_begin(void *state, struct hd_observing *io)
{
    struct hd_cfp *p = state;
    hd_order_begin(&p->order);
    if (p->n_threads)
        memset(p->thread, 0, p->n_threads * sizeof *p->thread);
    p->n_threads = 0;
    p->has_passes = false;
    start_anew(p);
}

static void cfp_release(void *state)
{
    struct hd_cfp *p = state;
    hd_order_release(&p->order);
    for (u32 i = 0; i < p->n_rows; i++)
        free(p->row[i]);
    free(p->row);
    free(p->number);
    free(p->thread);
    free(p->function);
}

const struct hd_observer hd_observer_cfp = {
    .state = sizeof(struct hd_cfp),
    .wants = HD_WANTS_ALL & ~(1u << HD_DOES_NOTHING),
    .init = cfp_init,
    .begin = cfp_begin,
    .event = cfp_event,
    .release = cfp_release,
};
