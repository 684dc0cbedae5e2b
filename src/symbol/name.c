/* name.c: names of functions and variables as people write them.
 *
 * DWARF gives a C++ function only its last name; the rest are the DIEs around
 * its declaration (namespace, class). Building the name from them needs no
 * demangler and leaves parameter lists out, which reports want out anyway.
 */
#include "symbol/state.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From a concrete or inlined instance to the declaration inside its class. */
static void to_declaration(Dwarf_Die *die)
{
    for (int hops = 0; hops < 8; hops++) {
        Dwarf_Attribute attr;
        if (!dwarf_attr(die, DW_AT_abstract_origin, &attr) &&
            !dwarf_attr(die, DW_AT_specification, &attr))
            return;
        Dwarf_Die next;
        if (!dwarf_formref_die(&attr, &next))
            return;
        *die = next;
    }
}

bool hd_symname_is_c(Dwarf_Die *die)
{
    Dwarf_Die unit;
    if (!dwarf_diecu(die, &unit, NULL, NULL))
        return false;
    switch (dwarf_srclang(&unit)) {
    case DW_LANG_C: case DW_LANG_C89: case DW_LANG_C99: case DW_LANG_C11:
        return true;
    default:
        return false;
    }
}

/* Writes "a::b::" for the scopes around `die`. Functions count only where the
 * caller is a local class; variables of functions are named by data.c. */
static void write_scopes(Dwarf_Die *die, char *buf, size_t size)
{
    Dwarf_Die *scopes = NULL;
    int n = dwarf_getscopes_die(die, &scopes);
    buf[0] = 0;
    for (int i = n - 1; i >= 1; i--) {
        const char *name = dwarf_diename(&scopes[i]);
        switch (dwarf_tag(&scopes[i])) {
        case DW_TAG_namespace:
            if (!name)
                name = "(anonymous)";
            break;
        case DW_TAG_class_type: case DW_TAG_structure_type: case DW_TAG_union_type:
            break;
        default:
            continue;
        }
        size_t len = strlen(buf);
        if (name)
            snprintf(buf + len, size - len, "%s::", name);
    }
    free(scopes);
}

/* A lambda's function is known by the function it stands in: "main::{lambda}". */
static bool lambda_name(struct hd_symbols *s, Dwarf_Die *die, char *buf, size_t size)
{
    Dwarf_Die *scopes = NULL;
    int n = dwarf_getscopes_die(die, &scopes);
    const char *closure = n > 1 ? dwarf_diename(&scopes[1]) : NULL, *outer = NULL;
    int tag = n > 1 ? dwarf_tag(&scopes[1]) : 0;
    bool is_lambda = (tag == DW_TAG_class_type || tag == DW_TAG_structure_type) &&
                     (!closure || !strncmp(closure, "<lambda", 7));
    for (int i = 2; is_lambda && i < n && !outer; i++)
        if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
            outer = hd_symname(s, &scopes[i]);
    free(scopes);
    if (is_lambda)
        snprintf(buf, size, "%s%s{lambda}", outer ? outer : "", outer ? "::" : "");
    return is_lambda;
}

/* gcc calls the body of a parallel region "_ZN1n1fEv._omp_fn.0", in the debug information as well. */
static bool clone_name(const char *name, char *buf, size_t size)
{
    const char *suffix = strchr(name, '.');
    if (!suffix || !hd_symname_cxx(name, buf, size))
        return false;
    size_t n = strlen(buf);
    snprintf(buf + n, size - n, "%s", suffix);
    return true;
}

const char *hd_symname(struct hd_symbols *s, Dwarf_Die *die)
{
    if (!die->addr)
        return NULL;
    const char *known = (const char *)hd_map_get_or(&s->names, (u64)die->addr, 0);
    if (known)
        return known;
    Dwarf_Die decl = *die;
    to_declaration(&decl);
    const char *name = dwarf_diename(&decl);
    if (!name)
        name = dwarf_diename(die);
    if (!name)
        return NULL;
    char scopes[2048] = "", full[4096];
    if (!clone_name(name, full, sizeof full) &&
        (strcmp(name, "operator()") || !lambda_name(s, &decl, full, sizeof full))) {
        if (!hd_symname_is_c(&decl))
            write_scopes(&decl, scopes, sizeof scopes);
        snprintf(full, sizeof full, "%s%s", scopes, name);
    }
    const char *result = hd_symbols_strdup(s, full);
    hd_map_put(&s->names, (u64)die->addr, (u64)result);
    return result;
}

