/* store.c: opening a store with every doubt about the file settled first, and
 * the batches that make writing cheap.
 *
 * Before anything is written: is it a file of SQLite, is it ours (application
 * id), do we know its version? A file that is not ours is never changed.
 */
#include "text/folder.h"
#include "store/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

s64 hd_store_unix_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

static s64 monotonic_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* ---- opening ----------------------------------------------------------------------- */

/* First column of the first row of `sql`; -1: an error. */
static s64 ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *s = NULL;
    s64 value = -1;
    if (!sqlite3_prepare_v2(db, sql, -1, &s, NULL) && sqlite3_step(s) == SQLITE_ROW)
        value = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return value;
}

/* What kind of file is it? 0 and its version, or negative errno. */
static int recognise(sqlite3 *db, const char *path, int *version, struct hd_error *err)
{
    s64 tables = ask(db, "SELECT count(*) FROM sqlite_schema");
    if (tables < 0)
        return hd_sql_explain(db, path, err);
    s64 app = ask(db, "PRAGMA application_id"), known = hd_migrate_latest(hd_sql_schema);
    *version = (int)ask(db, "PRAGMA user_version");
    if (app != HD_STORE_APPLICATION && (app || tables)) {
        return hd_error_set(err, -EBADMSG,
                            "%s: a database of another program, which Heddle leaves alone. Move "
                            "it away, or choose another place with --dir.",
                            path);
    }
    if (*version < 0 || *version > known) {
        return hd_error_set(err, -EPROTO,
                            "%s: made by a newer Heddle (version %d of the store; this one knows "
                            "%d). Update Heddle, or choose another place with --dir.",
                            path, *version, (int)known);
    }
    return 0;
}

/* "file:" address; `more` are its options. */
static void file_uri(char *out, size_t size, const char *path, const char *more)
{
    size_t n = (size_t)snprintf(out, size, "file:");
    for (; *path && n + 4 < size; path++) {
        if (strchr("%?#", *path))
            n += (size_t)snprintf(out + n, size - n, "%%%02x", (u8)*path);
        else
            out[n++] = *path;
    }
    snprintf(out + n, size - n, "%s", more);
}

static void settle(sqlite3 *db)
{
    sqlite3_extended_result_codes(db, 1);
    sqlite3_busy_timeout(db, 5000);
    /* The file may come from anywhere: no code out of its schema. */
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_exec(db, "PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
}

int hd_store_peek(sqlite3 **db, const char *path, int *version, struct hd_error *err)
{
    char uri[3 * PATH_MAX], wal[PATH_MAX + 8], dir[PATH_MAX];
    struct stat file;
    *db = NULL;
    if (stat(path, &file)) {
        int e = -errno;
        return hd_error_set(err, e,
                            e == -ENOENT ? "%s: there is no store yet. Run heddle test first, or "
                                           "name its folder with --dir."
                                         : "%s: cannot be read (%s).",
                            path, strerror(-e));
    }
    if (!S_ISREG(file.st_mode)) {
        return hd_error_set(err, -EBADMSG,
                            "%s: not a regular file. Move it away, or choose another place with "
                            "--dir.",
                            path);
    }
    snprintf(wal, sizeof wal, "%s-wal", path);
    snprintf(dir, sizeof dir, "%s", path);
    char *slash = strrchr(dir, '/');
    *(slash ? slash : dir) = '\0';
    /* A reader makes files next to the store. Where it cannot, nobody writes:
     * without a log the file is all there is. */
    bool is_still = access(*dir ? dir : slash ? "/" : ".", W_OK) && access(wal, F_OK);
    file_uri(uri, sizeof uri, path, is_still ? "?immutable=1" : "");
    int e = 0, flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(uri, db, flags, NULL))
        e = hd_sql_explain(*db, path, err);
    if (!e) {
        settle(*db);
        e = recognise(*db, path, version, err);
    }
    if (e) {
        sqlite3_close(*db);
        *db = NULL;
    }
    return e;
}

static int open_reader(struct hd_store *st, const char *dir, struct hd_error *err)
{
    int version = 0, e = hd_store_peek(&st->db, st->path, &version, err);
    if (e || version == hd_migrate_latest(hd_sql_schema))
        return e;
    bool is_empty = !ask(st->db, "PRAGMA application_id");
    sqlite3_close(st->db);
    st->db = NULL;
    if (is_empty) {
        return hd_error_set(err, -ENOENT, "%s: there is nothing in it yet. Run heddle test first.",
                            st->path);
    }
    /* Of an older Heddle: only a writer can bring it up to date. */
    struct hd_store *writer;
    e = hd_store_open(&writer, dir, HD_STORE_WRITE, 0, err);
    if (!e)
        e = hd_store_close(writer, err);
    return e ? e : hd_store_peek(&st->db, st->path, &version, err);
}

