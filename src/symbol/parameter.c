/* parameter.c: what a pointer leads to that a function has as an argument, from DWARF: for
 * who follows registers through code. */
#include "symbol/state.h"

#include <string.h>

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attr;
    return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type);
}

/* Is it in that register when the function is entered? */
static bool is_in(Dwarf_Die *parameter, u64 pc, u32 reg)
{
    Dwarf_Attribute attr;
    Dwarf_Op *op;
    size_t n;
    return dwarf_attr_integrate(parameter, DW_AT_location, &attr) &&
           dwarf_getlocation_addr(&attr, pc, &op, &n, 1) == 1 && n == 1 &&
           (op[0].atom == DW_OP_regx ? op[0].number == reg : op[0].atom == DW_OP_reg0 + reg);
}

/* "struct cache.hits"; false: it points to no struct with a name, or to none of its members. */
static bool write_member(struct hd_symbols *s, Dwarf_Die *parameter, u64 offset, char *buf, size_t size)
{
    Dwarf_Die type, to, peeled;
    if (!type_of(parameter, &type) || dwarf_peel_type(&type, &type) || dwarf_tag(&type) != DW_TAG_pointer_type ||
        !type_of(&type, &to) || dwarf_peel_type(&to, &peeled))
        return false;
    int tag = dwarf_tag(&peeled);
    const char *name = hd_symname(s, &to);
    if ((tag != DW_TAG_structure_type && tag != DW_TAG_class_type) || !(name = name ? name : hd_symname(s, &peeled)))
        return false;
    snprintf(buf, size, "%s%s", tag == DW_TAG_structure_type && hd_symname_is_c(&peeled) ? "struct " : "",
             hd_symname(s, &peeled) ? hd_symname(s, &peeled) : name);
    size_t n = strlen(buf);
    hd_symmember(&peeled, offset, buf, size, NULL);
    return strlen(buf) > n;
}

bool hd_symbols_parameter(struct hd_symbols *s, u64 function, u32 reg, u64 offset, char *buf, size_t size)
{
    struct hd_symmod *m = hd_symmod_find(s, function);
    Dwarf_Die unit, die, *f;
    if (!m)
        return false;
    hd_symmod_open(s, m);
    u64 pc = function - m->m.bias + m->dw_bias;
    if (!hd_symmod_unit(m, pc, &unit) || !(f = hd_symmod_function(m, &unit, pc)) || dwarf_child(f, &die) != 0)
        return false;
    do {
        if (dwarf_tag(&die) == DW_TAG_formal_parameter && is_in(&die, pc, reg))
            return write_member(s, &die, offset, buf, size);
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}
