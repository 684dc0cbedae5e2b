/* store_rig.h: for tests of store/: a folder of stores, a campaign to write in,
 * random contents, and a store's contents as text without local ids. */
#ifndef HD_TEST_STORE_RIG_H
#define HD_TEST_STORE_RIG_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/rng.h"
#include "store/state.h"

static char rig_dir[] = "/tmp/heddle-store-XXXXXX";
static struct hd_error rig_err;

static inline int rig_begin(void **state)
{
    return mkdtemp(rig_dir) ? chmod(rig_dir, 0755) : -1;
}

static inline int rig_end(void **state)
{
    char cmd[128];
    snprintf(cmd, sizeof cmd, "chmod -R u+rwX %s; rm -rf %s", rig_dir, rig_dir);
    return system(cmd);
}

/* A path in the folder of the test; eight live at a time. */
static inline const char *rig_path(const char *format, ...) HD_PRINTF(1, 2);
static inline const char *rig_path(const char *format, ...)
{
    static char path[8][256];
    static u32 k;
    char *p = path[k++ % 8], name[128];
    va_list ap;
    va_start(ap, format);
    vsnprintf(name, sizeof name, format, ap);
    va_end(ap);
    snprintf(p, sizeof path[0], "%s/%s", rig_dir, name);
    return p;
}

static inline struct hd_store *rig_open(const char *dir, enum hd_store_mode mode)
{
    struct hd_store *st;
    rig_err.text[0] = '\0';
    if (hd_store_open(&st, dir, mode, 0, &rig_err))
        fail_msg("%s: %s", dir, rig_err.text);
    return st;
}

static inline void rig_close(struct hd_store *st)
{
    if (hd_store_close(st, &rig_err))
        fail_msg("%s", rig_err.text);
}

static inline s64 rig_id(struct hd_store *st, s64 id)
{
    if (id <= 0)
        fail_msg("%lld: %s", (long long)id, hd_store_error(st));
    return id;
}

static inline void rig_ok(struct hd_store *st, int e)
{
    if (e < 0)
        fail_msg("%d: %s", e, hd_store_error(st));
}

/* A program with one build and one input, to write in. */
struct rig {
    s64 program, build, input, campaign;
};

static inline struct rig rig_start(struct hd_store *st, u8 build)
{
    struct rig r;
    char *argv[] = {"prog", "--size", "3", NULL};
    r.program = rig_id(st, hd_store_program(st, "/opt/prog"));
    r.build = rig_id(st, hd_store_build(st, r.program, &build, 1, "/opt/prog"));
    r.input = rig_id(st, hd_store_input(st, argv, -1));
    r.campaign = rig_id(st, hd_store_campaign_begin(st, r.program, r.build, r.input, "pct", 7));
    return r;
}

static inline s64 rig_site(struct hd_store *st, s64 build, u64 offset)
{
    return rig_id(st, hd_store_site(st, &(struct hd_store_site){.build = build, .offset = offset}));
}

/* A file's content; free it. */
static inline u8 *rig_read(const char *path, size_t *n)
{
    struct stat st;
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0 && !fstat(fd, &st));
    u8 *p = malloc((size_t)st.st_size + 1);
    *n = (size_t)read(fd, p, (size_t)st.st_size);
    assert_int_equal(*n, st.st_size);
    close(fd);
    return p;
}

static inline void rig_write(const char *path, const void *data, size_t n)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, n), (ssize_t)n);
    close(fd);
}

/* Copies a closed store to another folder. */
static inline void rig_copy(const char *from, const char *to)
{
    char path[300];
    size_t n;
    snprintf(path, sizeof path, "%s/store.db", from);
    u8 *p = rig_read(path, &n);
    mkdir(to, 0777);
    snprintf(path, sizeof path, "%s/store.db", to);
    rig_write(path, p, n);
    free(p);
}

