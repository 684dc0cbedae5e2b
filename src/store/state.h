/* state.h: what the files of store/ share. Nobody outside includes it.
 *
 *   store.c     open, close, batches      lock.c      one writer per directory
 *   sql.c       statements and errors     migrate.c   from version to version
 *   identity.c  programs, builds, inputs, sites
 *   journal.c   campaigns, runs, curves, findings
 *   memory.c    elements, candidates, learned sites
 *   search.c    searches that are not over
 *   merge.c     two stores into one
 *   profile.c   cheap runs of a suite's inputs
 *   version.c   functions of builds; what a build takes over from an earlier one
 */
#ifndef HD_STORE_STATE_H
#define HD_STORE_STATE_H

#include <limits.h>
#include <sqlite3.h>

#include "error/error.h"
#include "store/store.h"

#define HD_STORE_APPLICATION 0x48454444 /* "HEDD", in the header of the file */
#define HD_STORE_BATCH_NS 200000000ll

enum hd_sql {
#define HD_SQL(name, text) HD_SQL_##name,
#include "store/sql.def"
#undef HD_SQL
    HD_SQL_COUNT
};

struct hd_store_name {
    char text[24];
    s64 id;
};

struct hd_store {
    sqlite3 *db;
    sqlite3_stmt *stmt[HD_SQL_COUNT];
    char path[PATH_MAX];      /* of store.db */
    int lock_fd;              /* -1: reader */
    bool is_writer;
    bool in_batch;
    int code;                 /* of the last failure */
    int failed;               /* what every write returns from now on; 0 = all is well */
    s64 batch_ns;             /* monotonic: when the batch began */
    s64 campaign;             /* the last one asked for, */
    s64 build, input;         /* and what belongs to it */
    signed char candidates;            /* 1: there are some, -1: none, 0: not asked yet */
    struct hd_store_name names[32]; /* ids of words met lately, by hash */
    char *texts;              /* of the site asked for last */
    struct hd_error error;
};

/* ---- sql.c ----------------------------------------------------------------------- */

/* Says it in st->error and returns e. */
int hd_store_explain(struct hd_store *st, int e, const char *format, ...) HD_PRINTF(3, 4);

/* The sentence for the last error of `db`, and its negative errno. */
int hd_sql_explain(sqlite3 *db, const char *path, struct hd_error *err);
/* Reads the whole file for damage. */
int hd_sql_check(sqlite3 *db, const char *path, struct hd_error *err);
/* The last error of st, like hd_sql_explain. Anything but a refused row undoes
 * the batch and is for good. */
int hd_sql_fail(struct hd_store *st);

struct hd_arg {
    u8 kind; /* 'i', 'f', 't', 'b' */
    u32 len;
    union {
        s64 i;
        double f;
        const void *p;
    };
};
#define HD_I(x) {.kind = 'i', .i = (s64)(x)}
#define HD_F(x) {.kind = 'f', .f = (x)}
#define HD_T(x) {.kind = 't', .p = (x)} /* NULL is "" */
#define HD_B(x, n) {.kind = 'b', .p = (x), .len = (n)}
#define HD_ARGS(...)                                                                               \
    (const struct hd_arg[]){__VA_ARGS__}, (u32)HD_COUNT(((const struct hd_arg[]){__VA_ARGS__}))

/* The statement with its arguments, ready for hd_sql_row; NULL: st->error. */
sqlite3_stmt *hd_sql_bind(struct hd_store *st, enum hd_sql which, const struct hd_arg *a, u32 n);
/* 1: there is a row; 0: no more, or negative errno: the statement is reset. */
int hd_sql_row(struct hd_store *st, sqlite3_stmt *s);
/* Ends a listing before its last row. */
void hd_sql_end(sqlite3_stmt *s);
/* Runs a statement without rows. */
int hd_sql_do(struct hd_store *st, enum hd_sql which, const struct hd_arg *a, u32 n);
/* First column of its only row; 0: there is none. */
s64 hd_sql_id(struct hd_store *st, enum hd_sql which, const struct hd_arg *a, u32 n);

/* Columns; never NULL, wrong types read as "", 0. */
const char *hd_sql_text(sqlite3_stmt *s, int column);
const u8 *hd_sql_blob(sqlite3_stmt *s, int column, u32 *len);

/* ---- store.c ---------------------------------------------------------------------- */

/* To be called before every write: opens a batch if there is none. */
int hd_store_writes(struct hd_store *st);
s64 hd_store_unix_ms(void);
/* Opens the file for reading and looks what it is: application id and version.
 * 0 with version 0: an empty file. The caller closes *db. */
int hd_store_peek(sqlite3 **db, const char *path, int *version, struct hd_error *err);

/* ---- identity.c, journal.c ---------------------------------------------------------- */

s64 hd_store_name(struct hd_store *st, const char *text);
void hd_store_site_columns(sqlite3_stmt *s, struct hd_store_site *out);
/* Sets st->build and st->input. */
int hd_store_campaign_use(struct hd_store *st, s64 campaign);

/* ---- lock.c ------------------------------------------------------------------------ */

/* A descriptor that holds DIR/lock, or negative errno. */
int hd_store_lock(const char *dir, double wait, struct hd_error *err);

/* ---- migrate.c ---------------------------------------------------------------------- */

extern const char hd_sql_schema[], hd_sql_merge[], hd_sql_inherit[], hd_sql_inherit_take[]; /* made from the .sql files */

/* Highest version in a script of "-- version N" sections. */
int hd_migrate_latest(const char *script);
/* Runs the sections above `from` in one transaction. On failure nothing has
 * changed. Leaves foreign keys off. */
int hd_migrate(sqlite3 *db, const char *script, int from, const char *path, struct hd_error *err);

#endif
