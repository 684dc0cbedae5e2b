/* member.c: which part of a variable an offset is: ".head", "[3].lock".
 *
 * Names reserved for the implementation (__data, _M_impl) are left out: people
 * wrote `std::atomic<int> hits` and `pthread_mutex_t m`, not what is inside.
 * A union shows its first member that covers the offset.
 */
#include "symbol/state.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 32

/* As it was declared; type_of without names and qualifiers. */
static bool declared_type(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attr;
    return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type);
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    return declared_type(die, type) && dwarf_peel_type(type, type) == 0;
}

static bool is_reserved(const char *name)
{
    return name[0] == '_' && (name[1] == '_' || isupper((unsigned char)name[1]));
}

/* Byte offset of a member or base class; false for virtual bases, statics. */
static bool offset_of(Dwarf_Die *member, u64 *offset)
{
    Dwarf_Attribute attr;
    Dwarf_Word n;
    *offset = 0;
    if (dwarf_hasattr(member, DW_AT_external) || dwarf_hasattr(member, DW_AT_declaration))
        return false;
    if (dwarf_attr(member, DW_AT_data_member_location, &attr)) {
        Dwarf_Op *op;
        size_t len;
        if (dwarf_formudata(&attr, &n) == 0) {
            *offset = n;
            return true;
        }
        if (dwarf_getlocation(&attr, &op, &len) != 0 || len != 1 || op[0].atom != DW_OP_plus_uconst)
            return false;
        *offset = op[0].number;
        return true;
    }
    if (dwarf_formudata(dwarf_attr(member, DW_AT_data_bit_offset, &attr), &n) == 0)
        *offset = n / 8;
    return true; /* no location: offset 0 (unions) */
}

static u64 size_of(Dwarf_Die *type)
{
    Dwarf_Word n;
    return dwarf_aggregate_size(type, &n) == 0 ? n : 0;
}

/* Elements along each dimension, outermost first; 0 = unknown. */
static int dimensions(Dwarf_Die *array, u64 *count, int max)
{
    Dwarf_Die die;
    int n = 0;
    if (dwarf_child(array, &die) != 0)
        return 0;
    do {
        if (dwarf_tag(&die) != DW_TAG_subrange_type || n == max)
            continue;
        Dwarf_Attribute attr;
        Dwarf_Word w;
        count[n] = 0;
        if (dwarf_formudata(dwarf_attr(&die, DW_AT_count, &attr), &w) == 0)
            count[n] = w;
        else if (dwarf_formudata(dwarf_attr(&die, DW_AT_upper_bound, &attr), &w) == 0)
            count[n] = w + 1;
        n++;
    } while (dwarf_siblingof(&die, &die) == 0);
    return n;
}

static void append(char *buf, size_t size, const char *text)
{
    size_t len = strlen(buf);
    snprintf(buf + len, size - len, "%s", text);
}

/* Writes the index and moves type and offset to the element. */
static bool step_into_array(Dwarf_Die *type, u64 *offset, bool is_hidden, Dwarf_Die *declared,
                            char *buf, size_t size)
{
    u64 count[8];
    int n = dimensions(type, count, 8);
    Dwarf_Die element;
    if (!type_of(type, &element))
        return false;
    u64 each = size_of(&element);
    /* Byte arrays inside reserved members are padding of opaque objects. */
    if (!each || n == 0 || (is_hidden && each == 1))
        return false;
    u64 stride = each;
    for (int i = 1; i < n; i++)
        stride *= count[i];
    for (int i = 0; i < n && stride; i++) {
        char text[32];
        snprintf(text, sizeof text, "[%llu]", (unsigned long long)(*offset / stride));
        append(buf, size, text);
        *offset %= stride;
        stride = i + 1 < n && count[i + 1] ? stride / count[i + 1] : 0;
    }
    if (!is_hidden)
        declared_type(type, declared);
    *type = element;
    return true;
}

/* Moves to the member that holds the offset. */
static bool step_into_struct(Dwarf_Die *type, u64 *offset, bool *is_hidden, bool *is_bits,
                             Dwarf_Die *declared, char *buf, size_t size)
{
    Dwarf_Die die;
    if (dwarf_child(type, &die) != 0)
        return false;
    do {
        int tag = dwarf_tag(&die);
        u64 at;
        Dwarf_Die inner;
        if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !offset_of(&die, &at) ||
            *offset < at || !type_of(&die, &inner) || *offset - at >= size_of(&inner))
            continue;
        const char *name = tag == DW_TAG_member ? dwarf_diename(&die) : NULL;
        if (name && is_reserved(name)) {
            *is_hidden = true;
        } else if (name) {
            append(buf, size, ".");
            append(buf, size, name);
            *is_hidden = false;
            declared_type(&die, declared);
        }
        *offset -= at;
        *type = inner;
        *is_bits = dwarf_hasattr(&die, DW_AT_bit_size);
        return true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

void hd_symmember(Dwarf_Die *type, u64 offset, char *buf, size_t size, struct hd_sympart *part)
{
    Dwarf_Die t;
    bool is_hidden = false;
    struct hd_sympart is = {.type = *type};
    if (!part)
        part = &is;
    *part = is;
    if (dwarf_peel_type(type, &t) != 0)
        return;
    for (int depth = 0; depth < MAX_DEPTH; depth++) {
        bool more = false;
        part->inner = t;
        part->offset = offset;
        switch (dwarf_tag(&t)) {
        case DW_TAG_array_type:
            more = step_into_array(&t, &offset, is_hidden, &part->type, buf, size);
            break;
        case DW_TAG_structure_type: case DW_TAG_class_type: case DW_TAG_union_type: {
            Dwarf_Die outer = t;
            size_t len = strlen(buf);
            more = step_into_struct(&t, &offset, &is_hidden, &part->is_bits, &part->type, buf, size);
            if (more && strlen(buf) > len)
                part->container = outer;
            break;
        }
        }
        if (!more)
            return;
        if (dwarf_peel_type(&t, &t) != 0)
            return;
    }
}
