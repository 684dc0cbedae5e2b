/* test_store_bad.c: files that are no store, damaged ones, older and newer ones,
 * folders that cannot be written, disks that are full: a sentence every time,
 * and what was stored stays. */
#include "store_rig.h"

#include <sys/resource.h>

static void refused(const char *dir, enum hd_store_mode mode, int e, const char *part)
{
    struct hd_store *st;
    rig_err.text[0] = '\0';
    assert_int_equal(hd_store_open(&st, dir, mode, 0, &rig_err), e);
    assert_null(st);
    if (!strstr(rig_err.text, part))
        fail_msg("\"%s\" does not say \"%s\"", rig_err.text, part);
}

/* Both ways of opening refuse it and leave it as it is. */
static void refused_untouched(const char *dir, int e, const char *part)
{
    char path[300];
    size_t n, m;
    snprintf(path, sizeof path, "%s/store.db", dir);
    u8 *before = rig_read(path, &n);
    refused(dir, HD_STORE_READ, e, part);
    refused(dir, HD_STORE_WRITE, e, part);
    u8 *after = rig_read(path, &m);
    assert_true(n == m && !memcmp(before, after, n));
    free(before);
    free(after);
    /* Nor does a merge take anything from it. */
    struct hd_store *st = rig_open(rig_path("merge-into"), HD_STORE_WRITE);
    assert_int_equal(hd_store_merge(st, dir), e);
    assert_non_null(strstr(hd_store_error(st), part));
    rig_close(st);
}

/* A folder with a database that `sql` makes. */
static const char *database(const char *name, const char *sql)
{
    const char *dir = rig_path("%s", name);
    char path[300];
    sqlite3 *db;
    mkdir(dir, 0777);
    snprintf(path, sizeof path, "%s/store.db", dir);
    assert_int_equal(sqlite3_open(path, &db), 0);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), 0);
    sqlite3_close(db);
    return dir;
}

static void make(const char *dir, u32 steps)
{
    struct hd_rng rng = {steps};
    struct hd_store *st = rig_open(dir, HD_STORE_WRITE);
    rig_fill(st, &rng, 0, steps);
    rig_close(st);
}

/* ---- not ours --------------------------------------------------------------------- */

static void test_nothing(void **state)
{
    const char *dir = rig_path("nothing");
    refused(dir, HD_STORE_READ, -ENOENT, "heddle test");
    mkdir(dir, 0777);
    refused(dir, HD_STORE_READ, -ENOENT, "heddle test");
    rig_write(rig_path("nothing/store.db"), "", 0); /* killed in the middle of creating it */
    refused(dir, HD_STORE_READ, -ENOENT, "heddle test");
    rig_close(rig_open(dir, HD_STORE_WRITE));
    rig_close(rig_open(dir, HD_STORE_READ));
    refused(rig_path("deep/down"), HD_STORE_WRITE, -ENOENT, "--dir");
}

static void test_not_a_database(void **state)
{
    char text[5000];
    mkdir(rig_path("text"), 0777);
    memset(text, 'x', sizeof text);
    rig_write(rig_path("text/store.db"), text, sizeof text);
    refused_untouched(rig_path("text"), -EBADMSG, "Move it away");
    mkdir(rig_path("folder"), 0777);
    mkdir(rig_path("folder/store.db"), 0777);
    refused(rig_path("folder"), HD_STORE_WRITE, -EBADMSG, "not a regular file");
    refused(rig_path("folder"), HD_STORE_READ, -EBADMSG, "not a regular file");
    rig_write(rig_path("file"), "x", 1);
    refused(rig_path("file"), HD_STORE_WRITE, -ENOTDIR, "--dir");
    mkdir(rig_path("pipe"), 0777);
    assert_int_equal(mkfifo(rig_path("pipe/store.db"), 0666), 0);
    refused(rig_path("pipe"), HD_STORE_WRITE, -EBADMSG, "not a regular file");
    refused(rig_path("pipe"), HD_STORE_READ, -EBADMSG, "not a regular file");
    mkdir(rig_path("pipe-lock"), 0777);
    assert_int_equal(mkfifo(rig_path("pipe-lock/lock"), 0666), 0); /* does not hang */
    rig_close(rig_open(rig_path("pipe-lock"), HD_STORE_WRITE));
}

static void test_foreign(void **state)
{
    refused_untouched(database("foreign", "CREATE TABLE program (path TEXT)"), -EBADMSG,
                      "another program");
    refused_untouched(database("foreign-id", "PRAGMA application_id = 7; PRAGMA user_version = 1"),
                      -EBADMSG, "another program");
}

static void test_newer(void **state)
{
    const char *dir = rig_path("newer");
    make(dir, 50);
    rig_ask(dir, "PRAGMA user_version = 99");
    refused_untouched(dir, -EPROTO, "newer Heddle (version 99");
    rig_ask(dir, "PRAGMA user_version = -1");
    refused_untouched(dir, -EPROTO, "newer Heddle");
}