/* Nested and plain names without templates; anything else is left alone. */
static bool demangle_simple(const char *p, char *buf, size_t size)
{
    if (strncmp(p, "_Z", 2))
        return false;
    p += 2;
    if (*p == 'L')
        p++;
    bool nested = *p == 'N';
    if (nested)
        for (p++; *p == 'K' || *p == 'V' || *p == 'r'; p++)
            ;
    size_t len = 0;
    if (!strncmp(p, "St", 2)) {
        len = (size_t)snprintf(buf, size, "std::");
        p += 2;
    }
    const char *last = NULL;
    size_t last_len = 0;
    do {
        if (isdigit((unsigned char)*p)) {
            char *end;
            unsigned long n = strtoul(p, &end, 10);
            if (n == 0 || n > strlen(end))
                return false;
            bool anonymous = !strncmp(end, "_GLOBAL__N", 10);
            last = anonymous ? "(anonymous)" : end;
            last_len = anonymous ? 11 : n;
            p = end + n;
        } else if (last && (*p == 'C' || *p == 'D') && isdigit((unsigned char)p[1])) {
            if (*p == 'D' && len + 2 < size)
                buf[len++] = '~';
            p += 2;
        } else {
            return false;
        }
        bool more = nested && *p != 'E';
        int w = snprintf(buf + len, size - len, "%.*s%s", (int)last_len, last, more ? "::" : "");
        if (w < 0 || (len += (size_t)w) >= size)
            return false;
    } while (nested && *p != 'E');
    /* What follows a template is its arguments: do not show half a name. */
    return nested ? p[1] != 'I' : *p != 'I';
}

/* Of the C++ library that this program is linked with anyway. */
extern char *__cxa_demangle(const char *mangled, char *buf, size_t *size, int *status);

/* Leaves out return type and parameters: "int ns::f<T>(int) const" -> "ns::f<T>". */
static void keep_name(char *text)
{
    char *from = text, *p = text;
    int depth = 0;
    for (; *p; p++) {
        if (!strncmp(p, "(anonymous namespace)", 21)) {
            p += 20;
        } else if (!strncmp(p, "{lambda(", 8)) {
            p += strcspn(p, "}") - 1;
        } else if (!strncmp(p, "operator", 8) && depth == 0) {
            p += 8;
            p += strncmp(p, "()", 2) ? strcspn(p, "(") : 2;
            break;
        } else {
            depth += (*p == '<') - (*p == '>' && depth > 0);
            if (depth == 0 && *p == '(')
                break;
            if (depth == 0 && *p == ' ')
                from = p + 1;
        }
    }
    *p = 0;
    memmove(text, from, strlen(from) + 1);
}

bool hd_symname_cxx(const char *symbol, char *buf, size_t size)
{
    static const struct {
        const char *mangled, *words;
    } special[] = {{"_ZTV", "vtable of "}, {"_ZTI", "typeinfo of "}, {"_ZTS", "name of type "},
                   {"_ZTT", "vtables of "}, {"_ZGV", "guard of "}};
    int status = -1;
    char *whole = strncmp(symbol, "_Z", 2) ? NULL : __cxa_demangle(symbol, NULL, NULL, &status);
    if (!whole || status) {
        free(whole);
        return false;
    }
    const char *of = strstr(whole, " for ");
    for (size_t i = 0; i < HD_COUNT(special); i++)
        if (of && !strncmp(symbol, special[i].mangled, 4)) {
            snprintf(buf, size, "%s%s", special[i].words, of + 5);
            free(whole);
            return true;
        }
    keep_name(whole);
    snprintf(buf, size, "%s", whole);
    free(whole);
    return buf[0];
}

const char *hd_symname_elf(struct hd_symbols *s, const char *symbol)
{
    char buf[1024];
    if (demangle_simple(symbol, buf, sizeof buf) || hd_symname_cxx(symbol, buf, sizeof buf))
        return hd_symbols_strdup(s, buf);
    snprintf(buf, sizeof buf, "%s", symbol);
    char *at = strchr(buf, '@');
    if (at && at > buf)
        *at = 0;
    return hd_symbols_strdup(s, buf);
}
