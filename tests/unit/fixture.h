/* fixture.h: small programs compiled by the tests of symbol/ and report/.
 *
 * A fixture program prints what it knows about itself, one fact per line:
 *   module BIAS START END PATH      every loaded object
 *   code NAME ADDRESS               return address of probe("NAME")
 *   data NAME ADDRESS
 * so tests look up real addresses without a debugger. Lines are named by the
 * mark "@NAME" in a comment of the source.
 */
#ifndef HD_TEST_FIXTURE_H
#define HD_TEST_FIXTURE_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event/shm.h"

/* probe.h of every fixture: compile with -include probe.h. */
#define FIXTURE_PROBE                                                                            \
    "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n"                                           \
    "#include <link.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <pthread.h>\n"           \
    "extern void probe(const char *name);\n"                                                       \
    "void __attribute__((noinline)) probe(const char *name)\n"                                     \
    "{ printf(\"code %s %p\\n\", name, __builtin_return_address(0)); }\n"                          \
    "static inline void show(const char *name, const volatile void *p)\n"                          \
    "{ printf(\"data %s %p\\n\", name, (const void *)p); }\n"                                      \
    "static int show_module(struct dl_phdr_info *i, size_t n, void *p) {\n"                        \
    "  static char self[4096]; unsigned long lo = -1ul, hi = 0;\n"                                 \
    "  for (int k = 0; k < i->dlpi_phnum; k++) if (i->dlpi_phdr[k].p_type == PT_LOAD) {\n"         \
    "    unsigned long a = i->dlpi_addr + i->dlpi_phdr[k].p_vaddr;\n"                              \
    "    if (a < lo) lo = a;\n"                                                                    \
    "    if (a + i->dlpi_phdr[k].p_memsz > hi) hi = a + i->dlpi_phdr[k].p_memsz; }\n"              \
    "  const char *path = i->dlpi_name[0] ? i->dlpi_name : realpath(\"/proc/self/exe\", self);\n"  \
    "  printf(\"module %lx %lx %lx %s\\n\", (unsigned long)i->dlpi_addr, lo, hi, path);\n"         \
    "  return 0; }\n"

struct fixture {
    char dir[64];
    char source[80];              /* path of the source file */
    const char *text;
    struct hd_module modules[16];
    u32 n_modules;
    struct { char name[32]; u64 addr; bool is_code; } fact[128];
    u32 n_facts;
};

static inline int shell(const char *format, ...)
{
    char cmd[2048];
    va_list ap;
    va_start(ap, format);
    vsnprintf(cmd, sizeof cmd, format, ap);
    va_end(ap);
    return system(cmd);
}

/* Writes `file` into the fixture's directory. */
static inline void fixture_write(struct fixture *f, const char *file, const char *text)
{
    snprintf(f->source, sizeof f->source, "%.60s/%s", f->dir, file);
    FILE *out = fopen(f->source, "w");
    fputs(text, out);
    fclose(out);
    f->text = text;
}

static inline void fixture_init(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    strcpy(f->dir, "/tmp/heddle-fixture-XXXXXX");
    if (!mkdtemp(f->dir))
        abort();
    fixture_write(f, "probe.h", FIXTURE_PROBE);
}

static inline void fixture_release(struct fixture *f)
{
    shell("rm -rf '%s'", f->dir);
}

/* Line of the mark "@name", 0 if there is none. */
static inline int fixture_line(const struct fixture *f, const char *name)
{
    int line = 1;
    size_t n = strlen(name);
    for (const char *p = f->text; *p; p++) {
        if (*p == '\n')
            line++;
        if (*p == '@' && !strncmp(p + 1, name, n) && (p[n + 1] == ' ' || p[n + 1] == ','))
            return line;
    }
    return 0;
}

/* Runs a program of the fixture and takes its facts; false if it failed. */
static inline bool fixture_run(struct fixture *f, const char *program)
{
    char cmd[256], dir[64], line[4500], name[64], path[4096];
    unsigned long a, b, c;
    f->n_modules = f->n_facts = 0;
    memcpy(dir, f->dir, sizeof dir);
    snprintf(cmd, sizeof cmd, "cd '%.64s' && LD_LIBRARY_PATH=. ./%s", f->dir, program);
    FILE *in = popen(cmd, "r");
    if (!in)
        return false;
    while (fgets(line, sizeof line, in)) {
        if (sscanf(line, "module %lx %lx %lx %4095s", &a, &b, &c, path) == 4 && f->n_modules < 16) {
            struct hd_module *m = &f->modules[f->n_modules++];
            *m = (struct hd_module){.bias = a, .start = b, .end = c};
            snprintf(m->path, sizeof m->path, "%.63s%.190s", path[0] == '.' ? dir : "",
                     path[0] == '.' ? path + 1 : path);
        } else if (f->n_facts < 128 && (sscanf(line, "code %31s %lx", name, &a) == 2 ||
                                        sscanf(line, "data %31s %lx", name, &a) == 2)) {
            snprintf(f->fact[f->n_facts].name, 32, "%.31s", name);
            f->fact[f->n_facts].is_code = line[0] == 'c';
            f->fact[f->n_facts++].addr = a;
        }
    }
    return pclose(in) == 0 && f->n_modules > 0;
}

static inline u64 fixture_addr(const struct fixture *f, const char *name)
{
    for (u32 i = 0; i < f->n_facts; i++)
        if (!strcmp(f->fact[i].name, name))
            return f->fact[i].addr;
    fprintf(stderr, "fixture did not report %s\n", name);
    abort();
}

#endif
