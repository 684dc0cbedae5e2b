/* access.c: an access whose site is not quiet: one function for each route of filter.def,
 * table 2.
 *
 *   CHECK            the address is checked against the heap
 *   LEARN            shadow.c compares with the accesses of other threads
 *   STREAM           the host gets it, unless it can be left out (table 3)
 *   LEARN_STREAMED   both
 *   FULL             all of it, one after the other; and the only way that makes scheduling
 *                    points. Also for accesses that are not within 8 bytes, and for sites whose
 *                    first slot is another's
 *
 * The others are short cuts: they do what FULL would, for less.
 */
#include "runtime/core/gate.h"
#include "runtime/core/stop.h"
#include "runtime/filter/poll_loop.h"
#include "runtime/filter/shadow.h"
#include "runtime/filter/site.h"
#include "runtime/heap/heap_check.h"
#include "runtime/hook/point.h"
#include "runtime/news/news.h"

u64 hd_site_shadow_checks;

/* ---- FULL ------------------------------------------------------------------------------ */

static void yield_in_spin(u64 pc)
{
    struct hd_op op = hd_op_make(HD_EV_YIELD, pc, 0);
    op.flags = HD_OP_PLAIN_SPIN;
    hd_gate(&op);
}

/* While the run is streamed, others learn also from what is a point anyway. */
static bool is_learning_all(void)
{
    u32 mode = hd_rt.server->cfg.mode;
    return mode & HD_MODE_LEARN && mode & (HD_MODE_STREAM | HD_MODE_SEARCH);
}

void hd_site_atomic(u64 addr, u32 size, bool is_write, u64 pc)
{
    struct hd_site *s = is_learning_all() ? hd_site_find(pc) : NULL;
    if (s)
        hd_shadow_access((u32)(s - hd_sites), addr, size, is_write, true);
}

/* Whether the run is streamed must not change what counts as polling. */
static bool is_poll_counted(u8 flags)
{
    return flags & HD_SITE_SPIN ||
           (flags & ~(HD_SITE_EVENT | HD_SITE_STREAMED | HD_SITE_HEAP)) == HD_SITE_LEARN;
}

/* Other threads run meanwhile. */
static void be_point(u32 slot, u64 addr, u32 size, bool is_write, u64 pc)
{
    struct hd_op op = hd_op_make(is_write ? HD_EV_WRITE : HD_EV_READ, pc, addr);
    op.size = (u16)HD_MIN(size, (u32)UINT16_MAX);
    op.arg = hd_event_wide_arg(size);
    hd_point(&op);
    if (is_learning_all())
        hd_shadow_access(slot, addr, size, is_write, true);
}

/* ---- learning in long runs ---------------------------------------------------------------
 *
 * A loop over memory asks the same question millions of times. In a run that is long, sites rest that
 * their thread has passed OFTEN since it synchronized last, where it has looked at HD_SITE_LOOKS
 * accesses in all since: what comes in between two synchronizations is looked at from its beginning,
 * by each thread, and what it passes rarely throughout (bursts at the beginning, as LiteRace has
 * them: Marino, Musuvathi, Narayanasamy, PLDI 2009). Counted by accesses alone, streamed or not: the
 * same in a replay. Loops that poll have been noticed by then (poll_loop.h). */

#define LONG (1u << 21) /* looks of all threads until then */
#define OFTEN 4096u

static u32 n_looks; /* up to LONG */
static struct {
    u32 segment, times;
} looked[HD_SHM_SITES];

static HD_NOINLINE void look_often(struct hd_site *s)
{
    u32 slot = (u32)(s - hd_sites);
    if (!hd_rt.is_on || hd_tls.inside) /* a child of the program: the table is its parent's */
        return;
    if (n_looks < LONG) {
        n_looks += HD_SITE_LOOKS;
        hd_tls.looks = 0;
        return;
    }
    if (looked[slot].segment != hd_tls.segment) {
        looked[slot].segment = hd_tls.segment;
        looked[slot].times = 0;
    }
    if (++looked[slot].times >= OFTEN &&
        !(s->flags & ~(HD_SITE_LEARN | HD_SITE_STREAMED | HD_SITE_EVENT | HD_SITE_HEAP)))
        hd_site_rest(s);
}

HD_INLINE void count_look(struct hd_site *s)
{
    if (HD_UNLIKELY(++hd_tls.looks > HD_SITE_LOOKS))
        look_often(s);
}

/* By slot: events in this run, and the epoch of the latest. */
static struct {
    u32 times, epoch;
} streamed[HD_SHM_SITES];

