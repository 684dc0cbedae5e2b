/* image.c: see image.h. Everything read from the file is checked against its size. */
#include "symbol/image.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "symbol/elf.h"

struct segment {
    u64 start, size, at; /* address, bytes in the file, offset in it */
    bool is_written;
};

struct hd_image {
    struct hd_elf elf;
    HD_VEC(struct segment) segments;
    HD_VEC(struct hd_image_symbol) symbols;
    struct hd_map loader; /* address of a slot -> name that the loader puts there */
};

static const char *text_at(const struct hd_elf *e, const Elf64_Shdr *strings, u64 at)
{
    const char *all = strings ? hd_elf_bytes(e, strings->sh_offset, strings->sh_size) : NULL;
    if (!all || at >= strings->sh_size || !memchr(all + at, 0, strings->sh_size - at))
        return NULL;
    return all + at;
}

static void read_symbols(struct hd_image *m, const Elf64_Shdr *table)
{
    const Elf64_Shdr *strings = hd_elf_section(&m->elf, table->sh_link);
    const Elf64_Sym *sym = hd_elf_bytes(&m->elf, table->sh_offset, table->sh_size);
    if (!sym || (uintptr_t)sym % _Alignof(Elf64_Sym))
        return;
    for (u64 i = 0; i < table->sh_size / sizeof *sym; i++) {
        u32 type = ELF64_ST_TYPE(sym[i].st_info);
        const char *name = text_at(&m->elf, strings, sym[i].st_name);
        if (sym[i].st_shndx == SHN_UNDEF || !sym[i].st_size || !name || !*name ||
            (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_OBJECT))
            continue;
        *hd_vec_add(&m->symbols) = (struct hd_image_symbol){
            name, sym[i].st_value, sym[i].st_size, type != STT_OBJECT};
    }
}

static void read_relocations(struct hd_image *m, const Elf64_Shdr *table)
{
    const Elf64_Shdr *names = hd_elf_section(&m->elf, table->sh_link);
    const Elf64_Rela *r = hd_elf_bytes(&m->elf, table->sh_offset, table->sh_size);
    const Elf64_Sym *sym = names ? hd_elf_bytes(&m->elf, names->sh_offset, names->sh_size) : NULL;
    if (!r || !sym || (uintptr_t)r % _Alignof(Elf64_Rela) || (uintptr_t)sym % _Alignof(Elf64_Sym))
        return;
    const Elf64_Shdr *strings = hd_elf_section(&m->elf, names->sh_link);
    for (u64 i = 0; i < table->sh_size / sizeof *r; i++) {
        u64 k = ELF64_R_SYM(r[i].r_info);
        const char *name = k && k < names->sh_size / sizeof *sym
                               ? text_at(&m->elf, strings, sym[k].st_name) : NULL;
        if (name && *name)
            hd_map_put(&m->loader, r[i].r_offset, (u64)name);
    }
}

static void read_segments(struct hd_image *m)
{
    const Elf64_Ehdr *h = hd_elf_bytes(&m->elf, 0, sizeof *h);
    const Elf64_Phdr *p = hd_elf_bytes(&m->elf, h->e_phoff, (u64)h->e_phnum * sizeof *p);
    if (!p || h->e_phentsize != sizeof *p || (uintptr_t)p % _Alignof(Elf64_Phdr))
        return;
    for (u32 i = 0; i < h->e_phnum; i++)
        if (p[i].p_type == PT_LOAD)
            *hd_vec_add(&m->segments) = (struct segment){
                p[i].p_vaddr, p[i].p_filesz, p[i].p_offset, p[i].p_flags & PF_W};
}

static int by_start(const void *a, const void *b)
{
    const struct hd_image_symbol *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* One name for each address: which one must not depend on the order of the table. */
static void drop_aliases(struct hd_image *m)
{
    size_t kept = 0;
    if (m->symbols.n)
        qsort(m->symbols.at, m->symbols.n, sizeof *m->symbols.at, by_start);
    for (size_t i = 0; i < m->symbols.n; i++)
        if (!kept || m->symbols.at[kept - 1].start != m->symbols.at[i].start)
            m->symbols.at[kept++] = m->symbols.at[i];
    m->symbols.n = kept;
}

struct hd_image *hd_image_open(const char *path)
{
    struct hd_image *m = calloc(1, sizeof *m);
    const Elf64_Shdr *s;
    HD_ASSERT(m);
    enum hd_elf_kind kind = hd_elf_open(&m->elf, path) ? HD_ELF_NOT : hd_elf_kind(&m->elf);
    if (kind != HD_ELF_DYNAMIC && kind != HD_ELF_SHARED && kind != HD_ELF_STATIC) {
        hd_image_close(m);
        return NULL;
    }
    read_segments(m);
    for (u32 i = 0; (s = hd_elf_section(&m->elf, i)); i++)
        if (s->sh_type == SHT_SYMTAB || s->sh_type == SHT_DYNSYM)
            read_symbols(m, s);
        else if (s->sh_type == SHT_RELA)
            read_relocations(m, s);
    drop_aliases(m);
    return m;
}

void hd_image_close(struct hd_image *m)
{
    if (!m)
        return;
    hd_elf_close(&m->elf);
    hd_vec_release(&m->segments);
    hd_vec_release(&m->symbols);
    hd_map_release(&m->loader);
    free(m);
}

u32 hd_image_symbols(const struct hd_image *m, const struct hd_image_symbol **out)
{
    *out = m->symbols.at;
    return (u32)m->symbols.n;
}

static const struct segment *segment_of(const struct hd_image *m, u64 addr)
{
    for (size_t i = 0; i < m->segments.n; i++)
        if (addr - m->segments.at[i].start < m->segments.at[i].size)
            return &m->segments.at[i];
    return NULL;
}

const u8 *hd_image_bytes(const struct hd_image *m, u64 addr, u64 len)
{
    const struct segment *s = segment_of(m, addr);
    if (!s || len > s->size - (addr - s->start))
        return NULL;
    return hd_elf_bytes(&m->elf, s->at + (addr - s->start), len);
}

bool hd_image_is_constant(const struct hd_image *m, u64 addr)
{
    const struct segment *s = segment_of(m, addr);
    return s && !s->is_written;
}

const struct hd_image_symbol *hd_image_symbol(const struct hd_image *m, u64 addr)
{
    size_t lo = 0, hi = m->symbols.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (m->symbols.at[mid].start <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    const struct hd_image_symbol *s = lo ? &m->symbols.at[lo - 1] : NULL;
    return s && addr - s->start < s->size ? s : NULL;
}

/* A stub of the linkage table jumps through its slot: [endbr64] [bnd] jmp *SLOT(%rip). */
static const char *stub_name(const struct hd_image *m, u64 addr)
{
    for (u32 skip = 0; skip <= 5; skip++) {
        const u8 *p = hd_image_bytes(m, addr + skip, 6);
        s32 to;
        if (!p || p[0] != 0xff || p[1] != 0x25)
            continue;
        memcpy(&to, p + 2, sizeof to);
        return (const char *)hd_map_get_or(&m->loader, addr + skip + 6 + (u64)(s64)to, 0);
    }
    return NULL;
}

const char *hd_image_name(const struct hd_image *m, u64 addr, u64 *offset)
{
    const struct hd_image_symbol *s = hd_image_symbol(m, addr);
    *offset = s ? addr - s->start : 0;
    if (s)
        return s->name;
    const char *name = (const char *)hd_map_get_or(&m->loader, addr, 0);
    return name ? name : stub_name(m, addr);
}
