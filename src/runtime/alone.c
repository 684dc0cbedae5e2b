/* alone.c: which memory several threads use, over all runs of this server.
 *
 * Sites are too coarse for loops over much memory: one site walks through rows that
 * nobody else sees and through the row at the border. What one thread has to itself
 * says nothing about threads, so once a site has been heard often in a run, its
 * accesses to such memory are left out (site.c). Learned by shadow.c, kept in memory
 * that all runs share; what has only been met in this run is not known yet, since
 * another thread may still come to it. Where a run puts something else at an address
 * than all runs before, what the first thread did there is missed once.
 */
#include "runtime/alone.h"

#include <sys/mman.h>

#include "runtime/sys.h"

#define ALONE_AT 0x240000000000ull
#define HOT 4096u

u8 *hd_alone;
u32 hd_alone_now;
u32 hd_alone_hot = UINT32_MAX;

void hd_alone_init(void)
{
    long at = hd_sys(SYS_mmap, ALONE_AT, HD_ALONE_BYTES, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    hd_alone = at == (long)ALONE_AT ? (u8 *)at : NULL;
}

void hd_alone_begin(void)
{
    u32 mode = hd_rt.shm->cfg.mode;
    bool is_all = mode & (HD_MODE_NO_FILTER | HD_MODE_ALL_EVENTS);
    hd_alone_now = mode & HD_MODE_LEARN ? (u32)(hd_rt.shm->run % HD_ALONE_MARKS) + 1 : 0;
    hd_alone_hot = hd_alone && mode & HD_MODE_STREAM && !is_all ? HOT : UINT32_MAX;
}
