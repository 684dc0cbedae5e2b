/* elf.c: see elf.h. The file is mapped and read through libelf, which checks its tables. */
#include "symbol/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void hd_elf_init(struct hd_elf *e, const void *data, size_t size)
{
    elf_version(EV_CURRENT);
    *e = (struct hd_elf){data, size, NULL};
    if (size)
        e->elf = elf_memory((char *)data, size); /* which it only reads */
}

int hd_elf_open(struct hd_elf *e, const char *path)
{
    struct stat st;
    *e = (struct hd_elf){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    int err = fstat(fd, &st) ? -errno : !S_ISREG(st.st_mode) ? -EINVAL : 0;
    if (!err && st.st_size) {
        void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p == MAP_FAILED)
            err = -errno;
        else
            hd_elf_init(e, p, (size_t)st.st_size);
    }
    close(fd);
    return err;
}

void hd_elf_release(struct hd_elf *e)
{
    if (e->elf)
        elf_end(e->elf);
    *e = (struct hd_elf){0};
}

void hd_elf_close(struct hd_elf *e)
{
    struct hd_elf was = *e;
    hd_elf_release(e);
    if (was.data)
        munmap((void *)was.data, was.size);
}

const void *hd_elf_bytes(const struct hd_elf *e, u64 at, u64 len)
{
    return at <= e->size && len <= e->size - at ? e->data + at : NULL;
}

/* The n-th segment; false past the end. */
static bool segment(const struct hd_elf *e, size_t n, GElf_Phdr *out)
{
    size_t all;
    return !elf_getphdrnum(e->elf, &all) && n < all && n <= INT32_MAX &&
           gelf_getphdr(e->elf, (int)n, out);
}

static bool segment_of(const struct hd_elf *e, u32 type, GElf_Phdr *out)
{
    for (size_t i = 0; segment(e, i, out); i++)
        if (out->p_type == type)
            return true;
    return false;
}

/* The dynamic entries, or NULL. */
static Elf_Data *dynamic(const struct hd_elf *e)
{
    GElf_Phdr p;
    return segment_of(e, PT_DYNAMIC, &p) && hd_elf_bytes(e, p.p_offset, p.p_filesz)
               ? elf_getdata_rawchunk(e->elf, (int64_t)p.p_offset, p.p_filesz, ELF_T_DYN)
               : NULL;
}

/* The n-th one; false past the end. */
static bool entry(Elf_Data *all, u32 n, GElf_Dyn *out)
{
    return all && gelf_getdyn(all, (int)n, out) && out->d_tag != DT_NULL;
}

static u64 value_of(Elf_Data *all, s64 tag)
{
    GElf_Dyn d;
    for (u32 i = 0; entry(all, i, &d); i++)
        if (d.d_tag == tag)
            return d.d_un.d_val;
    return 0;
}

/* A string inside the file at virtual address `at`, or NULL. */
static const char *string_at(const struct hd_elf *e, u64 at)
{
    GElf_Phdr p;
    for (size_t i = 0; segment(e, i, &p); i++)
        if (p.p_type == PT_LOAD && at >= p.p_vaddr && at - p.p_vaddr < p.p_filesz) {
            u64 off = p.p_offset + (at - p.p_vaddr);
            if (off < e->size && memchr(e->data + off, 0, e->size - off))
                return (const char *)e->data + off;
        }
    return NULL;
}

enum hd_elf_kind hd_elf_kind(const struct hd_elf *e)
{
    GElf_Ehdr h;
    GElf_Phdr p;
    if (e->size < EI_NIDENT || memcmp(e->data, ELFMAG, SELFMAG))
        return HD_ELF_NOT;
    if (e->data[EI_CLASS] == ELFCLASS32)
        return HD_ELF_32;
    if (!e->elf || !gelf_getehdr(e->elf, &h))
        return HD_ELF_BROKEN;
    if (h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_machine != EM_X86_64)
        return HD_ELF_FOREIGN;
    if (h.e_type != ET_EXEC && h.e_type != ET_DYN)
        return HD_ELF_OBJECT;
    if (!h.e_phnum || !segment(e, h.e_phnum - 1u, &p))
        return HD_ELF_BROKEN;
    if (segment_of(e, PT_INTERP, &p))
        return HD_ELF_DYNAMIC;
    bool is_pie = value_of(dynamic(e), DT_FLAGS_1) & DF_1_PIE;
    return h.e_type == ET_EXEC || is_pie ? HD_ELF_STATIC : HD_ELF_SHARED;
}

bool hd_elf_needs(const struct hd_elf *e, const char *prefix, char *name, size_t size)
{
    GElf_Dyn d;
    Elf_Data *all = dynamic(e);
    u64 strings = value_of(all, DT_STRTAB);
    for (u32 i = 0; entry(all, i, &d); i++) {
        if (d.d_tag != DT_NEEDED)
            continue;
        const char *s = string_at(e, strings + d.d_un.d_val);
        if (s && !strncmp(s, prefix, strlen(prefix))) {
            snprintf(name, size, "%s", s);
            return true;
        }
    }
    return false;
}

static bool table_defines(const struct hd_elf *e, Elf_Scn *section, u32 strings, const char *symbol)
{
    Elf_Data *all = elf_getdata(section, NULL);
    GElf_Sym sym;
    for (int i = 0; all && gelf_getsym(all, i, &sym); i++) {
        const char *name = sym.st_shndx == SHN_UNDEF ? NULL : elf_strptr(e->elf, strings, sym.st_name);
        if (name && !strcmp(name, symbol))
            return true;
    }
    return false;
}

bool hd_elf_defines(const struct hd_elf *e, const char *symbol)
{
    GElf_Shdr s;
    for (Elf_Scn *at = NULL; (at = elf_nextscn(e->elf, at));)
        if (gelf_getshdr(at, &s) && (s.sh_type == SHT_DYNSYM || s.sh_type == SHT_SYMTAB) &&
            table_defines(e, at, s.sh_link, symbol))
            return true;
    return false;
}

u32 hd_elf_build_id(const struct hd_elf *e, u8 *id, u32 max)
{
    GElf_Phdr p;
    GElf_Nhdr n;
    size_t name, desc;
    for (size_t i = 0; segment(e, i, &p); i++) {
        if (p.p_type != PT_NOTE || !hd_elf_bytes(e, p.p_offset, p.p_filesz))
            continue;
        Elf_Data *all = elf_getdata_rawchunk(e->elf, (int64_t)p.p_offset, p.p_filesz,
                                             p.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
        for (size_t at = 0; all && (at = gelf_getnote(all, at, &n, &name, &desc));) {
            const char *text = all->d_buf;
            if (n.n_type != NT_GNU_BUILD_ID || n.n_namesz != 4 || memcmp(text + name, "GNU", 4))
                continue;
            u32 len = HD_MIN((u32)n.n_descsz, max);
            memcpy(id, text + desc, len);
            return len;
        }
    }
    return 0;
}
