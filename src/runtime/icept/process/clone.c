/* clone.c: clone() and its raw system call.
 *
 * A child with memory of its own is one like fork's. A child that shares ours must
 * find a runtime that passes everything through, and must not disturb the parent's:
 * `inside` is in thread-local storage, which the two share as well. With CLONE_VFORK
 * the parent stands still meanwhile; else the child gets a copy of that storage.
 */
#include "runtime/icept/process/process.h"

#include <asm/prctl.h>

#include "runtime/icept/process/child.h"
#include "runtime/core/gate.h"
#include "runtime/icept/signal/signals.h"
#include "runtime/libc/sys.h"
#include "runtime/icept/io/transfer.h"
#include "runtime/libc/user_mem.h"

#define TCB_BYTES 4096 /* above the thread pointer: more than any glibc has */

struct start {
    int (*fn)(void *);
    void *arg;
    u64 mask;
    u64 thread_pointer; /* of the copy; 0 = the parent's is used */
};

/* ---- thread-local storage ---------------------------------------------------- */

HD_INLINE u64 thread_pointer(void)
{
    u64 at;
    __asm__("mov %%fs:0, %0" : "=r"(at));
    return at;
}

/* Bytes of static storage below the thread pointer: modules' blocks end there. */
static int add_tls(struct dl_phdr_info *info, size_t size, void *arg)
{
    u64 here = thread_pointer(), *bytes = arg, at = (u64)info->dlpi_tls_data;
    if (info->dlpi_tls_modid && at && at < here && here - at < (16u << 20))
        *bytes = HD_MAX(*bytes, here - at);
    return 0;
}

/* A thread pointer whose storage is a copy of the caller's, or 0. */
static u64 copy_tls(void)
{
    u64 below = 0, here = thread_pointer();
    dl_iterate_phdr(add_tls, &below);
    below = HD_ALIGN_UP(below, 4096);
    long at = hd_sys(SYS_mmap, 0, below + TCB_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at < 0 && at > -4096)
        return 0;
    u64 copy = (u64)at + below;
    struct iovec to = {(void *)at, below + TCB_BYTES}, from = {(void *)(here - below), to.iov_len};
    /* By the kernel: what lies beyond the end of a mapping is left out. */
    long n = hd_sys(SYS_process_vm_readv, hd_sys(SYS_getpid, 0), &to, 1, &from, 1, 0);
    if (n < (long)below + 1024)
        return 0;
    ((u64 *)copy)[0] = copy; /* tcb and self of tcbhead_t */
    ((u64 *)copy)[2] = copy;
    struct hd_tls *tls = (struct hd_tls *)((u64)&hd_tls - here + copy);
    tls->inside = 1; /* for good: nothing of the child is controlled */
    tls->is_known = false;
    return copy;
}

static int child_main(void *arg)
{
    const struct start s = *(const struct start *)arg;
    if (s.thread_pointer)
        hd_sys(SYS_arch_prctl, ARCH_SET_FS, s.thread_pointer);
    hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &s.mask, 0, 8);
    return s.fn(s.arg);
}

/* ---- the call ------------------------------------------------------------------- */

static int own_memory(void *arg)
{
    const struct start s = *(const struct start *)arg;
    hd_process_release_child();
    return s.fn(s.arg);
}

HD_EXPORT int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...)
{
    va_list ap;
    va_start(ap, arg);
    pid_t *parent_tid = va_arg(ap, pid_t *);
    void *tls = va_arg(ap, void *);
    pid_t *child_tid = va_arg(ap, pid_t *);
    va_end(ap);
    if (!hd_on())
        return HD_REAL(clone)(fn, stack, flags, arg, parent_tid, tls, child_tid);
    struct hd_child_call o;
    hd_child_call_begin(&o, "clone", HD_SITE());
    hd_child_call_end(&o);
    int r;
    if (!(flags & CLONE_VM)) {
        struct start s = {fn, arg, 0, 0};
        hd_process_hold_signals();
        r = HD_REAL(clone)(own_memory, stack, flags, &s, parent_tid, tls, child_tid);
        hd_process_let_signals();
        hd_child_made(r);
        return r;
    }
    struct start *s = hd_arena_alloc(NULL, sizeof *s); /* outlives this call */
    *s = (struct start){fn, arg, hd_sig_mask(), 0};
    if (flags & CLONE_SETTLS) /* a thread of another library: its storage is its own affair */
        return HD_REAL(clone)(fn, stack, flags, arg, parent_tid, tls, child_tid);
    if (!(flags & CLONE_VFORK))
        s->thread_pointer = copy_tls();
    hd_tls.inside++;
    r = HD_REAL(clone)(child_main, stack, flags, s, parent_tid, tls, child_tid);
    hd_tls.inside--;
    if (!(flags & CLONE_THREAD))
        hd_child_made(r);
    return r;
}
HD_ALIAS(__clone, clone);

long hd_process_clone(long number, const long a[6], u64 site)
{
    u64 flags = (u64)a[0], stack = (u64)a[1];
    if (number == SYS_clone3) {
        struct clone_args { u64 flags, pidfd, child_tid, parent_tid, exit_signal, stack; } args;
        if ((u64)a[1] < sizeof args || !hd_user_read(&args, (void *)a[0], sizeof args))
            return hd_sys(number, a[0], a[1], a[2], a[3], a[4], a[5]); /* says what is wrong */
        flags = args.flags;
        stack = args.stack;
    }
    struct hd_child_call o;
    hd_child_call_begin(&o, "clone", site);
    hd_child_call_end(&o);
    if (stack || (flags & CLONE_VM)) { /* it returns where only its maker knows */
        if (flags & CLONE_VFORK && !stack)
            return hd_process_vfork();
        hd_tls.inside += !!(flags & CLONE_VFORK);
        long r = HD_REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
        hd_tls.inside -= !!(flags & CLONE_VFORK);
        return r < 0 ? -errno : r;
    }
    hd_process_hold_signals();
    long r = hd_sys(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (r == 0)
        hd_process_release_child();
    else
        hd_process_let_signals();
    if (r > 0)
        hd_child_made((pid_t)r);
    return r;
}
