/* heap_report.c: misuse of the heap becomes a verdict: which block, who
 * allocated it, who freed it, who used it. Without control it ends the program
 * the way glibc does: a line on stderr and SIGABRT.
 */
#include "runtime/heap/heap.h"

#include "runtime/hook/caller.h"
#include "runtime/core/gate.h"
#include "runtime/libc/sys.h"

#include <signal.h>

static const char *const kind_text[] = {
    [HD_HEAP_READ_FREED] = "use after free: read",
    [HD_HEAP_WRITE_FREED] = "use after free: write",
    [HD_HEAP_READ_OVERFLOW] = "heap overflow: read",
    [HD_HEAP_WRITE_OVERFLOW] = "heap overflow: write",
    [HD_HEAP_READ_WILD] = "heap access outside all blocks: read",
    [HD_HEAP_WRITE_WILD] = "heap access outside all blocks: write",
    [HD_HEAP_DOUBLE_FREE] = "double free",
    [HD_HEAP_INVALID_FREE] = "invalid free",
};

/* ---- text ---------------------------------------------------------------------- */

struct text {
    char s[200];
    size_t n;
};

static void put(struct text *t, const char *s)
{
    while (*s && t->n < sizeof t->s - 1)
        t->s[t->n++] = *s++;
    t->s[t->n] = 0;
}

static void put_number(struct text *t, u64 value)
{
    char digits[24];
    digits[hd_put_u64(digits, value)] = 0;
    put(t, digits);
}

static void put_bytes(struct text *t, u64 n)
{
    put_number(t, n);
    put(t, n == 1 ? " byte" : " bytes");
}

/* Where in the block: "8 bytes into ", "right behind ", ... */
static void put_offset(struct text *t, u64 offset, u64 size)
{
    if (offset > size) {
        put_bytes(t, offset - size);
        put(t, " past the end of ");
    } else if (offset == size) {
        put(t, "right behind ");
    } else if (offset) {
        put_bytes(t, offset);
        put(t, " into ");
    } else {
        put(t, "at the start of ");
    }
}

static const char *const noticed_text[] = {
    [HD_NOTICED_ACCESS] = "",
    [HD_NOTICED_FREE] = "; noticed when the block was freed",
    [HD_NOTICED_REUSE] = "; noticed when the block was to be given out again",
    [HD_NOTICED_END] = "; noticed at the end of the run",
};

/* "use after free: write of 4 bytes, 8 bytes into a freed block of 40 bytes",
 * "double free of a block of 40 bytes" */
static void describe(struct text *t, const struct hd_heap_report *r)
{
    put(t, kind_text[r->kind]);
    if (r->access_size) {
        put(t, " of ");
        put_bytes(t, r->access_size);
    }
    if (!r->block)
        return;
    put(t, r->kind == HD_HEAP_DOUBLE_FREE ? " of " : ", ");
    if (r->kind != HD_HEAP_DOUBLE_FREE)
        put_offset(t, (u64)r->offset, r->size);
    bool is_freed = r->freed.n && r->kind != HD_HEAP_DOUBLE_FREE;
    put(t, is_freed ? "a freed block of " : "a block of ");
    put_bytes(t, r->size);
    put(t, noticed_text[r->noticed]);
}

/* ---- verdict ------------------------------------------------------------------- */

static void place(struct hd_heap_place *to, u16 tid, const struct hd_stack *s)
{
    to->tid = tid;
    to->n = s ? (u16)s->n : 0;
    for (u32 i = 0; i < to->n; i++)
        to->pc[i] = s->pc[i];
}

static void about_block(struct hd_heap_report *r, u64 addr_in_block)
{
    struct hd_heap_block b;
    if (!hd_heap_find(addr_in_block, &b))
        return;
    r->block = b.start;
    r->size = b.size;
    r->offset = (s64)(r->addr - b.start);
    place(&r->alloc, b.alloc_tid, b.alloc);
    place(&r->freed, b.free_tid, b.freed);
}