static int open_writer(struct hd_store *st, struct hd_error *err)
{
    int version = 0, e, flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    struct stat file;
    if (!stat(st->path, &file) && !S_ISREG(file.st_mode)) {
        return hd_error_set(err, -EBADMSG,
                            "%s: not a regular file. Move it away, or choose another place with "
                            "--dir.",
                            st->path);
    }
    if (sqlite3_open_v2(st->path, &st->db, flags, NULL))
        return hd_sql_explain(st->db, st->path, err);
    settle(st->db);
    e = recognise(st->db, st->path, &version, err);
    if (e)
        return e;
    if (sqlite3_db_readonly(st->db, "main") == 1) {
        return hd_error_set(err, -EACCES,
                            "%s: may not be written. Check its permissions, or choose another "
                            "place with --dir.",
                            st->path);
    }
    /* A store that is made just now has nothing to lose with the machine. */
    if (sqlite3_exec(st->db, version ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = OFF",
                     NULL, NULL, NULL) ||
        sqlite3_exec(st->db, "PRAGMA journal_mode = WAL; PRAGMA cache_size = -65536", NULL, NULL,
                     NULL))
        return hd_sql_explain(st->db, st->path, err);
    if (version < hd_migrate_latest(hd_sql_schema)) {
        e = hd_migrate(st->db, hd_sql_schema, version, st->path, err);
        if (e)
            return e;
    }
    /* In WAL mode with NORMAL a commit is one write, without waiting for the
     * disk: it survives the end of the process, not of the machine. */
    if (sqlite3_exec(st->db, "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON", NULL, NULL,
                     NULL))
        return hd_sql_explain(st->db, st->path, err);
    return 0;
}

static int make_folder(const char *dir, struct hd_error *err)
{
    struct stat st;
    int e = hd_folder_begin(dir);
    if (e == -EEXIST)
        e = stat(dir, &st) ? -errno : S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
    if (e)
        return hd_error_set(err, e,
                            "%s: cannot be made or used as a folder (%s). Choose another place "
                            "with --dir.",
                            dir, strerror(-e));
    return 0;
}

int hd_store_open(struct hd_store **out, const char *dir, enum hd_store_mode mode, double wait,
                  struct hd_error *err)
{
    struct hd_store *st = calloc(1, sizeof *st);
    HD_ASSERT(st != NULL);
    *out = NULL;
    st->lock_fd = -1;
    st->is_writer = mode == HD_STORE_WRITE;
    int e = 0;
    if (snprintf(st->path, sizeof st->path, "%s/store.db", dir) >= (int)sizeof st->path - 16) {
        e = hd_error_set(err, -ENAMETOOLONG, "%.64s...: too long for the name of a folder.", dir);
    } else if (!st->is_writer) {
        e = open_reader(st, dir, err);
    } else {
        e = make_folder(dir, err);
        if (!e && (st->lock_fd = hd_store_lock(dir, wait, err)) < 0)
            e = st->lock_fd;
        if (!e)
            e = open_writer(st, err);
    }
    if (e)
        hd_store_close(st, NULL);
    else
        *out = st;
    return e;
}

int hd_store_close(struct hd_store *st, struct hd_error *err)
{
    if (!st)
        return 0;
    int e = hd_store_commit(st);
    if (e)
        hd_error_set(err, e, "%s", st->error.text);
    for (u32 i = 0; i < HD_SQL_COUNT; i++)
        sqlite3_finalize(st->stmt[i]);
    sqlite3_close(st->db);
    if (st->lock_fd >= 0)
        close(st->lock_fd); /* after the database: the next writer finds it quiet */
    free(st->texts);
    free(st);
    return e;
}

const char *hd_store_error(const struct hd_store *st) { return st->error.text; }

/* ---- batches ------------------------------------------------------------------------ */

int hd_store_writes(struct hd_store *st)
{
    if (st->in_batch)
        return 0;
    if (st->failed)
        return st->failed;
    if (!st->is_writer)
        return hd_store_explain(st, -EROFS, "%s: was opened for reading only.", st->path);
    int e = hd_sql_do(st, HD_SQL_BEGIN, NULL, 0);
    if (e)
        return e;
    st->in_batch = true;
    st->batch_ns = monotonic_ns();
    return 0;
}

int hd_store_commit(struct hd_store *st)
{
    if (!st->in_batch)
        return st->failed;
    int e = hd_sql_do(st, HD_SQL_COMMIT, NULL, 0);
    st->in_batch = false;
    return e;
}

int hd_store_tick(struct hd_store *st)
{
    if (st->in_batch && monotonic_ns() - st->batch_ns >= HD_STORE_BATCH_NS)
        return hd_store_commit(st);
    return st->failed;
}
