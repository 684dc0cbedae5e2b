/* target.c: is this a program Heddle can take over? Everything that would make
 * the loader ignore or refuse our library is found here, before anything runs,
 * and said in one sentence with what to do about it. */
#include "process/target.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "symbol/elf.h"

/* ---- finding the file ------------------------------------------------------ */

static bool is_program(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

static bool in_path(const char *name, char *out, size_t size)
{
    const char *dirs = getenv("PATH");
    for (const char *d = dirs ? dirs : "/usr/local/bin:/usr/bin:/bin"; d;) {
        const char *end = strchrnul(d, ':');
        int n = snprintf(out, size, "%.*s%s%s", (int)(end - d), d, end > d ? "/" : "./", name);
        if (n > 0 && (size_t)n < size && is_program(out))
            return true;
        d = *end ? end + 1 : NULL;
    }
    return false;
}

static int find(struct hd_target *t, const char *name, struct hd_error *err)
{
    char found[PATH_MAX];
    struct stat st;
    if (!*name)
        return hd_error_set(err, -EINVAL, "the program name is empty: give a program after --");
    if (!strchr(name, '/')) {
        if (!stat(name, &st) && S_ISDIR(st.st_mode))
            return hd_error_set(err, -EISDIR, "%s is a folder: give the program in it", name);
        if (!in_path(name, found, sizeof found))
            return access(name, F_OK)
                       ? hd_error_set(err, -ENOENT, "there is no program '%s' in PATH", name)
                       : hd_error_set(
                             err, -ENOENT,
                             "there is no program '%s' in PATH: for the file in this folder "
                             "write ./%s",
                             name, name);
    } else if (snprintf(found, sizeof found, "%s", name) >= (int)sizeof found) {
        return hd_error_set(err, -ENAMETOOLONG, "the program's path is too long");
    }
    char real[PATH_MAX];
    if (stat(found, &st) || !realpath(found, real)) {
        int e = errno;
        if (e == ENOENT || e == ENOTDIR)
            return hd_error_set(err, -e, "%s does not exist: build it, or check the path", name);
        return hd_error_set(err, -e, "cannot use %s: %s", name, strerror(e));
    }
    if (S_ISDIR(st.st_mode))
        return hd_error_set(err, -EISDIR, "%s is a folder: give the program in it", name);
    if (!S_ISREG(st.st_mode))
        return hd_error_set(err, -EINVAL, "%s is not a regular file: give a program", name);
    if (!(st.st_mode & 0111) || access(real, X_OK))
        return hd_error_set(err, -EACCES, "%s is not executable: chmod +x it, or give the program",
                            name);
    size_t size = strlen(real) + 1;
    if (size > sizeof t->path)
        return hd_error_set(err, -ENAMETOOLONG, "the path of %s is too long: move it", name);
    memcpy(t->path, real, size);
    if ((st.st_mode & (S_ISUID | S_ISGID)) ||
        getxattr(real, "security.capability", NULL, 0) > 0)
        return hd_error_set(err, -EPERM,
                            "%s is setuid, setgid or has file capabilities, so the loader ignores "
                            "Heddle's library: test a plain copy of it (cp %s ./copy)",
                            name, name);
    return 0;
}

/* ---- looking into it --------------------------------------------------------- */

static int refuse_script(const struct hd_elf *e, const char *name, struct hd_error *err)
{
    const u8 *end = memchr(e->data, '\n', HD_MIN(e->size, (size_t)80));
    int n = (int)(end ? (size_t)(end - e->data) : HD_MIN(e->size, (size_t)40));
    bool is_libtool = memmem(e->data, HD_MIN(e->size, (size_t)4096), "libtool", 7);
    return hd_error_set(err, -ENOEXEC, "%s is a script (%.*s): give the program it starts%s", name,
                        n, (const char *)e->data, is_libtool ? ", here the one in .libs/" : "");
}

static int inspect(struct hd_target *t, const struct hd_elf *e, const char *name,
                       struct hd_error *err)
{
    char lib[64];
    switch (hd_elf_kind(e)) {
    case HD_ELF_NOT:
        if (e->size > 2 && e->data[0] == '#' && e->data[1] == '!')
            return refuse_script(e, name, err);
        return hd_error_set(err, -ENOEXEC,
                            "%s is not a program (no ELF header): give the "
                            "executable the compiler made",
                            name);
    case HD_ELF_BROKEN:
        return hd_error_set(err, -ENOEXEC, "%s is a damaged program file: build it again", name);
    case HD_ELF_32:
        return hd_error_set(err, -ENOEXEC,
                            "%s is a 32-bit program, Heddle tests 64-bit ones: "
                            "build it without -m32",
                            name);
    case HD_ELF_FOREIGN:
        return hd_error_set(err, -ENOEXEC,
                            "%s is for another processor, Heddle runs on x86-64: "
                            "build it for this machine",
                            name);
    case HD_ELF_OBJECT:
        return hd_error_set(err, -ENOEXEC, "%s is an object file: link it into a program", name);
    case HD_ELF_SHARED:
        return hd_error_set(err, -ENOEXEC, "%s is a shared library: give a program that uses it",
                            name);
    case HD_ELF_STATIC:
        return hd_error_set(err, -ENOEXEC,
                            "%s is statically linked, so no library can be put "
                            "under it: link it without -static",
                            name);
    case HD_ELF_DYNAMIC:
        break;
    }
    if (hd_elf_defines(e, "__tsan_init"))
        return hd_error_set(
            err, -ENOTSUP,
            "%s has the sanitizer's own runtime linked in "
            "statically: link it with -shared-libsan (clang) or without -static-libtsan "
            "(gcc), or build it with 'heddle cc'",
            name);
    if (hd_elf_defines(e, "__asan_init") || hd_elf_needs(e, "libasan.", lib, sizeof lib) ||
        hd_elf_needs(e, "libclang_rt.asan", lib, sizeof lib))
        return hd_error_set(err, -ENOTSUP,
                            "%s is built with -fsanitize=address, which cannot be "
                            "combined: build it with -fsanitize=thread",
                            name);
    t->instr = HD_INSTR_NONE;
    strcpy(lib, "libtsan.so.2");
    if (hd_elf_needs(e, "libtsan.so", lib, sizeof lib))
        t->instr = HD_INSTR_GCC;
    else if (hd_elf_needs(e, "libclang_rt.tsan", lib, sizeof lib))
        t->instr = HD_INSTR_CLANG_SHARED;
    t->build_id_len = hd_elf_build_id(e, t->build_id, sizeof t->build_id);
    return hd_target_runtime(lib, t->runtime, sizeof t->runtime, err);
}

int hd_target_open(struct hd_target *t, const char *name, struct hd_error *err)
{
    struct hd_elf e;
    memset(t, 0, sizeof *t);
    int ret = find(t, name, err);
    if (ret)
        return ret;
    ret = hd_elf_open(&e, t->path);
    if (ret)
        return hd_error_set(err, ret, "cannot read %s: %s", name, strerror(-ret));
    ret = inspect(t, &e, name, err);
    hd_elf_close(&e);
    return ret;
}

bool hd_target_is_script(const char *name)
{
    struct hd_target t;
    struct hd_error err;
    struct hd_elf e;
    memset(&t, 0, sizeof t);
    if (find(&t, name, &err) || hd_elf_open(&e, t.path))
        return false;
    bool is = e.size > 2 && e.data[0] == '#' && e.data[1] == '!';
    hd_elf_close(&e);
    return is;
}

u32 hd_target_build_id(const char *path, u8 *id, u32 max)
{
    struct hd_elf e;
    if (hd_elf_open(&e, path))
        return 0;
    u32 n = hd_elf_kind(&e) >= HD_ELF_OBJECT ? hd_elf_build_id(&e, id, max) : 0;
    hd_elf_close(&e);
    return n;
}

/* ---- Heddle's own library ------------------------------------------------------ */

static bool try_dir(const char *dir, const char *more, const char *lib, char *out, size_t size)
{
    char joined[PATH_MAX], real[PATH_MAX];
    snprintf(joined, sizeof joined, "%s%s/%s", dir, more, lib);
    if (!realpath(joined, real) || access(real, R_OK) || strlen(real) >= size)
        return false;
    memcpy(out, real, strlen(real) + 1);
    return true;
}

int hd_target_runtime(const char *lib, char *out, size_t size, struct hd_error *err)
{
    char self[PATH_MAX];
    const char *env = getenv("HEDDLE_LIBDIR");
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    bool found = env && *env ? try_dir(env, "", lib, out, size)
                             : try_dir(self, "/../lib/heddle", lib, out, size) ||
                                   try_dir(self, "/" HD_LIBDIR_REL, lib, out, size) ||
                                   try_dir(HD_LIBDIR, "", lib, out, size);
    if (!found)
        return hd_error_set(
            err, -ENOENT,
            "Heddle's runtime library %s is not in %s: install Heddle again, or set "
            "HEDDLE_LIBDIR to the folder that has it",
            lib, env && *env ? env : HD_LIBDIR);
    if (strpbrk(out, " :"))
        return hd_error_set(err, -ENOTSUP,
                            "the path of Heddle's runtime library (%s) has a space or colon, which "
                            "LD_PRELOAD cannot carry: move Heddle, or copy the library and set "
                            "HEDDLE_LIBDIR",
                            out);
    return 0;
}
