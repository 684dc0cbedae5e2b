/* state.c: registers, stacks and memory of the program as hashes: what decides what
 * its threads do next. Read only while sched/livelock.c tries to prove a hang.
 *
 * A thread waits in hd_gate, whose frame holds the registers that a call preserves; the
 * others are dead or on the stack. So the stack from that frame up is the thread's whole
 * continuation. Memory is every writable mapping, without
 *   - what is the runtime's own: fixed areas, its data, its thread-local block, the
 *     allocator's records (a change of them ends the attempt),
 *   - the unused part of stacks, below those frames,
 *   - what the kernel writes at any time (rseq).
 * Memory shared with other processes may change by itself: then nothing is proven.
 */
#include "runtime/core/state.h"

#include <sys/resource.h>

#include "runtime/core/gate.h"
#include "runtime/heap/heap.h"
#include "runtime/libc/sys.h"

#define RANGES 1024
#define HOLES (2 * 64 + 64)
#define OWN_FROM 0x100000000000ull /* fixed areas of the runtime: shm, shadow, exclusive, arena */
#define OWN_TO 0x310000000000ull
#define BUDGET ((u64)4 << 30)      /* bytes to be hashed in a run, at most */
#define PAGE 4096ull
#define PRESENT 8192

struct range {
    u64 from, to;
};
static struct range range[RANGES];
static u32 n_ranges;
static u64 budget;

void hd_state_begin(void) { budget = BUDGET; }

/* ---- hashing ----------------------------------------------------------------------- */

static u64 mix(u64 h, u64 x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 32;
}

/* [from, to), both at multiples of 8. Two slots, for the processor. */
static u64 hash_words(u64 h, u64 from, u64 to)
{
    const u64 *p = (const u64 *)from, *end = (const u64 *)to;
    u64 a = h, b = ~h;
    for (; p + 2 <= end; p += 2) {
        a = (a ^ p[0]) * 0x9e3779b97f4a7c15ull;
        b = (b ^ p[1]) * 0xbf58476d1ce4e5b9ull;
        a ^= a >> 31;
        b ^= b >> 31;
    }
    if (p < end)
        a = mix(a, p[0]);
    return mix(a, b);
}

/* ---- parts that do not count --------------------------------------------------------- */

static struct range tls_hole(const struct hd_tls *tls)
{
    return (struct range){(u64)tls & ~7ull, HD_ALIGN_UP((u64)(tls + 1), 8)};
}

/* glibc registers one area per thread at a fixed distance from the thread pointer. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));
static struct range rseq_hole(const struct hd_tls *tls)
{
    if (!&__rseq_offset)
        return (struct range){0, 0};
    /* hd_tls is at the same distance from the thread pointer in every thread */
    u64 tp = (u64)tls + ((u64)__builtin_thread_pointer() - (u64)&hd_tls);
    u64 at = (tp + (u64)__rseq_offset) & ~7ull;
    return (struct range){at, at + 64};
}

static u64 hash_around(u64 h, u64 from, u64 to, const struct range *hole, u32 n)
{
    while (from < to) {
        u64 stop = to, next = to;
        for (u32 i = 0; i < n; i++) {
            if (hole[i].to <= from || hole[i].from >= stop)
                continue;
            if (hole[i].from <= from) { /* begin behind it */
                stop = from;
                next = HD_MIN(hole[i].to, to);
                break;
            }
            stop = hole[i].from;
            next = HD_MIN(hole[i].to, to);
        }
        if (stop > from)
            h = hash_words(mix(h, from), from, stop);
        from = next;
    }
    return h;
}

static u32 thread_holes(u16 t, struct range *hole)
{
    const struct hd_tls *tls = hd_thread[t].tls;
    if (!tls)
        return 0;
    hole[0] = tls_hole(tls);
    hole[1] = rseq_hole(tls);
    return 2;
}

