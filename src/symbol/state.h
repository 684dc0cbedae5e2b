/* state.h: what the files of symbol/ share. Nobody outside includes it.
 *
 *   symbol.c  modules, opened when the first address in them is asked for
 *   code.c    code address -> function, line, inlined frames
 *   data.c    data address -> variable;  member.c  ... -> member, element;  type.c  types in words
 *   parameter.c  what an argument points to;  local.c  stack address -> local variable
 *   name.c    qualified names;  source.c  source text;  site.c  site texts
 *
 * Addresses inside a module are ELF addresses (address - bias) everywhere;
 * `dw_bias` leads on to those in the DWARF data (separate debug files may be
 * prelinked elsewhere).
 */
#ifndef HD_SYMBOL_STATE_H
#define HD_SYMBOL_STATE_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "base/map.h"
#include "base/vec.h"
#include "symbol/symbol.h"

/* One stretch of code of a function. */
struct hd_symfunc {
    u64 lo, hi; /* DWARF addresses */
    Dwarf_Die die;
};

/* Functions of one compilation unit, sorted by lo. */
struct hd_symunit {
    HD_VEC(struct hd_symfunc) funcs;
};

/* One variable with a fixed address, or one in a frame on the stack. */
struct hd_symvar {
    u64 addr, size;
    Dwarf_Die die;
    Dwarf_Die function; /* of a static local; .addr is NULL otherwise */
};

struct hd_symmod {
    struct hd_module m;
    bool is_tried;
    Dwfl *dwfl;            /* NULL: no such file, not ELF, or rebuilt since the run */
    Dwfl_Module *mod;
    Dwarf *dw;             /* NULL: no debug information */
    u64 dw_bias;
    s64 mtime;             /* of the file, seconds */
    struct hd_map units;   /* CU -> struct hd_symunit */
    bool has_vars;         /* index built */
    HD_VEC(struct hd_symvar) vars; /* sorted by addr */
};

struct hd_symfile {
    char *path;          /* where it was found, NULL = nowhere */
    char *text;
    HD_VEC(u32) lines;   /* offset of line i + 1 */
    s64 mtime;
};

struct hd_symchunk; /* memory of strings, see symbol.c */

struct hd_symbols {
    struct hd_symmod *mods;
    u32 n_mods;
    struct hd_symchunk *chunks;
    struct hd_map code;   /* address -> struct hd_symcode (code.c) */
    struct hd_map names;  /* DIE -> qualified name */
    struct hd_map files;  /* hash of dir and file -> struct hd_symfile */
    u32 asked;              /* addresses looked up in files */
    s64 late_ns;            /* processor time when one was asked for late, 0 = not yet */
    const char *stripped;   /* first application module without debug information */
    const char *stale;      /* first source file newer than its module */
};

/* Memory that lives as long as `s`; never NULL. */
void *hd_symbols_alloc(struct hd_symbols *s, size_t n);
const char *hd_symbols_strdup(struct hd_symbols *s, const char *text);

/* May another address be looked up in files? If it is late (base/stop.h), for some processor time yet: a
 * report without names explains little. The first few always: what a finding is known by is made of
 * them. */
bool hd_symbols_may_ask(struct hd_symbols *s);

/* Module an address lies in, or NULL; open() makes sure its file was tried. */
struct hd_symmod *hd_symmod_find(struct hd_symbols *s, u64 addr);
void hd_symmod_open(struct hd_symbols *s, struct hd_symmod *m);

/* Unit that holds a DWARF code address; false if none. */
bool hd_symmod_unit(struct hd_symmod *m, u64 pc, Dwarf_Die *unit);
/* ... and the function of it, NULL if none. */
Dwarf_Die *hd_symmod_function(struct hd_symmod *m, Dwarf_Die *unit, u64 pc);

/* "ns::Class::f" made from the DIE's parents, NULL if it has no name. */
const char *hd_symname(struct hd_symbols *s, Dwarf_Die *die);
/* Is it from a unit written in C, where tags have a word in front (struct node)? */
bool hd_symname_is_c(Dwarf_Die *die);
/* An ELF symbol as people write it: version cut off, simple C++ manglings
 * undone ("_ZN2ns1fEv" -> "ns::f"). */
const char *hd_symname_elf(struct hd_symbols *s, const char *symbol);

/* Splits a path of the line table into what the user compiled and where. */
void hd_symbols_path(struct hd_symbols *s, Dwarf_Die *unit, const char *path,
                     struct hd_srcloc *out);

/* Name of the byte at `vaddr` of a variable, and where that is declared (data.c); type and container as in
 * symbol.h. */
void hd_symvar_describe(struct hd_symbols *s, struct hd_symvar *v, u64 vaddr, char *buf, size_t size,
                        struct hd_srcloc *decl);
bool hd_symvar_type(struct hd_symbols *s, struct hd_symvar *v, u64 vaddr, char *buf, size_t size,
                    struct hd_srcloc *decl);
bool hd_symvar_container(struct hd_symbols *s, struct hd_symvar *v, u64 vaddr, char *buf, size_t size);

/* What was written last of a variable: its type as it was declared, and the type whose member it
 * is (.addr is NULL if it is none). */
struct hd_sympart {
    Dwarf_Die type, container;
    Dwarf_Die inner;  /* what the byte is in the end, names and qualifiers peeled off, */
    u64 offset;       /* ... and where in it */
    bool is_bits;     /* ... a bit-field */
};
/* Appends ".member[3]" for byte `offset` of a variable of type `type`. `part` may be NULL. */
void hd_symmember(Dwarf_Die *type, u64 offset, char *buf, size_t size, struct hd_sympart *part);
/* "unsigned int", "struct node *", "volatile int" (type.c); "" if it cannot be told. */
void hd_symtype(struct hd_symbols *s, Dwarf_Die *type, char *buf, size_t size);

#endif
