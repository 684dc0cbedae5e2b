/* version.c: functions of builds, and what a build takes over from an earlier one.
 *
 * The decision is SQL over temporary tables (inherit.sql), so that it can be asked for
 * without being carried out, also in a store opened for reading.
 */
#include "base/vec.h"
#include "store/state.h"

#include <errno.h>
#include <string.h>

int hd_store_functions_save(struct hd_store *st, s64 build, const struct hd_store_function *f,
                            u32 n)
{
    int e = hd_store_writes(st);
    for (u32 i = 0; i < n && !e; i++)
        e = hd_sql_do(st, HD_SQL_FUNCTION_PUT,
                      HD_ARGS(HD_I(build), HD_T(f[i].name), HD_I(f[i].start), HD_I(f[i].size),
                              HD_I(f[i].hash)));
    return e;
}

int hd_store_functions(struct hd_store *st, s64 build,
                       int (*fn)(void *self, const struct hd_store_function *f), void *self)
{
    sqlite3_stmt *s = hd_sql_bind(st, HD_SQL_FUNCTION_LIST, HD_ARGS(HD_I(build)));
    int e;
    while ((e = s ? hd_sql_row(st, s) : st->code) > 0) {
        struct hd_store_function f = {
            .name = hd_sql_text(s, 0), .start = (u64)sqlite3_column_int64(s, 1),
            .size = (u64)sqlite3_column_int64(s, 2), .hash = (u64)sqlite3_column_int64(s, 3)};
        if ((e = fn(self, &f))) {
            hd_sql_end(s);
            break;
        }
    }
    return e;
}

int hd_store_pieces_save(struct hd_store *st, s64 build, const struct hd_store_piece *p, u32 n)
{
    int e = hd_store_writes(st);
    for (u32 i = 0; i < n && !e; i++)
        e = hd_sql_do(st, HD_SQL_PIECE_PUT,
                      HD_ARGS(HD_I(build), HD_I(p[i].start), HD_I(p[i].number), HD_I(p[i].hash), HD_I(p[i].text),
                              HD_B(p[i].backs, p[i].n * sizeof *p[i].backs)));
    return e;
}

int hd_store_pieces(struct hd_store *st, s64 build, int (*fn)(void *self, const struct hd_store_piece *p),
                    void *self)
{
    sqlite3_stmt *s = hd_sql_bind(st, HD_SQL_PIECE_LIST, HD_ARGS(HD_I(build)));
    HD_VEC(u32) backs = {0};
    int e;
    while ((e = s ? hd_sql_row(st, s) : st->code) > 0) {
        u32 len;
        const u8 *bytes = hd_sql_blob(s, 4, &len);
        for (backs.n = 0; backs.n < len / 4;) {
            u32 *to = hd_vec_add(&backs);
            memcpy(to, bytes + 4 * (backs.n - 1), 4);
        }
        struct hd_store_piece p = {
            .start = (u64)sqlite3_column_int64(s, 0), .number = (u32)sqlite3_column_int64(s, 1),
            .hash = (u64)sqlite3_column_int64(s, 2), .text = (u64)sqlite3_column_int64(s, 3),
            .n = (u32)backs.n, .backs = backs.at};
        if ((e = fn(self, &p))) {
            hd_sql_end(s);
            break;
        }
    }
    hd_vec_release(&backs);
    return e;
}

s64 hd_store_has_functions(struct hd_store *st, s64 build)
{
    return hd_sql_id(st, HD_SQL_FUNCTION_ANY, HD_ARGS(HD_I(build)));
}

s64 hd_store_parent(struct hd_store *st, s64 program, s64 build)
{
    return hd_sql_id(st, HD_SQL_BUILD_PARENT, HD_ARGS(HD_I(program), HD_I(build)));
}

int hd_store_revision(struct hd_store *st, s64 program, s64 build, const char *revision)
{
    int e = hd_store_writes(st);
    return e ? e
             : hd_sql_do(st, HD_SQL_VERSION_REVISION,
                         HD_ARGS(HD_I(program), HD_I(build), HD_T(revision)));
}

s64 hd_store_was_tested(struct hd_store *st, s64 build, s64 input)
{
    return hd_sql_id(st, HD_SQL_INPUT_WAS_TESTED, HD_ARGS(HD_I(build), HD_I(input)));
}

int hd_store_libraries(struct hd_store *st, int (*fn)(void *self, const struct hd_store_build *b),
                       void *self)
{
    sqlite3_stmt *s = hd_sql_bind(st, HD_SQL_LIBRARY_LIST, NULL, 0);
    int e;
    while ((e = s ? hd_sql_row(st, s) : st->code) > 0) {
        struct hd_store_build b = {.id = sqlite3_column_int64(s, 0), .path = hd_sql_text(s, 2),
                                   .revision = ""};
        b.hash = hd_sql_blob(s, 1, &b.hash_len);
        if ((e = fn(self, &b))) {
            hd_sql_end(s);
            break;
        }
    }
    return e;
}