u64 hd_state_local(void *self, u16 t)
{
    const struct hd_thread *th = &hd_thread[t];
    struct range hole[2];
    u8 state = hd_rt.sched.thread[t].state;
    if (!th->tls || !th->gate_sp || state == HD_T_FINISHED || state == HD_T_FREE)
        return 0;
    u64 from = th->gate_sp & ~7ull, to = th->tls->stack_hi & ~7ull;
    if (from >= to || from < th->tls->stack_lo) /* on a stack of the program's own */
        return mix(1, from);
    u32 n = thread_holes(t, hole);
    return hash_around(mix(from, to), from, to, hole, n);
}

/* ---- mappings ------------------------------------------------------------------------- */

static u64 read_hex(const char **p)
{
    u64 v = 0;
    for (;; (*p)++) {
        char c = **p;
        u32 d = c >= '0' && c <= '9' ? (u32)(c - '0') : c >= 'a' && c <= 'f' ? (u32)(c - 'a') + 10
                                                                             : 16;
        if (d == 16)
            return v;
        v = v << 4 | d;
    }
}

static bool is_own(u64 from)
{
    const struct hd_module *m = hd_shm_modules(hd_rt.run);
    if (from >= OWN_FROM && from < OWN_TO)
        return true;
    if (from - hd_heap.base < hd_heap.bytes || from - hd_heap.aux < hd_heap.aux_bytes)
        return true; /* what of it was ever written: heap_ranges */
    for (u32 i = 0; i < hd_rt.run->n_modules; i++)
        if ((u64)&hd_rt - m[i].start < m[i].end - m[i].start)
            return from >= (m[i].start & ~(PAGE - 1)) && from < m[i].end;
    return false;
}

/* One line of /proc/self/maps; false: there is memory that others may change. */
static bool take_line(const char *p)
{
    u64 from = read_hex(&p);
    p++;
    u64 to = read_hex(&p);
    bool is_written = p[2] == 'w', is_shared = p[4] == 's';
    if (!is_written || is_own(from))
        return true;
    if (is_shared || n_ranges == RANGES)
        return false;
    range[n_ranges++] = (struct range){from, to};
    return true;
}

static void heap_ranges(void)
{
    const struct hd_heap_zone *zone[] = {&hd_heap.small, &hd_heap.large};
    for (u32 i = 0; i < HD_COUNT(zone) && hd_heap.bytes; i++)
        if (zone[i]->high > zone[i]->start && n_ranges < RANGES)
            range[n_ranges++] = (struct range){hd_heap.base + zone[i]->start,
                                               hd_heap.base + HD_ALIGN_UP(zone[i]->high, PAGE)};
}

