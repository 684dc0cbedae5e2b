/* altstack.c: alternate signal stacks; see altstack.h. Every thread has one of the
 * runtime, so that a stack overflow can be reported. While the program has set its own,
 * the kernel knows that one instead, so SS_ONSTACK, EPERM and faults are as without us.
 * Handlers that run at scheduling points get there by a change of the stack pointer.
 */
#include "runtime/icept/signal/altstack.h"

#include "runtime/icept/io/io_result.h"
#include "runtime/icept/io/transfer.h"
#include "runtime/icept/string/string_access.h"
#include "runtime/libc/sys.h"
#include "runtime/libc/user_mem.h"

#define AUTODISARM (1u << 31) /* SS_AUTODISARM: none while a handler runs */

static __thread struct {
    stack_t own, user;
    bool has_user;
} alt __attribute__((tls_model("initial-exec")));

void hd_altstack_begin(void *stack, size_t bytes)
{
    alt.own = (stack_t){.ss_sp = stack, .ss_size = bytes};
    alt.has_user = false;
    hd_sys(SYS_sigaltstack, &alt.own, 0);
}

void hd_altstack_release(void)
{
    stack_t none = {.ss_flags = SS_DISABLE};
    if (!alt.has_user)
        hd_sys(SYS_sigaltstack, &none, 0);
}

bool hd_altstack_has(u64 sp)
{
    return alt.has_user && sp - (u64)alt.user.ss_sp < alt.user.ss_size;
}

HD_EXPORT int sigaltstack(const stack_t *restrict ss, stack_t *restrict old)
{
    if (!hd_on())
        return HD_REAL(sigaltstack)(ss, old);
    stack_t wanted = {.ss_flags = SS_DISABLE}, before = {0};
    if (ss && !hd_user_read(&wanted, ss, sizeof wanted))
        return (int)hd_fail(EFAULT);
    bool is_off = (u32)wanted.ss_flags == SS_DISABLE;
    long err = hd_sys(SYS_sigaltstack, !ss ? 0 : is_off ? &alt.own : &wanted, &before);
    if (err < 0)
        return (int)hd_fail((int)-err);
    if (!alt.has_user)
        before = (stack_t){.ss_flags = SS_DISABLE};
    if (ss) {
        alt.has_user = !is_off;
        alt.user = wanted;
    }
    if (old)
        hd_writes(old, sizeof *old, HD_SITE());
    return old && !hd_user_write(old, &before, sizeof before) ? (int)hd_fail(EFAULT) : 0;
}

/* handler(signo, info, context) on the stack that ends at `top`. Unwinding finds its way
 * back by the frame pointer. */
__asm__(".text\n"
        ".type hd_altstack_switch, @function\n"
        "hd_altstack_switch:\n"
        "    .cfi_startproc\n"
        "    push %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset %rbp, -16\n"
        "    mov %rsp, %rbp\n"
        "    .cfi_def_cfa_register %rbp\n"
        "    mov %r8, %rsp\n"
        "    mov %rdi, %rax\n"
        "    mov %esi, %edi\n"
        "    mov %rdx, %rsi\n"
        "    mov %rcx, %rdx\n"
        "    call *%rax\n"
        "    leave\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size hd_altstack_switch, .-hd_altstack_switch\n");
extern void hd_altstack_switch(void (*handler)(int, siginfo_t *, void *), int signo,
                               siginfo_t *info, void *context, u64 top)
    __attribute__((visibility("hidden")));

void hd_altstack_call(void (*handler)(int, siginfo_t *, void *), u64 flags, int signo,
                      siginfo_t *info, void *context)
{
    if (!(flags & SA_ONSTACK) || !alt.has_user || hd_altstack_has((u64)__builtin_frame_address(0))) {
        handler(signo, info, context);
        return;
    }
    stack_t user = alt.user;
    bool is_disarmed = (u32)user.ss_flags & AUTODISARM;
    if (is_disarmed) {
        alt.has_user = false;
        hd_sys(SYS_sigaltstack, &alt.own, 0);
    }
    hd_altstack_switch(handler, signo, info, context,
                       ((u64)user.ss_sp + user.ss_size) & ~(u64)15);
    if (is_disarmed) {
        alt.has_user = true;
        alt.user = user;
        hd_sys(SYS_sigaltstack, &user, 0);
    }
}
