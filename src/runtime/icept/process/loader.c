/* loader.c: dlopen and its kin, which run code of the program (constructors,
 * destructors, callbacks) under the loader's lock. It is modelled (libc_lock.h) for
 * the time of each call that could hold it so, or would have to wait for it.
 *
 * dlopen looks for names without a slash along the run path of its caller; such a call
 * is passed on as it is, by a jump. dlsym is not taken over, since what it gives may
 * depend on its caller, too: it may wait in the kernel, which the watchdog notices.
 */
#include "runtime/libc/libc_lock.h"

#include <dlfcn.h>
#include <link.h>

#include "runtime/filter/site.h"

void *hd_real_dlopen;
__attribute__((visibility("hidden"))) bool hd_dlopen_is_plain(const char *path, u64 caller);
__attribute__((visibility("hidden"))) void *hd_dlopen(const char *path, int mode);

/* dlopen(path, mode): hd_dlopen, or the real one as if called from here. */
__asm__(".globl dlopen\n\t.type dlopen,@function\n"
        "dlopen:\n"
        "    push %rdi\n    push %rsi\n    mov 16(%rsp), %rsi\n    sub $8, %rsp\n"
        "    call hd_dlopen_is_plain\n"
        "    add $8, %rsp\n    pop %rsi\n    pop %rdi\n"
        "    test %al, %al\n    jnz hd_dlopen\n"
        "    jmp *hd_real_dlopen(%rip)\n"
        ".size dlopen,.-dlopen\n");

#define HELD(call)                                                                                 \
    ({                                                                                             \
        struct hd_libc_hold hold_;                                                                 \
        hd_libc_hold(&hold_, (u64)&hd_loader_key, HD_SITE());                                      \
        __typeof__(call) value_ = (call);                                                          \
        hd_libc_give(&hold_);                                                                      \
        value_;                                                                                    \
    })

/* Does the object around `addr` say where to look for others? */
static bool has_run_path(u64 addr)
{
    Dl_info info;
    struct link_map *map = NULL;
    if (!HD_REAL(dladdr1)((void *)addr, &info, (void **)&map, RTLD_DL_LINKMAP) || !map || !map->l_ld)
        return true;
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_RPATH || d->d_tag == DT_RUNPATH)
            return true;
    return false;
}

bool hd_dlopen_is_plain(const char *path, u64 caller)
{
    if (!hd_on())
        return false;
    bool has_slash = !path || !*path;
    for (const char *p = path; p && *p; p++) {
        has_slash |= *p == '/';
        if (*p == '$') /* $ORIGIN is the caller's */
            return false;
    }
    /* Asked while nobody else has the lock, or it would be asked in vain. */
    return has_slash || !HELD(has_run_path(caller));
}

void *hd_dlopen(const char *path, int mode)
{
    void *(*real)(const char *, int) = hd_real_dlopen;
    return HELD(real(path, mode));
}

HD_EXPORT int dlclose(void *handle)
{
    hd_site_look_again(); /* calls that were patched out may be in what goes away */
    return HELD(HD_REAL(dlclose)(handle));
}

HD_EXPORT int dl_iterate_phdr(int (*each)(struct dl_phdr_info *, size_t, void *), void *arg)
{
    if (!hd_on()) /* also the runtime's own */
        return HD_REAL(dl_iterate_phdr)(each, arg);
    struct hd_libc_hold outer, h;
    hd_libc_hold(&outer, (u64)&hd_loader_key, HD_SITE());
    hd_libc_hold(&h, (u64)&hd_phdr_key, HD_SITE());
    int r = HD_REAL(dl_iterate_phdr)(each, arg);
    hd_libc_give(&h);
    hd_libc_give(&outer);
    return r;
}

HD_EXPORT int dladdr(const void *addr, Dl_info *info) { return HELD(HD_REAL(dladdr)(addr, info)); }

HD_EXPORT int dladdr1(const void *addr, Dl_info *info, void **extra, int flags)
{
    return HELD(HD_REAL(dladdr1)(addr, info, extra, flags));
}

__attribute__((constructor(101))) static void find_real(void)
{
    hd_real_dlopen = dlsym(RTLD_NEXT, "dlopen");
}
