/* final.c: what the program leaves in memory: words of the variables of its own objects (.data and
 * .bss of the program and of libraries that are not the system's), and of the heap blocks that
 * these lead to, as far as a word that looks like a pointer is one.
 *
 * Two runs are to be compared, so nothing may count that says nothing about the result:
 *   - where things are: a pointer is the number of its block in the order blocks are reached;
 *     pointers to freed memory, stacks, libraries are just addresses,
 *   - what nobody wrote: blocks are given out cleared in such a run (hd_heap_clears),
 *   - what is libc's: blocks that it allocated (FILE), variables that the linker copied out of
 *     libraries into the program (stdout, std::cout),
 *   - numbers of threads and processes.
 * Bounded in words, blocks and bytes.
 */
#include "runtime/heap/heap.h"

#include <elf.h>
#include <link.h>

#include "runtime/core/gate.h"
#include "runtime/heap/final.h"
#include "runtime/libc/libc_lock.h"
#include "runtime/libc/sys.h"

#define BLOCKS (1u << 14)
#define SLOTS (4 * BLOCKS)
#define BYTES ((u64)16 << 20)
#define HOLES 128
#define ADDRESSES 0x700000000000ull /* stacks, libraries and other mappings lie above, */
#define ADDRESSES_END 0x800000000000ull
#define OWN_FROM 0x100000000000ull  /* ... and the runtime's areas here (core/state.c) */
#define OWN_TO 0x310000000000ull
#define R_COPY 5                    /* R_X86_64_COPY */

struct range {
    u64 from, to;
};

static struct {
    u64 block[BLOCKS];  /* address of block number i + 1 */
    u32 slot[SLOTS];    /* number, by a hash of the address; 0 = free */
    u64 bytes;          /* left */
    struct range libc;
    struct range hole[HOLES];
    u32 n_holes;
    s32 low_tid, high_tid;
} now;

static u64 mix(u64 h, u64 x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

/* ---- what a word is ------------------------------------------------------------------ */

/* The number of a live block of the program, made if it is new; 0: it is none. */
static u32 number_of(u64 addr)
{
    struct hd_final *f = &hd_rt.run->final;
    struct hd_heap_ref ref;
    hd_heap_lookup(&hd_heap, addr, &ref);
    if (!ref.meta || ref.meta->state != HD_BLOCK_LIVE || addr - ref.start > ref.size)
        return 0;
    const struct hd_stack *by = hd_stacks_get(&hd_heap_stacks, ref.meta->alloc_stack);
    if (by && by->n && by->pc[0] - now.libc.from < now.libc.to - now.libc.from)
        return 0;
    u32 at = (u32)(mix(1, ref.start) >> 32) % SLOTS;
    while (now.slot[at] && now.block[now.slot[at] - 1] != ref.start)
        at = (at + 1) % SLOTS;
    if (!now.slot[at]) {
        if (f->n_blocks == BLOCKS) {
            f->is_cut = 1;
            return 0;
        }
        now.block[f->n_blocks] = ref.start;
        now.slot[at] = ++f->n_blocks;
    }
    return now.slot[at];
}

static bool is_thread(u32 half)
{
    s32 tid = (s32)half;
    if (tid < now.low_tid || tid > now.high_tid)
        return false;
    for (u32 t = 0; t < hd_rt.sched.n_threads; t++)
        if (hd_thread[t].kernel_tid == tid)
            return true;
    return false;
}

static u32 kind_of(u64 *value)
{
    u64 v = *value;
    if (hd_heap_has(v)) {
        u32 number = number_of(v);
        *value = number;
        return number ? HD_FINAL_BLOCK : HD_FINAL_ADDRESS;
    }
    bool is_address = v - ADDRESSES < ADDRESSES_END - ADDRESSES || v - OWN_FROM < OWN_TO - OWN_FROM;
    if (is_address || is_thread((u32)v) || is_thread((u32)(v >> 32))) {
        *value = 1;
        return HD_FINAL_ADDRESS;
    }
    return HD_FINAL_NUMBER;
}

/* Returns the word if it is a number, else 0. */
static u64 take_word(u64 where, u64 value)
{
    struct hd_final *f = &hd_rt.run->final;
    if (!value)
        return 0;
    u32 kind = kind_of(&value);
    if (f->n < HD_SHM_FINAL)
        hd_shm_final(hd_rt.run)[f->n++] =
            (struct hd_final_word){.where = where, .value = value, .kind = kind};
    else
        f->is_cut = 1;
    return kind == HD_FINAL_NUMBER ? value : 0;
}

/* ---- variables ----------------------------------------------------------------------- */

static void add_hole(u64 from, u64 to)
{
    if (now.n_holes < HOLES && from < to)
        now.hole[now.n_holes++] = (struct range){from, to};
}

static bool is_in_hole(u64 at)
{
    for (u32 i = 0; i < now.n_holes; i++)
        if (at + 8 > now.hole[i].from && at < now.hole[i].to)
            return true;
    return false;
}

static void take_variables(u64 from, u64 to)
{
    struct hd_final *f = &hd_rt.run->final;
    from = HD_ALIGN_UP(from, 8);
    for (u64 at = from; at + 8 <= to && !f->is_cut; at += 8) {
        if (now.bytes < 8) {
            f->is_cut = 1;
            return;
        }
        now.bytes -= 8;
        u64 value = *(const u64 *)at;
        if (value && !is_in_hole(at))
            take_word(at, value);
    }
}

/* Tables of the dynamic section; the loader has made their addresses absolute, or not. */
static u64 absolute(const struct dl_phdr_info *info, u64 at)
{
    return at < info->dlpi_addr ? at + info->dlpi_addr : at;
}

/* Variables of libraries that live in the program: they are the library's all the same. */
static void leave_out_copies(const struct dl_phdr_info *info, const ElfW(Dyn) *d)
{
    u64 rela = 0, bytes = 0, symbols = 0;
    for (; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_RELA)
            rela = absolute(info, d->d_un.d_ptr);
        else if (d->d_tag == DT_RELASZ)
            bytes = d->d_un.d_val;
        else if (d->d_tag == DT_SYMTAB)
            symbols = absolute(info, d->d_un.d_ptr);
    }
    if (!rela || !symbols)
        return;
    const ElfW(Rela) *r = (const ElfW(Rela) *)rela, *end = r + bytes / sizeof *r;
    for (; r < end; r++)
        if (ELF64_R_TYPE(r->r_info) == R_COPY) {
            const ElfW(Sym) *s = (const ElfW(Sym) *)symbols + ELF64_R_SYM(r->r_info);
            add_hole(info->dlpi_addr + r->r_offset, info->dlpi_addr + r->r_offset + s->st_size);
        }
}

