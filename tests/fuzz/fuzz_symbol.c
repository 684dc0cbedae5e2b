/* fuzz_symbol.c: the ELF files that programs and libraries are: what kind they are, what they need
 * and define, where their functions are, what addresses are named. Debug information is read by
 * libdw alone and is not fuzzed. */
#include "fuzz/fuzz.h"

#include "symbol/elf.h"
#include "symbol/image.h"
#include "symbol/symbol.h"

static struct fuzz_file file;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct hd_elf e;
    char name[32];
    u8 id[32];
    u64 start;
    const char *path = fuzz_file(&file, data, n);
    if (!hd_elf_open(&e, path)) {
        if (hd_elf_kind(&e) >= HD_ELF_OBJECT) {
            hd_elf_needs(&e, "lib", name, sizeof name);
            hd_elf_defines(&e, "main");
            FUZZ_EXPECT(hd_elf_build_id(&e, id, sizeof id) <= sizeof id);
        }
        hd_elf_close(&e);
    }
    struct hd_functions *f = hd_functions_open(path);
    for (u64 at = 0x1000; at < 0x2000; at += 0x80)
        hd_functions_find(f, at, &start);
    hd_functions_close(f);
    struct hd_image *m = hd_image_open(path);
    for (u64 at = 0x1000; m && at < 0x5000; at += 0x40) {
        u64 offset;
        const u8 *bytes = hd_image_bytes(m, at, 16);
        const char *text = hd_image_name(m, at, &offset);
        FUZZ_EXPECT((!bytes || bytes[0] + bytes[15] < 512) && (!text || strlen(text)));
    }
    hd_image_close(m);
    return 0;
}