/* First column of the first row, by another connection. */
static inline s64 rig_ask(const char *dir, const char *sql)
{
    char path[300];
    sqlite3 *db;
    sqlite3_stmt *s;
    snprintf(path, sizeof path, "%s/store.db", dir);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), 0);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), 0);
    s64 v = sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int64(s, 0) : -1;
    sqlite3_finalize(s);
    sqlite3_close(db);
    return v;
}

/* ---- contents as text ------------------------------------------------------------ */

static const char *const rig_queries[] = {
    "SELECT 'name', text FROM name ORDER BY 2",
    "SELECT 'program', path FROM program ORDER BY 2",
    "SELECT 'build', hex(hash), path FROM build ORDER BY 2",
    "SELECT 'version', p.path, hex(b.hash), first_at FROM version v JOIN program p ON "
    "p.id = v.program JOIN build b ON b.id = v.build ORDER BY 2, 3",
    "SELECT 'input', hex(hash), args FROM input ORDER BY 2",
    "SELECT 'site', k.key, text, function, file, line, ordinal, source FROM site s "
    "JOIN k USING (id) ORDER BY 2",
    "SELECT 'campaign', hex(uid), p.path, hex(b.hash), hex(i.hash), n.text, seed, started_at, "
    "runs, seconds, is_ended FROM campaign c JOIN program p ON p.id = c.program JOIN build b ON "
    "b.id = c.build JOIN input i ON i.id = c.input JOIN name n ON n.id = c.strategy ORDER BY 2",
    "SELECT 'run', hex(c.uid), number, r.seed, s.text, v.text, steps, points, r.seconds FROM run r "
    "JOIN campaign c ON c.id = r.campaign JOIN name s ON s.id = r.strategy JOIN name v ON "
    "v.id = r.verdict ORDER BY 2, 3",
    "SELECT 'curve', hex(c.uid), n.text, run, v.seconds, covered FROM curve v JOIN campaign c ON "
    "c.id = v.campaign JOIN name n ON n.id = v.metric ORDER BY 2, 3, 4",
    "SELECT 'element', key FROM e ORDER BY 2",
    "SELECT 'seen', e.key, hex(i.hash), s.runs, hex(c.uid), run FROM seen s JOIN e ON "
    "e.id = s.element JOIN input i ON i.id = s.input JOIN campaign c ON c.id = s.campaign "
    "ORDER BY 2, 3",
    "SELECT 'candidate', e.key, state FROM candidate c JOIN e ON e.id = c.element ORDER BY 2",
    "SELECT 'attempt', e.key, hex(i.hash), times FROM attempt a JOIN e ON e.id = a.element "
    "JOIN input i ON i.id = a.input ORDER BY 2, 3",
    "SELECT 'learned', hex(b.hash), k.key, flags FROM learned l JOIN build b ON b.id = l.build "
    "JOIN k ON k.id = l.site ORDER BY 2, 3",
    "SELECT 'finding', hex(b.hash), key, kind, title, dir FROM finding f JOIN build b ON "
    "b.id = f.build ORDER BY 2, 3",
    "SELECT 'sighting', hex(b.hash), f.key, hex(c.uid), run, times FROM sighting s JOIN finding f "
    "ON f.id = s.finding JOIN build b ON b.id = f.build JOIN campaign c ON c.id = s.campaign "
    "ORDER BY 2, 3, 4",
    "SELECT 'search', hex(b.hash), hex(i.hash), n.text, param, mode, layout, runs, sum, state "
    "FROM search s JOIN build b ON b.id = s.build JOIN input i ON i.id = s.input "
    "JOIN name n ON n.id = s.method ORDER BY 2, 3, 4, 5, 6",
    "SELECT 'predecessor', hex(b.hash), layout, pair FROM predecessor p JOIN build b "
    "ON b.id = p.build ORDER BY 2, 3, 4",
    "SELECT 'race', hex(b.hash), kind, k0.key, k1.key, k2.key, k3.key, variable, hex(i.hash), doubt, "
    "as_named, turned, class, result, finding FROM race_try t JOIN race r ON r.id = t.race "
    "JOIN build b ON b.id = r.build JOIN input i ON i.id = t.input JOIN k k0 ON k0.id = r.s0 "
    "JOIN k k1 ON k1.id = r.s1 JOIN k k2 ON k2.id = r.s2 JOIN k k3 ON k3.id = r.s3 "
    "ORDER BY 2, 3, 4, 5, 6, 7, 8, 9",
};

