/* inlined.c: see inlined.h. DW_TAG_inlined_subroutine of DWARF, with all their ranges. */
#include "symbol/inlined.h"

#include <string.h>

#include "symbol/state.h"

#define MAX_DEPTH 64

struct walk {
    struct hd_symbols *s;
    struct hd_inlines *out;
    u64 bias; /* from DWARF's addresses to ours */
    const char *module;
};

static void add_ranges(struct walk *w, Dwarf_Die *die, u32 number)
{
    Dwarf_Addr base, lo, hi;
    ptrdiff_t at = 0;
    while ((at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0)
        if (lo && hi > lo)
            *hd_vec_add(&w->out->range) = (struct hd_inlined_range){lo + w->bias, hi + w->bias, number};
}

static u32 count_before(const struct hd_inlines *l, u32 around, const char *name)
{
    u32 n = 0;
    for (size_t i = around; i < l->v.n; i++) /* those that are part of it are behind it */
        n += l->v.at[i].around == around && !strcmp(l->v.at[i].name ? l->v.at[i].name : "", name ? name : "");
    return n;
}

/* dwarf_decl_file() takes the number 0 for none; in DWARF 5 it is the unit's own file. */
static const char *file_of(Dwarf_Die *die, Dwarf_Die *unit)
{
    Dwarf_Attribute attr;
    Dwarf_Word n;
    Dwarf_Files *files;
    size_t n_files;
    if (dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &attr), &n) != 0 ||
        dwarf_getsrcfiles(unit, &files, &n_files) != 0 || n >= n_files)
        return NULL;
    return dwarf_filesrc(files, n, NULL, NULL);
}

static struct hd_inlined describe(struct walk *w, Dwarf_Die *die)
{
    Dwarf_Attribute attr;
    Dwarf_Die of = *die, unit;
    struct hd_srcloc l = {0};
    struct hd_inlined in = {.module = w->module};
    if (dwarf_attr(die, DW_AT_abstract_origin, &attr))
        dwarf_formref_die(&attr, &of);
    dwarf_decl_line(&of, &in.line);
    if (dwarf_diecu(&of, &unit, NULL, NULL) && (in.path = file_of(&of, &unit)))
        hd_symbols_path(w->s, &unit, in.path, &l);
    in.file = l.file;
    in.dir = l.dir;
    return in;
}

/* Of the function, which has one name however often it is inlined. What C++ links by tells it at once; to look for the
 * scopes around it takes long (name.c). */
static const char *name_of(struct walk *w, Dwarf_Die *die)
{
    Dwarf_Attribute attr;
    Dwarf_Die of;
    char plain[512];
    bool is_known = dwarf_attr(die, DW_AT_abstract_origin, &attr) && dwarf_formref_die(&attr, &of);
    const char *symbol = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));
    if (symbol && hd_symname_cxx(symbol, plain, sizeof plain))
        return hd_symbols_strdup(w->s, plain);
    return hd_symname(w->s, is_known ? &of : die);
}

static u32 add(struct walk *w, Dwarf_Die *die, u32 around)
{
    struct hd_inlined in = describe(w, die);
    in.name = name_of(w, die);
    in.around = around;
    in.ordinal = count_before(w->out, around, in.name);
    *hd_vec_add(&w->out->v) = in;
    return (u32)w->out->v.n;
}

static void walk(struct walk *w, Dwarf_Die *parent, u32 around, int depth)
{
    Dwarf_Die die;
    if (depth > MAX_DEPTH || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_lexical_block) {
            walk(w, &die, around, depth + 1);
        } else if (tag == DW_TAG_inlined_subroutine) {
            u32 number = add(w, &die, around);
            add_ranges(w, &die, number - 1);
            walk(w, &die, number, depth + 1);
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

void hd_symbols_inlines(struct hd_symbols *s, u64 addr, struct hd_inlines *out)
{
    struct hd_symmod *m = hd_symmod_find(s, addr);
    Dwarf_Die unit, *f;
    out->v.n = out->range.n = 0;
    if (!m)
        return;
    hd_symmod_open(s, m);
    u64 pc = addr - m->m.bias - m->dw_bias;
    struct walk w = {s, out, m->m.bias + m->dw_bias, m->m.path};
    if (m->dw && hd_symmod_unit(m, pc, &unit) && (f = hd_symmod_function(m, &unit, pc))) {
        out->whole = describe(&w, f);
        walk(&w, f, 0, 0);
    }
}

static void reach(struct hd_inlined *in, Dwarf_Die *unit, u64 pc)
{
    int line;
    Dwarf_Line *at = dwarf_getsrc_die(unit, pc);
    const char *path = at ? dwarf_linesrc(at, NULL, NULL) : NULL;
    if (path && in->path && (path == in->path || !strcmp(path, in->path)) && !dwarf_lineno(at, &line))
        in->last = HD_MAX(in->last, line);
}

void hd_inlines_reach(struct hd_symbols *s, struct hd_inlines *l, const u64 *at, const u32 *number, size_t n)
{
    struct hd_symmod *m = n ? hd_symmod_find(s, at[0]) : NULL;
    Dwarf_Die unit;
    if (!m || !hd_symmod_unit(m, at[0] - m->m.bias - m->dw_bias, &unit))
        return;
    for (size_t i = 0; i < n; i++)
        reach(number[i] ? &l->v.at[number[i] - 1] : &l->whole, &unit, at[i] - m->m.bias - m->dw_bias);
}

void hd_inlines_release(struct hd_inlines *l)
{
    hd_vec_release(&l->v);
    hd_vec_release(&l->range);
}
