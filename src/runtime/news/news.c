/* news.c: events to the host, as long as they can teach it something.
 *
 * The first cfg.stream_all events of a run are all streamed. Of later ones those that are news
 * (repeat.h), with what comes around them: a *stretch*.
 *
 *   ... streamed |  left out, counted   | backlog | news ...  reach | left out ...
 *                 GAP, and what the host
 *                 must know (gap.h)
 *
 * The latest events wait in a backlog and are dropped when it is full; news empties it into the
 * ring first. So a stretch is a piece of the run as it was: what observers see in it is what
 * happened.
 * The more has been streamed the shorter the stretches, so that their sum stays small however
 * long the run is. Some come without news, ever more rarely: what no table tells apart.
 *
 * Where plain accesses go on without news, many of them for each decision, their sites fall silent,
 * which takes their hooks out of the code (site.c), until something else is news. That is let
 * through by itself if it comes too soon: streaming anew costs as much as many steps.
 *
 * The backlog is shared with the server, which streams the rest when the run is gone.
 */
#include "runtime/news/news.h"

#include <sys/mman.h>

#include "event/effect.h"
#include "runtime/core/watchdog.h"
#include "runtime/filter/site.h"
#include "runtime/libc/sys.h"
#include "runtime/news/gap.h"
#include "runtime/news/repeat.h"

#define BACKLOG 4096u   /* power of two */
#define REACH 1024u     /* events of a stretch before and after its news, at first, */
#define REACH_MIN 32u   /* ... and at last */
#define GENEROUS 8192u  /* events streamed late until stretches get shorter */
#define DENSE 64u       /* plain accesses for each decision: below that, decisions cost more */
#define AGAIN 4u        /* times that any news ends a silence; then only ... */
#define AGAIN_EVENTS (4 * HD_NEWS_ENOUGH) /* ... after so many other events in it */
#define LEAST_WAIT_NS 50000l /* for room in the ring; then twice as long, ... */
#define MOST_WAIT_NS 1000000l /* ... at most this, in which the host cannot empty half a ring */
#define SAMPLE 65536u   /* events left out until the first stretch without news */
/* In the range that the proof of a hang leaves alone (state.c). */
#define NEWS_AT 0x140000000000ull

static struct late {
    u32 is_late;            /* the run is, and the rest counts */
    u32 is_silent;          /* plain accesses are not streamed, whatever they are */
    u32 n, first;           /* backlog */
    struct hd_gap gap;      /* before it; and the locks that are held there */
    struct hd_event at[BACKLOG];
} *late;

static struct hd_repeat repeat;
u32 hd_news_accesses;
static u64 since;           /* step at which they were counted anew */
static u32 n_silent;        /* times */
static u32 in_silence;      /* events */
static u32 left;            /* of a stretch */
static u64 sample_at;       /* events left out so far, when the next sample is due */

static struct hd_event *ring;
static u32 *left_behind;    /* hd_shm_left */
u32 hd_news_left;
u64 hd_news_over_at;

/* What came shortly after it is of use, too. */
#define OVER_AFTER (HD_SHM_RING / 4)

void hd_news_end_soon(void)
{
    if (!hd_news_over_at)
        hd_news_over_at = hd_rt.run->ring_written + OVER_AFTER;
}

