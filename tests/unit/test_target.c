/* test_target.c: every kind of file that is no good target is refused with a
 * sentence that says so, and no damaged file makes the reader stumble. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rng.h"
#include "process/target.h"
#include "symbol/elf.h"

static char dir[] = "/tmp/heddle-target-XXXXXX";
static struct hd_error err;
static struct hd_target target;

static const char *at(const char *name)
{
    static char path[4][256];
    static int k;
    char *p = path[k++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", dir, name);
    return p;
}

static void put(const char *path, const void *data, size_t n, int mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, n), (ssize_t)n);
    close(fd);
    assert_int_equal(chmod(path, (mode_t)mode), 0);
}

/* The test program itself is a good target: the others are made from it. */
static u8 *own(size_t *n)
{
    struct stat st;
    int fd = open("/proc/self/exe", O_RDONLY);
    assert_int_equal(fstat(fd, &st), 0);
    u8 *p = malloc((size_t)st.st_size);
    *n = (size_t)read(fd, p, (size_t)st.st_size);
    assert_int_equal(*n, st.st_size);
    close(fd);
    return p;
}

static void refused(const char *name, int e, const char *part)
{
    err.text[0] = '\0';
    assert_int_equal(hd_target_open(&target, name, &err), e);
    if (!strstr(err.text, part))
        fail_msg("'%s' does not say '%s'", err.text, part);
}

#ifdef __SANITIZE_ADDRESS__
#define GOOD "/bin/sh" /* programs with AddressSanitizer are refused */
#else
#define GOOD "/proc/self/exe"
#endif

static void test_good(void **state)
{
    char real[4096], want[300];
    assert_int_equal(hd_target_open(&target, GOOD, &err), 0);
    assert_non_null(realpath(GOOD, real));
    assert_string_equal(target.path, real);
    assert_int_equal(target.instr, HD_INSTR_NONE);
    snprintf(want, sizeof want, "%s/libtsan.so.2", dir);
    assert_string_equal(target.runtime, want);
    u8 id[32];
    assert_true(target.build_id_len >= 8);
    assert_int_equal(hd_target_build_id(GOOD, id, sizeof id), target.build_id_len);
    assert_memory_equal(id, target.build_id, target.build_id_len);
    assert_int_equal(hd_target_open(&target, "sh", &err), 0);
    assert_int_equal(target.path[0], '/');
}

static void test_missing(void **state)
{
    refused("", -EINVAL, "name is empty");
    refused("./no-such-program", -ENOENT, "does not exist");
    refused("no-such-program-anywhere", -ENOENT, "in PATH");
    refused(dir, -EISDIR, "is a folder");
    refused("/dev/null", -EINVAL, "not a regular file");
    put(at("plain"), "x", 1, 0644);
    refused(at("plain"), -EACCES, "chmod +x");
    assert_int_equal(chdir(dir), 0);
    refused("plain", -ENOENT, "write ./plain");
}

static void test_not_elf(void **state)
{
    static const char script[] = "#!/bin/sh -e\nexec prog\n";
    static const char wrapper[] = "#! /bin/bash\n# prog - temporary wrapper script\n# by libtool\n";
    put(at("script"), script, sizeof script - 1, 0755);
    refused(at("script"), -ENOEXEC, "is a script (#!/bin/sh -e)");
    put(at("wrapper"), wrapper, sizeof wrapper - 1, 0755);
    refused(at("wrapper"), -ENOEXEC, ".libs/");
    put(at("text"), "hello", 5, 0755);
    refused(at("text"), -ENOEXEC, "no ELF header");
    put(at("empty"), "", 0, 0755);
    refused(at("empty"), -ENOEXEC, "no ELF header");
}

static void test_other_elf(void **state)
{
    size_t n;
    u8 *p = own(&n);
    Elf64_Ehdr *h = (Elf64_Ehdr *)p, keep = *h;
    Elf64_Phdr *ph = (Elf64_Phdr *)(p + h->e_phoff);
    const char *path = at("elf");
    h->e_ident[EI_CLASS] = ELFCLASS32;
    put(path, p, n, 0755);
    refused(path, -ENOEXEC, "32-bit");
    *h = keep;
    h->e_machine = EM_AARCH64;
    put(path, p, n, 0755);
    refused(path, -ENOEXEC, "another processor");
    *h = keep;
    h->e_type = ET_REL;
    put(path, p, n, 0755);
    refused(path, -ENOEXEC, "object file");
    *h = keep;
    put(path, p, 100, 0755);
    refused(path, -ENOEXEC, "damaged");
    for (int i = 0; i < h->e_phnum; i++)
        if (ph[i].p_type == PT_INTERP)
            ph[i].p_type = PT_NULL;
    put(path, p, n, 0755);
    refused(path, -ENOEXEC, "statically linked");
    for (int i = 0; i < h->e_phnum; i++)
        if (ph[i].p_type == PT_DYNAMIC)
            ph[i].p_type = PT_NULL;
    put(path, p, n, 0755);
    refused(path, -ENOEXEC, "shared library");
    free(p);
}

