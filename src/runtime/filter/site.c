/* site.c: the site table in shared memory and the slow path of memory hooks.
 *
 *   quiet site      hd_site_access returns (site.h)
 *   LEARN           shadow.c looks whether another thread conflicts here
 *   EVENT           recorded, if the run is streamed (STREAM). Also repeats: where an
 *                   access stands among others is what coverage is about
 *   POINT           scheduling point
 *   HEAP            the address is checked against the heap (heap_check.h)
 *
 * The table lives in shared memory: what one run learns, the next ones use. It
 * takes effect when the next run begins, never within a run: where a run has
 * its scheduling points depends on the set it started with alone, so a replay
 * needs that set (`since` tells it) and no learning.
 */
#include "runtime/filter/site.h"

#include "runtime/filter/exclusive.h"
#include "runtime/core/gate.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/heap_check.h"
#include "runtime/libc/module.h"
#include "runtime/filter/patch.h"
#include "runtime/core/park.h"
#include "runtime/filter/poll_loop.h"
#include "runtime/filter/shadow.h"
#include "runtime/core/stop.h"

static struct hd_site off_table[1] = {{.flags = 0xff}};
struct hd_site *hd_sites = off_table;
u32 hd_site_mask;
u64 hd_site_shadow_checks;
static u8 new_flags; /* of a site met for the first time in this batch */

void hd_site_init(void)
{
    hd_sites = hd_shm_sites(hd_rt.shm);
    hd_site_mask = HD_SHM_SITES - 1;
}

static u8 flags_for(u8 known)
{
    u32 mode = hd_rt.shm->cfg.mode;
    u8 flags = known & HD_SITE_POINT;
    if (!(mode & HD_MODE_NO_HEAP))
        flags |= HD_SITE_HEAP;
    if (known & HD_SITE_GOAL && !(flags & HD_SITE_POINT))
        flags |= HD_SITE_POINT | HD_SITE_GOAL;
    if (!(known & HD_SITE_POINT))
        flags |= known & HD_SITE_SPIN;
    if (mode & HD_MODE_NO_FILTER)
        return HD_SITE_EVENT | HD_SITE_POINT;
    if (mode & HD_MODE_STREAM)
        flags |= mode & HD_MODE_ALL_EVENTS ? HD_SITE_EVENT : known & HD_SITE_EVENT;
    if ((mode & HD_MODE_LEARN) && !(known & HD_SITE_POINT) && hd_cells)
        flags |= mode & HD_MODE_STREAM ? HD_SITE_LEARN | HD_SITE_STREAMED : HD_SITE_LEARN;
    return flags;
}

/* One run after the other of a search, nothing learned: the table is as it was.
 * (The host changes it only around runs of other modes, a watchdog only in runs
 * that are marked.) */
static bool is_unchanged(void)
{
    static u32 mode, marks, noted, sites;
    const struct hd_shm *m = hd_rt.shm;
    bool is_same = m->cfg.mode & HD_MODE_SEARCH && mode == m->cfg.mode && marks == m->n_marks &&
                   noted == m->n_noted && sites == m->n_sites && !m->stats.uncontrolled &&
                   !hd_site_is_not_streamed(m) && !m->stats.is_heap_sampled;
    mode = m->cfg.mode;
    marks = m->n_marks;
    noted = m->n_noted;
    sites = m->n_sites;
    return is_same;
}

void hd_site_begin(void)
{
    if (is_unchanged())
        return;
    new_flags = flags_for(0);
    HD_SITES_EACH(i, hd_rt.shm)
    {
        struct hd_site *s = &hd_sites[i];
        if (!s->pc)
            continue;
        s->flags = flags_for(s->known);
        s->times = 0;
    }
}

void hd_site_mark(u32 index, u8 known)
{
    struct hd_site *s = &hd_sites[index];
    if ((s->known & known) == known)
        return;
    hd_rt.shm->n_marks += (known & ~s->known & (HD_SITE_POINT | HD_SITE_SPIN)) != 0;
    hd_rt.shm->n_noted += (known & ~s->known & HD_SITE_EVENT) != 0;
    s->known |= known;
    if (!s->since || (known & HD_SITE_POINT))
        s->since = (u32)hd_rt.shm->run + 1;
}

/* Sites that have nothing to do are not even called from now on, in this run; or are. */
static HD_COLD void patch_calls(bool is_patched_out)
{
    if (!hd_patch_open())
        return;
    HD_SITES_EACH(i, hd_rt.shm)
        if (hd_sites[i].pc && (!is_patched_out || !hd_sites[i].flags))
            hd_patch_call(hd_sites[i].pc, is_patched_out);
    hd_patch_close();
}

