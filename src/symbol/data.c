/* data.c: a data address to the variable that holds it.
 *
 * Variables with one fixed address (globals, static locals, static members)
 * are collected from a module's DWARF in one pass, the first time a data
 * address of that module is asked for. Types are not entered: the definition
 * of a static member stands outside its class. Thread-local variables have no
 * fixed address and are left out. Without DWARF the ELF symbol must do.
 */
#include "symbol/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The address in a location of the form "addr" or "addr + constant". */
static bool fixed_address(Dwarf_Die *die, u64 *addr)
{
    Dwarf_Attribute attr, ref;
    Dwarf_Op *op;
    size_t n;
    if (!dwarf_attr(die, DW_AT_location, &attr) || dwarf_getlocation(&attr, &op, &n) != 0 || n == 0)
        return false;
    Dwarf_Addr a;
    if (op[0].atom == DW_OP_addr)
        a = op[0].number;
    else if ((op[0].atom != DW_OP_addrx && op[0].atom != DW_OP_GNU_addr_index) ||
             dwarf_getlocation_attr(&attr, op, &ref) != 0 || dwarf_formaddr(&ref, &a) != 0)
        return false;
    if (n == 2 && op[1].atom == DW_OP_plus_uconst)
        a += op[1].number;
    else if (n != 1)
        return false;
    *addr = a;
    return a != 0; /* 0: dropped by the linker */
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attr;
    return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type);
}

static void add_variable(struct hd_symmod *m, Dwarf_Die *die, Dwarf_Die *function)
{
    struct hd_symvar v = {.die = *die};
    if (!fixed_address(die, &v.addr))
        return;
    Dwarf_Die type;
    Dwarf_Word size;
    v.addr += m->dw_bias;
    v.size = type_of(die, &type) && dwarf_aggregate_size(&type, &size) == 0 ? size : 1;
    if (function)
        v.function = *function;
    *hd_vec_add(&m->vars) = v;
}

