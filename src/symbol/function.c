/* function.c: where the function around an address begins, from the symbol table of an
 * ELF file alone. Coverage asks for it while runs wait: what symbol.c needs to open
 * a large library is longer than a run. A few questions are answered by going through
 * the table; who asks more gets it sorted. */
#include "symbol/symbol.h"

#include <gelf.h>
#include <stdlib.h>

#include "base/vec.h"
#include "symbol/elf.h"

#define SORT_AFTER 32 /* questions */

struct function {
    u64 start, end;
};

struct hd_functions {
    struct hd_elf elf;
    const Elf64_Sym *table; /* libelf's */
    u64 n;
    u32 asked;
    HD_VEC(struct function) sorted;
};

static void find_table(struct hd_functions *f)
{
    GElf_Shdr s;
    for (Elf_Scn *at = NULL; (at = elf_nextscn(f->elf.elf, at));) {
        if (!gelf_getshdr(at, &s) ||
            (s.sh_type != SHT_SYMTAB && (s.sh_type != SHT_DYNSYM || f->table)))
            continue;
        const Elf_Data *all = elf_getdata(at, NULL);
        if (!all || !all->d_buf || all->d_type != ELF_T_SYM)
            continue;
        f->table = all->d_buf;
        f->n = all->d_size / sizeof *f->table;
    }
}

struct hd_functions *hd_functions_open(const char *path)
{
    struct hd_functions *f = calloc(1, sizeof *f);
    HD_ASSERT(f);
    if (!hd_elf_open(&f->elf, path) && f->elf.elf && gelf_getclass(f->elf.elf) == ELFCLASS64)
        find_table(f);
    return f;
}

void hd_functions_close(struct hd_functions *f)
{
    if (!f)
        return;
    hd_elf_close(&f->elf);
    hd_vec_release(&f->sorted);
    free(f);
}

static bool is_function(const Elf64_Sym *s)
{
    u32 type = ELF64_ST_TYPE(s->st_info);
    return (type == STT_FUNC || type == STT_GNU_IFUNC) && s->st_shndx != SHN_UNDEF && s->st_size;
}

static int by_start(const void *a, const void *b)
{
    const struct function *x = a, *y = b;
    return x->start != y->start ? (x->start > y->start) - (x->start < y->start)
                                : (x->end < y->end) - (x->end > y->end);
}

static void sort(struct hd_functions *f)
{
    for (u64 i = 0; i < f->n; i++)
        if (is_function(&f->table[i]))
            *hd_vec_add(&f->sorted) = (struct function){
                f->table[i].st_value, f->table[i].st_value + f->table[i].st_size};
    if (f->sorted.n)
        qsort(f->sorted.at, f->sorted.n, sizeof *f->sorted.at, by_start);
}

/* The last one that begins at or before addr and reaches it: of two that overlap, the
 * one that begins later. */
static bool find_sorted(const struct hd_functions *f, u64 addr, u64 *start)
{
    size_t lo = 0, hi = f->sorted.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (f->sorted.at[mid].start <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (size_t i = lo; i-- > 0 && lo - i <= 16;)
        if (addr < f->sorted.at[i].end) {
            *start = f->sorted.at[i].start;
            return true;
        }
    return false;
}

static bool find(const struct hd_functions *f, u64 addr, u64 *start)
{
    bool is_found = false;
    for (u64 i = 0; i < f->n; i++) {
        const Elf64_Sym *s = &f->table[i];
        if (addr - s->st_value >= s->st_size || !is_function(s))
            continue;
        if (!is_found || s->st_value > *start)
            *start = s->st_value;
        is_found = true;
    }
    return is_found;
}

bool hd_functions_find(struct hd_functions *f, u64 addr, u64 *start)
{
    if (!f->table || f->asked < SORT_AFTER) {
        f->asked++;
        return f->table && find(f, addr, start);
    }
    if (!f->sorted.n)
        sort(f);
    return find_sorted(f, addr, start);
}