static bool starts(const char *text, const char *with)
{
    return !hd_memcmp(text, with, HD_MIN(hd_strlen(with), hd_strlen(text) + 1));
}

static bool is_system(const char *path)
{
    return starts(path, "/lib/") || starts(path, "/lib64/") || starts(path, "/usr/lib/") ||
           starts(path, "/usr/lib64/") || starts(path, "linux-vdso");
}

/* One loaded object. */
static int take_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    const ElfW(Phdr) *p = info->dlpi_phdr;
    u64 bias = info->dlpi_addr;
    if (*info->dlpi_name && is_system(info->dlpi_name))
        return 0;
    now.n_holes = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        u64 from = bias + p[i].p_vaddr, to = from + p[i].p_memsz;
        if (p[i].p_type == PT_LOAD && (u64)&hd_rt - from < to - from)
            return 0; /* the runtime itself */
        if (p[i].p_type == PT_GNU_RELRO || p[i].p_type == PT_DYNAMIC)
            add_hole(from, to);
        if (p[i].p_type == PT_DYNAMIC)
            leave_out_copies(info, (const ElfW(Dyn) *)from);
    }
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (p[i].p_type == PT_LOAD && p[i].p_flags & PF_W)
            take_variables(bias + p[i].p_vaddr, bias + p[i].p_vaddr + p[i].p_memsz);
    return 0;
}

/* ---- blocks -------------------------------------------------------------------------- */

static u64 hash_block(u32 number)
{
    struct hd_final *f = &hd_rt.run->final;
    struct hd_heap_ref ref;
    hd_heap_lookup(&hd_heap, now.block[number - 1], &ref);
    if (!ref.meta)
        return 0;
    u64 h = mix(2, ref.size);
    for (u64 at = 0; at < ref.size; at += 8) {
        if (now.bytes < 8) {
            f->is_cut = 1;
            break;
        }
        now.bytes -= 8;
        u64 value = 0;
        hd_memcpy(&value, (const void *)(ref.start + at), HD_MIN(ref.size - at, (u64)8));
        value = take_word(HD_FINAL_HEAP | (u64)number << 32 | (at & UINT32_MAX), value);
        if (value)
            h = mix(mix(h, at), value);
    }
    return mix(h, 3);
}

static void find_libc(void)
{
    const struct hd_module *m = hd_shm_modules(hd_rt.run);
    for (u32 i = 0; i < hd_rt.run->n_modules; i++) {
        const char *base = m[i].path;
        for (const char *p = m[i].path; *p; p++)
            if (*p == '/')
                base = p + 1;
        if (starts(base, "libc.so") || starts(base, "libc-2"))
            now.libc = (struct range){m[i].start, m[i].end};
    }
}

void hd_final_take(void)
{
    struct hd_final *f = &hd_rt.run->final;
    if (hd_libc_is_taken((u64)&hd_phdr_key))
        return; /* a thread that was cut short is in the list of objects */
    hd_tls.inside++;
    now.bytes = BYTES;
    now.low_tid = INT32_MAX;
    now.high_tid = 0;
    for (u32 t = 0; t < hd_rt.sched.n_threads; t++) {
        now.low_tid = HD_MIN(now.low_tid, hd_thread[t].kernel_tid);
        now.high_tid = HD_MAX(now.high_tid, hd_thread[t].kernel_tid);
    }
    now.low_tid = HD_MAX(now.low_tid, 300); /* smaller numbers are something else as a rule */
    find_libc();
    *f = (struct hd_final){.is_taken = 1};
    dl_iterate_phdr(take_module, NULL);
    for (u32 i = 1; i <= f->n_blocks; i++)
        f->heap += hash_block(i);
    hd_tls.inside--;
}
