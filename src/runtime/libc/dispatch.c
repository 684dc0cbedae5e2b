/* dispatch.c: futex calls that pass no function of libc, so that no interceptor meets them:
 * the barriers and locks of OpenMP (libgomp), locks in assembly. The kernel hands them to us
 * (syscall user dispatch, Linux 5.11; needs no right): a thread that makes a call outside
 * libc and this runtime gets SIGSYS, and the handler serves it as syscall() does.
 *
 *   exempt   libc, as the one range the kernel knows; this runtime, which sets the byte
 *            hd_sys_is_theirs to 0 around its calls (sys.h)
 *   passed   calls of the dynamic loader and of the kernel's own page, as they are
 *   left     calls that make or end a thread or process: they are made again by the caller
 *            itself, which is left to the kernel from then on
 *
 * Only in programs with such code, found by its bytes: an immediate SYS_futex and a
 * syscall instruction shortly after it. Where the kernel has no such service, threads in
 * the kernel are noticed by time, as before.
 */
#include "runtime/libc/dispatch.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include "runtime/libc/sys.h"
#include "runtime/libc/syscall.h"

#define SET_DISPATCH 59 /* PR_SET_SYSCALL_USER_DISPATCH and its values: newer than some headers */
#define DISPATCH_ON 1
#define DISPATCHED 2    /* si_code */
#define WINDOW 256      /* bytes from the immediate to the instruction */

struct range {
    u64 start, end;
};
static struct range libc, loader, kernels; /* the last: the page it gives to all */
static bool is_needed;

static bool is_in(const struct range *r, u64 at) { return at - r->start < r->end - r->start; }

/* mov $SYS_futex, %reg and, not far behind, syscall. */
static bool has_futex_call(const u8 *p, u64 n)
{
    for (u64 i = 0; i + 5 <= n; i++) {
        if ((p[i] & 0xf8) != 0xb8 || p[i + 1] != SYS_futex || p[i + 2] || p[i + 3] || p[i + 4])
            continue;
        for (u64 k = i + 5; k + 2 <= n && k < i + 5 + WINDOW; k++)
            if (p[k] == 0x0f && p[k + 1] == 0x05)
                return true;
    }
    return false;
}

static struct range range_of(const struct dl_phdr_info *info)
{
    struct range r = {~(u64)0, 0};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        u64 at = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD)
            continue;
        r.start = HD_MIN(r.start, at);
        r.end = HD_MAX(r.end, at + p->p_memsz);
    }
    return r;
}

static int each_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct range r = range_of(info);
    if (is_in(&r, (u64)HD_REAL(on_exit)))
        libc = r;
    else if (info->dlpi_addr && info->dlpi_addr == getauxval(AT_BASE))
        loader = r;
    else if (r.start == getauxval(AT_SYSINFO_EHDR))
        kernels = r;
    else if (!is_in(&r, (u64)each_module))
        for (int i = 0; i < info->dlpi_phnum && !is_needed; i++) {
            const ElfW(Phdr) *p = &info->dlpi_phdr[i];
            if (p->p_type == PT_LOAD && (p->p_flags & PF_X))
                is_needed = has_futex_call((const u8 *)(info->dlpi_addr + p->p_vaddr), p->p_filesz);
        }
    return 0;
}

void hd_dispatch_find(void)
{
    hd_tls.inside++;
    dl_iterate_phdr(each_module, NULL);
    hd_tls.inside--;
}

void hd_dispatch_thread(void)
{
    if (HD_LIKELY(!is_needed) || !libc.end)
        return;
    if (!hd_sys(SYS_prctl, SET_DISPATCH, DISPATCH_ON, libc.start, libc.end - libc.start,
                &hd_sys_is_theirs))
        hd_sys_is_theirs = 1;
}

/* Calls that do not come back to where they were made, or do so twice. */
static bool is_left(long number)
{
    switch (number) {
    case SYS_clone:
    case SYS_clone3:
    case SYS_fork:
    case SYS_vfork:
    case SYS_execve:
    case SYS_execveat:
    case SYS_exit:
    case SYS_exit_group:
    case SYS_rt_sigreturn:
        return true;
    default:
        return false;
    }
}

bool hd_dispatch_take(const siginfo_t *info, ucontext_t *uc)
{
    greg_t *g = uc->uc_mcontext.gregs;
    if (info->si_code != DISPATCHED)
        return false;
    u64 at = (u64)g[REG_RIP]; /* behind the instruction, which has two bytes */
    long number = info->si_syscall;
    long a[6] = {g[REG_RDI], g[REG_RSI], g[REG_RDX], g[REG_R10], g[REG_R8], g[REG_R9]};
    if (is_left(number)) {
        hd_sys_is_theirs = 0;
        g[REG_RAX] = number;
        g[REG_RIP] -= 2;
        return true;
    }
    bool is_passed = is_in(&loader, at) || is_in(&kernels, at);
    if (is_passed || !hd_on() || !hd_syscall_serve(number, a, at, &g[REG_RAX]))
        g[REG_RAX] = hd_sys6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    return true;
}
