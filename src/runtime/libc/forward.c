/* forward.c: exports that only go on to the real function, in its newest
 * version (why: forward.def). Each is a jump through a slot, like an entry of a
 * procedure linkage table: registers, stack and return address stay as they
 * are, so any signature passes. It works at any time: a slot begins at a stub
 * that resolves it.
 *
 *   name:  jmp *slot           slot -> stub:  r11 = &slot; jmp common
 *   common: keep the argument registers, hd_forward_resolve(&slot), jump there
 */
#include "runtime/core/rt.h"

#include "runtime/libc/sys.h"

struct hd_forward {
    void *target;
    const char *name;
};

__attribute__((used, visibility("hidden"))) void *hd_forward_resolve(struct hd_forward *f);
void *hd_forward_resolve(struct hd_forward *f)
{
    void *target = hd_real_late(f->name);
    if (!target) {
        hd_sys(SYS_write, 2, "heddle: no definition of ", 25);
        hd_sys(SYS_write, 2, f->name, hd_strlen(f->name));
        hd_sys(SYS_write, 2, "\n", 1);
        for (;;)
            hd_sys(SYS_exit_group, 99);
    }
    f->target = target;
    return target;
}

/* Kept: the six integer argument registers, rax (vector count of a variadic
 * call) and the eight vector ones. 56 + 128 bytes and the return address leave
 * the stack aligned for the call. */
__asm__(".text\n"
        "hd_forward_common:\n"
        "    push %rdi\n    push %rsi\n    push %rdx\n    push %rcx\n"
        "    push %r8\n    push %r9\n    push %rax\n"
        "    sub $128, %rsp\n"
        "    movups %xmm0, (%rsp)\n    movups %xmm1, 16(%rsp)\n"
        "    movups %xmm2, 32(%rsp)\n    movups %xmm3, 48(%rsp)\n"
        "    movups %xmm4, 64(%rsp)\n    movups %xmm5, 80(%rsp)\n"
        "    movups %xmm6, 96(%rsp)\n    movups %xmm7, 112(%rsp)\n"
        "    mov %r11, %rdi\n"
        "    call hd_forward_resolve\n"
        "    mov %rax, %r11\n"
        "    movups (%rsp), %xmm0\n    movups 16(%rsp), %xmm1\n"
        "    movups 32(%rsp), %xmm2\n    movups 48(%rsp), %xmm3\n"
        "    movups 64(%rsp), %xmm4\n    movups 80(%rsp), %xmm5\n"
        "    movups 96(%rsp), %xmm6\n    movups 112(%rsp), %xmm7\n"
        "    add $128, %rsp\n"
        "    pop %rax\n    pop %r9\n    pop %r8\n"
        "    pop %rcx\n    pop %rdx\n    pop %rsi\n    pop %rdi\n"
        "    jmp *%r11\n"
/* The entries, each with its struct hd_forward. */
#define HD_FORWARD(name)                                                                           \
    ".weak " #name "\n"                                                                            \
    ".type " #name ", @function\n" #name ":\n"                                                     \
    "    jmp *.Lslot_" #name "(%rip)\n"                                                            \
    ".size " #name ", .-" #name "\n"                                                               \
    ".Lstub_" #name ":\n"                                                                          \
    "    lea .Lslot_" #name "(%rip), %r11\n"                                                       \
    "    jmp hd_forward_common\n"                                                                  \
    ".pushsection .rodata.str1.1, \"aMS\", @progbits, 1\n"                                         \
    ".Lname_" #name ": .string \"" #name "\"\n"                                                    \
    ".popsection\n"                                                                                \
    ".pushsection .data.rel.local, \"aw\"\n"                                                       \
    ".balign 8\n"                                                                                  \
    ".Lslot_" #name ": .quad .Lstub_" #name ", .Lname_" #name "\n"                                 \
    ".popsection\n"
#include "runtime/libc/forward.def"
#undef HD_FORWARD
);

/* libtsan exports atexit, which otherwise comes from the static part of libc:
 * a program linked with libtsan has no other definition of it. */
int __cxa_atexit(void (*fn)(void *), void *arg, void *dso);
HD_EXPORT __attribute__((weak)) int atexit(void (*fn)(void))
{
    return __cxa_atexit((void (*)(void *))(void *)fn, NULL, NULL);
}
