/* elf.c: see elf.h. Own reader, because libelf belongs to symbol/ and because
 * it must say something sensible about files that are no ELF at all. */
#include "symbol/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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
        if (p == MAP_FAILED) {
            err = -errno;
        } else {
            e->data = p;
            e->size = (size_t)st.st_size;
        }
    }
    close(fd);
    return err;
}

void hd_elf_close(struct hd_elf *e)
{
    if (e->data)
        munmap((void *)e->data, e->size);
    *e = (struct hd_elf){0};
}

const void *hd_elf_bytes(const struct hd_elf *e, u64 at, u64 len)
{
    return at <= e->size && len <= e->size - at ? e->data + at : NULL;
}

/* ... if a table entry can be there: the compiler and the linker align them. */
static const void *entry(const struct hd_elf *e, u64 at, u64 len, u64 align)
{
    return at % align ? NULL : hd_elf_bytes(e, at, len);
}

static const Elf64_Ehdr *header(const struct hd_elf *e) { return (const void *)e->data; }

static const Elf64_Phdr *segment(const struct hd_elf *e, u32 i)
{
    const Elf64_Ehdr *h = header(e);
    if (i >= h->e_phnum || h->e_phentsize != sizeof(Elf64_Phdr))
        return NULL;
    return entry(e, h->e_phoff + (u64)i * sizeof(Elf64_Phdr), sizeof(Elf64_Phdr), 8);
}

const Elf64_Shdr *hd_elf_section(const struct hd_elf *e, u32 i)
{
    const Elf64_Ehdr *h = header(e);
    if (i >= h->e_shnum || h->e_shentsize != sizeof(Elf64_Shdr))
        return NULL;
    return entry(e, h->e_shoff + (u64)i * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr), 8);
}

static const Elf64_Phdr *segment_of(const struct hd_elf *e, u32 type)
{
    const Elf64_Phdr *p;
    for (u32 i = 0; (p = segment(e, i)); i++)
        if (p->p_type == type)
            return p;
    return NULL;
}

/* The n-th dynamic entry; false past the end. */
static bool dynamic(const struct hd_elf *e, u32 n, Elf64_Dyn *out)
{
    const Elf64_Phdr *p = segment_of(e, PT_DYNAMIC);
    if (!p || n >= p->p_filesz / sizeof *out)
        return false;
    const Elf64_Dyn *d = entry(e, p->p_offset + (u64)n * sizeof *d, sizeof *d, 8);
    if (!d || d->d_tag == DT_NULL)
        return false;
    *out = *d;
    return true;
}

static u64 dynamic_value(const struct hd_elf *e, s64 tag)
{
    Elf64_Dyn d;
    for (u32 i = 0; dynamic(e, i, &d); i++)
        if (d.d_tag == tag)
            return d.d_un.d_val;
    return 0;
}

/* A string inside the file at virtual address `at`, or NULL. */
static const char *string_at(const struct hd_elf *e, u64 at)
{
    const Elf64_Phdr *p;
    for (u32 i = 0; (p = segment(e, i)); i++)
        if (p->p_type == PT_LOAD && at >= p->p_vaddr && at - p->p_vaddr < p->p_filesz) {
            u64 off = p->p_offset + (at - p->p_vaddr);
            if (off < e->size && memchr(e->data + off, 0, e->size - off))
                return (const char *)e->data + off;
        }
    return NULL;
}

enum hd_elf_kind hd_elf_kind(const struct hd_elf *e)
{
    if (e->size < EI_NIDENT || memcmp(e->data, ELFMAG, SELFMAG))
        return HD_ELF_NOT;
    if (e->data[EI_CLASS] == ELFCLASS32)
        return HD_ELF_32;
    if (e->size < sizeof(Elf64_Ehdr))
        return HD_ELF_BROKEN;
    const Elf64_Ehdr *h = header(e);
    if (h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_machine != EM_X86_64)
        return HD_ELF_FOREIGN;
    if (h->e_type != ET_EXEC && h->e_type != ET_DYN)
        return HD_ELF_OBJECT;
    if (!h->e_phnum || !segment(e, h->e_phnum - 1u))
        return HD_ELF_BROKEN;
    if (segment_of(e, PT_INTERP))
        return HD_ELF_DYNAMIC;
    bool is_pie = dynamic_value(e, DT_FLAGS_1) & DF_1_PIE;
    return h->e_type == ET_EXEC || is_pie ? HD_ELF_STATIC : HD_ELF_SHARED;
}

bool hd_elf_needs(const struct hd_elf *e, const char *prefix, char *name, size_t size)
{
    Elf64_Dyn d;
    u64 strings = dynamic_value(e, DT_STRTAB);
    for (u32 i = 0; dynamic(e, i, &d); i++) {
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

static bool table_defines(const struct hd_elf *e, const Elf64_Shdr *table, const char *symbol)
{
    const Elf64_Shdr *strings = hd_elf_section(e, table->sh_link);
    const Elf64_Sym *sym = entry(e, table->sh_offset, table->sh_size, 8);
    const char *text = strings ? hd_elf_bytes(e, strings->sh_offset, strings->sh_size) : NULL;
    size_t len = strlen(symbol) + 1;
    if (!sym || !text)
        return false;
    for (u64 i = 0; i < table->sh_size / sizeof *sym; i++)
        if (sym[i].st_shndx != SHN_UNDEF && sym[i].st_name < strings->sh_size &&
            strings->sh_size - sym[i].st_name >= len && !memcmp(text + sym[i].st_name, symbol, len))
            return true;
    return false;
}

bool hd_elf_defines(const struct hd_elf *e, const char *symbol)
{
    const Elf64_Shdr *s;
    for (u32 i = 0; (s = hd_elf_section(e, i)); i++)
        if ((s->sh_type == SHT_DYNSYM || s->sh_type == SHT_SYMTAB) && table_defines(e, s, symbol))
            return true;
    return false;
}

u32 hd_elf_build_id(const struct hd_elf *e, u8 *id, u32 max)
{
    const Elf64_Phdr *p;
    for (u32 i = 0; (p = segment(e, i)); i++) {
        if (p->p_type != PT_NOTE)
            continue;
        u64 at = p->p_offset, left = p->p_filesz;
        const Elf64_Nhdr *n;
        while (left >= sizeof *n && (n = entry(e, at, sizeof *n, 4))) {
            u64 name = HD_ALIGN_UP((u64)n->n_namesz, 4), desc = HD_ALIGN_UP((u64)n->n_descsz, 4);
            u64 total = sizeof *n + name + desc;
            const u8 *body = hd_elf_bytes(e, at + sizeof *n, name + desc);
            if (total > left || !body)
                break;
            if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && !memcmp(body, "GNU", 4)) {
                u32 len = HD_MIN((u32)n->n_descsz, max);
                memcpy(id, body + name, len);
                return len;
            }
            at += total;
            left -= total;
        }
    }
    return 0;
}
