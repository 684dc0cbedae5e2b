/* trap.c: see trap.h. Of each instruction found the first two bytes become ud2, so that a thread that
 * comes there is handed to us (SIGILL): the scheduling point. Then it goes on in a copy of the
 * instruction, which jumps back behind it. A copy is near its module: operands may be relative to
 * the place of the code.
 *
 * `pause` in a loop whose other steps are seen is left alone: only if a thread made no step since
 * it was here it gives way. After VISIBLE such rounds the instruction is put back.
 *
 * Atomic instructions of modules that were not instrumented are not touched: libraries count
 * references and the like all the time, and their code is one step. Waiting there is seen.
 */
#include "runtime/asm/trap.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "runtime/asm/find.h"
#include "runtime/asm/functions.h"
#include "runtime/asm/word.h"
#include "runtime/core/gate.h"
#include "runtime/hook/atomic.h"
#include "runtime/libc/sys.h"
#include "runtime/libc/user_mem.h"

#define SITES 8192       /* instructions beyond stay as they are */
#define SLOTS (2 * SITES) /* of the table that finds them, a power of two */
#define COPY_BYTES 32    /* an instruction, a jump and its target */
#define CHUNK (64u << 10) /* of copies */
#define COPIES (CHUNK / COPY_BYTES)
#define CHUNKS 64
#define NEAR (16u << 20) /* step in which a place near a module is looked for */
#define NEAR_TRIES 64
#define VISIBLE 16

typedef unsigned __int128 u128;

struct site {
    u8 *at;
    u8 *copy;        /* NULL: pause */
    struct hd_insn in;
    u8 was[2];       /* its first bytes */
    u8 visible;      /* rounds of a loop with steps of its own */
    bool is_waiting; /* a loop without them: stays */
};
static struct site *sites;
static u32 n_sites;
static u16 *slots; /* number of a site, from 1 on; 0 = free */
static struct {
    u8 *start;
    u16 site[COPIES];
} *chunk;
static u32 n_chunks, n_copies; /* ... in the last chunk */

static u16 *slot_of(const u8 *at)
{
    u64 i = (u64)at * 0x9e3779b97f4a7c15ull >> 50;
    while (slots[i] && sites[slots[i] - 1].at != at)
        i = (i + 1) % SLOTS;
    return &slots[i];
}

/* ---- looking through the program ------------------------------------------------------ */

struct module {
    u8 *start, *end;
    bool is_instrumented;
};

/* Next to the module, where nothing is: copies for its instructions. */
static u8 *place_near(const struct module *m)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    for (u64 i = 1; i <= NEAR_TRIES; i++) {
        u64 below = i * NEAR, start = (u64)m->start & ~4095ull;
        u64 at = start > below + NEAR ? start - below : HD_ALIGN_UP((u64)m->end, 4096) + (1u << 30) + below;
        long p = hd_sys(SYS_mmap, at, CHUNK, PROT_READ | PROT_WRITE | PROT_EXEC, flags, -1, 0);
        if ((u64)p == at)
            return (u8 *)at;
        if (p > 0) /* a kernel that does not know the flag */
            hd_sys(SYS_munmap, p, CHUNK);
    }
    return NULL;
}

static bool is_near(const u8 *a, const u8 *b) { return (a > b ? a - b : b - a) < (1 << 30); }

static u8 *new_copy(const struct module *m, u32 site)
{
    if (!n_chunks || n_copies == COPIES || !is_near(chunk[n_chunks - 1].start, m->start)) {
        u8 *start = n_chunks < CHUNKS ? place_near(m) : NULL;
        if (!start)
            return NULL;
        chunk[n_chunks++].start = start;
        n_copies = 0;
    }
    chunk[n_chunks - 1].site[n_copies] = (u16)site;
    return chunk[n_chunks - 1].start + n_copies++ * COPY_BYTES;
}