/* Ours by its header, but the tables are not. */
static void test_stripped(void **state)
{
    char sql[128];
    snprintf(sql, sizeof sql, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             HD_STORE_APPLICATION, hd_migrate_latest(hd_sql_schema));
    const char *dir = database("stripped", sql);
    struct hd_store *st = rig_open(dir, HD_STORE_WRITE);
    assert_int_equal(hd_store_program(st, "/p"), -EBADMSG);
    assert_non_null(strstr(hd_store_error(st), "damaged"));
    assert_int_equal(hd_store_close(st, &rig_err), -EBADMSG);
    st = rig_open(rig_path("stripped-to"), HD_STORE_WRITE);
    assert_int_equal(hd_store_merge(st, dir), -EBADMSG);
    assert_non_null(strstr(hd_store_error(st), dir));
    rig_id(st, hd_store_program(st, "/p")); /* that was theirs, ours goes on */
    rig_close(st);
}

/* ---- damaged ------------------------------------------------------------------------ */

static int ignore_campaign(void *self, const struct hd_store_campaign *c) { return 0; }
static int ignore_finding(void *self, const struct hd_store_finding *f) { return 0; }
static int ignore_candidate(void *self, const struct hd_store_candidate *c) { return 0; }
static int ignore_count(void *self, const struct hd_store_count *c) { return 0; }
static int ignore_learned(void *self, const struct hd_store_site *s, u32 flags) { return 0; }
static int read_sites(void *self, const struct hd_store_seen *s)
{
    struct hd_store_site site;
    for (u32 i = 0; i < s->what.n; i++)
        if (hd_store_site_get(self, s->what.site[i], &site) == -EBADMSG)
            return -EBADMSG;
    return 0;
}

/* Reads all there is. 0, or the first error. */
static int read_all(struct hd_store *st)
{
    int e = rig_damage(st);
    for (s64 p = 1; p <= 3; p++) {
        int k[] = {hd_store_campaigns(st, p, ignore_campaign, st),
                   hd_store_elements(st, p, NULL, 0, read_sites, st),
                   hd_store_candidates(st, p, 1, ignore_candidate, NULL),
                   hd_store_counts(st, p, ignore_count, NULL),
                   hd_store_sites_load(st, p, ignore_learned, NULL),
                   hd_store_findings(st, p, ignore_finding, NULL)};
        for (u32 i = 0; i < HD_COUNT(k); i++)
            e = e ? e : k[i];
    }
    return e;
}

/* Whatever a damaged file holds: sentences, no crash, and merging it leaves the
 * store it is merged into sound. */
static void test_damaged(void **state)
{
    enum { TIMES = 150 };
    u32 noticed = 0;
    size_t n;
    struct hd_rng rng = {11};
    make(rig_path("good"), 400);
    make(rig_path("healthy"), 50);
    u8 *good = rig_read(rig_path("good/store.db"), &n), *bad = malloc(n);
    mkdir(rig_path("bad"), 0777);
    for (u32 i = 0; i < TIMES; i++) {
        memcpy(bad, good, n);
        size_t size = i % 10 ? n : hd_rng_below(&rng, n);
        u64 flips = i % 10 ? 1 + hd_rng_below(&rng, 60) : 0;
        u64 at = hd_rng_below(&rng, n), width = i % 3 ? 4096 : n; /* one page, or anywhere */
        for (u64 k = 0; k < flips; k++)
            bad[(at + hd_rng_below(&rng, width)) % n] = (u8)hd_rng_next(&rng);
        rig_write(rig_path("bad/store.db"), bad, size);
        struct hd_store *st;
        int e = hd_store_open(&st, rig_path("bad"), HD_STORE_READ, 0, &rig_err);
        if (!e) {
            e = read_all(st);
            hd_store_close(st, NULL);
        }
        st = rig_open(rig_path("healthy"), HD_STORE_WRITE);
        int m = hd_store_merge(st, rig_path("bad"));
        assert_true(m == 0 || *hd_store_error(st));
        rig_ok(st, rig_damage(st));
        rig_close(st);
        if (!hd_store_open(&st, rig_path("bad"), HD_STORE_WRITE, 0, &rig_err)) {
            char *argv[] = {"p", NULL};
            s64 p = hd_store_program(st, "/new"), b = hd_store_build(st, p, "x", 1, "/new");
            s64 c = hd_store_campaign_begin(st, p, b, hd_store_input(st, argv, -1), "pct", 1);
            int w = hd_store_run(st, c, &(struct hd_store_run){1, 1, "pct", "clean", 1, 1, 1});
            assert_true(w == 0 || *hd_store_error(st));
            int closed = hd_store_close(st, &rig_err);
            assert_true(closed == 0 || rig_err.text[0]);
        }
        noticed += e != 0;
        unlink(rig_path("bad/store.db-wal"));
        unlink(rig_path("bad/store.db-shm"));
    }
    print_message("%u of %u damages noticed\n", noticed, TIMES);
    /* Bytes inside of a value or of unused space cannot be noticed. Measured: over
     * half of all are; ids and times make each try a little different. */
    assert_true(noticed > TIMES / 4);
    rig_check(rig_path("healthy"));
    free(good);
    free(bad);
}