static void list_variables(struct hd_symmod *m, Dwarf_Die *parent, Dwarf_Die *function, int depth)
{
    Dwarf_Die die;
    if (depth > 64 || dwarf_child(parent, &die) != 0)
        return;
    do {
        switch (dwarf_tag(&die)) {
        case DW_TAG_variable:
            add_variable(m, &die, function);
            break;
        case DW_TAG_subprogram: case DW_TAG_inlined_subroutine:
            list_variables(m, &die, &die, depth + 1);
            break;
        case DW_TAG_lexical_block: case DW_TAG_namespace: case DW_TAG_module:
            list_variables(m, &die, function, depth + 1);
            break;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

static int by_addr(const void *a, const void *b)
{
    const struct hd_symvar *x = a, *y = b;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void build_index(struct hd_symmod *m)
{
    if (m->has_vars)
        return;
    m->has_vars = true;
    if (!m->dw)
        return;
    Dwarf_CU *cu = NULL;
    Dwarf_Die die;
    while (dwarf_get_units(m->dw, cu, &cu, NULL, NULL, &die, NULL) == 0)
        if (dwarf_tag(&die) == DW_TAG_compile_unit || dwarf_tag(&die) == DW_TAG_partial_unit)
            list_variables(m, &die, NULL, 0);
    if (m->vars.n)
        qsort(m->vars.at, m->vars.n, sizeof *m->vars.at, by_addr);
}

static struct hd_symvar *variable_at(struct hd_symmod *m, u64 vaddr)
{
    build_index(m);
    const struct hd_symvar *v = m->vars.at;
    size_t lo = 0, hi = m->vars.n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (v[mid].addr <= vaddr)
            lo = mid + 1;
        else
            hi = mid;
    }
    struct hd_symvar *best = NULL;
    for (size_t i = lo; i-- > 0 && v[i].addr == v[lo - 1].addr;)
        if (vaddr - v[i].addr < v[i].size && (!best || v[i].size > best->size))
            best = &m->vars.at[i];
    return best;
}

/* Like dwarf_decl_file, which takes file 0 (the unit's own in DWARF 5) for
 * "not known". The number counts in *unit, which need not be that of the variable itself: with
 * -flto the declaration is in another one. */
static const char *declared_in(Dwarf_Die *die, Dwarf_Die *unit)
{
    Dwarf_Attribute attr;
    Dwarf_Word n;
    Dwarf_Files *files;
    size_t n_files;
    if (dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &attr), &n) != 0 ||
        !dwarf_cu_die(attr.cu, unit, NULL, NULL, NULL, NULL, NULL, NULL) ||
        dwarf_getsrcfiles(unit, &files, &n_files) != 0 || n >= n_files)
        return NULL;
    return dwarf_filesrc(files, n, NULL, NULL);
}

void hd_symvar_describe(struct hd_symbols *s, struct hd_symvar *v, u64 vaddr, char *buf, size_t size,
                        struct hd_srcloc *decl)
{
    const char *name = hd_symname(s, &v->die);
    const char *function = hd_symname(s, &v->function);
    snprintf(buf, size, "%s%s%s", function ? function : "", function ? "::" : "",
             name ? name : "?");
    Dwarf_Die type, unit;
    if (type_of(&v->die, &type))
        hd_symmember(&type, vaddr - v->addr, buf, size, NULL);
    if (!decl || !dwarf_diecu(&v->die, &unit, NULL, NULL))
        return;
    const char *file = declared_in(&v->die, &unit);
    hd_symbols_path(s, &unit, file, decl);
    dwarf_decl_line(&v->die, &decl->line);
}

static bool from_elf(struct hd_symbols *s, struct hd_symmod *m, u64 vaddr, char *buf, size_t size)
{
    GElf_Sym sym;
    GElf_Off off;
    const char *name = dwfl_module_addrinfo(m->mod, vaddr, &off, &sym, NULL, NULL, NULL);
    if (!name || !*name || GELF_ST_TYPE(sym.st_info) != STT_OBJECT ||
        off >= (sym.st_size ? sym.st_size : 1))
        return false;
    name = hd_symname_elf(s, name);
    if (off)
        snprintf(buf, size, "%s+%llu", name, (unsigned long long)off);
    else
        snprintf(buf, size, "%s", name);
    return true;
}

bool hd_symbols_data(struct hd_symbols *s, u64 addr, char *buf, size_t size, struct hd_srcloc *decl)
{
    struct hd_symmod *m = hd_symmod_find(s, addr);
    if (decl)
        *decl = (struct hd_srcloc){0};
    if (size)
        buf[0] = 0;
    if (!m || !size || !hd_symbols_may_ask(s))
        return false;
    hd_symmod_open(s, m);
    if (!m->mod)
        return false;
    u64 vaddr = addr - m->m.bias;
    if (decl) {
        decl->module = m->m.path;
        decl->offset = vaddr;
    }
    struct hd_symvar *v = variable_at(m, vaddr);
    if (!v)
        return from_elf(s, m, vaddr, buf, size);
    hd_symvar_describe(s, v, vaddr, buf, size, decl);
    return true;
}

bool hd_symvar_container(struct hd_symbols *s, struct hd_symvar *v, u64 vaddr, char *buf, size_t size)
{
    char member[512] = "";
    Dwarf_Die type;
    struct hd_sympart part;
    if (!type_of(&v->die, &type))
        return false;
    hd_symmember(&type, vaddr - v->addr, member, sizeof member, &part);
    const char *name = part.container.addr ? hd_symname(s, &part.container) : NULL;
    if (!name)
        return false;
    snprintf(buf, size, "struct %s", name);
    return true;
}

bool hd_symbols_container(struct hd_symbols *s, u64 addr, char *buf, size_t size)
{
    struct hd_symmod *m = hd_symmod_find(s, addr);
    if (!m)
        return false;
    hd_symmod_open(s, m);
    struct hd_symvar *v = m->mod ? variable_at(m, addr - m->m.bias) : NULL;
    return v && hd_symvar_container(s, v, addr - m->m.bias, buf, size);
}

bool hd_symvar_type(struct hd_symbols *s, struct hd_symvar *v, u64 vaddr, char *buf, size_t size,
                    struct hd_srcloc *decl)
{
    char member[512] = "";
    Dwarf_Die type, unit;
    struct hd_sympart part;
    buf[0] = 0;
    *decl = (struct hd_srcloc){0};
    if (!type_of(&v->die, &type))
        return false;
    hd_symmember(&type, vaddr - v->addr, member, sizeof member, &part);
    hd_symtype(s, &part.type, buf, size);
    Dwarf_Die *at = part.container.addr ? &part.container : &v->die;
    if (dwarf_diecu(at, &unit, NULL, NULL)) {
        hd_symbols_path(s, &unit, declared_in(at, &unit), decl);
        dwarf_decl_line(at, &decl->line);
    }
    return buf[0];
}

bool hd_symbols_type(struct hd_symbols *s, u64 addr, char *buf, size_t size, struct hd_srcloc *decl)
{
    struct hd_symmod *m = hd_symmod_find(s, addr);
    buf[0] = 0;
    *decl = (struct hd_srcloc){0};
    if (!m || !hd_symbols_may_ask(s))
        return false;
    hd_symmod_open(s, m);
    struct hd_symvar *v = m->mod ? variable_at(m, addr - m->m.bias) : NULL;
    return v && hd_symvar_type(s, v, addr - m->m.bias, buf, size, decl);
}

static enum hd_scalar_kind scalar_kind(const struct hd_sympart *part)
{
    Dwarf_Die type = part->inner, first;
    Dwarf_Attribute attr;
    Dwarf_Word encoding;
    switch (dwarf_tag(&type)) {
    case DW_TAG_structure_type: case DW_TAG_class_type: case DW_TAG_union_type:
        return dwarf_child(&type, &first) == 0 ? HD_SCALAR_PADDING : HD_SCALAR_UNKNOWN;
    case DW_TAG_pointer_type: case DW_TAG_reference_type: return HD_SCALAR_POINTER;
    case DW_TAG_enumeration_type: return HD_SCALAR_SIGNED;
    case DW_TAG_base_type:
        if (part->is_bits || dwarf_formudata(dwarf_attr(&type, DW_AT_encoding, &attr), &encoding) != 0)
            return HD_SCALAR_UNKNOWN;
        switch (encoding) {
        case DW_ATE_signed: case DW_ATE_signed_char: return HD_SCALAR_SIGNED;
        case DW_ATE_float: return HD_SCALAR_FLOAT;
        default: return HD_SCALAR_UNSIGNED;
        }
    default: return HD_SCALAR_UNKNOWN;
    }
}

struct hd_scalar hd_symbols_scalar(struct hd_symbols *s, u64 addr)
{
    struct hd_symmod *m = hd_symmod_find(s, addr);
    struct hd_scalar is = {.start = addr};
    char member[512] = "";
    Dwarf_Die type;
    struct hd_sympart part;
    Dwarf_Word size;
    if (!m || !hd_symbols_may_ask(s))
        return is;
    hd_symmod_open(s, m);
    struct hd_symvar *v = m->mod ? variable_at(m, addr - m->m.bias) : NULL;
    if (!v || !type_of(&v->die, &type))
        return is;
    hd_symmember(&type, addr - m->m.bias - v->addr, member, sizeof member, &part);
    is.kind = scalar_kind(&part);
    if (dwarf_aggregate_size(&part.inner, &size) == 0 && size <= 8 && part.offset < size &&
        is.kind > HD_SCALAR_PADDING) {
        is.size = (u32)size;
        is.start = addr - part.offset;
    } else if (is.kind > HD_SCALAR_PADDING) {
        is.kind = HD_SCALAR_UNKNOWN;
    }
    return is;
}