static _Noreturn void report_noticed(enum hd_heap_noticed how, u32 kind, u64 addr, u32 access_size,
                                     u64 addr_in_block, u64 site)
{
    struct hd_heap_report *r = &hd_rt.run->verdict.heap;
    hd_tls.inside++;
    *r = (struct hd_heap_report){
        .kind = kind, .addr = addr, .access_size = access_size, .noticed = how};
    r->alloc.tid = r->freed.tid = HD_NO_THREAD;
    r->use.tid = hd_tls.tid;
    r->use.n = site ? (u16)hd_caller_stack(r->use.pc, HD_HEAP_FRAMES, site) : 0;
    about_block(r, addr_in_block);
    hd_rt.run->verdict.addr = addr;
    hd_rt.run->verdict.pc = site;
    struct text t = {.n = 0};
    describe(&t, r);
    hd_die(HD_V_HEAP, t.s);
}

static _Noreturn void report(u32 kind, u64 addr, u32 access_size, u64 addr_in_block, u64 site)
{
    report_noticed(HD_NOTICED_ACCESS, kind, addr, access_size, addr_in_block, site);
}

/* The block whose end an access outside all blocks ran over: the one before, if
 * that is live. Blocks are given out in address order, so that behind the last
 * one there is memory that was never given out. */
static u64 overrun_block(const struct hd_heap_ref *ref)
{
    struct hd_heap_ref before;
    hd_heap_lookup(&hd_heap, ref->start - 1, &before);
    return before.meta && before.meta->state == HD_BLOCK_LIVE ? before.start : 0;
}

/* A thread without the baton may have seen tables that were being changed. */
static bool is_live_now(u64 addr, u32 size)
{
    hd_heap_lock();
    bool is = hd_heap_is_live(&hd_heap, addr - hd_heap.base, size);
    hd_heap_unlock();
    return is;
}

void hd_heap_bad_access(u64 addr, u32 size, bool is_write, u64 site)
{
    if (!hd_heap_oracle || !hd_rt.is_on || hd_tls.inside || hd_tls.ignore || !hd_tls.is_known ||
        !size || is_live_now(addr, size))
        return;
    struct hd_heap_ref ref;
    hd_heap_lookup(&hd_heap, addr, &ref);
    if (!ref.meta)
        report(HD_HEAP_READ_WILD + is_write, addr, size, addr, site);
    if (ref.meta->state == HD_BLOCK_NEVER) {
        u64 over = overrun_block(&ref);
        if (over)
            report(HD_HEAP_READ_OVERFLOW + is_write, addr, size, over, site);
        report(HD_HEAP_READ_WILD + is_write, addr, size, addr, site);
    }
    report((ref.meta->state == HD_BLOCK_LIVE ? HD_HEAP_READ_OVERFLOW : HD_HEAP_READ_FREED) + is_write,
           addr, size, addr, site);
}

void hd_heap_noticed(u64 addr, enum hd_heap_noticed how, u64 site)
{
    struct hd_heap_ref ref;
    if (!hd_on())
        return;
    hd_heap_lookup(&hd_heap, addr, &ref);
    bool is_overflow = ref.meta && addr >= ref.start + ref.size;
    report_noticed(how, is_overflow ? HD_HEAP_WRITE_OVERFLOW : HD_HEAP_WRITE_FREED, addr, 0, addr, site);
}

/* ---- free ----------------------------------------------------------------------- */

static _Noreturn void end_program(const char *line)
{
    hd_sys(SYS_write, 2, line, hd_strlen(line));
    if (HD_REAL(abort))
        HD_REAL(abort)();
    for (;;)
        hd_sys(SYS_tgkill, hd_sys(SYS_getpid, 0), hd_sys(SYS_gettid, 0), SIGABRT);
}

_Noreturn void hd_heap_bad_free(u64 p, const struct hd_heap_ref *ref, u64 site)
{
    bool is_double = ref->meta && ref->start == p && ref->meta->state != HD_BLOCK_NEVER;
    if (hd_on())
        report(is_double ? HD_HEAP_DOUBLE_FREE : HD_HEAP_INVALID_FREE, p, 0, p, site);
    end_program(is_double ? "free(): double free detected\n" : "free(): invalid pointer\n");
}
