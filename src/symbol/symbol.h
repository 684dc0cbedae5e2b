/* symbol.h: addresses to names. Only symbol/ includes the DWARF library.
 *
 * Works on the module list a run left in shared memory, so it needs no live
 * process. Stripped or missing files degrade to "module+0x1234", never fail.
 */
#ifndef HD_SYMBOL_H
#define HD_SYMBOL_H

#include "event/shm.h"

struct hd_symbols;

/* One source position; several per address where functions were inlined,
 * innermost first. Strings live as long as the hd_symbols. */
struct hd_srcloc {
    const char *function; /* demangled; NULL if unknown */
    const char *file;     /* as the compiler recorded it; NULL if unknown */
    const char *dir;      /* compilation directory, may be NULL */
    int line, column;     /* 0 if unknown */
    const char *module;   /* path of the object; NULL if in none */
    u64 offset;           /* address - bias, in that object */
    bool is_inlined;
};

struct hd_symbols *hd_symbols_open(const struct hd_module *modules, u32 n);
/* Of one file whose addresses are its own. `path` may be relative. */
struct hd_symbols *hd_symbols_open_file(const char *path);
void hd_symbols_close(struct hd_symbols *s);

/* Fills up to `max` locations for a code address. `is_return` = the address is
 * where a call returns to: the line wanted is that of the call (address - 1).
 * Returns how many, at least 1 if max > 0. */
int hd_symbols_code(struct hd_symbols *s, u64 addr, bool is_return, struct hd_srcloc *out, int max);
/* File, folder, line and column alone: where names are not needed, they cost most (a name's scopes are
 * looked for in the whole compilation unit). */
void hd_symbols_position(struct hd_symbols *s, u64 addr, struct hd_srcloc *out);

/* Where the function around a code address begins; false if that is not known. */
bool hd_symbols_function(struct hd_symbols *s, u64 addr, u64 *start);

/* ... by the file's symbol table alone, as fast as can be (function.c). Never NULL;
 * addresses are the file's. */
struct hd_functions;
struct hd_functions *hd_functions_open(const char *path);
bool hd_functions_find(struct hd_functions *f, u64 addr, u64 *start);
void hd_functions_close(struct hd_functions *f);

/* Name of the variable at a data address: "queue.head", "table[3].lock",
 * "counter"; by DWARF types, falling back to the ELF symbol ("counter+4").
 * Writes to buf; false if no symbol covers it. `decl` gets file:line of the
 * declaration if known (may be NULL). */
bool hd_symbols_data(struct hd_symbols *s, u64 addr, char *buf, size_t size,
                     struct hd_srcloc *decl);

/* Name of the struct or class that the variable at `addr` is a member of, the innermost
 * that the user wrote: "struct queue"; false if it is none, or has no name. */
bool hd_symbols_container(struct hd_symbols *s, u64 addr, char *buf, size_t size);

/* Type of the variable or member at `addr`, as it was declared: "int", "struct node *". `decl`: of
 * the struct it is a member of (hd_symbols_container), else of the variable. False: not known. */
bool hd_symbols_type(struct hd_symbols *s, u64 addr, char *buf, size_t size, struct hd_srcloc *decl);

/* The local variable or parameter at an address in a frame on the stack. */
struct hd_local {
    char name[256];        /* "cache.hits" */
    char type[120];        /* as hd_symbols_type, "" if not known */
    char container[120];   /* as hd_symbols_container, "" if it is no member */
    struct hd_srcloc decl; /* as hd_symbols_type */
    const char *function;  /* whose variable it is, NULL if not known */
};
/* False: no debug information, or none of the function's variables is there. */
bool hd_symbols_local(struct hd_symbols *s, const struct hd_detail_frame *frame, u64 addr,
                      struct hd_local *out);

/* The number, pointer or enumeration that the byte at `addr` of a variable belongs to. */
enum hd_scalar_kind {
    HD_SCALAR_UNKNOWN, /* no debug information, or something that is no plain number (bit-fields) */
    HD_SCALAR_PADDING, /* between members: nothing of the program's */
    HD_SCALAR_SIGNED, HD_SCALAR_UNSIGNED, HD_SCALAR_FLOAT, HD_SCALAR_POINTER
};
struct hd_scalar {
    enum hd_scalar_kind kind;
    u64 start; /* its address */
    u32 size;  /* bytes; 0 if not known */
};
struct hd_scalar hd_symbols_scalar(struct hd_symbols *s, u64 addr);

/* Name of what is `offset` bytes behind a pointer that a function has in register `reg` (a number of DWARF)
 * when it is entered: "struct cache.hits". False: that is no pointer to a struct with a name. */
bool hd_symbols_parameter(struct hd_symbols *s, u64 function, u32 reg, u64 offset, char *buf, size_t size);

/* Text of line `line` of the file, without leading blanks; NULL if not to be
 * had. Looks in the recorded place, the compilation directory, and `.`. */
const char *hd_symbols_source(struct hd_symbols *s, const struct hd_srcloc *loc);

/* Line `line` of loc's file as it is there, blanks included; NULL past its end or if the file is
 * not to be had. */
const char *hd_symbols_line(struct hd_symbols *s, const struct hd_srcloc *loc, int line);

/* True if any module lacked debug information that an address needed; `path`
 * is the first such module. For the one warning a user gets. */
bool hd_symbols_is_stripped(const struct hd_symbols *s, const char **path);

/* True if a source file shown is newer than the program built from it: line
 * numbers and texts may be off. `path` is the first such file. */
bool hd_symbols_is_stale(const struct hd_symbols *s, const char **path);

/* True for objects nobody debugs here: libc, the loader, the C++ library, the
 * runtime itself. By the file's name; NULL counts as system. */
bool hd_symbols_is_system(const char *module);

/* Calls `each` with every return address in the code of the module mapped at `start` and
 * its innermost position. Nothing if the file is not to be had. */
void hd_symbols_calls(struct hd_symbols *s, u64 start,
                      void (*each)(void *self, u64 pc, const struct hd_srcloc *at), void *self);

/* The C++ name that a symbol stands for, without its parameters; false: it is none. */
bool hd_symname_cxx(const char *symbol, char *buf, size_t size);

/* Stable text of a site, "function@file:line#ordinal" (see glossary: site), or
 * "module+0xoffset". Written to buf. */
void hd_symbols_site(struct hd_symbols *s, u64 pc, char *buf, size_t size);

#endif