/* The instruction, and jmp *0(%rip) to what follows it. */
static bool write_copy(struct site *s, u8 *to)
{
    static const u8 jump[] = {0xff, 0x25, 0, 0, 0, 0};
    const u8 *next = s->at + s->in.len;
    hd_memcpy(to, s->at, s->in.len);
    if (hd_insn_is_relative(&s->in)) {
        s64 offset = s->in.offset + (s64)(s->at - to);
        s32 short_offset = (s32)offset;
        if (short_offset != offset)
            return false;
        hd_memcpy(to + s->in.at_offset, &short_offset, sizeof short_offset);
    }
    hd_memcpy(to + s->in.len, jump, sizeof jump);
    hd_memcpy(to + s->in.len + sizeof jump, &next, sizeof next);
    s->copy = to;
    return true;
}

static void add(enum hd_asm_kind kind, const u8 *at, const struct hd_insn *in, void *arg)
{
    const struct module *m = arg;
    u16 *slot = slot_of(at);
    if (n_sites == SITES || *slot)
        return;
    struct site *s = &sites[n_sites];
    *s = (struct site){.at = (u8 *)at, .in = *in, .was = {at[0], at[1]}};
    if (kind == HD_ASM_UPDATE) {
        u8 *copy = new_copy(m, n_sites);
        if (!copy || !write_copy(s, copy))
            return;
    }
    *slot = (u16)++n_sites;
}

static void look_at(const u8 *start, const u8 *end, void *arg)
{
    const struct module *m = arg;
    hd_asm_find(start, end, m->is_instrumented, add, arg);
}

/* Functions of other modules come first in the table of symbols, those that can be found by
 * their hash behind them. */
static bool imports(const struct dl_phdr_info *info, const char *name)
{
    const ElfW(Dyn) *d = NULL;
    const ElfW(Sym) *symbol = NULL;
    const char *text = NULL;
    u32 n = 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            d = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB)
            symbol = (const ElfW(Sym) *)d->d_un.d_ptr;
        else if (d->d_tag == DT_STRTAB)
            text = (const char *)d->d_un.d_ptr;
        else if (d->d_tag == DT_GNU_HASH)
            n = ((const u32 *)d->d_un.d_ptr)[1];
        else if (d->d_tag == DT_HASH && !n)
            n = ((const u32 *)d->d_un.d_ptr)[1];
    }
    size_t len = hd_strlen(name) + 1;
    for (u32 i = 1; symbol && text && i < n; i++)
        if (!hd_memcmp(text + symbol[i].st_name, name, len))
            return true;
    return false;
}

static int each_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct module m = {(u8 *)~(u64)0, NULL, false};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        u8 *at = (u8 *)info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD) {
            m.start = HD_MIN(m.start, at);
            m.end = HD_MAX(m.end, at + p->p_memsz);
        }
    }
    const u8 *not_theirs[] = {(const u8 *)HD_REAL(on_exit), (const u8 *)each_module,
                              (const u8 *)getauxval(AT_BASE), (const u8 *)getauxval(AT_SYSINFO_EHDR)};
    for (size_t i = 0; i < HD_COUNT(not_theirs); i++)
        if (not_theirs[i] >= m.start && not_theirs[i] < m.end)
            return 0;
    m.is_instrumented = imports(info, "__tsan_init");
    hd_functions_each(info, look_at, &m);
    return 0;
}

/* ---- replacing -------------------------------------------------------------------------- */

static bool write_code(u8 *at, const u8 bytes[2])
{
    u64 page = (u64)at & ~4095ull, n = HD_ALIGN_UP((u64)at + 2, 4096) - page;
    if (hd_sys(SYS_mprotect, page, n, PROT_READ | PROT_WRITE | PROT_EXEC))
        return false;
    u16 both;
    hd_memcpy(&both, bytes, sizeof both);
    *(volatile u16 *)at = both;
    hd_sys(SYS_mprotect, page, n, PROT_READ | PROT_EXEC);
    return true;
}