static bool list_mappings(void)
{
    static char text[65536];
    size_t n = 0;
    bool is_well = true;
    n_ranges = 0;
    long fd = hd_sys(SYS_open, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return false;
    for (;;) {
        long k = hd_sys(SYS_read, fd, text + n, sizeof text - 1 - n);
        if (k <= 0)
            break;
        n += (size_t)k;
        size_t line = 0;
        for (size_t i = 0; i < n; i++)
            if (text[i] == '\n') {
                is_well &= take_line(text + line);
                line = i + 1;
            }
        for (size_t i = line; i < n; i++)
            text[i - line] = text[i];
        n -= line;
    }
    hd_sys(SYS_close, fd);
    heap_ranges();
    return is_well && n_ranges;
}

/* ---- all memory ---------------------------------------------------------------------------- */

static u32 collect_holes(u16 except, struct range *hole)
{
    u32 n = 0;
    for (u32 t = 0; t < hd_rt.sched.n_threads; t++) {
        const struct hd_thread *th = &hd_thread[t];
        u8 state = hd_rt.sched.thread[t].state;
        if (!th->tls || state == HD_T_FREE || (state == HD_T_FINISHED && !th->is_live))
            continue;
        if (n + 3 > HOLES)
            return HOLES + 1;
        n += thread_holes((u16)t, hole + n);
        if (t == except)
            hole[n++] = (struct range){th->tls->stack_lo, th->tls->stack_hi & ~7ull};
        else if (th->gate_sp > th->tls->stack_lo && th->gate_sp < th->tls->stack_hi)
            hole[n++] = (struct range){th->tls->stack_lo, th->gate_sp & ~7ull};
    }
    return n;
}

static struct range present[PRESENT]; /* of the mappings: pages that have memory */
static u32 n_present;
static u64 present_faults;

static void add_present(u64 from, u64 to)
{
    if (n_present && present[n_present - 1].to == from)
        present[n_present - 1].to = to;
    else if (n_present < PRESENT)
        present[n_present++] = (struct range){from, to};
    else
        n_present = PRESENT + 1;
}

/* A page of zeros that is read gets no memory, one that is written does: with a fault. */
static u64 count_faults(void)
{
    struct rusage ru;
    return hd_sys(SYS_getrusage, RUSAGE_SELF, &ru) ? 0 : (u64)(ru.ru_minflt + ru.ru_majflt + 1);
}

static bool list_present(void)
{
    u64 entry[512];
    long pagemap = hd_sys(SYS_open, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0);
    n_present = 0;
    for (u32 r = 0; r < n_ranges; r++)
        for (u64 at = range[r].from; at < range[r].to;) {
            u64 n = HD_MIN((range[r].to - at) / PAGE, (u64)HD_COUNT(entry));
            long got = pagemap < 0 ? -1 : hd_sys(SYS_pread64, pagemap, entry, n * 8, at / PAGE * 8);
            for (u64 i = 0; i < n && n_present <= PRESENT; i++, at += PAGE)
                if (got < (long)(8 * (i + 1)) || entry[i] >> 62)
                    add_present(at, at + PAGE);
            if (n_present > PRESENT)
                break;
        }
    if (pagemap >= 0)
        hd_sys(SYS_close, pagemap);
    return n_present <= PRESENT;
}

/* It does not matter whether a page of zeros has memory. */
static u64 hash_present(u64 h, const struct range *hole, u32 n)
{
    for (u32 i = 0; i < n_present && budget; i++)
        for (u64 at = present[i].from; at < present[i].to; at += PAGE) {
            u64 zero = 0;
            for (const u64 *p = (const u64 *)at; p < (const u64 *)(at + PAGE) && !zero; p++)
                zero = *p;
            budget -= HD_MIN(budget, PAGE);
            if (zero)
                h = hash_around(h, at, at + PAGE, hole, n);
        }
    return h;
}

/* The stack of `except` does not count, since its own variables change as it goes. But
 * others may have the address of one: what its operations name is looked at before and
 * after each of them. */
static struct {
    u16 tid;
    u64 at, was[2]; /* at 0 = nothing */
    u64 changes;
} watched;

static u64 watch(u16 t)
{
    const struct hd_tls *tls = hd_thread[t].tls;
    if (watched.tid != t)
        watched.at = watched.changes = 0;
    watched.tid = t;
    const u64 *p = (const u64 *)watched.at;
    if (p && (p[0] != watched.was[0] || p[1] != watched.was[1]))
        watched.changes++;
    u64 obj = hd_rt.sched.thread[t].op.obj & ~7ull;
    u64 sp = hd_thread[t].gate_sp; /* 0 = it has not come to a gate */
    bool is_own = tls && sp && obj >= sp && obj + 16 <= tls->stack_hi;
    watched.at = is_own ? obj : 0;
    if (is_own)
        hd_memcpy(watched.was, (const void *)obj, sizeof watched.was);
    return watched.changes;
}

u64 hd_state_memory(void *self, u16 except, bool is_first)
{
    struct range hole[HOLES];
    const struct hd_stats *st = &hd_rt.run->stats;
    if (hd_rt.server->cfg.mode & HD_MODE_DRIVEN || st->uncontrolled & ~(1u << HD_UNC_ASLR) || (is_first && !list_mappings()))
        return 0;
    if (is_first || count_faults() != present_faults) {
        if (!list_present())
            return 0;
        present_faults = count_faults();
    }
    u32 n = collect_holes(except, hole);
    if (n > HOLES || !budget)
        return 0;
    u64 h = hash_present(1, hole, n);
    if (is_first)
        watched.tid = HD_NO_THREAD;
    if (except != HD_NO_THREAD)
        h = mix(h, watch(except));
    return !budget ? 0 : h ? h : 1;
}