/* Everything in a store, one row per line; free it. */
static inline char *rig_dump(const char *dir)
{
    char path[300], *text = NULL;
    size_t n;
    sqlite3 *db;
    sqlite3_stmt *s;
    FILE *out = open_memstream(&text, &n);
    snprintf(path, sizeof path, "%s/store.db", dir);
    assert_int_equal(sqlite3_open(path, &db), 0);
    assert_int_equal(
        sqlite3_exec(db,
                     "CREATE TEMP VIEW k AS SELECT s.id, coalesce(hex(b.hash), '') || '+' || "
                     "s.offset AS key FROM site s LEFT JOIN build b ON b.id = s.build;"
                     "CREATE TEMP VIEW e AS SELECT e.id, hex(b.hash) || ' ' || n.text || '/' || "
                     "e.sub || ':' || k0.key || ',' || k1.key || ',' || k2.key || ',' || k3.key || "
                     "';' || hex(e.extra) AS key FROM element e JOIN build b ON b.id = e.build "
                     "JOIN name n ON n.id = e.metric JOIN k k0 ON k0.id = e.s0 JOIN k k1 ON "
                     "k1.id = e.s1 JOIN k k2 ON k2.id = e.s2 JOIN k k3 ON k3.id = e.s3",
                     NULL, NULL, NULL),
        0);
    for (u32 i = 0; i < HD_COUNT(rig_queries); i++) {
        if (sqlite3_prepare_v2(db, rig_queries[i], -1, &s, NULL))
            fail_msg("%s: %s", rig_queries[i], sqlite3_errmsg(db));
        while (sqlite3_step(s) == SQLITE_ROW) {
            for (int c = 0; c < sqlite3_column_count(s); c++)
                fprintf(out, "%s%s", c ? "|" : "", hd_sql_text(s, c));
            fputc('\n', out);
        }
        sqlite3_finalize(s);
    }
    sqlite3_close(db);
    fclose(out);
    return text;
}

/* Sound as a file? */
static inline int rig_damage(struct hd_store *st)
{
    return hd_sql_check(st->db, st->path, &rig_err);
}

