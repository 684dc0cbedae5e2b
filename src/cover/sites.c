/* sites.c: sites that mean the same in every run, input and process: from
 * addresses of a target to (module, offset) and back, and to names.
 *
 *   identity = key of the module (24 bits of its build-id) << 40 | offset
 *
 * The order of identities is that of the builds and offsets alone, so elements
 * that have no order of their own are written the same way in every campaign.
 * Names come from the file the module was loaded from, with the module at
 * address 0: no running target is needed.
 */
#include "cover/cover.h"
#include "symbol/line.h"
#include "symbol/symbol.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OFFSET_MASK (((u64)1 << HD_PLACE_BITS) - 1)

void hd_places_release(struct hd_places *p)
{
    for (size_t i = 0; i < p->module.n; i++) {
        hd_symbols_close(p->module.at[i].symbols);
        hd_functions_close(p->module.at[i].functions);
    }
    hd_vec_release(&p->module);
    hd_vec_release(&p->place);
    hd_map_release(&p->by_id);
}

/* ---- modules ------------------------------------------------------------------------------ */

static u64 fnv(u64 h, const void *data, size_t n)
{
    for (const u8 *b = data; n--; b++)
        h = (h ^ *b) * 0x100000001b3ull;
    return h;
}

/* Stands in for a build-id: 16 bytes made from the file, or from its name. */
static u32 hash_file(const char *path, u8 *out)
{
    u64 a = 0xcbf29ce484222325ull, b = 0x84222325cbf29ce4ull;
    char buf[65536];
    ssize_t n = 0;
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    while (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && (n = read(fd, buf, sizeof buf)) > 0) {
        a = fnv(a, buf, (size_t)n);
        b = fnv(b + (u64)n, buf, (size_t)n);
    }
    if (fd >= 0)
        close(fd);
    else
        a = fnv(a, path, strlen(path));
    memcpy(out, &a, 8);
    memcpy(out + 8, &b, 8);
    return 16;
}

static u64 free_key(const struct hd_places *p, const void *hash, u32 len)
{
    u64 h = fnv(0xcbf29ce484222325ull, hash, len);
    u64 key = (h ^ h >> 24 ^ h >> 48) & 0xffffff;
    for (size_t i = 0; i < p->module.n; i++)
        if (!key || p->module.at[i].key == key) { /* one in 16 million */
            key = (key + 1) & 0xffffff;
            i = (size_t)-1;
        }
    return key ? key : 1;
}

/* One that came from the store is first known without. */
static void name_module(struct hd_place_module *m, const char *path)
{
    if (!m->path[0])
        snprintf(m->path, sizeof m->path, "%s", path);
}

u32 hd_places_module(struct hd_places *p, const void *hash, u32 len, const char *path)
{
    len = HD_MIN(len, (u32)sizeof p->module.at[0].hash);
    for (u32 i = 0; i < p->module.n; i++)
        if (p->module.at[i].hash_len == len && !memcmp(p->module.at[i].hash, hash, len))
            return name_module(&p->module.at[i], path), i;
    struct hd_place_module m = {.hash_len = len, .key = free_key(p, hash, len)};
    memcpy(m.hash, hash, len);
    name_module(&m, path);
    *hd_vec_add(&p->module) = m;
    return (u32)p->module.n - 1;
}

u32 hd_places_loaded(struct hd_places *p, const struct hd_module *m)
{
    u8 hash[32];
    if (m->build_id_len)
        return hd_places_module(p, m->build_id, m->build_id_len, m->path);
    for (u32 i = 0; i < p->module.n; i++)
        if (!strcmp(p->module.at[i].path, m->path))
            return i;
    return hd_places_module(p, hash, hash_file(m->path, hash), m->path);
}

static struct hd_symbols *symbols_of(struct hd_place_module *m)
{
    struct hd_module at_zero = {.end = (u64)1 << HD_PLACE_BITS};
    if (!m->symbols) {
        snprintf(at_zero.path, sizeof at_zero.path, "%s", m->path);
        u8 id[sizeof at_zero.build_id];
        u32 n = hd_target_build_id(m->path, id, sizeof id);
        if (n) { /* rebuilt since: no names */
            at_zero.build_id_len = m->hash_len;
            memcpy(at_zero.build_id, m->hash, m->hash_len);
        }
        m->symbols = hd_symbols_open(&at_zero, 1);
    }
    return m->symbols;
}

/* ---- places ------------------------------------------------------------------------------- */

static u64 identity(const struct hd_places *p, u32 module, u64 offset)
{
    u64 key = module == HD_NO_MODULE ? 0 : p->module.at[module].key;
    return key << HD_PLACE_BITS | (offset & OFFSET_MASK);
}

u32 hd_places_add(struct hd_places *p, u32 module, u64 offset)
{
    u64 id = identity(p, module, offset);
    u64 *at = hd_map_ref(&p->by_id, id, p->place.n);
    if (*at == p->place.n)
        *hd_vec_add(&p->place) =
            (struct hd_place){.id = id, .offset = offset & OFFSET_MASK, .module = module};
    return (u32)*at;
}

struct hd_place *hd_places_get(struct hd_places *p, u64 id)
{
    const u64 *at = hd_map_get(&p->by_id, id);
    return at ? &p->place.at[*at] : NULL;
}

static const struct hd_module *loaded_at(struct hd_snapshot *m, u64 addr)
{
    u32 n;
    const struct hd_module *all = hd_snapshot_modules(m, &n);
    for (u32 i = 0; i < n; i++)
        if (addr - all[i].start < all[i].end - all[i].start)
            return &all[i];
    return NULL;
}

