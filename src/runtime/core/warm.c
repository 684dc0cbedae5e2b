/* warm.c: what each forked run would have to do anew is done once, in the server.
 *
 *   threads  that come and go leave their stacks and thread blocks in libc's cache
 *            and have its first-time work done
 *   code     fork copies the page tables of memory that has a page of its own, not
 *            those of mapped files: each run would fault its code in again, page by
 *            page. So every text segment gets one page of its own, with the same
 *            content. Where that is not allowed it costs time, nothing else.
 */
#include "runtime/core/warm.h"

#include "runtime/filter/patch.h"
#include "runtime/core/park.h"
#include "runtime/core/rt.h"
#include "runtime/libc/sys.h"

#define WARM_THREADS 4

static void *warm_thread(void *go)
{
    while (!__atomic_load_n((u32 *)go, __ATOMIC_ACQUIRE))
        hd_park_sleep(go, 0, 1000000);
    return NULL;
}

static void warm_threads(void)
{
    pthread_t t[WARM_THREADS];
    u32 n = 0, go = 0;
    while (n < WARM_THREADS && !HD_REAL(pthread_create)(&t[n], NULL, warm_thread, &go))
        n++;
    __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
    for (u32 i = 0; i < n; i++)
        hd_park_wake(&go);
    while (n--)
        HD_REAL(pthread_join)(t[n], NULL);
}

static int warm_code(struct dl_phdr_info *info, size_t size, void *arg)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || (p->p_flags & (PF_X | PF_W)) != PF_X || !(p->p_flags & PF_R))
            continue;
        u64 at = (info->dlpi_addr + p->p_vaddr) & ~4095ull;
        u64 end = HD_ALIGN_UP(info->dlpi_addr + p->p_vaddr + p->p_memsz, 4096);
        if (hd_sys(SYS_mprotect, at, end - at, PROT_READ | PROT_WRITE | PROT_EXEC))
            continue;
        volatile u8 *byte = (volatile u8 *)at;
        *byte = *byte;
        hd_sys(SYS_mprotect, at, end - at, PROT_READ | PROT_EXEC);
    }
    return 0;
}

void hd_warm_up(void)
{
    warm_threads();
    dl_iterate_phdr(warm_code, NULL);
    hd_patch_init();
}
