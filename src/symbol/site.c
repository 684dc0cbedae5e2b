/* site.c: the text that names a site across rebuilds.
 *
 * function@file:line is not enough: `x++` has two hooks on one line. The
 * ordinal counts the call instructions of the line's code, in the order of
 * addresses, up to the one that returns to the site. Calls are found by their
 * opcode (e8 with a target inside the text, ff 15): no disassembler. A stray
 * byte that looks like a call shifts ordinals but keeps them apart.
 */
#include "symbol/state.h"

#include <stdio.h>
#include <string.h>

/* File bytes of the section that holds `vaddr`. */
struct bytes {
    const u8 *data;
    u64 lo, hi;
};

static bool text_bytes(struct hd_symmod *m, u64 vaddr, struct bytes *b)
{
    GElf_Addr bias;
    Elf *elf = dwfl_module_getelf(m->mod, &bias);
    Elf_Scn *scn = NULL;
    while (elf && (scn = elf_nextscn(elf, scn))) {
        GElf_Shdr sh;
        if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_PROGBITS ||
            !(sh.sh_flags & SHF_EXECINSTR) || vaddr < sh.sh_addr || vaddr >= sh.sh_addr + sh.sh_size)
            continue;
        Elf_Data *d = elf_rawdata(scn, NULL);
        if (!d || !d->d_buf || d->d_size < sh.sh_size)
            return false;
        *b = (struct bytes){d->d_buf, sh.sh_addr, sh.sh_addr + sh.sh_size};
        return true;
    }
    return false;
}

/* Where the call at address a returns to; 0 if there is none. Pre: b->lo <= a. */
static u64 returns_to(const struct bytes *b, u64 a, u64 to)
{
    const u8 *p = b->data + (a - b->lo);
    if (a + 5 <= to && p[0] == 0xe8) {
        s32 rel;
        memcpy(&rel, p + 1, 4);
        u64 target = a + 5 + (u64)(s64)rel;
        /* the PLT lies close before the text */
        return target + (1u << 20) >= b->lo && target < b->hi ? a + 5 : 0;
    }
    return a + 6 <= to && p[0] == 0xff && p[1] == 0x15 ? a + 6 : 0;
}

/* Calls that return to an address in (from, to]. */
static u32 count_calls(const struct bytes *b, u64 from, u64 to)
{
    u32 n = 0;
    from = HD_MAX(from, b->lo);
    to = HD_MIN(to, b->hi);
    for (u64 a = from; a < to;) {
        u64 next = returns_to(b, a, to);
        n += next != 0;
        a = next ? next : a + 1;
    }
    return n;
}

static u32 ordinal(struct hd_symmod *m, u64 vaddr)
{
    Dwarf_Die unit;
    Dwarf_Lines *lines;
    size_t n_lines;
    struct bytes b = {0};
    u64 pc = vaddr - 1 - m->dw_bias;
    if (!hd_symmod_unit(m, pc, &unit) || dwarf_getsrclines(&unit, &lines, &n_lines) != 0 ||
        !text_bytes(m, vaddr - 1, &b))
        return 0;
    Dwarf_Line *here = dwarf_getsrc_die(&unit, pc);
    const char *file = here ? dwarf_linesrc(here, NULL, NULL) : NULL;
    int line = 0;
    if (!file || dwarf_lineno(here, &line))
        return 0;
    u32 n = 0;
    for (size_t i = 0; i + 1 < n_lines; i++) {
        Dwarf_Line *l = dwarf_onesrcline(lines, i);
        int at_line;
        Dwarf_Addr lo, hi;
        bool is_end;
        if (dwarf_lineno(l, &at_line) || at_line != line) /* all but a few: the loop is long */
            continue;
        if (dwarf_lineaddr(l, &lo) || lo > pc || dwarf_lineendsequence(l, &is_end) || is_end ||
            dwarf_lineaddr(dwarf_onesrcline(lines, i + 1), &hi) || strcmp(dwarf_linesrc(l, NULL, NULL), file))
            continue;
        hi = HD_MIN(hi, pc + 1);
        n += count_calls(&b, lo + m->dw_bias, hi + m->dw_bias);
    }
    return n;
}

void hd_symbols_site(struct hd_symbols *s, u64 pc, char *buf, size_t size)
{
    struct hd_srcloc l;
    hd_symbols_code(s, pc, true, &l, 1);
    const char *slash = l.module ? strrchr(l.module, '/') : NULL;
    const char *module = slash ? slash + 1 : l.module;
    if (!l.function || !l.file || !l.line) {
        if (module)
            snprintf(buf, size, "%s+0x%llx", module, (unsigned long long)l.offset);
        else
            snprintf(buf, size, "0x%llx", (unsigned long long)pc);
        return;
    }
    struct hd_symmod *m = hd_symmod_find(s, pc - 1);
    snprintf(buf, size, "%s@%s:%d#%u", l.function, l.file, l.line, ordinal(m, pc - m->m.bias));
}

void hd_symbols_calls(struct hd_symbols *s, u64 start,
                      void (*each)(void *self, u64 pc, const struct hd_srcloc *at), void *self)
{
    struct hd_symmod *m = hd_symmod_find(s, start);
    GElf_Addr bias;
    if (m)
        hd_symmod_open(s, m);
    Elf *elf = m && m->mod ? dwfl_module_getelf(m->mod, &bias) : NULL;
    Elf_Scn *scn = NULL;
    while (elf && (scn = elf_nextscn(elf, scn))) {
        GElf_Shdr sh;
        struct bytes b;
        if (!gelf_getshdr(scn, &sh) || !text_bytes(m, sh.sh_addr, &b) || b.lo != sh.sh_addr)
            continue;
        for (u64 a = b.lo; a < b.hi;) {
            u64 next = returns_to(&b, a, b.hi);
            if (next) {
                struct hd_srcloc l;
                hd_symbols_code(s, m->m.bias + next, true, &l, 1);
                each(self, m->m.bias + next, &l);
            }
            a = next ? next : a + 1;
        }
    }
}
