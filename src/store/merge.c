/* merge.c: what another machine learned becomes ours.
 *
 * The other store is copied into a temporary database first: its file is only
 * read, may be in use, may be of an older version (then the copy is migrated).
 * merge.sql then unites the two in one transaction.
 */
#include "store/state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* `from` may be the folder or the file. */
static int store_file(const char *from, char *path, size_t size)
{
    struct stat st;
    bool is_folder = !stat(from, &st) && S_ISDIR(st.st_mode);
    if (snprintf(path, size, "%s%s", from, is_folder ? "/store.db" : "") >= (int)size - 16)
        return -ENAMETOOLONG;
    return 0;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* All of `from` into database `name` of `to`. Errors are explained by path. */
static int copy(sqlite3 *to, const char *name, sqlite3 *from, const char *path,
                struct hd_error *err)
{
    sqlite3_backup *b = sqlite3_backup_init(to, name, from, "main");
    if (b && sqlite3_backup_step(b, -1) == SQLITE_DONE) {
        sqlite3_backup_finish(b);
        return 0;
    }
    sqlite3_backup_finish(b); /* leaves the error in `to` */
    return hd_sql_explain(to, path, err);
}

/* *db becomes a migrated copy of itself. */
static int bring_up(sqlite3 **db, int version, const char *path, struct hd_error *err)
{
    sqlite3 *fresh = NULL;
    int e;
    if (sqlite3_open_v2("", &fresh, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL))
        e = hd_sql_explain(fresh, path, err);
    else
        e = copy(fresh, "main", *db, path, err);
    if (!e)
        e = hd_migrate(fresh, hd_sql_schema, version, path, err);
    sqlite3_close(*db);
    *db = fresh;
    return e;
}

static int unite(struct hd_store *st, const char *path)
{
    int e = hd_store_writes(st);
    if (e)
        return e;
    st->candidates = 0;
    if (!sqlite3_exec(st->db, hd_sql_merge, NULL, NULL, NULL))
        return hd_store_commit(st);
    e = hd_sql_explain(st->db, st->path, &st->error);
    if (e == -EINVAL || e == -EBADMSG) /* checked before: so it is theirs, not ours */
        e = hd_store_explain(st, -EBADMSG, "%s: damaged (%s); nothing was taken from it.", path,
                             sqlite3_errmsg(st->db));
    if (!sqlite3_get_autocommit(st->db))
        sqlite3_exec(st->db, "ROLLBACK", NULL, NULL, NULL);
    st->in_batch = false;
    return st->code = e;
}

int hd_store_merge(struct hd_store *st, const char *from)
{
    char path[PATH_MAX];
    sqlite3 *other = NULL;
    int version = 0, e = store_file(from, path, sizeof path);
    if (e)
        return hd_store_explain(st, e, "%.64s...: too long for the name of a store.", from);
    e = hd_store_writes(st);
    if (!e)
        e = hd_store_commit(st);
    if (e || is_same_file(path, st->path))
        return e;
    e = hd_store_peek(&other, path, &version, &st->error);
    if (!e)
        e = hd_sql_check(other, path, &st->error);
    if (!e && version < hd_migrate_latest(hd_sql_schema))
        e = bring_up(&other, version, path, &st->error);
    if (!e && sqlite3_exec(st->db, "ATTACH '' AS other", NULL, NULL, NULL))
        e = hd_sql_fail(st);
    else if (!e) {
        e = copy(st->db, "other", other, path, &st->error);
        if (!e)
            e = unite(st, path);
        sqlite3_exec(st->db, "DETACH other", NULL, NULL, NULL);
    }
    sqlite3_close(other);
    return st->code = e;
}
