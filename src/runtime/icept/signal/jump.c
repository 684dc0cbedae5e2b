/* jump.c: longjmp and siglongjmp out of a signal handler. libc puts the
 * kernel's mask back; the scheduler's view of mask and interrupted operation is
 * put right here.
 *
 * The target's stack address is in the buffer, mangled by glibc: rotated by 17
 * and xored with a secret at %fs:0x30 (x86-64).
 */
#include "runtime/icept/signal/signals.h"

#include "runtime/icept/io/transfer.h"

#define JB_RSP 6

static u64 target_sp(const struct __jmp_buf_tag *env)
{
    u64 x = (u64)env->__jmpbuf[JB_RSP], secret;
    __asm__("mov %%fs:0x30, %0" : "=r"(secret));
    return (x >> 17 | x << 47) ^ secret;
}

HD_EXPORT _Noreturn void siglongjmp(struct __jmp_buf_tag env[1], int value)
{
    if (hd_on())
        hd_sig_jump(target_sp(env),
                    env->__mask_was_saved ? (const sigset_t *)&env->__saved_mask : NULL);
    HD_REAL(siglongjmp)(env, value);
    __builtin_unreachable();
}
HD_ALIAS(longjmp, siglongjmp);
HD_ALIAS(_longjmp, siglongjmp);
HD_EXPORT _Noreturn void __longjmp_chk(struct __jmp_buf_tag env[1], int value);
HD_ALIAS(__longjmp_chk, siglongjmp);
