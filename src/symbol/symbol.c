/* symbol.c: the modules of a run and their files on disk.
 *
 * Nothing is opened before an address of the module is asked for: a campaign
 * without findings never reads DWARF. A file whose build-id is not the one the
 * run had loaded was rebuilt since: better no names than wrong ones.
 */
#include "symbol/state.h"

#include "base/stop.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CHUNK (64 * 1024)

#define ALWAYS 64
#define LATE_NS 700000000ll /* with base/stop.h's 600 ms: users are promised an end within 2 s */

struct hd_symchunk {
    struct hd_symchunk *next;
    size_t used, size;
    char data[];
};

static void *or_die(void *p)
{
    if (!p)
        HD_BUG("out of memory");
    return p;
}

void *hd_symbols_alloc(struct hd_symbols *s, size_t n)
{
    n = HD_ALIGN_UP(n, 8);
    struct hd_symchunk *c = s->chunks;
    if (!c || c->size - c->used < n) {
        size_t size = HD_MAX(n, (size_t)CHUNK);
        c = or_die(malloc(sizeof *c + size));
        *c = (struct hd_symchunk){.next = s->chunks, .size = size};
        s->chunks = c;
    }
    void *p = c->data + c->used;
    c->used += n;
    return p;
}

const char *hd_symbols_strdup(struct hd_symbols *s, const char *text)
{
    size_t n = strlen(text) + 1;
    return memcpy(hd_symbols_alloc(s, n), text, n);
}

/* ---- modules ---------------------------------------------------------------- */

struct hd_symbols *hd_symbols_open(const struct hd_module *modules, u32 n)
{
    struct hd_symbols *s = or_die(calloc(1, sizeof *s));
    s->mods = or_die(calloc(n ? n : 1, sizeof *s->mods));
    s->n_mods = n;
    for (u32 i = 0; i < n; i++)
        s->mods[i].m = modules[i];
    return s;
}

struct hd_symbols *hd_symbols_open_file(const char *path)
{
    struct hd_module m = {.end = UINT64_MAX};
    char *whole = realpath(path, NULL);
    snprintf(m.path, sizeof m.path, "%s", whole ? whole : path);
    free(whole);
    return hd_symbols_open(&m, 1);
}

static void module_close(struct hd_symmod *m)
{
    u64 key, value;
    for (size_t i = 0; hd_map_next(&m->units, &i, &key, &value);) {
        struct hd_symunit *u = (struct hd_symunit *)value;
        hd_vec_release(&u->funcs);
        free(u);
    }
    hd_map_release(&m->units);
    hd_vec_release(&m->vars);
    if (m->dwfl)
        dwfl_end(m->dwfl);
}

