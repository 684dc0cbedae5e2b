/* code.c: a code address to its functions and lines, inlined ones included.
 *
 * The unit is found by the address ranges section where there is one (clang
 * writes none) and by asking every unit otherwise. Each unit's functions are
 * listed once; only the function that holds the address is searched for
 * inlined calls. The innermost line is the line table's; the line of an outer
 * frame is where the frame inside it was called (DW_AT_call_line).
 */
#include "symbol/state.h"

#include <stdlib.h>
#include <string.h>

#define MAX_INLINED 64

struct hd_symcode {
    int n;
    struct hd_srcloc loc[];
};

/* ---- units and their functions ---------------------------------------------- */

bool hd_symmod_unit(struct hd_symmod *m, u64 pc, Dwarf_Die *unit)
{
    if (!m->dw)
        return false;
    if (dwarf_addrdie(m->dw, pc, unit))
        return true;
    Dwarf_CU *cu = NULL;
    Dwarf_Die die;
    while (dwarf_get_units(m->dw, cu, &cu, NULL, NULL, &die, NULL) == 0)
        if (dwarf_tag(&die) == DW_TAG_compile_unit && dwarf_haspc(&die, pc) > 0) {
            *unit = die;
            return true;
        }
    return false;
}

static void add_function(struct hd_symunit *u, Dwarf_Die *die)
{
    Dwarf_Addr base, lo, hi;
    ptrdiff_t at = 0;
    while ((at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0) {
        if (lo == 0 || hi <= lo) /* address 0: dropped by the linker */
            continue;
        *hd_vec_add(&u->funcs) = (struct hd_symfunc){lo, hi, *die};
    }
}

static void list_functions(struct hd_symunit *u, Dwarf_Die *parent, int depth)
{
    Dwarf_Die die;
    if (depth > 32 || dwarf_child(parent, &die) != 0)
        return;
    do {
        switch (dwarf_tag(&die)) {
        case DW_TAG_subprogram:
            add_function(u, &die);
            list_functions(u, &die, depth + 1); /* GNU C nests functions */
            break;
        case DW_TAG_namespace: case DW_TAG_module: case DW_TAG_lexical_block:
        case DW_TAG_class_type: case DW_TAG_structure_type:
            list_functions(u, &die, depth + 1);
            break;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

static int by_lo(const void *a, const void *b)
{
    const struct hd_symfunc *x = a, *y = b;
    return x->lo < y->lo ? -1 : x->lo > y->lo;
}

Dwarf_Die *hd_symmod_function(struct hd_symmod *m, Dwarf_Die *unit, u64 pc)
{
    u64 key = (u64)unit->cu;
    struct hd_symunit *u = (struct hd_symunit *)hd_map_get_or(&m->units, key, 0);
    if (!u) {
        u = calloc(1, sizeof *u);
        HD_ASSERT(u);
        list_functions(u, unit, 0);
        if (u->funcs.n)
            qsort(u->funcs.at, u->funcs.n, sizeof *u->funcs.at, by_lo);
        hd_map_put(&m->units, key, (u64)u);
    }
    size_t lo = 0, hi = u->funcs.n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (u->funcs.at[mid].lo <= pc)
            lo = mid + 1;
        else
            hi = mid;
    }
    while (lo-- > 0) /* identical code may be folded onto one address */
        if (pc < u->funcs.at[lo].hi)
            return &u->funcs.at[lo].die;
        else if (u->funcs.at[lo].lo + (1u << 20) < pc)
            break;
    return NULL;
}

/* Inlined calls around pc inside `parent`, outermost first. */
static int find_inlined(Dwarf_Die *parent, u64 pc, Dwarf_Die *out, int n)
{
    Dwarf_Die die;
    if (n >= MAX_INLINED || dwarf_child(parent, &die) != 0)
        return n;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_lexical_block) {
            bool has_range = dwarf_hasattr(&die, DW_AT_low_pc) || dwarf_hasattr(&die, DW_AT_ranges);
            if (has_range && dwarf_haspc(&die, pc) <= 0)
                continue;
            int m = find_inlined(&die, pc, out, n);
            if (m > n || has_range)
                return m;
        } else if (tag == DW_TAG_inlined_subroutine && dwarf_haspc(&die, pc) > 0) {
            out[n] = die;
            return find_inlined(&die, pc, out, n + 1);
        }
    } while (dwarf_siblingof(&die, &die) == 0);
    return n;
}

/* ---- files and lines ---------------------------------------------------------- */

void hd_symbols_path(struct hd_symbols *s, Dwarf_Die *unit, const char *path, struct hd_srcloc *out)
{
    Dwarf_Attribute attr;
    const char *dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
    out->dir = dir ? hd_symbols_strdup(s, dir) : NULL;
    out->file = NULL;
    if (!path)
        return;
    /* The library glues the compilation directory to relative names; people
     * know the file by the name they gave to the compiler. */
    size_t n = dir ? strlen(dir) : 0;
    if (n && !strncmp(path, dir, n) && path[n] == '/')
        path += n + 1;
    while (!strncmp(path, "./", 2))
        path += 2;
    out->file = hd_symbols_strdup(s, path);
}

static void line_of_pc(struct hd_symbols *s, Dwarf_Die *unit, u64 pc, struct hd_srcloc *out)
{
    Dwarf_Line *line = dwarf_getsrc_die(unit, pc);
    if (!line)
        return;
    hd_symbols_path(s, unit, dwarf_linesrc(line, NULL, NULL), out);
    dwarf_lineno(line, &out->line);
    dwarf_linecol(line, &out->column);
}

static void line_of_call(struct hd_symbols *s, Dwarf_Die *unit, Dwarf_Die *call,
                         struct hd_srcloc *out)
{
    Dwarf_Attribute attr;
    Dwarf_Word n;
    if (dwarf_formudata(dwarf_attr(call, DW_AT_call_line, &attr), &n) == 0)
        out->line = (int)n;
    if (dwarf_formudata(dwarf_attr(call, DW_AT_call_column, &attr), &n) == 0)
        out->column = (int)n;
    Dwarf_Files *files;
    size_t n_files;
    if (dwarf_formudata(dwarf_attr(call, DW_AT_call_file, &attr), &n) == 0 &&
        dwarf_getsrcfiles(unit, &files, &n_files) == 0 && n < n_files)
        hd_symbols_path(s, unit, dwarf_filesrc(files, n, NULL, NULL), out);
}

static int from_dwarf(struct hd_symbols *s, struct hd_symmod *m, u64 vaddr, struct hd_srcloc *out)
{
    Dwarf_Die unit, inlined[MAX_INLINED];
    u64 pc = vaddr - m->dw_bias;
    if (!hd_symmod_unit(m, pc, &unit))
        return 0;
    Dwarf_Die *function = hd_symmod_function(m, &unit, pc);
    int depth = function ? find_inlined(function, pc, inlined, 0) : 0;
    int n = 0;
    for (int i = depth; i >= 0; i--, n++) {
        struct hd_srcloc *l = &out[n];
        *l = (struct hd_srcloc){.is_inlined = i > 0};
        if (i > 0)
            l->function = hd_symname(s, &inlined[i - 1]);
        else if (function)
            l->function = hd_symname(s, function);
        if (i == depth)
            line_of_pc(s, &unit, pc, l);
        else
            line_of_call(s, &unit, &inlined[i], l);
    }
    return n;
}

/* Symbol of the function around vaddr, which begins *off before it. */
static const char *elf_symbol(struct hd_symmod *m, u64 vaddr, GElf_Off *off)
{
    GElf_Sym sym;
    if (!m->mod)
        return NULL;
    const char *name = dwfl_module_addrinfo(m->mod, vaddr, off, &sym, NULL, NULL, NULL);
    /* A symbol far before the address says nothing in a stripped file. */
    if (!name || !*name || (sym.st_size ? *off >= sym.st_size : *off >= 4096) ||
        GELF_ST_TYPE(sym.st_info) == STT_OBJECT)
        return NULL;
    return name;
}

static const char *elf_function(struct hd_symbols *s, struct hd_symmod *m, u64 vaddr)
{
    GElf_Off off;
    const char *name = elf_symbol(m, vaddr, &off);
    return name ? hd_symname_elf(s, name) : NULL;
}

bool hd_symbols_function(struct hd_symbols *s, u64 addr, u64 *start)
{
    struct hd_symmod *m = hd_symmod_find(s, addr);
    GElf_Off off;
    if (!m)
        return false;
    hd_symmod_open(s, m);
    if (!elf_symbol(m, addr - m->m.bias, &off))
        return false;
    *start = addr - off;
    return true;
}

static struct hd_symcode *resolve(struct hd_symbols *s, u64 addr)
{
    struct hd_srcloc loc[MAX_INLINED + 1];
    struct hd_symmod *m = hd_symmod_find(s, addr);
    int n = 0;
    if (m) {
        hd_symmod_open(s, m);
        n = from_dwarf(s, m, addr - m->m.bias, loc);
    }
    if (n == 0)
        loc[n++] = (struct hd_srcloc){0};
    if (m && !loc[n - 1].function)
        loc[n - 1].function = elf_function(s, m, addr - m->m.bias);
    for (int i = 0; i < n; i++) {
        loc[i].module = m ? m->m.path : NULL;
        loc[i].offset = m ? addr - m->m.bias : addr;
    }
    struct hd_symcode *c = hd_symbols_alloc(s, sizeof *c + (size_t)n * sizeof c->loc[0]);
    c->n = n;
    memcpy(c->loc, loc, (size_t)n * sizeof loc[0]);
    return c;
}

int hd_symbols_code(struct hd_symbols *s, u64 addr, bool is_return, struct hd_srcloc *out, int max)
{
    u64 at = addr - (is_return && addr);
    struct hd_symcode *c = (struct hd_symcode *)hd_map_get_or(&s->code, at, 0);
    if (!c && max > 0 && !hd_symbols_may_ask(s)) {
        struct hd_symmod *m = hd_symmod_find(s, at);
        *out = (struct hd_srcloc){.module = m ? m->m.path : NULL,
                                  .offset = m ? addr - m->m.bias : addr};
        return 1;
    }
    if (!c) {
        c = resolve(s, at);
        hd_map_put(&s->code, at, (u64)c);
    }
    int n = HD_MIN(c->n, max);
    for (int i = 0; i < n; i++) {
        out[i] = c->loc[i];
        out[i].offset += is_return && addr; /* callers know the address they asked for */
    }
    return n;
}

void hd_symbols_position(struct hd_symbols *s, u64 addr, struct hd_srcloc *out)
{
    struct hd_symmod *m = hd_symmod_find(s, addr);
    Dwarf_Die unit;
    *out = (struct hd_srcloc){0};
    if (!m || !hd_symbols_may_ask(s))
        return;
    hd_symmod_open(s, m);
    u64 pc = addr - m->m.bias - m->dw_bias;
    if (hd_symmod_unit(m, pc, &unit))
        line_of_pc(s, &unit, pc, out);
}