/* The host gets it. Of memory that is not known to be shared: writes, not to the thread's stack,
 * and not many of a site (HD_MODE_VALUES). */
static void note(u32 slot, u64 addr, u32 size, bool is_write, u64 pc)
{
    bool is_own = !(hd_sites[slot].known & HD_SITE_EVENT) &&
                  !(hd_rt.server->cfg.mode & HD_MODE_ALL_EVENTS);
    if (!is_own)
        hd_note_access(is_write ? HD_EV_WRITE : HD_EV_READ, addr, size, pc, 0);
    else if (is_write && streamed[slot].times <= HD_FILTER_OWN &&
             addr - hd_tls.stack_lo >= hd_tls.stack_hi - hd_tls.stack_lo)
        hd_note_access(HD_EV_WRITE, addr, size, pc, HD_ARG_OWN);
}

/* ---- FULL, once more ------------------------------------------------------------------- */

enum { READ = 0, WRITE = 1, COUNTED = 2 /* hd_poll_loop was asked */ };

static HD_NOINLINE void full(u64 addr, u32 size, u64 pc, u32 how)
{
    bool is_write = how & WRITE;
    if (!hd_on() || hd_tls.ignore || !size)
        return;
    struct hd_site *s = hd_site_find(pc);
    if (!s)
        return;
    u32 slot = (u32)(s - hd_sites);
    if (!(how & COUNTED) && is_poll_counted(s->flags)) {
        hd_poll_loop(addr, is_write);
        count_look(s);
    }
    if (HD_UNLIKELY(s->flags & HD_SITE_POLL)) {
        hd_site_change_all(HD_CHANGE_STOPPED);
        hd_stop_poll();
    }
    u8 flags = s->flags; /* from here on: other threads may change them at a yield */
    if (flags & HD_SITE_LEARN)
        hd_shadow_access(slot, addr, size, is_write, false);
    if (flags & (HD_SITE_LEARN | HD_SITE_SPIN) && hd_tls.spin_hits >= HD_POLL_READS) {
        hd_tls.spin_hits = 0;
        hd_site_mark(slot, HD_SITE_EVENT | HD_SITE_SPIN);
        yield_in_spin(pc);
    }
    /* In a loop over memory the goal must not become all there is. */
    if (HD_UNLIKELY(flags & HD_SITE_GOAL) && ++s->times > HD_GOAL_TIMES)
        flags = s->flags = hd_filter_after(s->flags, HD_CHANGE_GOAL_SPENT);
    if (flags & HD_SITE_POINT)
        be_point(slot, addr, size, is_write, pc);
    else if (flags & HD_SITE_EVENT)
        note(slot, addr, size, is_write, pc);
    hd_heap_check(addr, size, is_write, pc); /* now: another thread may have freed it */
    hd_heap_count(s);
}

/* ---- the short cuts -------------------------------------------------------------------- */

/* Functions with an access of site `s`, pc == s->pc, within 8 bytes; same arguments in the
 * same registers, so that one hands over to the next by a jump. */
#define ACCESS u64 addr, u32 size, u64 pc, struct hd_site *s
#define READ_AND_WRITE(linkage, name, ...)                                                         \
    linkage HD_NOINLINE void name##_read(ACCESS) { __VA_ARGS__(addr, size, false, pc, s); }        \
    linkage HD_NOINLINE void name##_write(ACCESS) { __VA_ARGS__(addr, size, true, pc, s); }
#define GO_ON(name) (is_write ? name##_write(addr, size, pc, s) : name##_read(addr, size, pc, s))

static HD_NOINLINE void check_long(u64 addr, u32 size, bool is_write, u64 pc, struct hd_site *s)
{
    hd_heap_check(addr, size, is_write, pc);
    hd_heap_count_long(s);
}

/* Every access of a short run. */
HD_INLINE void check(u64 addr, u32 size, bool is_write, u64 pc, struct hd_site *s)
{
    if (HD_UNLIKELY(--hd_heap_left < 0))
        check_long(addr, size, is_write, pc, s);
    else
        hd_heap_check(addr, size, is_write, pc);
}
READ_AND_WRITE(static, check, check)

