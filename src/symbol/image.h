/* image.h: the code of an ELF file as data: its functions, their bytes, and what an address
 * in them means by name. For comparing two builds of a program. */
#ifndef HD_IMAGE_H
#define HD_IMAGE_H

#include "base/base.h"

struct hd_image;

/* NULL: it is no ELF file of this machine, or cannot be read. */
struct hd_image *hd_image_open(const char *path);
void hd_image_close(struct hd_image *m);

struct hd_image_symbol {
    const char *name; /* as the linker knows it */
    u64 start, size;
    bool is_function;
};
/* Functions and variables of the file, by address; one name for each address. */
u32 hd_image_symbols(const struct hd_image *m, const struct hd_image_symbol **out);

/* The one that covers an address; NULL: none. */
const struct hd_image_symbol *hd_image_symbol(const struct hd_image *m, u64 addr);

/* `len` bytes that are at that address once the file is loaded; NULL: not in the file. */
const u8 *hd_image_bytes(const struct hd_image *m, u64 addr, u64 len);
/* Is it in a part of the file that is never written? */
bool hd_image_is_constant(const struct hd_image *m, u64 addr);

/* The symbol that covers an address, or that the loader puts there (a slot of the global
 * offset table) or leads to (a stub of the linkage table). *offset: from its beginning.
 * NULL: none is known. */
const char *hd_image_name(const struct hd_image *m, u64 addr, u64 *offset);

/* Does a stub of the linkage table, or a slot, lead into a library that is none of the system's (C, C++, compiler)?
 * Known by the versions that those give to their symbols, and by what libc has here. */
bool hd_image_is_foreign(const struct hd_image *m, u64 addr);

#endif
