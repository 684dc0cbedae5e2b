/* patch.c: a call that returns at once is still a call, and loops over memory make millions
 * of them: several times the work of the program. So in runs that are long, calls of hooks
 * that have nothing to do are taken out of the code: in the server, whose children begin
 * like that, or in the run itself.
 *
 *   e8 rel32   call __tsan_read4@plt
 *   a9 rel32   test $rel32, %eax        changes flags only, which no call preserves
 *
 * One byte makes the difference, so a thread that runs there meanwhile sees the one or the
 * other. What is touched is a direct call whose target jumps to a hook through its table;
 * all else (calls of other functions with a site, memcpy, other forms of calls) stays.
 * A run is a process: its copies of the pages die with it.
 */
#include "runtime/filter/patch.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "runtime/libc/sys.h"

#define CALL 0xe8
#define TEST 0xa9
#define TEXTS 64 /* pieces of code; in those beyond nothing is patched out */

extern const u8 __start_hd_patchable[] __attribute__((visibility("hidden")));
extern const u8 __stop_hd_patchable[] __attribute__((visibility("hidden")));

static struct text {
    u64 start, end;
} text[TEXTS];
static u32 n_text;

static int add(struct dl_phdr_info *info, size_t size, void *arg)
{
    for (int i = 0; i < info->dlpi_phnum && n_text < TEXTS; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        u64 start = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && (p->p_flags & (PF_R | PF_W | PF_X)) == (PF_R | PF_X))
            text[n_text++] = (struct text){start, start + p->p_memsz};
    }
    return 0;
}

void hd_patch_init(void) { dl_iterate_phdr(add, NULL); }

static const struct text *text_of(u64 from, u64 to)
{
    for (const struct text *t = text; t < text + n_text; t++)
        if (from >= t->start && to <= t->end)
            return t;
    return NULL;
}

/* ---- is it still there? ----------------------------------------------------------- */

static u64 hex(const char **at)
{
    u64 value = 0;
    for (;; ++*at) {
        char c = **at;
        u32 digit = c >= '0' && c <= '9'   ? (u32)(c - '0')
                    : c >= 'a' && c <= 'f' ? (u32)(c - 'a') + 10
                                           : 16;
        if (digit == 16)
            return value;
        value = value << 4 | digit;
    }
}

/* One line of /proc/self/maps. What is code of a file there counts as found. */
static void count_mapped(const char *line, u64 found[TEXTS])
{
    u64 start = hex(&line);
    line++;
    u64 end = hex(&line);
    if (hd_memcmp(line, " r-xp", 5))
        return;
    for (u32 i = 0; i < n_text; i++) {
        u64 from = HD_MAX(start, text[i].start & ~4095ull);
        u64 to = HD_MIN(end, HD_ALIGN_UP(text[i].end, 4096));
        found[i] += from < to ? to - from : 0;
    }
}

/* A module may have been unloaded meanwhile, and its place be the program's own memory. */
static void forget_unloaded(void)
{
    char buf[4096], line[64] = "";
    u64 found[TEXTS] = {0};
    u32 at = 0, kept = 0;
    long fd = hd_sys(SYS_open, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0), n;
    while (fd >= 0 && (n = hd_sys(SYS_read, fd, buf, sizeof buf)) > 0)
        for (long i = 0; i < n; i++) {
            if (buf[i] == '\n') {
                line[at] = 0;
                count_mapped(line, found);
                at = 0;
            } else if (at < sizeof line - 1) {
                line[at++] = buf[i];
            }
        }
    if (fd >= 0)
        hd_sys(SYS_close, fd);
    for (u32 i = 0; i < n_text; i++)
        if (found[i] == HD_ALIGN_UP(text[i].end, 4096) - (text[i].start & ~4095ull))
            text[kept++] = text[i];
    n_text = kept;
}

static bool protect(int how)
{
    bool is_done = n_text > 0;
    for (const struct text *t = text; t < text + n_text; t++) {
        u64 start = t->start & ~4095ull;
        is_done &= !hd_sys(SYS_mprotect, start, HD_ALIGN_UP(t->end, 4096) - start, how);
    }
    return is_done;
}

bool hd_patch_open(void)
{
    forget_unloaded();
    if (protect(PROT_READ | PROT_WRITE | PROT_EXEC))
        return true;
    hd_patch_close();
    return false;
}

static bool is_kept_open;

void hd_patch_close(void)
{
    if (!is_kept_open)
        protect(PROT_READ | PROT_EXEC);
}

void hd_patch_keep_open(void)
{
    if (!is_kept_open)
        is_kept_open = hd_patch_open();
}

static s32 offset_at(u64 at)
{
    s32 offset;
    hd_memcpy(&offset, (const void *)at, sizeof offset);
    return offset;
}

/* An entry of the linkage table that leads to a hook: [endbr64] [bnd] jmp *slot(%rip) */
static bool is_way_to_hook(u64 at)
{
    static const u8 endbr[] = {0xf3, 0x0f, 0x1e, 0xfa}, jump[] = {0xff, 0x25};
    if (!text_of(at, at + 16))
        return false;
    if (!hd_memcmp((const void *)at, endbr, sizeof endbr))
        at += sizeof endbr;
    if (*(const u8 *)at == 0xf2)
        at++;
    if (hd_memcmp((const void *)at, jump, sizeof jump))
        return false;
    u64 to;
    hd_memcpy(&to, (const void *)(at + 6 + (u64)(s64)offset_at(at + 2)), sizeof to);
    return to >= (u64)__start_hd_patchable && to < (u64)__stop_hd_patchable;
}

void hd_patch_call(u64 pc, bool is_patched_out)
{
    u8 *code = (u8 *)(pc - 5);
    if (!text_of(pc - 5, pc) || *code != (is_patched_out ? CALL : TEST) ||
        !is_way_to_hook(pc + (u64)(s64)offset_at(pc - 4)))
        return;
    __atomic_store_n(code, is_patched_out ? TEST : CALL, __ATOMIC_RELEASE);
}

void hd_patch_at_once(u64 pc)
{
    if (is_kept_open)
        hd_patch_call(pc, true);
}