void hd_site_stop_streaming(void)
{
    if (hd_rt.shm->cfg.mode & HD_MODE_NO_FILTER)
        return;
    HD_SITES_EACH(i, hd_rt.shm)
        if (hd_sites[i].flags & HD_SITE_EVENT)
            hd_sites[i].flags &= (u8)~HD_SITE_EVENT;
    new_flags &= (u8)~HD_SITE_EVENT;
    hd_site_patch_quiet();
}

void hd_site_patch_quiet(void)
{
    if (hd_site_is_not_streamed(hd_rt.shm) &&
        !(hd_rt.shm->cfg.mode & (HD_MODE_LEARN | HD_MODE_NO_FILTER)))
        patch_calls(true);
}

void hd_site_flag_all(u8 flag)
{
    if (hd_site_is_not_streamed(hd_rt.shm))
        patch_calls(false);
    HD_SITES_EACH(i, hd_rt.shm)
        if (hd_sites[i].pc)
            hd_sites[i].flags |= flag;
}

void hd_site_poll_all(void) { hd_site_flag_all(HD_SITE_POLL); }

/* The slot of pc, made if need be; NULL if the table is full around it. */
static struct hd_site *find(u64 pc)
{
    u32 at = (u32)(pc >> 2) & hd_site_mask;
    for (u32 k = 0; k < 64; k++, at = (at + 1) & hd_site_mask) {
        struct hd_site *s = &hd_sites[at];
        if (s->pc == pc)
            return s;
        if (!s->pc) {
            hd_module_know(pc);
            s->flags = new_flags;
            s->pc = pc;
            hd_rt.shm->n_sites++;
            hd_shm_site_used(hd_rt.shm, at);
            return s;
        }
    }
    return NULL;
}

static void yield_in_spin(u64 pc)
{
    struct hd_op op = hd_op_make(HD_EV_YIELD, pc, 0);
    op.flags = HD_OP_PLAIN_SPIN;
    hd_gate(&op);
}

static void point(u8 kind, u64 addr, u32 size, u64 pc)
{
    struct hd_op op = hd_op_make(kind, pc, addr);
    op.size = (u16)HD_MIN(size, 255u);
    hd_gate(&op);
}

/* While the run is streamed, others learn also from what is a point anyway. */
static bool is_learning_all(void)
{
    u32 mode = hd_rt.shm->cfg.mode;
    return mode & HD_MODE_LEARN && mode & (HD_MODE_STREAM | HD_MODE_SEARCH);
}

void hd_site_atomic(u64 addr, u32 size, bool is_write, u64 pc)
{
    struct hd_site *s = is_learning_all() ? find(pc) : NULL;
    if (s)
        hd_shadow_access((u32)(s - hd_sites), addr, size, is_write, true);
}

static void look(struct hd_site *s, u64 addr, u32 size, bool is_write, u64 pc)
{
    u8 flags = s->flags;
    if (HD_UNLIKELY(flags & HD_SITE_POLL)) {
        HD_SITES_EACH(i, hd_rt.shm)
            hd_sites[i].flags &= (u8)~HD_SITE_POLL;
        hd_stop_poll();
        flags = s->flags;
    }
    if (flags & HD_SITE_LEARN)
        hd_shadow_access((u32)(s - hd_sites), addr, size, is_write, false);
    if (flags & (HD_SITE_LEARN | HD_SITE_SPIN) && hd_tls.spin_hits >= HD_POLL_READS) {
        hd_tls.spin_hits = 0;
        hd_site_mark((u32)(s - hd_sites), HD_SITE_EVENT | HD_SITE_SPIN);
        yield_in_spin(pc);
    }
    if (HD_UNLIKELY(flags & HD_SITE_GOAL) && ++s->times > HD_GOAL_TIMES) {
        /* In a loop over memory the goal must not become all there is. */
        s->flags &= (u8)~(HD_SITE_GOAL | HD_SITE_POINT);
        flags = s->flags;
    }
    u8 kind = is_write ? HD_EV_WRITE : HD_EV_READ;
    if (flags & HD_SITE_POINT) {
        point(kind, addr, size, pc);
        if (is_learning_all())
            hd_shadow_access((u32)(s - hd_sites), addr, size, is_write, true);
    } else if (flags & HD_SITE_EVENT)
        hd_note_access(kind, addr, size, pc);
    hd_heap_check(addr, size, is_write, pc); /* now: another thread may have freed it */
    hd_heap_count(s);
}

/* Everything but the quick way. `is_counted`: hd_poll_loop was asked. */
static HD_NOINLINE void look_up(u64 addr, u32 size, bool is_write, u64 pc, bool is_counted)
{
    if (!hd_on() || hd_tls.ignore || !size)
        return;
    struct hd_site *s = find(pc);
    if (!s)
        return;
    /* Whether the run is streamed (EVENT) must not change what counts as spinning. */
    if (!is_counted &&
        ((s->flags & ~(HD_SITE_EVENT | HD_SITE_STREAMED | HD_SITE_HEAP)) == HD_SITE_LEARN ||
         s->flags & HD_SITE_SPIN))
        hd_poll_loop(addr, is_write);
    look(s, addr, size, is_write, pc);
}