u64 hd_places_of(struct hd_places *p, struct hd_snapshot *m, u64 pc, u64 object)
{
    const struct hd_module *code = loaded_at(m, pc), *data = object ? loaded_at(m, object) : NULL;
    u32 at = code ? hd_places_add(p, hd_places_loaded(p, code), pc - code->bias)
                  : hd_places_add(p, HD_NO_MODULE, pc);
    if (data && !p->place.at[at].object) {
        u32 module = hd_places_loaded(p, data);
        p->place.at[at].object = identity(p, module, object - data->bias);
    }
    return p->place.at[at].id;
}

/* None if the file is another one by now. */
static struct hd_functions *functions_of(struct hd_place_module *m)
{
    u8 id[sizeof m->hash];
    if (!m->functions) {
        u32 n = hd_target_build_id(m->path, id, sizeof id);
        bool is_same = !n || (n == m->hash_len && !memcmp(id, m->hash, n));
        m->functions = hd_functions_open(is_same ? m->path : "");
    }
    return m->functions;
}

u64 hd_places_function(struct hd_places *p, u64 id)
{
    struct hd_place *at = hd_places_get(p, id);
    u64 start;
    if (!at || at->module == HD_NO_MODULE || at->is_function)
        return id;
    /* The address is where a call returns to: the call may end its function. */
    if (!hd_functions_find(functions_of(&p->module.at[at->module]), at->offset - 1, &start))
        return id;
    u32 entry = hd_places_add(p, at->module, start);
    p->place.at[entry].is_function = true;
    return p->place.at[entry].id;
}

bool hd_places_learn(struct hd_places *p, struct hd_snapshot *m, const void *hash, u32 len, u64 offset,
                     u8 flags)
{
    u32 n;
    const struct hd_module *all = hd_snapshot_modules(m, &n);
    for (u32 i = 0; i < n; i++) {
        u32 module = hd_places_loaded(p, &all[i]);
        const struct hd_place_module *own = &p->module.at[module];
        if (own->hash_len == len && !memcmp(own->hash, hash, len))
            return !hd_shm_is_left_out(m->shm.host, all[i].bias + offset) &&
                   m->shm.host->n_site_marks < HD_SHM_SITES / 4 &&
                   hd_shm_mark(m->shm.host, all[i].bias + offset, HD_SINCE_START, flags);
    }
    return false;
}

u64 hd_places_pc(struct hd_places *p, struct hd_snapshot *m, u64 id)
{
    u32 n;
    const struct hd_module *all = hd_snapshot_modules(m, &n);
    const struct hd_place *at = hd_places_get(p, id);
    if (!at)
        return 0;
    u32 module = at->module;
    u64 offset = at->offset;
    if (module == HD_NO_MODULE)
        return offset;
    for (u32 i = 0; i < n; i++)
        if (hd_places_loaded(p, &all[i]) == module)
            return all[i].bias + offset;
    return 0;
}

/* ---- names -------------------------------------------------------------------------------- */

/* Lines around the place as code alone: what a later version of the program is compared by. */
static void add_source(char *out, size_t size, const char *text)
{
    size_t n = strlen(out);
    if (n && n + 1 < size)
        out[n++] = '\n';
    if (text)
        n += hd_line_plain(text, out + n, size - n);
    out[n] = '\0';
}

static void name_object(struct hd_places *p, const struct hd_place *at, struct hd_place_names *out)
{
    u64 key = at->object >> HD_PLACE_BITS;
    for (size_t i = 0; at->object && i < p->module.n; i++)
        if (p->module.at[i].key == key &&
            !hd_symbols_data(symbols_of(&p->module.at[i]), at->object & OFFSET_MASK, out->object,
                             sizeof out->object, NULL))
            out->object[0] = '\0';
}

void hd_places_name(struct hd_places *p, const struct hd_place *at, struct hd_place_names *out)
{
    struct hd_srcloc l;
    memset(out, 0, sizeof *out);
    if (at->module == HD_NO_MODULE) {
        snprintf(out->text, sizeof out->text, "0x%llx", (unsigned long long)at->offset);
        return;
    }
    struct hd_symbols *s = symbols_of(&p->module.at[at->module]);
    name_object(p, at, out);
    hd_symbols_code(s, at->offset, !at->is_function, &l, 1);
    snprintf(out->function, sizeof out->function, "%s", l.function ? l.function : "");
    if (!l.file || !l.line || !l.function) {
        const char *slash = strrchr(p->module.at[at->module].path, '/');
        snprintf(out->text, sizeof out->text, "%s+0x%llx",
                 slash ? slash + 1 : p->module.at[at->module].path, (unsigned long long)at->offset);
        return;
    }
    snprintf(out->file, sizeof out->file, "%s", l.file);
    out->line = (u32)l.line;
    for (l.line -= l.line > 1; l.line <= (int)out->line + 1; l.line++)
        add_source(out->source, sizeof out->source, hd_symbols_source(s, &l));
    if (at->is_function) {
        snprintf(out->text, sizeof out->text, "%.200s@%.250s:%u", out->function, out->file, out->line);
        return;
    }
    hd_symbols_site(s, at->offset, out->text, sizeof out->text);
    const char *hash = strrchr(out->text, '#');
    out->ordinal = hash ? (u32)strtoul(hash + 1, NULL, 10) : 0;
}