s64 hd_store_touches(struct hd_store *st, s64 build, s64 library)
{
    return hd_sql_id(st, HD_SQL_LIBRARY_TOUCHED, HD_ARGS(HD_I(build), HD_I(library)));
}

/* ---- inheritance --------------------------------------------------------------------- */

static const char drop[] =
    "DROP TABLE IF EXISTS temp.v_args; DROP TABLE IF EXISTS temp.v_build; DROP TABLE IF EXISTS temp.v_function;"
    "DROP TABLE IF EXISTS temp.v_site; DROP TABLE IF EXISTS temp.v_lock_site;"
    "DROP TABLE IF EXISTS temp.v_barred; DROP TABLE IF EXISTS temp.v_now;"
    "DROP TABLE IF EXISTS temp.v_kept; DROP TABLE IF EXISTS temp.v_left;"
    "DROP TABLE IF EXISTS temp.v_element;";

static int run(struct hd_store *st, const char *sql)
{
    return sqlite3_exec(st->db, sql, NULL, NULL, NULL) ? hd_sql_fail(st) : 0;
}

/* Runs a statement that is used once, with five numbers. */
static int insert(struct hd_store *st, sqlite3_stmt *s, const s64 v[5])
{
    for (int i = 0; i < sqlite3_bind_parameter_count(s); i++)
        sqlite3_bind_int64(s, i + 1, v[i]);
    int rc = sqlite3_step(s);
    sqlite3_reset(s);
    return rc == SQLITE_DONE ? 0 : hd_sql_fail(st);
}

static int insert_once(struct hd_store *st, const char *sql, s64 a, s64 b)
{
    sqlite3_stmt *s = NULL;
    int e = sqlite3_prepare_v2(st->db, sql, -1, &s, NULL) ? hd_sql_fail(st)
                                                          : insert(st, s, (s64[5]){a, b, 0, 0, 0});
    sqlite3_finalize(s);
    return e;
}

static int put_arguments(struct hd_store *st, const struct hd_store_change *c)
{
    sqlite3_stmt *s = NULL;
    int e = run(st, "CREATE TEMP TABLE v_args (old INTEGER, new INTEGER);"
                    "CREATE TEMP TABLE v_build (build INTEGER PRIMARY KEY);"
                    "CREATE TEMP TABLE v_function (build INTEGER NOT NULL, start INTEGER NOT NULL, "
                    "size INTEGER NOT NULL, to_build INTEGER NOT NULL, target INTEGER NOT NULL, "
                    "PRIMARY KEY (build, start)) WITHOUT ROWID");
    if (!e)
        e = insert_once(st, "INSERT INTO v_args VALUES (?1, ?2)", c->old, c->new);
    if (!e && c->old != c->new)
        e = insert_once(st, "INSERT INTO v_build VALUES (?1)", c->old, 0);
    for (u32 i = 0; i < c->n_libraries && !e; i++)
        e = insert_once(st, "INSERT OR IGNORE INTO v_build VALUES (?1)", c->library[i], 0);
    if (!e && sqlite3_prepare_v2(st->db, "INSERT OR IGNORE INTO v_function VALUES (?1, ?2, ?3, ?4, ?5)",
                                 -1, &s, NULL))
        e = hd_sql_fail(st);
    for (u32 i = 0; i < c->n_moved && !e; i++) {
        const struct hd_store_moved *m = &c->moved[i];
        e = insert(st, s, (s64[5]){m->build ? m->build : c->old, (s64)m->from, (s64)m->size,
                                   m->to_build ? m->to_build : c->new, (s64)m->to});
    }
    sqlite3_finalize(s);
    return e;
}

static int count(struct hd_store *st, const char *sql, s64 input, u64 *out)
{
    sqlite3_stmt *s = NULL;
    int e = 0;
    if (sqlite3_prepare_v2(st->db, sql, -1, &s, NULL) || sqlite3_bind_int64(s, 1, input) ||
        sqlite3_step(s) != SQLITE_ROW)
        e = hd_sql_fail(st);
    else
        *out = (u64)sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return e;
}

int hd_store_inherit(struct hd_store *st, const struct hd_store_change *c, bool is_taken,
                     struct hd_store_inherited *out)
{
    *out = (struct hd_store_inherited){0};
    int e = is_taken ? hd_store_writes(st) : 0;
    if (!e)
        e = run(st, drop);
    if (!e)
        e = put_arguments(st, c);
    if (!e)
        e = run(st, hd_sql_inherit);
    if (!e)
        e = count(st, "SELECT count(*) FROM v_kept WHERE ?1 = 0 OR old IN "
                      "(SELECT element FROM main.seen WHERE input = ?1)", c->input, &out->kept);
    if (!e)
        e = count(st, "SELECT count(*) FROM v_left WHERE ?1 = 0 OR old IN "
                      "(SELECT element FROM main.seen WHERE input = ?1)", c->input, &out->left);
    if (!e && is_taken)
        e = run(st, hd_sql_inherit_take);
    if (!e)
        e = run(st, drop);
    st->candidates = 0; /* there may be some now */
    return e;
}
