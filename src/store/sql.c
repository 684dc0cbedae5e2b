/* sql.c: prepared statements, and SQLite's errors as sentences that say what to
 * do. Everything a store does to its file goes through here.
 */
#include "store/state.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const sql_text[HD_SQL_COUNT] = {
#define HD_SQL(name, text) [HD_SQL_##name] = text,
#include "store/sql.def"
#undef HD_SQL
};

int hd_store_explain(struct hd_store *st, int e, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    hd_error_setv(&st->error, e, format, ap);
    va_end(ap);
    return st->code = e;
}

/* Why the system refused. What SQLite notes for the connection is errno after the
 * clean-up; the files know better, if it was a read or write of theirs. */
static int last_errno(sqlite3 *db)
{
    sqlite3_file *log = NULL;
    int main_file = 0, log_file = 0;
    sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &main_file);
    sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (log && log->pMethods && log->pMethods->xFileControl)
        log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &log_file);
    return main_file ? main_file : log_file ? log_file : sqlite3_system_errno(db);
}

static int explain_io(int code, int sys, const char *path, struct hd_error *err)
{
    if (code == SQLITE_FULL || sys == ENOSPC || sys == EDQUOT || sys == EFBIG) {
        return hd_error_set(err, -ENOSPC,
                            "%s: no room left to write (%s). Make room, or choose another place "
                            "with --dir; what was stored before is kept.",
                            path, strerror(sys ? sys : ENOSPC));
    }
    int e = code == SQLITE_READONLY ? -EROFS : -EIO;
    if (code == SQLITE_CANTOPEN || code == SQLITE_PERM || code == SQLITE_AUTH)
        e = sys ? -sys : -EACCES;
    return hd_error_set(err, e,
                        "%s: cannot be read or written (%s). Check the disk and the permissions "
                        "of the folder, or choose another place with --dir.",
                        path, sys ? strerror(sys) : sqlite3_errstr(code));
}

int hd_sql_explain(sqlite3 *db, const char *path, struct hd_error *err)
{
    int code = sqlite3_extended_errcode(db), sys = last_errno(db);
    switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_READONLY:
        return explain_io(code & 0xff, sys, path, err);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return hd_error_set(err, -EBUSY,
                            "%s: another program keeps it locked. Close it and try again.", path);
    case SQLITE_NOMEM:
        return hd_error_set(err, -ENOMEM, "%s: out of memory.", path);
    case SQLITE_CONSTRAINT:
        return hd_error_set(err, -EINVAL, "%s: a row was refused (%s).", path, sqlite3_errmsg(db));
    default: /* CORRUPT, NOTADB, and ERROR: tables that are not as we made them */
        return hd_error_set(err, -EBADMSG,
                            "%s: damaged, or not a store of Heddle (%s). Move it away and Heddle "
                            "makes a new one, or choose another place with --dir.",
                            path, sqlite3_errmsg(db));
    }
}

int hd_sql_check(sqlite3 *db, const char *path, struct hd_error *err)
{
    sqlite3_stmt *s = NULL;
    int e = 0;
    if (sqlite3_prepare_v2(db, "PRAGMA quick_check(1)", -1, &s, NULL) ||
        sqlite3_step(s) != SQLITE_ROW) {
        e = hd_sql_explain(db, path, err);
    } else if (strcmp(hd_sql_text(s, 0), "ok")) {
        e = hd_error_set(err, -EBADMSG,
                         "%s: damaged (%s). Move it away and Heddle makes a new one.", path,
                         hd_sql_text(s, 0));
    }
    sqlite3_finalize(s);
    return e;
}

int hd_sql_fail(struct hd_store *st)
{
    int e = hd_sql_explain(st->db, st->path, &st->error);
    st->code = e;
    if (e == -EINVAL || !st->is_writer)
        return e;
    st->failed = e;
    st->in_batch = false;
    if (!sqlite3_get_autocommit(st->db))
        sqlite3_exec(st->db, "ROLLBACK", NULL, NULL, NULL);
    return e;
}

sqlite3_stmt *hd_sql_bind(struct hd_store *st, enum hd_sql which, const struct hd_arg *a, u32 n)
{
    sqlite3_stmt **s = &st->stmt[which];
    if (!*s && sqlite3_prepare_v3(st->db, sql_text[which], -1, SQLITE_PREPARE_PERSISTENT, s, NULL))
        return hd_sql_fail(st), NULL;
    for (u32 i = 0; i < n; i++) {
        int k = (int)i + 1, rc;
        if (a[i].kind == 'i')
            rc = sqlite3_bind_int64(*s, k, a[i].i);
        else if (a[i].kind == 'f')
            rc = sqlite3_bind_double(*s, k, a[i].f);
        else if (a[i].kind == 't')
            rc = sqlite3_bind_text(*s, k, a[i].p ? a[i].p : "", -1, SQLITE_STATIC);
        else
            rc = sqlite3_bind_blob(*s, k, a[i].len ? a[i].p : "", (int)a[i].len, SQLITE_STATIC);
        if (rc)
            return hd_sql_fail(st), NULL;
    }
    return *s;
}

void hd_sql_end(sqlite3_stmt *s)
{
    sqlite3_reset(s);
    sqlite3_clear_bindings(s); /* they point to memory of the caller */
}

int hd_sql_row(struct hd_store *st, sqlite3_stmt *s)
{
    int rc = sqlite3_step(s);
    if (rc == SQLITE_ROW)
        return 1;
    int e = rc == SQLITE_DONE ? 0 : hd_sql_fail(st);
    hd_sql_end(s);
    return e;
}

int hd_sql_do(struct hd_store *st, enum hd_sql which, const struct hd_arg *a, u32 n)
{
    sqlite3_stmt *s = hd_sql_bind(st, which, a, n);
    if (!s)
        return st->code;
    return hd_sql_row(st, s);
}

s64 hd_sql_id(struct hd_store *st, enum hd_sql which, const struct hd_arg *a, u32 n)
{
    sqlite3_stmt *s = hd_sql_bind(st, which, a, n);
    if (!s)
        return st->code;
    s64 id = hd_sql_row(st, s);
    if (id == 1) {
        id = sqlite3_column_int64(s, 0);
        hd_sql_end(s);
    }
    return id;
}

const char *hd_sql_text(sqlite3_stmt *s, int column)
{
    const char *t = (const char *)sqlite3_column_text(s, column);
    return t ? t : "";
}

const u8 *hd_sql_blob(sqlite3_stmt *s, int column, u32 *len)
{
    const u8 *p = sqlite3_column_blob(s, column);
    *len = (u32)sqlite3_column_bytes(s, column);
    return p ? p : (const u8 *)"";
}
