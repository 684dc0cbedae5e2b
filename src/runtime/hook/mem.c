/* mem.c: the compiler's calls before each access to memory that may be
 * shared. Each is a handful of instructions for a quiet site (site.h); the
 * table below is all there is. */
#include "runtime/filter/patch.h"
#include "runtime/filter/site.h"

#define HOOK(name, size, is_write)                                                                 \
    HD_EXPORT HD_PATCHABLE void __tsan_##name(void *addr);                                         \
    HD_EXPORT void __tsan_##name(void *addr)                                                       \
    {                                                                                              \
        hd_site_access((u64)addr, size, is_write, HD_SITE());                                      \
    }
#define HOOK_PC(name, size, is_write)                                                              \
    HD_EXPORT void __tsan_##name##_pc(void *addr, void *pc);                                       \
    HD_EXPORT void __tsan_##name##_pc(void *addr, void *pc)                                        \
    {                                                                                              \
        hd_site_access((u64)addr, size, is_write, (u64)pc);                                        \
    }
/* A read and a write of the same place in one call (clang's compound form). */
#define HOOK_BOTH(name, size)                                                                      \
    HD_EXPORT HD_PATCHABLE void __tsan_##name(void *addr);                                         \
    HD_EXPORT void __tsan_##name(void *addr)                                                       \
    {                                                                                              \
        struct hd_site *s = hd_site_first(HD_SITE());                                              \
        if (!hd_site_is_quiet(s, HD_SITE()))                                                       \
            hd_site_slow_both((u64)addr, size, HD_SITE(), s);                                      \
    }
#define HOOKS_OF_SIZE(size)                                                                        \
    HOOK(read##size, size, false)                                                                  \
    HOOK(write##size, size, true)                                                                  \
    HOOK_PC(read##size, size, false)                                                               \
    HOOK_PC(write##size, size, true)                                                               \
    HOOK(volatile_read##size, size, false)                                                         \
    HOOK(volatile_write##size, size, true)                                                         \
    HOOK(unaligned_read##size, size, false)                                                        \
    HOOK(unaligned_write##size, size, true)                                                        \
    HOOK(unaligned_volatile_read##size, size, false)                                               \
    HOOK(unaligned_volatile_write##size, size, true)                                               \
    HOOK_BOTH(read_write##size, size)                                                              \
    HOOK_BOTH(unaligned_read_write##size, size)

HOOKS_OF_SIZE(1)
HOOKS_OF_SIZE(2)
HOOKS_OF_SIZE(4)
HOOKS_OF_SIZE(8)
HOOKS_OF_SIZE(16)

#define HOOK_RANGE(name, is_write)                                                                 \
    HD_EXPORT HD_PATCHABLE void __tsan_##name(void *addr, unsigned long size);                     \
    HD_EXPORT void __tsan_##name(void *addr, unsigned long size)                                   \
    {                                                                                              \
        hd_access(addr, size, is_write, HD_SITE());                                                \
    }                                                                                              \
    HD_EXPORT void __tsan_##name##_pc(void *addr, unsigned long size, void *pc);                   \
    HD_EXPORT void __tsan_##name##_pc(void *addr, unsigned long size, void *pc)                    \
    {                                                                                              \
        hd_access(addr, size, is_write, (u64)pc);                                                  \
    }

HOOK_RANGE(read_range, false)
HOOK_RANGE(write_range, true)

HD_EXPORT HD_PATCHABLE void __tsan_vptr_update(void **at, void *value);
HD_EXPORT void __tsan_vptr_update(void **at, void *value)
{
    /* Constructors of one class store the same pointer again: not a change. */
    if (*at != value)
        hd_site_access((u64)at, sizeof *at, true, HD_SITE());
}

HD_EXPORT HD_PATCHABLE void __tsan_vptr_read(void **at);
HD_EXPORT void __tsan_vptr_read(void **at)
{
    hd_site_access((u64)at, sizeof *at, false, HD_SITE());
}
