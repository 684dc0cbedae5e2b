/* functions.c: see functions.h. The header of the table (.eh_frame_hdr, Linux Standard Base):
 *
 *   1 03 or 1b   version, encodings    u32 n    { s32 function, s32 record }, from the header's
 *   03 3b                                         start; sorted by function
 *
 * and a record (.eh_frame): u32 length, u32, s32 function from here, u32 bytes of the function. Other
 * encodings are rare; a module that has them counts as having no functions. */
#include "runtime/asm/functions.h"

#include <elf.h>

#define COUNT_IS_U32 0x03
#define FROM_START_S32 0x3b

struct entry {
    s32 function, record;
};

static s32 word(const u8 *at)
{
    s32 value;
    hd_memcpy(&value, at, sizeof value);
    return value;
}

static bool is_code(const struct dl_phdr_info *info, const u8 *start, const u8 *end)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        const u8 *from = (const u8 *)info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && (p->p_flags & (PF_R | PF_W | PF_X)) == (PF_R | PF_X) && start >= from &&
            end <= from + p->p_filesz)
            return true;
    }
    return false;
}

void hd_functions_each(const struct dl_phdr_info *info, hd_function_fn *each, void *arg)
{
    const u8 *table = NULL;
    u64 bytes = 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME) {
            table = (const u8 *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            bytes = info->dlpi_phdr[i].p_memsz;
        }
    if (bytes < 12 || table[0] != 1 || table[2] != COUNT_IS_U32 || table[3] != FROM_START_S32)
        return;
    u32 n = (u32)word(table + 8);
    if (n > (bytes - 12) / sizeof(struct entry))
        return;
    for (u32 i = 0; i < n; i++) {
        const u8 *entry = table + 12 + i * sizeof(struct entry);
        const u8 *start = table + word(entry), *record = table + word(entry + 4);
        const u8 *end = start + (u32)word(record + 12);
        /* The record says the same as the table, if it is encoded as we think. */
        if (record + 8 + word(record + 8) == start && is_code(info, start, end))
            each(start, end, arg);
    }
}