void hd_news_init(void)
{
    ring = hd_shm_ring(hd_rt.run);
    left_behind = hd_shm_left(hd_rt.run);
    long at = hd_sys(SYS_mmap, NEWS_AT, sizeof *late, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    late = at == (long)NEWS_AT ? (struct late *)at : NULL;
}

void hd_news_begin(void)
{
    hd_news_over_at = 0;
    if (late && late->is_late)
        hd_memset(late, 0, offsetof(struct late, at));
}

/* ---- the ring ---------------------------------------------------------------------------- */

static u64 in_ring(const struct hd_shm_run *m)
{
    return m->ring_written - __atomic_load_n(&hd_rt.host->ring_read, __ATOMIC_ACQUIRE);
}

/* A full ring slows the target, never loses an event. Half of it has to be free before the target goes on: woken
 * for each bit of room, or every 50 us while the host has no processor, it took longer to wait than to work. */
static void await_room(const struct hd_shm_run *m)
{
    struct timespec ts = {0, LEAST_WAIT_NS};
    if (HD_LIKELY(in_ring(m) < HD_SHM_RING))
        return;
    while (in_ring(m) > HD_SHM_RING / 2) {
        hd_is_waiting = true; /* not stuck */
        hd_sys(SYS_nanosleep, &ts, 0);
        hd_is_waiting = false;
        ts.tv_nsec = HD_MIN(2 * ts.tv_nsec, MOST_WAIT_NS);
    }
}

static void put(const struct hd_event *ev)
{
    struct hd_shm_run *m = hd_rt.run;
    if (hd_rt.server->cfg.mode & HD_MODE_STREAM)
        await_room(m);
    ring[m->ring_written & (HD_SHM_RING - 1)] = *ev;
    left_behind[m->ring_written & (HD_SHM_RING - 1)] = hd_news_left;
    hd_news_left = 0;
    m->stats.events++;
    __atomic_store_n(&m->ring_written, m->ring_written + 1, __ATOMIC_RELEASE);
}

/* ---- stretches ---------------------------------------------------------------------------- */

static u32 reach_of(void)
{
    const struct hd_stats *st = &hd_rt.run->stats;
    u64 more = st->events - HD_MIN(st->events, hd_rt.server->cfg.stream_all);
    return (u32)HD_MAX((u64)REACH_MIN, (u64)REACH * GENEROUS / HD_MAX(more, (u64)GENEROUS));
}

static void drop_oldest(void)
{
    hd_gap_leave_out(&late->gap, &late->at[late->first++ % BACKLOG]);
    late->n--;
    hd_rt.run->stats.left_out++;
    if (HD_UNLIKELY(hd_gap_is_full(&late->gap)))
        hd_gap_report(&late->gap, put);
}

/* Streams the latest `most` events of the backlog. */
static void empty(u32 most)
{
    while (late->n > most)
        drop_oldest();
    hd_gap_report(&late->gap, put);
    for (; late->n; late->n--, late->first++) {
        put(&late->at[late->first % BACKLOG]);
        hd_gap_follow(&late->gap, &late->at[late->first % BACKLOG]);
    }
}

/* All that was streamed so far is still in the ring. */
static HD_COLD void become_late(void)
{
    const struct hd_shm_run *m = hd_rt.run;
    late->is_late = 1;
    sample_at = SAMPLE;
    for (u64 i = m->ring_written - HD_MIN(m->stats.events, (u64)HD_SHM_RING); i < m->ring_written; i++) {
        const struct hd_event *ev = &ring[i & (HD_SHM_RING - 1)];
        hd_gap_follow(&late->gap, ev);
        if (hd_may(ev->kind, HD_TAKES | HD_GIVES))
            hd_repeat_lock(&repeat, ev);
    }
}

/* What is left out without end may hide something. */
static bool is_sample(void)
{
    if (HD_LIKELY(hd_rt.run->stats.left_out < sample_at))
        return false;
    sample_at *= 2;
    return true;
}

static void keep(const struct hd_event *ev)
{
    if (late->n == BACKLOG)
        drop_oldest();
    late->at[(late->first + late->n++) % BACKLOG] = *ev;
}

static void count_anew(void)
{
    hd_news_accesses = 0;
    since = hd_rt.sched.step;
}

/* In a silence accesses are left out that nobody counts. */
static void leave_out_silent(void)
{
    while (late->n)
        drop_oldest();
    late->gap.left_out++;
    hd_rt.run->stats.left_out++;
}

/* A stretch is whole or there is none: what was kept while it was silent has no accesses. */
static void silence(bool on)
{
    leave_out_silent();
    late->is_silent = on;
    n_silent += on;
    in_silence = 0;
    count_anew();
    hd_site_silence(on);
}

/* A repeat. Loops over memory are left alone after a while. */
static void leave_out(const struct hd_event *ev)
{
    keep(ev);
    if (late->is_silent) {
        in_silence++;
        return;
    }
    if (ev->kind <= HD_EV_WRITE)
        hd_news_count_access();
}

void hd_news_many(void)
{
    bool is_dense = hd_rt.sched.step - since < HD_NEWS_ENOUGH / DENSE;
    if (is_dense && late && late->is_late && !late->is_silent && !left)
        silence(true);
    else
        count_anew();
}

/* Without what is around it. */
static void put_single(const struct hd_event *ev)
{
    in_silence++;
    leave_out_silent();
    empty(0);
    put(ev);
    hd_gap_follow(&late->gap, ev);
}

static HD_NOINLINE void put_late(const struct hd_event *ev)
{
    if (HD_UNLIKELY(!late->is_late))
        become_late();
    bool is_news = hd_repeat_is_news(&repeat, ev) || is_sample();
    if (!left && !is_news) {
        leave_out(ev);
        return;
    }
    if (HD_UNLIKELY(late->is_silent)) {
        if (n_silent > AGAIN && in_silence < AGAIN_EVENTS) {
            put_single(ev);
            return;
        }
        silence(false);
    }
    if (is_news)
        count_anew();
    u32 reach = reach_of();
    if (!left)
        empty(reach);
    put(ev);
    hd_gap_follow(&late->gap, ev);
    left = is_news ? reach : left - 1;
}

void hd_news_event(const struct hd_event *ev)
{
    if (HD_UNLIKELY(hd_news_is_over()))
        return;
    if (HD_UNLIKELY(hd_news_is_late()) && late)
        put_late(ev);
    else
        put(ev);
}

/* The run may have written anything over its own. */
void hd_news_end(void)
{
    if (!late || !late->is_late || !hd_news_is_late())
        return;
    late->n = HD_MIN(late->n, BACKLOG);
    hd_gap_check(&late->gap);
    empty(late->is_silent ? 0 : reach_of());
}