void hd_trap_init(void)
{
    static const u8 trap[] = {0x0f, 0x0b};
    sites = hd_arena_alloc(NULL, SITES * sizeof *sites);
    slots = hd_arena_alloc(NULL, SLOTS * sizeof *slots);
    chunk = hd_arena_alloc(NULL, CHUNKS * sizeof *chunk);
    dl_iterate_phdr(each_module, NULL);
    for (u32 i = 0; i < n_chunks; i++)
        hd_sys(SYS_mprotect, chunk[i].start, CHUNK, PROT_READ | PROT_EXEC);
    for (u32 i = 0; i < n_sites; i++)
        write_code(sites[i].at, trap);
}

/* ---- a thread comes there ------------------------------------------------------------------ */

static u64 reg(const ucontext_t *uc, u8 number)
{
    static const u8 where[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                               REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    return number == HD_NO_REGISTER ? 0 : (u64)uc->uc_mcontext.gregs[where[number]];
}

static u128 cut(u128 value, u32 size) { return size == 16 ? value : value & (((u128)1 << 8 * size) - 1); }

/* The operand that is a register. Without a prefix the numbers from 4 on are %ah and its kin. */
static u64 operand(const ucontext_t *uc, const struct hd_insn *in, u32 size)
{
    u8 number = hd_insn_reg(in);
    bool is_high = size == 1 && !in->rex && number >= 4;
    return (u64)cut(is_high ? reg(uc, number & 3) >> 8 : reg(uc, number), size);
}

/* Of a bit in memory: its number may lead away from the operand. */
static s64 bit_number(const ucontext_t *uc, const struct hd_insn *in, u32 size)
{
    if (in->opcode == 0xba)
        return in->immediate & (s32)(8 * size - 1);
    u64 number = operand(uc, in, size);
    return size == 8 ? (s64)number : size == 4 ? (s32)number : (int16_t)number;
}

static u64 address(const ucontext_t *uc, const struct site *s)
{
    const struct hd_insn *in = &s->in;
    u32 size = hd_asm_size(in);
    u64 at = (u64)(s64)in->offset + (reg(uc, hd_insn_index(in)) << (in->sib >> 6));
    at += hd_insn_is_relative(in) ? (u64)s->at + in->len : reg(uc, hd_insn_base(in));
    if (in->is_address_32_bit)
        at = (u32)at;
    if (hd_asm_is_bit(in))
        at += (u64)((bit_number(uc, in, size) >> (size == 8 ? 6 : size == 4 ? 5 : 4)) * (s64)size);
    return at;
}

static u128 pair(const ucontext_t *uc, u8 high, u8 low, u32 size)
{
    return size == 16 ? (u128)reg(uc, high) << 64 | reg(uc, low) : (u64)(u32)reg(uc, high) << 32 | (u32)reg(uc, low);
}

static u128 expected(const ucontext_t *uc, const struct hd_insn *in, u32 size)
{
    return hd_asm_is_compare_pair(in) ? pair(uc, HD_RDX, HD_RAX, size) : cut(reg(uc, HD_RAX), size);
}

static u64 bit(const ucontext_t *uc, const struct hd_insn *in, u32 size, u64 value)
{
    u8 how = in->opcode == 0xba ? in->modrm >> 3 & 3 : in->opcode >> 3 & 3; /* 1 set, 2 reset, 3 flip */
    u64 mask = 1ull << (bit_number(uc, in, size) & (s64)(8 * size - 1));
    return how == 1 ? value | mask : how == 2 ? value & ~mask : value ^ mask;
}

/* add, or, adc, sbb, and, sub, xor; inc, dec; not, neg */
static u64 arithmetic(const ucontext_t *uc, const struct hd_insn *in, u32 size, u64 value)
{
    u8 ext = in->modrm >> 3 & 7, how = in->opcode < 0x40 ? in->opcode >> 3 : ext;
    u64 carry = (u64)uc->uc_mcontext.gregs[REG_EFL] & 1;
    u64 by = in->opcode < 0x40 ? operand(uc, in, size) : (u64)(s64)in->immediate;
    if (in->opcode >= 0xfe)
        return ext ? value - 1 : value + 1;
    if (in->opcode >= 0xf6)
        return ext == 2 ? ~value : 0 - value;
    switch (how) {
    case 0: return value + by;
    case 1: return value | by;
    case 2: return value + by + carry;
    case 3: return value - by - carry;
    case 4: return value & by;
    case 5: return value - by;
    default: return value ^ by;
    }
}

/* What it leaves in memory, where `value` is now. */
static u128 result(const ucontext_t *uc, const struct hd_insn *in, u32 size, u128 value)
{
    if (hd_asm_is_compare_pair(in))
        return value == expected(uc, in, size) ? pair(uc, HD_RCX, HD_RBX, size) : value;
    if (hd_asm_is_compare(in))
        return value == expected(uc, in, size) ? operand(uc, in, size) : value;
    if (hd_asm_is_exchange(in))
        return operand(uc, in, size);
    if (hd_asm_is_add(in))
        return cut(value + operand(uc, in, size), size);
    if (hd_asm_is_bit(in))
        return bit(uc, in, size, (u64)value);
    return cut(arithmetic(uc, in, size, (u64)value), size);
}

static void update(ucontext_t *uc, const struct site *s)
{
    const struct hd_insn *in = &s->in;
    u32 size = hd_asm_size(in);
    u64 addr = address(uc, s), site = (u64)s->at + in->len; /* as of a call: behind it */
    u128 wanted = expected(uc, in, size), value = 0;
    bool compares = hd_asm_is_compare(in) || hd_asm_is_compare_pair(in);
    uc->uc_mcontext.gregs[REG_RIP] = (greg_t)s->copy;
    if (!hd_on() || hd_tls.ignore)
        return;
    hd_word_benign(addr, size, site);
    hd_atomic_before(addr, size, site, compares ? &wanted : NULL);
    if (!hd_user_read(&value, (const void *)addr, size))
        return; /* it will fault */
    u128 leaves = result(uc, in, size, value);
    hd_atomic_comes(site, leaves != value);
    hd_word_update(addr, size, site, (u64)leaves);
}

static void pause_here(ucontext_t *uc, struct site *s)
{
    u64 next = (u64)s->at + s->in.len;
    uc->uc_mcontext.gregs[REG_RIP] = (greg_t)next;
    if (!hd_on())
        return;
    const u64 *steps = &hd_rt.sched.thread[hd_tls.tid].points;
    if (*steps == hd_tls.paused_at) {
        s->is_waiting = true;
        hd_gate_obj(HD_EV_YIELD, next, NULL, 0);
        hd_word_look(next);
    } else if (!s->is_waiting && ++s->visible == VISIBLE) {
        write_code(s->at, s->was);
    }
    hd_tls.paused_at = *steps;
}

/* For a debugger: the program's own illegal instruction. Others it does not stop at. */
__attribute__((noinline, used)) static void hd_trap_refuse(void) { __asm__ volatile(""); }

bool hd_trap_take(ucontext_t *uc)
{
    u16 number = n_sites ? *slot_of((const u8 *)uc->uc_mcontext.gregs[REG_RIP]) : 0;
    if (!number) {
        hd_trap_refuse();
        return false;
    }
    struct site *s = &sites[number - 1];
    if (s->copy)
        update(uc, s);
    else
        pause_here(uc, s);
    return true;
}

void hd_trap_blame(ucontext_t *uc)
{
    u64 pc = (u64)uc->uc_mcontext.gregs[REG_RIP];
    for (u32 i = 0; i < n_chunks; i++)
        if (pc - (u64)chunk[i].start < CHUNK)
            uc->uc_mcontext.gregs[REG_RIP] =
                (greg_t)sites[chunk[i].site[(pc - (u64)chunk[i].start) / COPY_BYTES]].at;
}
