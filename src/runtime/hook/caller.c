/* caller.c: see caller.h. Nothing here trusts what it reads: an address counts if it
 * lies in a loaded object and a call instruction ends there. */
#include "runtime/hook/caller.h"

#include "runtime/libc/user_mem.h"

#define WORDS 32  /* below the expected one */
#define CACHE 256 /* return addresses found good lately */

static u64 good[CACHE];

static bool read_bytes(u64 addr, void *to, size_t n)
{
    return hd_user_read(to, (const void *)addr, n);
}

static bool is_in_module(u64 addr)
{
    const struct hd_module *all = hd_shm_modules(hd_rt.run);
    u32 n = HD_MIN(hd_rt.run->n_modules, (u32)HD_SHM_MODULES);
    for (u32 i = 0; i < n; i++)
        if (addr - all[i].start < all[i].end - all[i].start)
            return true;
    return false;
}

/* Does a call end before `pc`? e8 rel32, or ff /2 of 2 to 7 bytes. */
static bool is_return(u64 pc)
{
    u64 *known = &good[(pc ^ pc >> 8) % CACHE];
    u8 b[8];
    if (pc && *known == pc)
        return true;
    if (!is_in_module(pc) || !read_bytes(pc - 8, b, sizeof b))
        return false;
    bool is = b[3] == 0xe8;
    for (u32 n = 2; n <= 7 && !is; n++)
        is = b[8 - n] == 0xff && (b[9 - n] >> 3 & 7) == 2;
    if (is)
        *known = pc;
    return is;
}

u64 hd_caller_search(const u64 *word, u32 n)
{
    while (n-- > 0)
        if (is_return(word[n]))
            return word[n];
    return 0;
}

u64 hd_caller_of(u16 tid)
{
    const struct hd_shm_thread *t = &hd_shm_threads(hd_rt.run)[tid];
    u32 depth = t->depth;
    u64 word[WORDS];
    if (!depth || depth > HD_SHM_FRAMES)
        return 0;
    u64 sp = hd_shm_frames(hd_rt.run, tid)[depth - 1].sp;
    if (!read_bytes(sp + 16 - sizeof word, word, sizeof word))
        return 0;
    return hd_caller_search(word, WORDS);
}

u32 hd_caller_stack(u64 *pc, u32 max, u64 site)
{
    u32 n = 0;
    pc[n++] = site;
    if (!hd_tls.info)
        return n;
    u64 caller = hd_caller_here(site);
    if (caller && caller != site && n < max)
        pc[n++] = caller;
    u32 depth = HD_MIN(hd_tls.info->depth, (u32)HD_SHM_FRAMES);
    while (depth && n < max)
        pc[n++] = hd_tls.frames[--depth].pc;
    return n;
}
