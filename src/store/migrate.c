/* migrate.c: brings a store from its version to the latest one, by the sections
 * of schema.sql. A new store is one of version 0, so creating and migrating are
 * one path. All or nothing: killed in between, the store is as it was.
 */
#include "store/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK "\n-- version "

/* Start of the section for version v; NULL: there is none. */
static const char *section(const char *script, int v)
{
    for (const char *p = script; (p = strstr(p, MARK)); p += strlen(MARK))
        if (strtol(p + strlen(MARK), NULL, 10) == v)
            return p + 1;
    return NULL;
}

int hd_migrate_latest(const char *script)
{
    int v = 0;
    while (section(script, v + 1))
        v++;
    return v;
}

static int run_section(sqlite3 *db, const char *script, int v)
{
    const char *from = section(script, v), *to = strstr(from, MARK);
    size_t n = to ? (size_t)(to - from) : strlen(from);
    char *text = sqlite3_malloc64(n + 1);
    if (!text)
        return SQLITE_NOMEM;
    memcpy(text, from, n);
    text[n] = '\0';
    int rc = sqlite3_exec(db, text, NULL, NULL, NULL);
    sqlite3_free(text);
    return rc;
}

/* A section may rebuild tables, so references are checked in the end only. */
static int check_references(sqlite3 *db, bool *is_bad)
{
    sqlite3_stmt *s = NULL;
    int rc = sqlite3_prepare_v2(db, "PRAGMA foreign_key_check", -1, &s, NULL);
    *is_bad = !rc && sqlite3_step(s) == SQLITE_ROW;
    int end = sqlite3_finalize(s);
    return rc ? rc : end;
}

int hd_migrate(sqlite3 *db, const char *script, int from, const char *path, struct hd_error *err)
{
    char header[96];
    int latest = hd_migrate_latest(script), e = 0;
    snprintf(header, sizeof header, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             HD_STORE_APPLICATION, latest);
    int rc = sqlite3_exec(db, "PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE", NULL, NULL, NULL);
    for (int v = from + 1; !rc && v <= latest; v++)
        rc = run_section(db, script, v);
    bool is_bad = false;
    if (!rc)
        rc = check_references(db, &is_bad);
    if (is_bad) {
        e = hd_error_set(err, -EBADMSG,
                         "%s: damaged (rows refer to nothing), so it cannot be brought from "
                         "version %d to %d. Move it away and Heddle makes a new one.",
                         path, from, latest);
    } else if (rc || sqlite3_exec(db, header, NULL, NULL, NULL) ||
               sqlite3_exec(db, "COMMIT", NULL, NULL, NULL)) {
        e = hd_sql_explain(db, path, err);
    }
    if (!sqlite3_get_autocommit(db))
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return e;
}