static void test_setuid(void **state)
{
    size_t n;
    u8 *p = own(&n);
    put(at("suid"), p, n, 04755);
    refused(at("suid"), -EPERM, "is setuid");
    put(at("suid"), p, n, 02755);
    refused(at("suid"), -EPERM, "setgid");
    free(p);
}

static int built(const char *compiler, const char *flags, const char *out)
{
    char cmd[512];
    snprintf(cmd, sizeof cmd,
             "echo 'int main(void) { return 0; }' | %s %s -x c - -o %s 2>/dev/null", compiler,
             flags, out);
    return system(cmd);
}

static void test_instrumented(void **state)
{
    char want[300];
    const char *path = at("prog");
    assert_int_equal(built("gcc", "-fsanitize=thread", path), 0);
    assert_int_equal(hd_target_open(&target, path, &err), 0);
    assert_int_equal(target.instr, HD_INSTR_GCC);
    snprintf(want, sizeof want, "%s/libtsan.so.", dir);
    assert_memory_equal(target.runtime, want, strlen(want));
    assert_int_equal(built("gcc", "-fsanitize=address", path), 0);
    refused(path, -ENOTSUP, "-fsanitize=address");
    if (system("command -v clang >/dev/null 2>&1"))
        return;
    if (!built("clang", "-fsanitize=thread", path))
        refused(path, -ENOTSUP, "-shared-libsan");
    if (!built("clang", "-fsanitize=thread -shared-libsan", path)) {
        assert_int_equal(hd_target_open(&target, path, &err), 0);
        assert_int_equal(target.instr, HD_INSTR_CLANG_SHARED);
    }
}

static void test_runtime_lookup(void **state)
{
    char out[512];
    setenv("HEDDLE_LIBDIR", "/nonexistent", 1);
    assert_int_equal(hd_target_runtime("libtsan.so.2", out, sizeof out, &err), -ENOENT);
    assert_non_null(strstr(err.text, "HEDDLE_LIBDIR"));
    char spaced[300];
    snprintf(spaced, sizeof spaced, "%s/with space", dir);
    assert_int_equal(mkdir(spaced, 0777), 0);
    put(at("with space/libtsan.so.2"), "x", 1, 0644);
    setenv("HEDDLE_LIBDIR", spaced, 1);
    assert_int_equal(hd_target_runtime("libtsan.so.2", out, sizeof out, &err), -ENOTSUP);
    assert_non_null(strstr(err.text, "space or colon"));
    setenv("HEDDLE_LIBDIR", dir, 1);
}

/* Headers and tables with random bytes: any answer will do, no crash. */
static void test_damaged(void **state)
{
    size_t n;
    u8 *p = own(&n), id[32];
    char name[64];
    struct hd_rng rng = hd_rng_make(7, 0, 0);
    for (int i = 0; i < 3000; i++) {
        u8 head[2048];
        memcpy(head, p, sizeof head);
        for (u64 k = 1 + hd_rng_below(&rng, 8); k; k--)
            p[hd_rng_below(&rng, i % 2 ? 1024 : 120)] = (u8)hd_rng_next(&rng);
        struct hd_elf e;
        hd_elf_init(&e, p, i % 3 ? n : hd_rng_below(&rng, n));
        if (hd_elf_kind(&e) >= HD_ELF_OBJECT) {
            hd_elf_needs(&e, "libtsan.so", name, sizeof name);
            hd_elf_build_id(&e, id, sizeof id);
            if (i % 64 == 0)
                hd_elf_defines(&e, "__tsan_init");
        }
        hd_elf_release(&e);
        memcpy(p, head, sizeof head);
    }
    struct hd_elf whole;
    hd_elf_init(&whole, p, n);
    assert_int_equal(hd_elf_kind(&whole), HD_ELF_DYNAMIC);
    assert_true(hd_elf_defines(&whole, "main"));
    assert_false(hd_elf_defines(&whole, "no_such_symbol_anywhere"));
    assert_true(hd_elf_needs(&whole, "libc.so", name, sizeof name));
    assert_string_equal(name, "libc.so.6");
    hd_elf_release(&whole);
    free(p);
}

static int setup(void **state)
{
    if (!mkdtemp(dir))
        return -1;
    static const char *const lib[] = {"libtsan.so.0", "libtsan.so.2", "libclang_rt.tsan.so",
                                      "libclang_rt.tsan-x86_64.so"};
    for (u32 i = 0; i < HD_COUNT(lib); i++)
        put(at(lib[i]), "x", 1, 0644);
    return setenv("HEDDLE_LIBDIR", dir, 1);
}

static int teardown(void **state)
{
    char cmd[128];
    snprintf(cmd, sizeof cmd, "rm -rf '%s'", dir);
    return chdir("/") || system(cmd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),         cmocka_unit_test(test_missing),
        cmocka_unit_test(test_not_elf),      cmocka_unit_test(test_other_elf),
        cmocka_unit_test(test_setuid),       cmocka_unit_test(test_instrumented),
        cmocka_unit_test(test_runtime_lookup), cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
