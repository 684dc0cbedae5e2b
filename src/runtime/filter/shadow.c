/* shadow.c: learns which sites conflict with another thread's, and which of
 * these need a scheduling point.
 *
 * Every 4 bytes of the program have a cell: who wrote and who read it last, as
 * (segment, site), which have a number (struct hd_visit); 8 bytes share one until somebody
 * touches a half. A segment is a stretch of one thread between two of its synchronizations. Two accesses of different
 * threads, one of them a write:
 *   ordered by locks, create, join, ... (hb.c)   -> shared
 *   not ordered                                  -> a race: scheduling point
 * Memory once raced on is remembered, variables also over runs (shm->racy):
 * every site that touches it is a scheduling point, also those that the one
 * conflict seen did not involve.
 *
 *   cell of the lower half = base + (addr & (2^35 - 1) & ~7)     upper: 32 GiB further; sparse
 * Program, heap and libraries do not meet in the low 35 address bits.
 */
#include "runtime/filter/shadow.h"

#include <sys/mman.h>

#include "runtime/core/gate.h"
#include "runtime/filter/hb.h"
#include "runtime/heap/heap.h"
#include "runtime/filter/site.h"
#include "runtime/libc/sys.h"

#define SHADOW_AT 0x200000000000ull
#define CELL_BYTES ((HD_CELLS / 2 + HD_CELL_UPPER) * sizeof(struct hd_cell))
#define CLEAR_BY_HAND 8192
#define RACY_WIDE 1 /* in shm->racy: both halves */
#define RANGE_MAX 65536 /* of a longer memcpy only the ends are looked at */

struct hd_cell *hd_cells;
struct hd_visit *hd_visits;
struct hd_visit_late hd_visit_late[HD_VISITS_LATE];
static u32 n_visits;

