/* test_asm.c: runtime/asm: instructions are as long as capstone says, functions are found, and in
 * them what was written in assembly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/asm/find.h"
#include "runtime/asm/functions.h"
#include "version/capstone.h"

/* ---- against capstone, on all the code of this process ------------------------------- */

static struct {
    struct hd_capstone cs;
    u64 functions, unreadable, instructions, wrong;
} seen;

static void compare(const u8 *start, const u8 *end, void *arg)
{
    const u8 *p = start;
    struct hd_insn in;
    seen.functions++;
    while (p < end) {
        const u8 *code = p;
        size_t left = (size_t)(end - p);
        uint64_t at = (uint64_t)(uintptr_t)p;
        bool is_known = seen.cs.disasm_iter(seen.cs.machine, &code, &left, &at, seen.cs.in);
        bool is_ours = hd_insn_decode(p, end, &in);
        if (!is_known || !is_ours) {
            seen.unreadable++;
            return;
        }
        seen.instructions++;
        if (in.len != seen.cs.in->size) {
            seen.wrong++;
            print_message("%s %s: %d, not %d\n", seen.cs.in->mnemonic, seen.cs.in->op_str, in.len,
                          seen.cs.in->size);
            return;
        }
        p += in.len;
    }
}

static int each_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    hd_functions_each(info, compare, NULL);
    return 0;
}

static void lengths(void **state)
{
    assert_int_equal(hd_capstone_open(&seen.cs), 0);
    dl_iterate_phdr(each_module, NULL);
    hd_capstone_close(&seen.cs);
    assert_in_range(seen.functions, 5000, UINT64_MAX);
    assert_in_range(seen.instructions, 500000, UINT64_MAX);
    assert_int_equal(seen.wrong, 0);
    assert_in_range(seen.unreadable, 0, seen.functions / 100); /* code of the system, new instructions */
}

/* No instruction is read beyond the end. */
static void ends(void **state)
{
    static const u8 code[] = {0xf0, 0x48, 0x0f, 0xb1, 0x8c, 0x94, 1, 2, 3, 4}; /* lock cmpxchg */
    struct hd_insn in;
    for (size_t n = 0; n < sizeof code; n++)
        assert_false(hd_insn_decode(code, code + n, &in));
    assert_true(hd_insn_decode(code, code + sizeof code, &in));
    assert_int_equal(in.len, sizeof code);
    assert_int_equal(hd_insn_base(&in), HD_RSP);
    assert_int_equal(hd_insn_index(&in), 2);
    assert_int_equal(hd_insn_reg(&in), 1);
    assert_int_equal(in.offset, 0x04030201);
}

/* ---- what is found --------------------------------------------------------------------- */