/* ---- older --------------------------------------------------------------------------- */

static const char three_versions[] =
    "-- a script\n"
    "\n-- version 1\nCREATE TABLE a (x INTEGER PRIMARY KEY);\n"
    "\n-- version 2\nALTER TABLE a ADD COLUMN y TEXT DEFAULT 'new';\nUPDATE a SET x = x + 1;\n"
    "\n-- version 3\nCREATE TABLE b (z INTEGER REFERENCES a(x));\n";

static s64 value(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL))
        return -1;
    s64 v = sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int64(s, 0) : -2;
    sqlite3_finalize(s);
    return v;
}

static void test_migrate(void **state)
{
    sqlite3 *db;
    assert_int_equal(hd_migrate_latest(three_versions), 3);
    assert_true(hd_migrate_latest(hd_sql_schema) >= 1);
    sqlite3_open(":memory:", &db);
    assert_int_equal(hd_migrate(db, three_versions, 0, "new", &rig_err), 0);
    assert_int_equal(value(db, "SELECT count(*) FROM b"), 0);
    sqlite3_close(db);

    sqlite3_open(":memory:", &db); /* an old one, with something in it */
    sqlite3_exec(db, "CREATE TABLE a (x INTEGER PRIMARY KEY); INSERT INTO a VALUES (41)", NULL,
                 NULL, NULL);
    assert_int_equal(hd_migrate(db, three_versions, 1, "old", &rig_err), 0);
    assert_int_equal(value(db, "SELECT x FROM a WHERE y = 'new'"), 42);
    assert_int_equal(value(db, "PRAGMA user_version"), 3);
    assert_int_equal(value(db, "PRAGMA application_id"), HD_STORE_APPLICATION);
    sqlite3_close(db);

    sqlite3_open(":memory:", &db); /* one where the last step cannot be done */
    sqlite3_exec(db, "CREATE TABLE a (x INTEGER PRIMARY KEY); INSERT INTO a VALUES (41);"
                 "CREATE TABLE b (q)", NULL, NULL, NULL);
    assert_int_equal(hd_migrate(db, three_versions, 1, "odd", &rig_err), -EBADMSG);
    assert_non_null(strstr(rig_err.text, "odd: damaged"));
    assert_int_equal(value(db, "SELECT x FROM a"), 41); /* as it was */
    assert_int_equal(value(db, "PRAGMA user_version"), 0);
    sqlite3_close(db);

    sqlite3_open(":memory:", &db); /* one whose rows refer to nothing */
    sqlite3_exec(db, "CREATE TABLE a (x INTEGER PRIMARY KEY); CREATE TABLE c (x REFERENCES a);"
                 "INSERT INTO c VALUES (5)", NULL, NULL, NULL);
    assert_int_equal(hd_migrate(db, three_versions, 1, "odd", &rig_err), -EBADMSG);
    assert_non_null(strstr(rig_err.text, "refer to nothing"));
    assert_int_equal(value(db, "SELECT count(*) FROM b"), -1);
    sqlite3_close(db);
}

/* A store of version 0, which has no tables yet: every way of opening brings it
 * up, merging takes a copy that is. */
static void test_version_0(void **state)
{
    char sql[64];
    int latest = hd_migrate_latest(hd_sql_schema);
    snprintf(sql, sizeof sql, "PRAGMA application_id = %d", HD_STORE_APPLICATION);
    const char *dir = database("zero", sql);
    struct hd_store *st = rig_open(rig_path("zero-to"), HD_STORE_WRITE);
    rig_ok(st, hd_store_merge(st, dir));
    assert_int_equal(rig_ask(dir, "PRAGMA user_version"), 0);
    rig_close(st);
    rig_close(rig_open(dir, HD_STORE_READ));
    assert_int_equal(rig_ask(dir, "PRAGMA user_version"), latest);
    dir = database("zero-again", sql);
    st = rig_open(dir, HD_STORE_WRITE);
    rig_id(st, hd_store_program(st, "/p"));
    rig_close(st);
    assert_int_equal(rig_ask(dir, "PRAGMA user_version"), latest);
    rig_check(dir);
}

/* ---- no room, no right ------------------------------------------------------------------ */

/* In a child: files may grow to `limit` bytes. Writes until it fails; the exit
 * status says what went wrong with the failing. */
