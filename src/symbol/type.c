/* type.c: types as people write them, from DWARF. Names that were given (typedef) are kept: people
 * know `uint32_t`, not what it is made of. */
#include "symbol/state.h"

#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 16

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attr;
    return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type);
}

static void append(char *buf, size_t size, const char *text)
{
    size_t len = strlen(buf);
    snprintf(buf + len, size - len, "%s", text);
}

/* "struct node" in C, "node" in C++. */
static void tagged(struct hd_symbols *s, Dwarf_Die *die, const char *word, char *buf, size_t size)
{
    const char *name = hd_symname(s, die);
    append(buf, size, hd_symname_is_c(die) || !name ? word : "");
    append(buf, size, hd_symname_is_c(die) && name ? " " : "");
    append(buf, size, name ? name : "");
}

static void write_type(struct hd_symbols *s, Dwarf_Die *die, char *buf, size_t size, int depth)
{
    Dwarf_Die inner;
    bool has_inner = type_of(die, &inner);
    const char *name = dwarf_diename(die), *before = "", *after = "";
    switch (dwarf_tag(die)) {
    case DW_TAG_structure_type: tagged(s, die, "struct", buf, size); return;
    case DW_TAG_class_type: tagged(s, die, "class", buf, size); return;
    case DW_TAG_union_type: tagged(s, die, "union", buf, size); return;
    case DW_TAG_enumeration_type: tagged(s, die, "enum", buf, size); return;
    case DW_TAG_const_type: before = "const "; break;
    case DW_TAG_volatile_type: before = "volatile "; break;
    case DW_TAG_atomic_type: before = "_Atomic "; break;
    case DW_TAG_pointer_type: after = " *"; break;
    case DW_TAG_reference_type: after = " &"; break;
    case DW_TAG_array_type: after = "[]"; break;
    case DW_TAG_subroutine_type: append(buf, size, "function"); return;
    default:
        append(buf, size, name ? name : "");
        return;
    }
    if (!has_inner && !*before) {
        append(buf, size, "void");
    } else if (has_inner && depth < MAX_DEPTH) {
        append(buf, size, before);
        write_type(s, &inner, buf, size, depth + 1);
    }
    size_t len = strlen(buf);
    bool is_pointer = len && buf[len - 1] == '*' && !strcmp(after, " *");
    append(buf, size, is_pointer ? "*" : after); /* char ** */
}

void hd_symtype(struct hd_symbols *s, Dwarf_Die *type, char *buf, size_t size)
{
    buf[0] = 0;
    write_type(s, type, buf, size, 0);
}
