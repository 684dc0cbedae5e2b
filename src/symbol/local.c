/* local.c: an address on a stack to the local variable that is there.
 *
 * Debug information says where a variable is by its distance from the frame's base, which is the CFA, the frame
 * pointer (16 bytes below the CFA once it is set up) or the stack pointer. Variables that are never in
 * memory, or move, have other locations: no other thread gets at those. Two blocks of a function may share a
 * place on the stack: the block that the function is in counts first.
 */
#include "symbol/state.h"

#include <string.h>

#define RBP 6
#define RSP 7
#define PUSHED 16 /* between the CFA and the frame pointer: return address, the caller's frame pointer */

struct place {
    struct hd_symbols *s;
    const struct hd_detail_frame *frame;
    u64 pc;   /* DWARF address */
    u64 base; /* what DW_OP_fbreg counts from */
    u64 addr; /* of the byte that is looked for */
    struct hd_symvar found;
};

/* The only operation of a location, NULL if it has more. */
static const Dwarf_Op *single_op(Dwarf_Die *die, u32 attribute, u64 pc)
{
    Dwarf_Attribute attr;
    Dwarf_Op *op;
    size_t n;
    bool is = dwarf_attr(die, attribute, &attr) && dwarf_getlocation_addr(&attr, pc, &op, &n, 1) == 1 && n == 1;
    return is ? op : NULL;
}

static bool find_base(struct place *p, Dwarf_Die *function)
{
    const Dwarf_Op *op = single_op(function, DW_AT_frame_base, p->pc);
    if (!op)
        return false;
    switch (op->atom) {
    case DW_OP_call_frame_cfa: p->base = p->frame->cfa; return true;
    case DW_OP_reg0 + RBP: p->base = p->frame->cfa - PUSHED; return true;
    case DW_OP_breg0 + RBP: p->base = p->frame->cfa - PUSHED + op->number; return true;
    case DW_OP_reg0 + RSP: p->base = p->frame->sp; return true;
    case DW_OP_breg0 + RSP: p->base = p->frame->sp + op->number; return true;
    default: return false;
    }
}

static bool covers(struct place *p, Dwarf_Die *die, Dwarf_Die *function)
{
    Dwarf_Attribute attr;
    Dwarf_Die type;
    Dwarf_Word size;
    const Dwarf_Op *op = single_op(die, DW_AT_location, p->pc);
    if (!op || op->atom != DW_OP_fbreg || !dwarf_attr_integrate(die, DW_AT_type, &attr) ||
        !dwarf_formref_die(&attr, &type) || dwarf_aggregate_size(&type, &size) != 0)
        return false;
    p->found = (struct hd_symvar){.addr = p->base + op->number, .size = size, .die = *die, .function = *function};
    return p->addr - p->found.addr < size;
}

/* Innermost blocks first. `around`: only those that the function is in. */
static bool search(struct place *p, Dwarf_Die *parent, Dwarf_Die *function, bool around, int depth)
{
    Dwarf_Die die;
    if (depth > 64 || dwarf_child(parent, &die) != 0)
        return false;
    do {
        int tag = dwarf_tag(&die);
        bool is_call = tag == DW_TAG_inlined_subroutine;
        if ((is_call || tag == DW_TAG_lexical_block) && (!around || dwarf_haspc(&die, p->pc) > 0) &&
            search(p, &die, is_call ? &die : function, around, depth + 1))
            return true;
    } while (dwarf_siblingof(&die, &die) == 0);
    dwarf_child(parent, &die);
    do {
        int tag = dwarf_tag(&die);
        if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) && covers(p, &die, function))
            return true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

bool hd_symbols_local(struct hd_symbols *s, const struct hd_detail_frame *frame, u64 addr, struct hd_local *out)
{
    struct place p = {.s = s, .frame = frame, .addr = addr};
    struct hd_symmod *m = frame->pc ? hd_symmod_find(s, frame->pc) : NULL;
    Dwarf_Die unit, *f;
    memset(out, 0, sizeof *out);
    if (!m || !hd_symbols_may_ask(s))
        return false;
    hd_symmod_open(s, m);
    p.pc = frame->pc - 1 - m->m.bias + m->dw_bias; /* of the call, not behind it */
    if (!m->dw || !hd_symmod_unit(m, p.pc, &unit) || !(f = hd_symmod_function(m, &unit, p.pc)) || !find_base(&p, f) ||
        (!search(&p, f, f, true, 0) && !search(&p, f, f, false, 0)) || !hd_symname(s, &p.found.die))
        return false;
    out->function = hd_symname(s, &p.found.function);
    p.found.function = (Dwarf_Die){0}; /* it is not part of the name */
    hd_symvar_describe(s, &p.found, addr, out->name, sizeof out->name, NULL);
    hd_symvar_type(s, &p.found, addr, out->type, sizeof out->type, &out->decl);
    if (!hd_symvar_container(s, &p.found, addr, out->container, sizeof out->container))
        out->container[0] = 0;
    return true;
}