/* ... and no row refers to nothing. */
static inline void rig_check(const char *dir)
{
    struct hd_store *st = rig_open(dir, HD_STORE_WRITE);
    rig_ok(st, rig_damage(st));
    rig_close(st);
    assert_int_equal(rig_ask(dir, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

/* ---- random contents --------------------------------------------------------------- */

/* Out of small ranges, so that two stores have much in common. */
static inline s64 rig_random_site(struct hd_store *st, struct hd_rng *r, s64 build)
{
    static const char *const texts[] = {"", "f@a.c:1#0", "g@b.c:7#1"};
    u64 k = hd_rng_below(r, 3);
    struct hd_store_site s = {.build = build, .offset = 0x1000 + hd_rng_below(r, 3),
                              .text = texts[k], .line = (u32)hd_rng_below(r, 3),
                              .function = k ? "f" : "", .source = k == 2 ? "x = y;" : ""};
    return rig_id(st, hd_store_site(st, &s));
}

static inline struct hd_store_element rig_random_element(struct hd_store *st, struct hd_rng *r,
                                                         s64 build)
{
    struct hd_store_element e = {.metric = hd_rng_chance(r, 1, 2) ? "iroot" : "pset",
                                 .sub = (u32)hd_rng_below(r, 2),
                                 .n = hd_rng_chance(r, 1, 8) ? 4 : 1};
    for (u32 i = 0; i < e.n; i++)
        e.site[i] = rig_random_site(st, r, build);
    if (hd_rng_chance(r, 1, 4)) {
        e.extra = "\0\1\2";
        e.extra_len = 3;
    }
    return e;
}

/* One campaign's worth; `again` != 0: goes on with that one. What is written
 * once and for all (runs, curve) depends on its number only. */
static inline void rig_fill(struct hd_store *st, struct hd_rng *r, s64 again, u32 steps)
{
    char *argv[] = {"p", hd_rng_chance(r, 1, 2) ? "a" : "b", NULL};
    u8 hash = (u8)hd_rng_below(r, 3);
    s64 program = rig_id(st, hd_store_program(st, hd_rng_chance(r, 1, 2) ? "/p" : "/q"));
    s64 build = rig_id(st, hd_store_build(st, program, &hash, 1,
                                          hd_rng_chance(r, 1, 2) ? "/p" : "/lib/q.so"));
    s64 input = rig_id(st, hd_store_input(st, argv, -1));
    s64 c = again;
    if (!c)
        c = rig_id(st, hd_store_campaign_begin(st, program, build, input, "random",
                                               hd_rng_next(r)));
    for (u32 i = 0; i < steps; i++) {
        u64 run = hd_rng_below(r, 40);
        struct hd_store_element e = rig_random_element(st, r, build);
        struct hd_store_run row = {run, run * 3, "pos", run % 5 ? "clean" : "exit", run, 2, 0.5};
        struct hd_store_finding f = {.key = run % 2 ? "exit-1" : "hang-2",
                                     .kind = run % 2 ? "exit" : "hang",
                                     .title = hd_rng_chance(r, 1, 2) ? "once" : "twice",
                                     .dir = "findings/x"};
        struct hd_store_learned l = {rig_random_site(st, r, build), 1u << hd_rng_below(r, 3)};
        s64 id;
        u64 pair = hd_rng_below(r, 4);
        struct hd_store_search left = {.build = build,
                                       .input = input,
                                       .method = "dfs",
                                       .param = hd_rng_below(r, 2),
                                       .layout = hd_rng_below(r, 2),
                                       .runs = hd_rng_below(r, 9),
                                       .state = hd_rng_chance(r, 1, 2) ? "a\n" : "b\n"};
        struct hd_store_race race = {.kind = (u32)hd_rng_below(r, 2), .site = {l.site},
                                     .variable = "x", .doubt = (u32)hd_rng_below(r, 4),
                                     .runs = {1, hd_rng_below(r, 3)},
                                     .class = (u32)hd_rng_below(r, 3),
                                     .result = run % 2 ? "1 1 a\n" : "1 1 b\n",
                                     .finding = run % 3 ? "" : "race-1"};
        switch (hd_rng_below(r, 10)) {
        case 0:
            rig_ok(st, hd_store_run(st, c, &row));
            break;
        case 1:
            rig_ok(st, hd_store_curve_add(st, c, "iroot", run, (double)run, run * 2));
            break;
        case 2:
            rig_ok(st, hd_store_finding_add(st, c, &f, run, 1 + run % 3));
            break;
        case 3:
            rig_ok(st, hd_store_sites_save(st, build, &l, 1));
            break;
        case 4:
            id = rig_id(st, hd_store_candidate_add(st, build, input, &e));
            rig_ok(st, hd_store_attempt(st, id, input, (u32)hd_rng_below(r, 4)));
            if (hd_rng_chance(r, 1, 2))
                rig_ok(st, hd_store_candidate_set(st, id, 1 + (int)hd_rng_below(r, 3)));
            break;
        case 5:
            rig_ok(st, hd_store_search_save(st, &left));
            break;
        case 6:
            rig_ok(st, hd_store_predecessors_save(st, build, left.layout, &pair, 1));
            break;
        case 7:
            rig_ok(st, hd_store_race_tried(st, build, input, &race));
            break;
        default:
            rig_id(st, hd_store_element_add(st, c, &e, run, 1 + hd_rng_below(r, 5)));
        }
    }
    if (hd_rng_chance(r, 1, 2))
        rig_ok(st, hd_store_campaign_end(st, c, hd_rng_below(r, 50), 1.5));
}

#endif