void hd_shadow_init(void)
{
    long at = hd_sys(SYS_mmap, SHADOW_AT, CELL_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    hd_cells = at == (long)SHADOW_AT ? (struct hd_cell *)at : NULL;
    hd_exclusive_init();
}

static void set_set(struct hd_cell *c, u32 set)
{
    c->what = (c->what & ~(HD_CELL_SETS << HD_CELL_SET)) | (u64)set << HD_CELL_SET;
}

/* Both halves had the same accesses so far; from here on each has its own. */
static void split(struct hd_cell *low)
{
    low->what &= ~HD_CELL_WIDE;
    set_set(low, hd_site_sets_add(hd_cell_set(low->what), HD_SITE_SETS_ALWAYS));
    low[HD_CELL_UPPER] = *low;
}

/* What was raced on in earlier runs. */
static void recall(void)
{
    const struct hd_shm_run *m = hd_rt.run;
    for (u32 i = 0; i < m->n_racy; i++) {
        struct hd_cell *low = hd_shadow_low(m->racy[i]);
        hd_shadow_half(low, m->racy[i])->what |=
            HD_CELL_RACY | (m->racy[i] & RACY_WIDE ? HD_CELL_WIDE : 0);
    }
    /* One half of it raced by itself, the whole as well: two cells. */
    for (u32 i = 0; i < m->n_racy; i++) {
        struct hd_cell *low = hd_shadow_low(m->racy[i]);
        if (!(m->racy[i] & RACY_WIDE) && low->what & HD_CELL_WIDE)
            split(low);
    }
}

void hd_shadow_begin(void)
{
    hd_hb_begin();
    hd_site_sets_begin();
    hd_exclusive_begin();
    if (!hd_cells || !(hd_rt.server->cfg.mode & HD_MODE_LEARN))
        return;
    if (!hd_visits)
        hd_visits = hd_arena_alloc(NULL, (size_t)HD_VISITS * sizeof *hd_visits);
    recall();
}

static HD_COLD void forget_all(void)
{
    hd_sys(SYS_madvise, (long)hd_cells, CELL_BYTES, MADV_DONTNEED);
    hd_memset(hd_visit_late, 0, sizeof hd_visit_late);
    n_visits = 0;
    hd_epoch++;
    recall();
}

HD_NOINLINE u32 hd_visit_new(u32 site, u32 seg, struct hd_visit_late *late)
{
    if (HD_UNLIKELY(n_visits == HD_VISITS - 1))
        forget_all();
    hd_visits[++n_visits] = (struct hd_visit){seg, site};
    *late = (struct hd_visit_late){seg, site, n_visits};
    return n_visits;
}

/* Raced on: remembered, variables also over runs. */
static void remember(struct hd_cell *c, u64 addr)
{
    struct hd_shm_run *m = hd_rt.run;
    /* A heap address may be another object in the next run. */
    if (m->n_racy < HD_SHM_RACY && !hd_heap_has(addr))
        m->racy[m->n_racy++] = addr | (c->what & HD_CELL_WIDE ? RACY_WIDE : 0);
}

/* An access of the calling thread and an earlier one in segment `seg`, one of them a write. */
static enum hd_relation relation(u32 seg, u64 addr)
{
    if (!seg || hd_hb_is_mine(seg))
        return HD_RELATION_OWN;
    if (addr - hd_tls.stack_lo < hd_tls.stack_hi - hd_tls.stack_lo && hd_hb_is_before_me(seg))
        return HD_RELATION_OWN; /* an earlier thread's use of the same stack memory */
    return hd_hb_is_ordered(seg) ? HD_RELATION_CONFLICT : HD_RELATION_RACE;
}

static void mark_both(enum hd_relation r, u32 site, u32 other)
{
    if (r < HD_RELATION_CONFLICT)
        return;
    hd_site_mark(site, hd_relation_known(r));
    hd_site_mark(other, hd_relation_known(r));
}

/* The cell goes to its next state, the sites that conflict learn of it. */
static void compare(struct hd_cell *c, u32 set, u32 site, u64 addr, bool is_write)
{
    const struct hd_visit *writer = &hd_visits[hd_cell_writer(c->what)];
    const struct hd_visit *reader = &hd_visits[hd_cell_reader(c->what)];
    const struct hd_cell_row *row = &hd_cell_row[hd_cell_state(c->what, c->what & HD_CELL_VISITS)];
    enum hd_relation write = relation(writer->segment, addr), read = HD_RELATION_OWN;
    if (row->known)
        hd_site_mark(site, row->known);
    mark_both(write, site, writer->site);
    if (is_write) {
        read = relation(reader->segment, addr);
        mark_both(read, site, reader->site);
        if (c->what & HD_CELL_MANY) /* one of them is not this thread */
            read = HD_MAX(read, HD_RELATION_CONFLICT);
    } else if (reader->segment && !hd_hb_is_mine(reader->segment)) {
        read = HD_RELATION_READ;
        c->what |= HD_CELL_MANY;
    }
    enum hd_relation most = HD_MAX(write, read);
    const struct hd_cell_row *next = &hd_cell_row[row->next[most]];
    if (most >= HD_RELATION_CONFLICT)
        hd_site_sets_mark(set);
    if (next->bits & ~c->what & HD_CELL_RACY)
        remember(c, addr);
    c->what |= next->bits;
}

static void access_cell(struct hd_cell *c, u32 visit, u32 site, u64 addr, bool is_write,
                        bool is_always_recorded)
{
    u32 had = hd_cell_set(c->what), set = hd_site_sets_add(had, site);
    u32 reader = hd_cell_reader(c->what);
    u32 last = hd_visits[reader ? reader : hd_cell_writer(c->what)].segment;
    bool was_shared = c->what & HD_CELL_SHARED;
    bool is_again = c->what & HD_CELL_MANY || (was_shared && last && !hd_hb_is_mine(last));
    if (is_always_recorded)
        set = hd_site_sets_add(set, HD_SITE_SETS_ALWAYS);
    if (hd_site_sets_is_on && !had && hd_exclusive)
        hd_exclusive_touch(addr, c->what & HD_CELL_WIDE);
    compare(c, set, site, addr, is_write);
    if (c->what & HD_CELL_SHARED && (is_again || !was_shared || set != had))
        hd_shadow_pass(addr, c->what, set, is_again);
    c->what = is_write ? hd_cell_written(c->what, visit, set) : hd_cell_read(c->what, visit, set);
}

/* Some of eight bytes. */
static void access_eight(struct hd_cell *low, u32 visit, u32 site, u64 addr, u32 size, bool is_write,
                         bool is_always_recorded)
{
    u64 half = addr & ~3ull, upper = (addr & ~7ull) + 4;
    if (!hd_shadow_is_wide(addr, size)) {
        if (low->what & HD_CELL_WIDE)
            split(low);
        access_cell(hd_shadow_half(low, addr), visit, site, half, is_write, is_always_recorded);
        return;
    }
    if (hd_cell_is_empty(low) && hd_cell_is_empty(low + HD_CELL_UPPER))
        low->what = HD_CELL_WIDE;
    bool is_split = !(low->what & HD_CELL_WIDE);
    access_cell(low, visit, site, upper - 4, is_write, is_always_recorded || is_split);
    if (is_split)
        access_cell(low + HD_CELL_UPPER, visit, site, upper, is_write, true);
}

void hd_shadow_access(u32 site, u64 addr, u32 size, bool is_write, bool is_always_recorded)
{
    /* What is numbered here may be left on the stack, and a hang is proven by stacks that come back. */
    if (!hd_cells || hd_sched_is_proving(&hd_rt.sched))
        return;
    u32 visit = hd_visit_of(site, hd_hb_segment());
    u64 first = addr >> 3, last = (addr + size - 1) >> 3;
    for (u64 g = first; g <= last; g++) {
        u64 from = HD_MAX(addr, g << 3), to = HD_MIN(addr + size, (g + 1) << 3);
        access_eight(hd_shadow_low(from), visit, site, from, (u32)(to - from), is_write,
                     is_always_recorded || first != last);
        if (g - first == RANGE_MAX / 16 && last - g > RANGE_MAX / 16)
            g = last - RANGE_MAX / 16;
    }
}

static void clear(struct hd_cell *c, struct hd_cell *end)
{
    if ((u64)end - (u64)c > CLEAR_BY_HAND) { /* the kernel forgets whole pages at once */
        u64 lo = HD_ALIGN_UP((u64)c, 4096), hi = (u64)end & ~4095ull;
        hd_sys(SYS_madvise, lo, hi - lo, MADV_DONTNEED);
        for (; (u64)c < lo; c++)
            *c = (struct hd_cell){0};
        c = (struct hd_cell *)hi;
    }
    for (; c < end; c++)
        if (c->what)
            *c = (struct hd_cell){0};
}

void hd_shadow_clear(u64 addr, u64 len)
{
    if (!hd_cells || !hd_rt.is_on || !(hd_rt.server->cfg.mode & HD_MODE_LEARN))
        return;
    hd_epoch++;
    struct hd_cell *c = hd_shadow_low(addr), *end = c + (len + (addr & 7) + 7) / 8;
    end = HD_MIN(end, hd_cells + HD_CELLS / 2);
    clear(c, end);
    clear(c + HD_CELL_UPPER, end + HD_CELL_UPPER);
}

void hd_shadow_sync(const struct hd_event *ev) { hd_hb_event(ev); }
