/* sys.h: raw system calls: no errno, no cancellation, no interceptor. Results
 * are the kernel's: negative errno on failure. */
#ifndef HD_SYS_H
#define HD_SYS_H

#include "base/base.h"
#include <sys/syscall.h>

/* The byte by which the kernel knows whose calls these are (dispatch.c): 1 where a thread's
 * own calls are to be handed to us, 0 while the runtime makes one. Weak: unit tests link
 * parts of the runtime. */
__attribute__((weak, tls_model("initial-exec"))) __thread u8 hd_sys_is_theirs;

HD_INLINE long hd_sys6(long n, long a, long b, long c, long d, long e, long f)
{
    long ret;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    u8 were = hd_sys_is_theirs;
    hd_sys_is_theirs = 0;
    __asm__ volatile("syscall"
                     : "=a"(ret)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    hd_sys_is_theirs = were;
    return ret;
}
#ifdef __clang_analyzer__
long hd_sys(long n, ...); /* so that it knows: the kernel writes where a pointer leads */
#else
#define hd_sys(n, ...) HD_SYS_PICK(__VA_ARGS__, 6, 5, 4, 3, 2, 1, 0)(n, __VA_ARGS__)
#define HD_SYS_PICK(a, b, c, d, e, f, N, ...) HD_SYS_##N
#define HD_SYS_1(n, a) hd_sys6(n, (long)(a), 0, 0, 0, 0, 0)
#define HD_SYS_2(n, a, b) hd_sys6(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define HD_SYS_3(n, a, b, c) hd_sys6(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define HD_SYS_4(n, a, b, c, d) hd_sys6(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define HD_SYS_5(n, a, b, c, d, e)                                                                 \
    hd_sys6(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define HD_SYS_6(n, a, b, c, d, e, f)                                                              \
    hd_sys6(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#endif

#endif
