/* identity.c: programs, builds, inputs, sites: things that are what they are on
 * every machine. Asked for by what identifies them, answered by a local id.
 */
#include "store/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The id that `get` finds, or that of the row `put` makes. */
static s64 intern(struct hd_store *st, enum hd_sql get, enum hd_sql put, const struct hd_arg *key,
                  u32 n_key, const struct hd_arg *row, u32 n_row)
{
    s64 id = st->failed ? st->failed : hd_sql_id(st, get, key, n_key);
    if (id)
        return id;
    if (!st->is_writer)
        return hd_store_explain(st, -ENOENT,
                                "%s: knows nothing about it yet. Run heddle test first.", st->path);
    int e = hd_store_writes(st);
    if (!e)
        e = hd_sql_do(st, put, row, n_row);
    return e ? e : sqlite3_last_insert_rowid(st->db);
}

s64 hd_store_name(struct hd_store *st, const char *text)
{
    u32 h = 0;
    for (const char *p = text; *p; p++)
        h = h * 31 + (u8)*p;
    struct hd_store_name *slot = &st->names[h % HD_COUNT(st->names)];
    if (slot->id && !st->failed && !strcmp(slot->text, text))
        return slot->id;
    s64 id = intern(st, HD_SQL_NAME_GET, HD_SQL_NAME_PUT, HD_ARGS(HD_T(text)), HD_ARGS(HD_T(text)));
    size_t size = strlen(text) + 1;
    if (id > 0 && size <= sizeof slot->text) {
        memcpy(slot->text, text, size);
        slot->id = id;
    }
    return id;
}

s64 hd_store_program(struct hd_store *st, const char *path)
{
    return intern(st, HD_SQL_PROGRAM_GET, HD_SQL_PROGRAM_PUT, HD_ARGS(HD_T(path)),
                  HD_ARGS(HD_T(path)));
}

int hd_store_programs(struct hd_store *st, int (*fn)(void *self, s64 id, const char *path, s64 at),
                      void *self)
{
    sqlite3_stmt *s = hd_sql_bind(st, HD_SQL_PROGRAM_LIST, NULL, 0);
    int e;
    while ((e = s ? hd_sql_row(st, s) : st->code) > 0)
        if ((e = fn(self, sqlite3_column_int64(s, 0), hd_sql_text(s, 1),
                    sqlite3_column_int64(s, 2)))) {
            hd_sql_end(s);
            break;
        }
    return e;
}

s64 hd_store_build(struct hd_store *st, s64 program, const void *hash, u32 len, const char *path)
{
    if (!len)
        return hd_store_explain(st, -EINVAL, "%s: a build has no build-id.", path);
    s64 id = intern(st, HD_SQL_BUILD_GET, HD_SQL_BUILD_PUT, HD_ARGS(HD_B(hash, len)),
                    HD_ARGS(HD_B(hash, len), HD_T(path)));
    if (id <= 0 || !program || !st->is_writer)
        return id;
    int e = hd_store_writes(st);
    if (!e)
        e = hd_sql_do(st, HD_SQL_VERSION_PUT,
                      HD_ARGS(HD_I(program), HD_I(id), HD_I(hd_store_unix_ms())));
    return e ? e : id;
}

int hd_store_builds(struct hd_store *st, s64 program,
                    int (*fn)(void *self, const struct hd_store_build *b), void *self)
{
    sqlite3_stmt *s = hd_sql_bind(st, HD_SQL_BUILD_LIST, HD_ARGS(HD_I(program)));
    int e;
    while ((e = s ? hd_sql_row(st, s) : st->code) > 0) {
        struct hd_store_build b = {.id = sqlite3_column_int64(s, 0), .path = hd_sql_text(s, 2),
                                   .first_at = sqlite3_column_int64(s, 3),
                                   .revision = hd_sql_text(s, 4)};
        b.hash = hd_sql_blob(s, 1, &b.hash_len);
        if ((e = fn(self, &b))) {
            hd_sql_end(s);
            break;
        }
    }
    return e;
}

/* ---- inputs --------------------------------------------------------------------------- */

/* FNV-1a with 128 bits: nobody attacks it, and it must be the same everywhere. */
struct hash {
    unsigned __int128 h;
};

static void hash_init(struct hash *x)
{
    x->h = (unsigned __int128)0x6c62272e07bb0142ull << 64 | 0x62b821756295c58dull;
}

static void hash_add(struct hash *x, const void *data, size_t n)
{
    const unsigned __int128 prime = (unsigned __int128)1 << 88 | 0x13b;
    for (const u8 *p = data; n--; p++)
        x->h = (x->h ^ *p) * prime;
}

static int hash_file(struct hash *x, int fd)
{
    char buf[16384];
    ssize_t n;
    u64 at = 0;
    while ((n = pread(fd, buf, sizeof buf, (off_t)at)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        hash_add(x, buf, (size_t)n);
        at += (u64)n;
    }
    hash_add(x, &at, sizeof at);
    return 0;
}

/* One more argument as a shell would want it; cut off where the room ends. */
static void show_arg(char *out, size_t size, const char *arg)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./:=,+@%^";
    size_t n = strlen(out);
    bool is_plain = *arg && !arg[strspn(arg, plain)];
    n += (size_t)snprintf(out + n, size - n, "%s%s", n ? " " : "", is_plain ? "" : "'");
    for (; *arg && n + 8 < size; arg++)
        n += (size_t)snprintf(out + n, size - n, *arg == '\'' ? "'\\''" : "%c", *arg);
    snprintf(out + n, size - n, "%s%s", is_plain ? "" : "'", *arg ? "..." : "");
}

