/* elf.h: the few facts about an ELF file that decide whether Heddle can take
 * it over. Files are untrusted. */
#ifndef HD_ELF_H
#define HD_ELF_H

#include "base/base.h"

struct hd_elf {
    const u8 *data; /* the file */
    size_t size;
    struct Elf *elf; /* libelf's; NULL if it is empty */
};

enum hd_elf_kind {
    HD_ELF_NOT,      /* no ELF header */
    HD_ELF_BROKEN,   /* header says ELF, tables lie outside the file */
    HD_ELF_32,
    HD_ELF_FOREIGN,  /* other machine or byte order */
    HD_ELF_OBJECT,   /* .o or core: not to be executed */
    HD_ELF_SHARED,   /* library */
    HD_ELF_STATIC,   /* program without a loader */
    HD_ELF_DYNAMIC,  /* what we want */
};

/* 0 or negative errno. An empty file has data NULL. */
int hd_elf_open(struct hd_elf *e, const char *path);
void hd_elf_close(struct hd_elf *e);
/* The same for a file in memory, which must stay. */
void hd_elf_init(struct hd_elf *e, const void *data, size_t size);
void hd_elf_release(struct hd_elf *e);

enum hd_elf_kind hd_elf_kind(const struct hd_elf *e);

/* The rest expects a kind of OBJECT or later. */
/* Copies the first needed library whose name begins with `prefix`. */
bool hd_elf_needs(const struct hd_elf *e, const char *prefix, char *name, size_t size);
/* Is `symbol` defined in this file (dynamic or full symbol table)? */
bool hd_elf_defines(const struct hd_elf *e, const char *symbol);
/* Length of the build-id, 0 if there is none. */
u32 hd_elf_build_id(const struct hd_elf *e, u8 *id, u32 max);

/* `len` bytes at a file offset; NULL: not in the file. */
const void *hd_elf_bytes(const struct hd_elf *e, u64 at, u64 len);

#endif