void hd_symbols_close(struct hd_symbols *s)
{
    if (!s)
        return;
    for (u32 i = 0; i < s->n_mods; i++)
        module_close(&s->mods[i]);
    free(s->mods);
    u64 key, value;
    for (size_t i = 0; hd_map_next(&s->files, &i, &key, &value);) {
        struct hd_symfile *f = (struct hd_symfile *)value;
        free(f->path);
        free(f->text);
        hd_vec_release(&f->lines);
        free(f);
    }
    hd_map_release(&s->files);
    hd_map_release(&s->code);
    hd_map_release(&s->names);
    for (struct hd_symchunk *c = s->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(s);
}

/* Not the clock: on a busy machine reports would lose their names. */
static s64 processor_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (s64)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

bool hd_symbols_may_ask(struct hd_symbols *s)
{
    if (s->asked++ < ALWAYS || !hd_stop_is_late())
        return true;
    s64 now = processor_ns();
    if (!s->late_ns)
        s->late_ns = now;
    return now - s->late_ns < LATE_NS;
}

struct hd_symmod *hd_symmod_find(struct hd_symbols *s, u64 addr)
{
    for (u32 i = 0; i < s->n_mods; i++)
        if (addr >= s->mods[i].m.start && addr < s->mods[i].m.end)
            return &s->mods[i];
    return NULL;
}

static bool is_rebuilt(const struct hd_symmod *m)
{
    const unsigned char *id;
    GElf_Addr where;
    int n = dwfl_module_build_id(m->mod, &id, &where);
    if (n <= 0 || !m->m.build_id_len)
        return false;
    u32 len = HD_MIN((u32)n, (u32)sizeof m->m.build_id);
    return len != m->m.build_id_len || memcmp(id, m->m.build_id, len) != 0;
}

/* Is there a file by the name that its link gives, or by its own, where debug information is looked for? */
static bool has_debug_file(const char *file, const char *link)
{
    static const char *const place[][2] = {{"", ""}, {"", ".debug/"}, {"/usr/lib/debug", ""}};
    char path[PATH_MAX];
    const char *slash = file ? strrchr(file, '/') : NULL;
    for (size_t i = 0; slash && i < HD_COUNT(place); i++) {
        snprintf(path, sizeof path, "%s%.*s%s%s%s", place[i][0], (int)(slash + 1 - file), file,
                 place[i][1], link ? link : slash + 1, link ? "" : ".debug");
        if (!access(path, R_OK))
            return true;
    }
    return false;
}

/* Where there is none on this machine the library would ask servers. The code for that takes 8 MiB and is
 * loaded even if no server is named; so it is not let go that far then. */
static int find_debuginfo(Dwfl_Module *mod, void **data, const char *module, Dwarf_Addr base,
                          const char *file, const char *link, GElf_Word crc, char **found)
{
    const char *servers = getenv("DEBUGINFOD_URLS");
    if ((servers && servers[0]) || has_debug_file(file, link))
        return dwfl_standard_find_debuginfo(mod, data, module, base, file, link, crc, found);
    return dwfl_build_id_find_debuginfo(mod, data, module, base, file, link, crc, found);
}

static void open_file(struct hd_symmod *m)
{
    static char *debuginfo_path; /* NULL: the library's default places */
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = find_debuginfo,
        .debuginfo_path = &debuginfo_path,
    };
    struct stat st;
    if (m->m.path[0] != '/' || stat(m->m.path, &st) || !S_ISREG(st.st_mode))
        return;
    m->mtime = st.st_mtim.tv_sec;
    Dwfl *dwfl = dwfl_begin(&callbacks);
    if (!dwfl)
        return;
    m->mod = dwfl_report_elf(dwfl, m->m.path, m->m.path, -1, 0, true);
    if (!m->mod || dwfl_report_end(dwfl, NULL, NULL) != 0 || is_rebuilt(m)) {
        dwfl_end(dwfl);
        m->mod = NULL;
        return;
    }
    m->dwfl = dwfl;
    Dwarf_Addr bias = 0;
    m->dw = dwfl_module_getdwarf(m->mod, &bias);
    m->dw_bias = bias;
}

void hd_symmod_open(struct hd_symbols *s, struct hd_symmod *m)
{
    if (m->is_tried)
        return;
    m->is_tried = true;
    open_file(m);
    if (!m->dw && !s->stripped && !hd_symbols_is_system(m->m.path))
        s->stripped = m->m.path;
}

bool hd_symbols_is_stripped(const struct hd_symbols *s, const char **path)
{
    if (s->stripped && path)
        *path = s->stripped;
    return s->stripped != NULL;
}

bool hd_symbols_is_stale(const struct hd_symbols *s, const char **path)
{
    if (s->stale && path)
        *path = s->stale;
    return s->stale != NULL;
}

bool hd_symbols_is_system(const char *module)
{
    static const char *const names[] = {
        "libc.so", "libc-2", "libpthread", "libm.so", "libdl.so", "librt.so", "ld-linux",
        "libgcc_s", "libstdc++.so", "libc++.so", "libc++abi.so", "libtsan.so", "libclang_rt.tsan",
        "linux-vdso", "[vdso]",
    };
    if (!module)
        return true;
    const char *slash = strrchr(module, '/');
    const char *base = slash ? slash + 1 : module;
    for (size_t i = 0; i < HD_COUNT(names); i++)
        if (!strncmp(base, names[i], strlen(names[i])))
            return true;
    return false;
}