s64 hd_store_input(struct hd_store *st, char *const *argv, int stdin_fd)
{
    char args[1024] = "", tail[16] = "";
    struct hash x;
    u8 key[16];
    int e = 0;
    u32 n = 0;
    while (argv[0] && argv[n + 1])
        n++;
    hash_init(&x);
    hash_add(&x, &n, sizeof n);
    for (u32 i = 1; i <= n; i++) {
        hash_add(&x, argv[i], strlen(argv[i]) + 1);
        if (strlen(args) + 16 < sizeof args)
            show_arg(args, sizeof args - 8, argv[i]);
    }
    if (stdin_fd >= 0) {
        hash_add(&x, "<", 2);
        e = hash_file(&x, stdin_fd);
        snprintf(tail, sizeof tail, "%s<stdin", *args ? " " : "");
    }
    if (e)
        return hd_store_explain(st, e, "standard input cannot be read (%s).", strerror(-e));
    strncat(args, tail, sizeof args - strlen(args) - 1);
    for (u32 i = 0; i < sizeof key; i++)
        key[i] = (u8)(x.h >> (120 - 8 * i));
    return intern(st, HD_SQL_INPUT_GET, HD_SQL_INPUT_PUT, HD_ARGS(HD_B(key, sizeof key)),
                  HD_ARGS(HD_B(key, sizeof key), HD_T(args)));
}

/* ---- sites ------------------------------------------------------------------------------ */

s64 hd_store_site(struct hd_store *st, const struct hd_store_site *s)
{
    if (st->failed)
        return st->failed;
    sqlite3_stmt *q = hd_sql_bind(st, HD_SQL_SITE_GET, HD_ARGS(HD_I(s->build), HD_I(s->offset)));
    int e = q ? hd_sql_row(st, q) : st->code;
    if (e < 0)
        return e;
    s64 id = 0;
    if (e) {
        id = sqlite3_column_int64(q, 0);
        bool is_same = !s->text || !*s->text || !strcmp(s->text, hd_sql_text(q, 1));
        hd_sql_end(q);
        if (is_same || !st->is_writer)
            return id;
    } else if (!st->is_writer) {
        return hd_store_explain(st, -ENOENT, "%s: does not know that site.", st->path);
    }
    e = hd_store_writes(st);
    if (e)
        return e;
    if (id)
        e = hd_sql_do(st, HD_SQL_SITE_SET,
                      HD_ARGS(HD_I(id), HD_T(s->text), HD_T(s->function), HD_T(s->file),
                              HD_I(s->line), HD_I(s->ordinal), HD_T(s->source), HD_T(s->object)));
    else
        e = hd_sql_do(st, HD_SQL_SITE_PUT,
                      HD_ARGS(HD_I(s->build), HD_I(s->offset), HD_T(s->text), HD_T(s->function),
                              HD_T(s->file), HD_I(s->line), HD_I(s->ordinal), HD_T(s->source),
                              HD_T(s->object)));
    return e ? e : id ? id : sqlite3_last_insert_rowid(st->db);
}

void hd_store_site_columns(sqlite3_stmt *s, struct hd_store_site *out)
{
    *out = (struct hd_store_site){
        .id = sqlite3_column_int64(s, 0), .build = sqlite3_column_int64(s, 1),
        .offset = (u64)sqlite3_column_int64(s, 2), .text = hd_sql_text(s, 3),
        .function = hd_sql_text(s, 4), .file = hd_sql_text(s, 5),
        .line = (u32)sqlite3_column_int64(s, 6), .ordinal = (u32)sqlite3_column_int64(s, 7),
        .source = hd_sql_text(s, 8)};
    out->hash = hd_sql_blob(s, 9, &out->hash_len);
    out->object = hd_sql_text(s, 10);
}

/* Copies *text to *at, and moves *at on. */
static void keep(char **at, const char **text, size_t n)
{
    memcpy(*at, *text, n);
    *text = *at;
    *at += n;
}

int hd_store_site_get(struct hd_store *st, s64 id, struct hd_store_site *out)
{
    sqlite3_stmt *s = hd_sql_bind(st, HD_SQL_SITE_BY_ID, HD_ARGS(HD_I(id)));
    int e = s ? hd_sql_row(st, s) : st->code;
    if (e == 0)
        return hd_store_explain(st, -ENOENT, "%s: there is no site %lld.", st->path, (long long)id);
    if (e < 0)
        return e;
    hd_store_site_columns(s, out);
    const char *hash = (const char *)out->hash;
    const char **text[] = {&out->text, &out->function, &out->file, &out->source, &out->object};
    size_t n = out->hash_len;
    for (u32 i = 0; i < HD_COUNT(text); i++)
        n += strlen(*text[i]) + 1;
    char *at = st->texts = realloc(st->texts, n);
    HD_ASSERT(at != NULL);
    for (u32 i = 0; i < HD_COUNT(text); i++)
        keep(&at, text[i], strlen(*text[i]) + 1);
    keep(&at, &hash, out->hash_len);
    out->hash = (const u8 *)hash;
    hd_sql_end(s);
    return 0;
}