/* Each is a function of its own: name, instructions. */
#define CODE(name, text)                                                                           \
    __asm__(".pushsection .text\n.globl test_" #name "\ntest_" #name ":\n" text                    \
            "\nret\n.globl test_" #name "_end\ntest_" #name "_end:\n.popsection");                 \
    extern const u8 test_##name[], test_##name##_end[]

struct found {
    u32 updates, waits, size;
};

static void note(enum hd_asm_kind kind, const u8 *at, const struct hd_insn *in, void *arg)
{
    struct found *f = arg;
    if (kind == HD_ASM_WAIT) {
        f->waits++;
        return;
    }
    f->updates++;
    f->size = hd_asm_size(in);
}

static struct found look(const u8 *start, const u8 *end)
{
    struct found f = {0, 0, 0};
    hd_asm_find(start, end, true, note, &f);
    return f;
}
#define LOOK(name) look(test_##name, test_##name##_end)
#define EXPECT_UPDATE(name, bytes)                                                                 \
    do {                                                                                           \
        struct found f = LOOK(name);                                                               \
        assert_int_equal(f.updates, 1);                                                            \
        assert_int_equal(f.size, bytes);                                                           \
    } while (0)
#define EXPECT_NOTHING(name) assert_int_equal(LOOK(name).updates + LOOK(name).waits, 0)

CODE(xchg1, "xchgb %al, (%rdi)");
CODE(xchg2, "xchgw %ax, 8(%rdi)");
CODE(xchg4, "xchgl %eax, test_xchg1(%rip)");
CODE(xchg8, "xchgq %r9, (%r8,%rcx,4)");
CODE(cas4, "lock cmpxchgl %edx, (%rdi)");
CODE(cas1, "lock cmpxchgb %dl, (%rdi)");
CODE(cas8b, "lock cmpxchg8b (%rdi)");
CODE(cas16b, "lock cmpxchg16b (%rdi)");
CODE(xadd, "lock xaddl %eax, (%rdi)");
CODE(inc, "lock incq (%rdi)");
CODE(dec, "lock decb (%rdi)");
CODE(add, "lock addl $1, 1000(%rdi)");
CODE(add_word, "lock addw $300, (%rdi)");
CODE(or_reg, "lock orq %rax, (%rdi)");
CODE(not, "lock notl (%rdi)");
CODE(bts, "lock btsl %eax, (%rdi)");
CODE(btr, "lock btrq $3, (%rdi)");

static void updates(void **state)
{
    EXPECT_UPDATE(xchg1, 1);
    EXPECT_UPDATE(xchg2, 2);
    EXPECT_UPDATE(xchg4, 4);
    EXPECT_UPDATE(xchg8, 8);
    EXPECT_UPDATE(cas4, 4);
    EXPECT_UPDATE(cas1, 1);
    EXPECT_UPDATE(cas8b, 8);
    EXPECT_UPDATE(cas16b, 16);
    EXPECT_UPDATE(xadd, 4);
    EXPECT_UPDATE(inc, 8);
    EXPECT_UPDATE(dec, 1);
    EXPECT_UPDATE(add, 4);
    EXPECT_UPDATE(add_word, 2);
    EXPECT_UPDATE(or_reg, 8);
    EXPECT_UPDATE(not, 4);
    EXPECT_UPDATE(bts, 4);
    EXPECT_UPDATE(btr, 8);
}

CODE(barrier, "lock orl $0, (%rsp)");
CODE(of_thread, "lock incl %fs:(%rdi)");
CODE(registers, "xchgq %rax, %rbx");
CODE(not_locked, "incl (%rdi)");
CODE(in_a_number, "movl $0x0087f0f0, %eax");
CODE(around_prefix, "testl %eax, %eax\nje 1f\n.byte 0xf0\n1: cmpxchgl %edx, (%rdi)");
CODE(not_code, "lock incl (%rdi)\n.byte 0x06, 0x06"); /* no instruction in 64-bit mode */

static void left_alone(void **state)
{
    EXPECT_NOTHING(barrier);
    EXPECT_NOTHING(of_thread);
    EXPECT_NOTHING(registers);
    EXPECT_NOTHING(not_locked);
    EXPECT_NOTHING(in_a_number);
    EXPECT_NOTHING(around_prefix);
    EXPECT_NOTHING(not_code);
}

CODE(waits, "1: pause\nmovl (%rdi), %eax\ntestl %eax, %eax\njne 1b");
CODE(waits_for_static, "1: cmpl $0, test_xchg1(%rip)\njne 2f\npause\njmp 1b\n2:");
CODE(waits_in_frame, "1: pause\nmovl 16(%rsp), %eax\ncmpl $1, %eax\nje 1b"); /* a node of a queue */
CODE(alone, "pause");
CODE(calls, "1: pause\ncall test_alone\njne 1b");
CODE(delays, "movl $100, %ecx\n1: pause\ndecl %ecx\njne 1b");
CODE(counts_in_frame, "1: pause\ndecl -4(%rbp)\njne 1b");
CODE(inner_delays, "2: movl $100, %ecx\n1: pause\ndecl %ecx\njne 1b\ncmpl $0, (%rdi)\njne 2b");

static void waiting(void **state)
{
    assert_int_equal(LOOK(waits).waits, 1);
    assert_int_equal(LOOK(waits_for_static).waits, 1);
    assert_int_equal(LOOK(waits_in_frame).waits, 1);
    assert_int_equal(LOOK(alone).waits, 1); /* the loop may be in its caller */
    assert_int_equal(LOOK(calls).waits, 1);
    EXPECT_NOTHING(delays);
    EXPECT_NOTHING(counts_in_frame);
    EXPECT_NOTHING(inner_delays);
}

/* In a library that was not instrumented. */
static void only_waiting(void **state)
{
    struct found f = {0, 0, 0};
    hd_asm_find(test_waits, test_waits_end, false, note, &f);
    hd_asm_find(test_cas4, test_cas4_end, false, note, &f);
    assert_int_equal(f.waits, 1);
    assert_int_equal(f.updates, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths), cmocka_unit_test(ends),    cmocka_unit_test(updates),
        cmocka_unit_test(left_alone), cmocka_unit_test(waiting),
        cmocka_unit_test(only_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