/* What concerns the thread alone is done with at once. `is_streamed`: constant. */
HD_INLINE void learn_here(u64 addr, u32 size, bool is_write, u64 pc, struct hd_site *s,
                          bool is_streamed)
{
    u32 seg = hd_tls.segment, slot = (u32)(s - hd_sites);
    bool is_stuck = hd_poll_loop(addr, is_write);
    count_look(s);
    if (HD_LIKELY(seg - 1 < HD_SEGMENT_QUICK - 1 && hd_rt.is_on && !is_stuck) &&
        HD_LIKELY(!(hd_tls.inside | hd_tls.ignore))) {
        enum hd_quick q = hd_shadow_quick(slot, s->known, addr, size, seg, is_write, is_streamed);
        if (HD_LIKELY(q != HD_QUICK_NO)) {
            hd_site_shadow_checks += q == HD_QUICK_OWN;
            if (HD_UNLIKELY(s->flags & HD_SITE_HEAP))
                GO_ON(check);
            return;
        }
    }
    full(addr, size, pc, is_write | COUNTED);
}

HD_INLINE void learn(u64 addr, u32 size, bool is_write, u64 pc, struct hd_site *s)
{
    learn_here(addr, size, is_write, pc, s, false);
}
READ_AND_WRITE(static, learn, learn)

/* Does the host get this access? The site has the flag EVENT. */
HD_INLINE enum hd_filter_stream how_streamed(u32 slot, u64 addr, u32 size)
{
    enum hd_filter_stream how = HD_STREAM_STREAM;
    if (hd_exclusive_is_filter)
        how = hd_filter_stream(hd_exclusive_kind(addr, size), streamed[slot].epoch != (u32)hd_epoch,
                               streamed[slot].times >= HD_FILTER_HOT);
    if (how == HD_STREAM_STREAM) {
        streamed[slot].epoch = (u32)hd_epoch;
        streamed[slot].times++;
    } else {
        hd_news_count_access();
    }
    return how;
}

/* HD_STREAM_SIGN: the thread is here, now. Said by an access to memory nobody else has. */
static HD_NOINLINE void stream_sign(u32 slot)
{
    streamed[slot].epoch = (u32)hd_epoch;
    if (hd_on() && !hd_tls.ignore)
        hd_note_access(HD_EV_READ, (u64)&hd_tls, 1, hd_sites[slot].pc, 0);
}

HD_INLINE void sign(u64 addr, u32 size, bool is_write, u64 pc, struct hd_site *s)
{
    stream_sign((u32)(s - hd_sites));
    if (s->flags & HD_SITE_HEAP)
        GO_ON(check);
}
READ_AND_WRITE(static, sign, sign)

HD_INLINE void stream(u64 addr, u32 size, bool is_write, u64 pc, struct hd_site *s)
{
    enum hd_filter_stream how = how_streamed((u32)(s - hd_sites), addr, size);
    if (how == HD_STREAM_STREAM)
        full(addr, size, pc, is_write);
    else if (how == HD_STREAM_SIGN)
        GO_ON(sign);
    else if (s->flags & HD_SITE_HEAP)
        GO_ON(check);
}
READ_AND_WRITE(static, stream, stream)

HD_INLINE void learn_streamed(u64 addr, u32 size, bool is_write, u64 pc, struct hd_site *s)
{
    if (s->flags & HD_SITE_EVENT) {
        u32 slot = (u32)(s - hd_sites);
        enum hd_filter_stream how = how_streamed(slot, addr, size);
        if (how == HD_STREAM_STREAM)
            return full(addr, size, pc, is_write);
        if (how == HD_STREAM_SIGN)
            stream_sign(slot);
    }
    learn_here(addr, size, is_write, pc, s, true);
}
READ_AND_WRITE(static, learn_streamed, learn_streamed)

/* `s`: the first slot for the site, which may be another's. */
HD_INLINE void slow(u64 addr, u32 size, bool is_write, u64 pc, struct hd_site *s)
{
    if (HD_UNLIKELY(s->pc != pc || (addr & 7) + size > 8))
        return full(addr, size, pc, is_write);
    switch (hd_filter_route(s->flags)) {
    case HD_ROUTE_CHECK: return GO_ON(check);
    case HD_ROUTE_LEARN: return GO_ON(learn);
    case HD_ROUTE_STREAM: return GO_ON(stream);
    case HD_ROUTE_LEARN_STREAMED: return GO_ON(learn_streamed);
    case HD_ROUTE_FULL: return full(addr, size, pc, is_write);
    }
}
READ_AND_WRITE(, hd_site_slow, slow)

void hd_site_slow_both(u64 addr, u32 size, u64 pc, struct hd_site *s)
{
    hd_site_slow_read(addr, size, pc, s);
    hd_site_access(addr, size, true, pc);
}

void hd_access(const volatile void *addr, size_t len, bool is_write, u64 site)
{
    if (len)
        hd_site_access((u64)addr, (u32)HD_MIN(len, (size_t)UINT32_MAX), is_write, site);
}