static int write_until_full(const char *dir, u64 limit)
{
    struct hd_store *st;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){limit, limit});
    int e = hd_store_open(&st, dir, HD_STORE_WRITE, 0, &rig_err);
    if (e)
        return e == -ENOSPC && strstr(rig_err.text, "no room") ? 0 : 1;
    s64 p = hd_store_program(st, "/opt/prog"), b = hd_store_build(st, p, "full", 4, "/opt/prog");
    s64 i = hd_store_input(st, (char *[]){"p", NULL}, -1);
    s64 c = hd_store_campaign_begin(st, p, b, i, "pct", 1);
    e = c < 0 ? (int)c : 0;
    for (u64 run = 1; !e && run < 20000; run++) {
        struct hd_store_site s = {.build = b, .offset = run};
        struct hd_store_element x = {.metric = "pset", .n = 1, .site = {hd_store_site(st, &s)}};
        s64 id = x.site[0] < 0 ? x.site[0] : hd_store_element_add(st, c, &x, run, 1);
        e = id < 0 ? (int)id : 0;
        if (!e)
            e = hd_store_run(st, c, &(struct hd_store_run){run, 1, "pct", "clean", 1, 1, 1});
        if (!e && run % 50 == 0)
            e = hd_store_commit(st);
    }
    if (e != -ENOSPC || !strstr(hd_store_error(st), "no room"))
        return 2;
    if (hd_store_program(st, "/other") != -ENOSPC || hd_store_commit(st) != -ENOSPC ||
        hd_store_attempt(st, 1, 1, 1) != -ENOSPC)
        return 3;
    return hd_store_close(st, &rig_err) == -ENOSPC ? 0 : 4;
}

static void test_full(void **state)
{
    u64 limits[] = {0, 512, 5000, 40000, 70000, 150000, 300000, 600000};
    s64 most = 0;
    for (u32 i = 0; i < HD_COUNT(limits); i++) {
        const char *dir = rig_path("full-%u", i % 3); /* new ones, and some with content */
        pid_t pid = fork();
        if (!pid)
            _exit(write_until_full(dir, limits[i]));
        int status;
        waitpid(pid, &status, 0);
        if (status)
            fail_msg("limit %llu: %x", (unsigned long long)limits[i], status);
        rig_check(dir); /* opens for writing, too */
        s64 runs = rig_ask(dir, "SELECT count(*) FROM run");
        most = HD_MAX(most, runs);
        assert_int_equal(runs % 50, 0);
        assert_int_equal(rig_ask(dir, "SELECT count(*) FROM (SELECT campaign, number FROM run "
                                      "EXCEPT SELECT campaign, run FROM seen)"), 0);
    }
    assert_true(most >= 500);
}

/* In a child without the right to write: status 0 if all is as it should be. */
static int try_without_right(const char *dir)
{
    struct hd_store *st;
    if (!geteuid() && (setgid(65534) || setuid(65534)))
        return 1;
    if (hd_store_open(&st, dir, HD_STORE_WRITE, 0, &rig_err) != -EACCES)
        return 2;
    if (!strstr(rig_err.text, "--dir"))
        return 3;
    if (hd_store_open(&st, dir, HD_STORE_READ, 0, &rig_err))
        return 4;
    if (hd_store_program(st, "/opt/prog") <= 0 || rig_damage(st))
        return 5;
    hd_store_close(st, NULL);
    chdir(dir); /* a folder's name without a slash is a place, too */
    if (hd_store_open(&st, ".", HD_STORE_READ, 0, &rig_err))
        return 6;
    return hd_store_close(st, NULL) ? 7 : 0;
}

static void test_read_only(void **state)
{
    const char *dir = rig_path("read%%3f?#only");
    struct hd_store *st = rig_open(dir, HD_STORE_WRITE);
    rig_start(st, 1);
    rig_close(st);
    char path[300];
    snprintf(path, sizeof path, "%s/store.db", dir);
    chmod(path, 0444);
    snprintf(path, sizeof path, "%s/lock", dir);
    chmod(path, 0444);
    chmod(dir, 0555);
    int status;
    pid_t pid = fork();
    if (!pid)
        _exit(try_without_right(dir));
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    st = rig_open(rig_path("read-only-to"), HD_STORE_WRITE);
    rig_ok(st, hd_store_merge(st, dir));
    rig_id(st, hd_store_program(st, "/opt/prog"));
    rig_close(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),   cmocka_unit_test(test_not_a_database),
        cmocka_unit_test(test_foreign),   cmocka_unit_test(test_newer),
        cmocka_unit_test(test_stripped),  cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_migrate),   cmocka_unit_test(test_version_0),
        cmocka_unit_test(test_full),      cmocka_unit_test(test_read_only),
    };
    return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
