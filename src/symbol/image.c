/* image.c: see image.h. Tables are read through libelf, bytes are checked against the size. */
#include "symbol/image.h"

#include <dlfcn.h>
#include <gelf.h>
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
    struct hd_map foreign; /* ... that is none of the system's */
    Elf_Data *versions;   /* of symbols that the loader looks for; NULL = they have none */
    struct hd_map system; /* versions of the system's libraries */
};

static void read_symbols(struct hd_image *m, Elf_Scn *section, const GElf_Shdr *table)
{
    Elf_Data *all = elf_getdata(section, NULL);
    GElf_Sym sym;
    for (int i = 0; all && gelf_getsym(all, i, &sym); i++) {
        u32 type = GELF_ST_TYPE(sym.st_info);
        if (sym.st_shndx == SHN_UNDEF || !sym.st_size ||
            (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_OBJECT))
            continue;
        const char *name = elf_strptr(m->elf.elf, table->sh_link, sym.st_name);
        if (name && *name)
            *hd_vec_add(&m->symbols) =
                (struct hd_image_symbol){name, sym.st_value, sym.st_size, type != STT_OBJECT};
    }
}

/* A function that the race detector's library stands in for has no version: that one has none. */
static bool is_of_libc(const char *name)
{
    static void *libc;
    if (!libc)
        libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    return libc && dlsym(libc, name);
}

static void read_relocations(struct hd_image *m, Elf_Scn *section, const GElf_Shdr *table)
{
    Elf_Scn *names = elf_getscn(m->elf.elf, table->sh_link);
    Elf_Data *all = elf_getdata(section, NULL), *symbols = names ? elf_getdata(names, NULL) : NULL;
    GElf_Shdr h;
    GElf_Rela r;
    GElf_Sym sym;
    if (!symbols || !gelf_getshdr(names, &h) || (h.sh_type != SHT_SYMTAB && h.sh_type != SHT_DYNSYM))
        return;
    for (int i = 0; all && gelf_getrela(all, i, &r); i++) {
        u64 k = GELF_R_SYM(r.r_info);
        const char *name = k && k <= INT32_MAX && gelf_getsym(symbols, (int)k, &sym)
                               ? elf_strptr(m->elf.elf, h.sh_link, sym.st_name) : NULL;
        GElf_Versym version = 0;
        if (!name || !*name)
            continue;
        hd_map_put(&m->loader, r.r_offset, (u64)name);
        if ((!m->versions || !gelf_getversym(m->versions, (int)k, &version) ||
             !hd_map_has(&m->system, version)) && !is_of_libc(name))
            hd_map_put(&m->foreign, r.r_offset, 1);
    }
}

static void add_version(struct hd_image *m, const char *name, u32 number)
{
    static const char *const of[] = {"GLIBC", "CXXABI_", "GCC_", "GOMP_"};
    for (u32 i = 0; name && i < HD_COUNT(of); i++)
        if (!strncmp(name, of[i], strlen(of[i])))
            hd_map_put(&m->system, number, 1);
}

static void read_needed(struct hd_image *m, Elf_Scn *section, const GElf_Shdr *table)
{
    Elf_Data *all = elf_getdata(section, NULL);
    GElf_Verneed need;
    GElf_Vernaux aux;
    for (int at = 0; all && gelf_getverneed(all, at, &need); at += (int)need.vn_next) {
        for (int k = at + (int)need.vn_aux; gelf_getvernaux(all, k, &aux); k += (int)aux.vna_next) {
            add_version(m, elf_strptr(m->elf.elf, table->sh_link, aux.vna_name), aux.vna_other);
            if (!aux.vna_next || aux.vna_next > all->d_size)
                break;
        }
        if (!need.vn_next || need.vn_next > all->d_size)
            break;
    }
}

static void read_versions(struct hd_image *m)
{
    GElf_Shdr s;
    for (Elf_Scn *at = NULL; (at = elf_nextscn(m->elf.elf, at));) {
        if (!gelf_getshdr(at, &s))
            continue;
        if (s.sh_type == SHT_GNU_versym)
            m->versions = elf_getdata(at, NULL);
        else if (s.sh_type == SHT_GNU_verneed)
            read_needed(m, at, &s);
    }
}

static void read_segments(struct hd_image *m)
{
    GElf_Phdr p;
    size_t n;
    if (elf_getphdrnum(m->elf.elf, &n))
        return;
    for (size_t i = 0; i < n && gelf_getphdr(m->elf.elf, (int)i, &p); i++)
        if (p.p_type == PT_LOAD)
            *hd_vec_add(&m->segments) =
                (struct segment){p.p_vaddr, p.p_filesz, p.p_offset, p.p_flags & PF_W};
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
    GElf_Shdr s;
    HD_ASSERT(m);
    enum hd_elf_kind kind = hd_elf_open(&m->elf, path) ? HD_ELF_NOT : hd_elf_kind(&m->elf);
    if (kind != HD_ELF_DYNAMIC && kind != HD_ELF_SHARED && kind != HD_ELF_STATIC) {
        hd_image_close(m);
        return NULL;
    }
    read_segments(m);
    read_versions(m);
    for (Elf_Scn *at = NULL; (at = elf_nextscn(m->elf.elf, at));) {
        if (!gelf_getshdr(at, &s))
            continue;
        if (s.sh_type == SHT_SYMTAB || s.sh_type == SHT_DYNSYM)
            read_symbols(m, at, &s);
        else if (s.sh_type == SHT_RELA)
            read_relocations(m, at, &s);
    }
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
    hd_map_release(&m->foreign);
    hd_map_release(&m->system);
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
static u64 stub_slot(const struct hd_image *m, u64 addr)
{
    for (u32 skip = 0; skip <= 5; skip++) {
        const u8 *p = hd_image_bytes(m, addr + skip, 6);
        s32 to;
        if (!p || p[0] != 0xff || p[1] != 0x25)
            continue;
        memcpy(&to, p + 2, sizeof to);
        return addr + skip + 6 + (u64)(s64)to;
    }
    return 0;
}

const char *hd_image_name(const struct hd_image *m, u64 addr, u64 *offset)
{
    const struct hd_image_symbol *s = hd_image_symbol(m, addr);
    *offset = s ? addr - s->start : 0;
    if (s)
        return s->name;
    const char *name = (const char *)hd_map_get_or(&m->loader, addr, 0);
    return name ? name : (const char *)hd_map_get_or(&m->loader, stub_slot(m, addr), 0);
}

bool hd_image_is_foreign(const struct hd_image *m, u64 addr)
{
    return hd_map_has(&m->foreign, addr) || hd_map_has(&m->foreign, stub_slot(m, addr));
}