/* ---- the quick ways ------------------------------------------------------------------ */

/* Functions with an access of site `s`; same arguments in the same registers, so that one
 * hands over to the next by a jump. A site has pc == s->pc but in `hear` and `slow`. */
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

/* A site with the flag HEAP: every access of a short run. */
HD_INLINE void check(u64 addr, u32 size, bool is_write, u64 pc, struct hd_site *s)
{
    if (HD_UNLIKELY(--hd_heap_left < 0))
        check_long(addr, size, is_write, pc, s);
    else
        hd_heap_check(addr, size, is_write, pc);
}
READ_AND_WRITE(static, check, check)

#define HOT 4096u /* events of a site in a run */

/* By slot: events in this run, and the epoch of the latest. */
static struct {
    u32 times, epoch;
} streamed[HD_SHM_SITES];

/* An event that need not be streamed (exclusive.h). The first in an epoch always is: it says
 * that the thread is here, now. */
HD_INLINE bool is_left_out(u32 slot, u64 addr, u32 size)
{
    if (!hd_exclusive_is_filter || streamed[slot].epoch != (u32)hd_epoch)
        return false;
    u32 kind = hd_exclusive_kind(addr, size);
    return kind == HD_EXCLUSIVE_SAMPLED || (kind == HD_EXCLUSIVE_OWN && streamed[slot].times >= HOT);
}

/* It was not left out. Is it an event, or only a sign that the thread is here? That
 * is done by an access to memory nobody else has. */
static bool is_event(u32 slot, u64 addr, u32 size)
{
    streamed[slot].epoch = (u32)hd_epoch;
    if (!hd_exclusive_is_filter || hd_exclusive_kind(addr, size) != HD_EXCLUSIVE_SAMPLED) {
        streamed[slot].times++;
        return true;
    }
    if (hd_on() && !hd_tls.ignore)
        hd_note_access(HD_EV_READ, (u64)&hd_tls, 1, hd_sites[slot].pc);
    return false;
}

/* What concerns the thread alone is done with at once. `is_streamed`: constant. */
HD_INLINE void learn(u64 addr, u32 size, bool is_write, u64 pc, struct hd_site *s, bool is_streamed)
{
    u32 seg = hd_tls.segment, slot = (u32)(s - hd_sites);
    bool is_stuck = hd_poll_loop(addr, is_write);
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
    look_up(addr, size, is_write, pc, true);
}

HD_INLINE void learn_quietly(u64 addr, u32 size, bool is_write, u64 pc, struct hd_site *s)
{
    learn(addr, size, is_write, pc, s, false);
}
READ_AND_WRITE(static, learn, learn_quietly)

/* While the run is streamed. */
HD_INLINE void hear(u64 addr, u32 size, bool is_write, u64 pc, struct hd_site *s)
{
    const u8 usual = HD_SITE_LEARN | HD_SITE_EVENT | HD_SITE_STREAMED | HD_SITE_HEAP;
    u32 slot = (u32)(s - hd_sites);
    u8 flags = s->flags;
    if (s->pc != pc || flags & (u8)~usual || (addr & 7) + size > 8 ||
        (flags & HD_SITE_EVENT && !is_left_out(slot, addr, size) && is_event(slot, addr, size)))
        look_up(addr, size, is_write, pc, false);
    else if (flags & HD_SITE_LEARN)
        learn(addr, size, is_write, pc, s, true);
    else if (flags & HD_SITE_HEAP)
        GO_ON(check);
}
READ_AND_WRITE(static, hear, hear)

/* Learning runs come here with every access, so do short ones (HEAP), others with those of
 * sites that are streamed. */
HD_INLINE void slow(u64 addr, u32 size, bool is_write, u64 pc, struct hd_site *s)
{
    u8 flags = s->flags & (u8)~HD_SITE_HEAP;
    if (!(flags & HD_SITE_STREAMED) && HD_LIKELY(s->pc == pc && (addr & 7) + size <= 8)) {
        if (!flags)
            return GO_ON(check);
        if (flags == HD_SITE_LEARN)
            return GO_ON(learn);
        if (flags == HD_SITE_EVENT && is_left_out((u32)(s - hd_sites), addr, size)) {
            if (s->flags & HD_SITE_HEAP)
                GO_ON(check);
            return;
        }
    }
    GO_ON(hear);
}
READ_AND_WRITE(, hd_site_slow, slow)

void hd_access(const volatile void *addr, size_t len, bool is_write, u64 site)
{
    if (len)
        hd_site_access((u64)addr, (u32)HD_MIN(len, (size_t)UINT32_MAX), is_write, site);
}
