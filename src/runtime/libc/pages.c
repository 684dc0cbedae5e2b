/* pages.c: the search for futex calls and for atomics in assembly (dispatch.c, asm/trap.c) reads
 * the code of every module, and the tables of its functions: 2 MiB of libstdc++ and libm that a
 * program in C++ hardly comes to. They would stay in the server and in each run it forks. What was
 * there before the search is used and stays; what came since is given back, if it is still the file's:
 * a page with a trap or a debugger's breakpoint is the process's own. Without /proc nothing is given back.
 */
#include "runtime/libc/pages.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>

#include "runtime/libc/sys.h"

#define PAGE 4096ull
#define IS_THERE (1ull << 63)
#define IS_FILE (1ull << 61)
#define MOST (64u << 10) /* pages that are noted: 256 MiB of code; further modules stay as they are */
#define CHUNK 512

static u64 *there; /* a bit for each page, in the order of modules and segments */

struct walk {
    int fd;
    u32 at; /* pages so far */
    bool gives_back;
};

/* The entries of n pages from `first` on; 0 = none can be had. */
static bool look(const struct walk *w, u64 first, u64 *entry, u64 n)
{
    return hd_sys(SYS_pread64, w->fd, entry, n * sizeof *entry, first / PAGE * sizeof *entry) ==
           (long)(n * sizeof *entry);
}

static void chunk(struct walk *w, u64 first, u64 n)
{
    u64 entry[CHUNK];
    if (!look(w, first, entry, n))
        return;
    for (u64 i = 0, from = 0; i < n; i++) {
        u32 bit = w->at + (u32)i;
        if (!w->gives_back) {
            there[bit / 64] |= (entry[i] & IS_THERE ? 1ull : 0) << bit % 64;
            continue;
        }
        bool goes = (entry[i] & IS_THERE) && (entry[i] & IS_FILE) && !(there[bit / 64] >> bit % 64 & 1);
        if (goes && i + 1 < n)
            continue;
        if (i + goes > from)
            hd_sys(SYS_madvise, first + from * PAGE, (i + goes - from) * PAGE, MADV_DONTNEED);
        from = i + 1;
    }
}

static int each_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct walk *w = arg;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || (p->p_flags & PF_W))
            continue;
        u64 first = (info->dlpi_addr + p->p_vaddr) & ~(PAGE - 1);
        u64 n = (HD_ALIGN_UP(info->dlpi_addr + p->p_vaddr + p->p_filesz, PAGE) - first) / PAGE;
        for (u64 k = 0; k < n && w->at + CHUNK <= MOST; k += CHUNK) {
            u64 some = HD_MIN(n - k, (u64)CHUNK);
            chunk(w, first + k * PAGE, some);
            w->at += (u32)some;
        }
    }
    return 0;
}

static void walk(bool gives_back)
{
    struct walk w = {.gives_back = gives_back};
    w.fd = (int)hd_sys(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (w.fd < 0)
        return;
    dl_iterate_phdr(each_module, &w);
    hd_sys(SYS_close, w.fd);
}

void hd_pages_note(void)
{
    long at = hd_sys(SYS_mmap, NULL, MOST / 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at < 0)
        return;
    there = (u64 *)at;
    walk(false);
}

void hd_pages_give_back(void)
{
    if (!there)
        return;
    walk(true);
    hd_sys(SYS_munmap, there, MOST / 8);
    there = NULL;
}
