/* fuzz_store.c: rows of a store as somebody else left them. An input that begins like a SQLite file
 * is the store; any other is a list of changes to the cells of a good one:
 *
 *   table, column, row, kind (integer, real, text, blob, NULL), length: a byte each; then the value
 *
 * The good store's tables have lost their STRICT types and checks, as a hand-made file's would.
 * Everything is listed and loaded as a campaign would load it; files, and every eighth length of a
 * list, are also opened anew and merged into another store.
 *
 * For speed the stores are in memory: the VFS that SQLite uses by default is its memdb, which
 * knows databases by their path. Only the lock, and an empty file to be found by stat(), are on
 * disk. Connections stay open: a database that gets other bytes gets another change counter, so
 * SQLite reads it anew. */
#include "fuzz/fuzz.h"

#include <sys/stat.h>

#include "cover/cover.h"
#include "store/state.h"

enum { MOST_CELLS = 128, MOST_CHANGES = 16 };

static char dir[128], path[160], other[160];
static struct bytes {
    uint8_t *at;
    size_t n;
} good, fresh; /* the store to be changed; an empty one */
static sqlite3 *open_path, *open_other; /* so that what has these names stays */
static sqlite3 *writer;                 /* ... makes the changes */
static struct hd_store *reader;         /* of `path` */
static struct cell {
    char table[32], column[32];
    sqlite3_stmt *update;
} cells[MOST_CELLS];
static unsigned n_cells;

/* ---- the good store --------------------------------------------------------------------------- */

static void fill(struct hd_store *st)
{
    char *argv[] = {"prog", "x", NULL};
    s64 program = hd_store_program(st, "/bin/prog");
    s64 build = hd_store_build(st, program, "0123456789abcdef", 16, "/bin/prog");
    s64 input = hd_store_input(st, argv, -1);
    s64 campaign = hd_store_campaign_begin(st, program, build, input, "active", 1);
    s64 site[4];
    for (u32 i = 0; i < 4; i++) {
        struct hd_store_site s = {.build = build, .offset = 0x1000 + i, .text = "f@a.c:3#1", .function = "f",
                                  .file = "a.c", .line = 3 + i, .ordinal = 1, .source = "x++", .object = "x"};
        site[i] = hd_store_site(st, &s);
    }
    for (u32 m = 0; m < HD_METRIC_COUNT; m++)
        for (u32 n = 1; n <= 4; n++) {
            u32 extra[2] = {1, 2};
            struct hd_store_element e = {.metric = hd_metric_name(m), .sub = m % 5, .n = n, .extra = extra,
                                         .extra_len = 4 * (n % 3)};
            for (u32 i = 0; i < n; i++)
                e.site[i] = site[i];
            hd_store_element_add(st, campaign, &e, n, 2);
            e.sub++;
            FUZZ_EXPECT(hd_store_attempt(st, hd_store_candidate_add(st, build, input, &e), input, 2) == 0);
        }
    struct hd_store_learned learned[] = {{site[0], 1}, {site[1], 3}};
    struct hd_store_run run = {.number = 1, .seed = 1, .strategy = "active", .verdict = "clean", .steps = 5};
    struct hd_store_finding f = {.key = "deadlock-3f9a2c", .kind = "deadlock", .title = "t", .dir = "d"};
    hd_store_sites_save(st, build, learned, 2);
    hd_store_curve_add(st, campaign, "iroot", 1, 0.5, 3);
    hd_store_finding_add(st, campaign, &f, 1, 1);
    hd_store_run(st, campaign, &run);
    struct hd_store_arm arm = {.name = "active", .runs = 3, .cost = 100, .news = 1};
    struct hd_store_function functions[] = {{"f", 0x1000, 16, 7}, {"g", 0x1010, 8, 9}};
    hd_store_arm_add(st, campaign, &arm);
    hd_store_functions_save(st, build, functions, HD_COUNT(functions));
    hd_store_predecessors_save(st, build, 5, (u64[]){0x1000, 0x1001}, 2);
    hd_store_revision(st, program, build, "0123456789abcdef0123456789abcdef01234567");
    hd_store_campaign_end(st, campaign, 1, 0.5);
}

static void loosen(sqlite3 *db)
{
    static const char *const steps[] = {
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_schema SET sql = replace(replace(sql, ') STRICT', ')'), ', WITHOUT', ' WITHOUT')",
        "UPDATE sqlite_schema SET sql = replace(replace(sql, 'build IS NOT NULL', '1'), 'NOT NULL', '')",
        "UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (state BETWEEN 1 AND 3)', '')",
        "PRAGMA writable_schema = RESET"};
    sqlite3_stmt *s;
    for (size_t i = 0; i < HD_COUNT(steps); i++)
        if (sqlite3_exec(db, steps[i], NULL, NULL, NULL))
            fprintf(stderr, "%s: %s\n", steps[i], sqlite3_errmsg(db)), abort();
    FUZZ_EXPECT(!sqlite3_prepare_v2(db,
                                    "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c "
                                    "WHERE t.type = 'table' ORDER BY 1, c.cid", -1, &s, NULL));
    while (sqlite3_step(s) == SQLITE_ROW && n_cells < MOST_CELLS) {
        snprintf(cells[n_cells].table, 32, "%s", sqlite3_column_text(s, 0));
        snprintf(cells[n_cells++].column, 32, "%s", sqlite3_column_text(s, 1));
    }
    sqlite3_finalize(s);
}

/* The store in folder `which`, filled or not. It is in memory as long as *keep is open. */
static void make(const char *which, bool is_filled, sqlite3 **keep)
{
    struct hd_store *st;
    struct hd_error err;
    char file[200];
    snprintf(file, sizeof file, "%s/store.db", which);
    FUZZ_EXPECT(!mkdir(which, 0700) && !sqlite3_open(file, keep));
    FILE *f = fopen(file, "we");
    FUZZ_EXPECT(f && !fclose(f));
    FUZZ_EXPECT(!hd_store_open(&st, which, HD_STORE_WRITE, 0, &err));
    if (is_filled)
        fill(st);
    FUZZ_EXPECT(!hd_store_close(st, &err));
}

static struct bytes bytes_of(sqlite3 *db)
{
    sqlite3_int64 n;
    struct bytes b = {sqlite3_serialize(db, "main", &n, 0), 0};
    b.n = (size_t)n;
    FUZZ_EXPECT(b.at && n > 100);
    return b;
}

/* The database of that connection becomes these bytes, whatever they are. */
static void put(sqlite3 *db, const void *at, size_t n)
{
    sqlite3_file *f = NULL;
    FUZZ_EXPECT(!sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &f) && f->pMethods);
    FUZZ_EXPECT(!f->pMethods->xTruncate(f, 0) && !f->pMethods->xWrite(f, at, (int)n, 0));
}

/* ... these of ours, with a change counter (and where it must stand again) never used before. */
static void put_new(sqlite3 *db, const struct bytes *b)
{
    static uint32_t counter = 1000;
    counter += 1000;
    for (unsigned i = 0; i < 4; i++)
        b->at[24 + i] = b->at[92 + i] = (uint8_t)(counter >> 8 * (3 - i));
    put(db, b->at, b->n);
}

static void clean_up(void)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    if (system(command))
        fprintf(stderr, "cannot remove %s\n", dir);
}

static void begin(void)
{
    struct hd_error err;
    char file[200];
    snprintf(dir, sizeof dir, "%s/heddle-fuzz-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    FUZZ_EXPECT(mkdtemp(dir));
    atexit(clean_up);
    snprintf(path, sizeof path, "%s/one", dir);
    snprintf(other, sizeof other, "%s/two", dir);
    /* One thread; room for what a connection needs while it parses. */
    FUZZ_EXPECT(!sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) && !sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 512, 300));
    sqlite3_vfs *memory = sqlite3_vfs_find("memdb");
    FUZZ_EXPECT(memory && !sqlite3_vfs_register(memory, 1));
    make(path, true, &open_path);
    make(other, false, &open_other);
    snprintf(file, sizeof file, "%s/store.db", path);
    FUZZ_EXPECT(!sqlite3_open(file, &writer));
    loosen(writer);
    good = bytes_of(writer);
    fresh = bytes_of(open_other);
    FUZZ_EXPECT(!hd_store_open(&reader, path, HD_STORE_READ, 0, &err));
}

/* ---- changes ------------------------------------------------------------------------------------ */

static void bind(sqlite3_stmt *s, unsigned kind, const uint8_t *value, unsigned n)
{
    s64 i = 0;
    double d = 0;
    memcpy(&i, value, HD_MIN(n, 8u));
    memcpy(&d, value, HD_MIN(n, 8u));
    switch (kind % 5) {
    case 0:
        sqlite3_bind_int64(s, 1, i);
        break;
    case 1:
        sqlite3_bind_double(s, 1, d);
        break;
    case 2:
        sqlite3_bind_text(s, 1, (const char *)value, (int)n, SQLITE_TRANSIENT);
        break;
    case 3:
        sqlite3_bind_blob(s, 1, value, (int)n, SQLITE_TRANSIENT);
        break;
    default:
        sqlite3_bind_null(s, 1);
    }
}

static sqlite3_stmt *update_of(struct cell *cell)
{
    char sql[200];
    if (cell->update)
        return cell->update;
    snprintf(sql, sizeof sql, "UPDATE \"%s\" SET \"%s\" = ?1 WHERE ?2 = 255 OR \"%s\" = "
             "(SELECT \"%s\" FROM \"%s\" LIMIT 1 OFFSET ?2)", cell->table, cell->column, cell->column, cell->column,
             cell->table);
    sqlite3_prepare_v2(writer, sql, -1, &cell->update, NULL);
    return cell->update;
}

static void change(const uint8_t **at, const uint8_t *end)
{
    const uint8_t *c = *at;
    unsigned n = HD_MIN(c[4], (unsigned)(end - c - 5));
    *at = c + 5 + n;
    sqlite3_stmt *s = update_of(&cells[(c[0] * 16u + c[1]) % n_cells]);
    if (!s)
        return;
    bind(s, c[3], c + 5, n);
    sqlite3_bind_int(s, 2, c[2]);
    sqlite3_step(s);
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
}

/* The good store with these changes becomes the store in `path`. */
static void apply(const uint8_t *data, size_t n)
{
    const uint8_t *at = data, *end = data + n;
    put_new(open_path, &good);
    FUZZ_EXPECT(!sqlite3_exec(writer, "BEGIN IMMEDIATE", NULL, NULL, NULL));
    for (unsigned i = 0; i < MOST_CHANGES && end - at >= 5; i++)
        change(&at, end);
    FUZZ_EXPECT(!sqlite3_exec(writer, "COMMIT", NULL, NULL, NULL));
}

/* ---- all that is read ------------------------------------------------------------------------------ */

static struct hd_store *now;

static int each_element(void *self, const struct hd_store_seen *s)
{
    FUZZ_EXPECT(s->what.n <= HD_STORE_SITES);
    return 0;
}
static int each_candidate(void *self, const struct hd_store_candidate *c)
{
    FUZZ_EXPECT(c->what.n <= HD_STORE_SITES);
    return 0;
}
static int each_count(void *self, const struct hd_store_count *c) { return 0; }
static int each_point(void *self, u64 run, double seconds, u64 covered) { return 0; }
static int each_finding(void *self, const struct hd_store_finding *f) { return strlen(f->title) > 1 << 20; }
static int each_site(void *self, const struct hd_store_site *s, u32 flags)
{
    return strlen(s->text) + strlen(s->function) + strlen(s->file) + strlen(s->source) > 1 << 20;
}
static int each_function(void *self, const struct hd_store_function *f) { return strlen(f->name) > 1 << 20; }
static void each_pair(void *self, u64 pair) {}
static void each_arm(void *self, const struct hd_store_arm *a) { FUZZ_EXPECT(strlen(a->name) < 1 << 20); }
static int each_campaign(void *self, const struct hd_store_campaign *c)
{
    hd_store_curve(now, c->id, "iroot", each_point, NULL);
    hd_store_arms(now, c->id, each_arm, NULL);
    hd_store_findings_of(now, c->build, c->input, each_finding, NULL);
    hd_store_was_tested(now, c->build, c->input);
    return 0;
}
static int each_build(void *self, const struct hd_store_build *b)
{
    struct hd_places places = {0};
    struct hd_coverage coverage;
    hd_store_elements(now, b->id, NULL, 0, each_element, NULL);
    hd_store_counts(now, b->id, each_count, NULL);
    hd_store_findings(now, b->id, each_finding, NULL);
    hd_store_candidates(now, b->id, 1, each_candidate, NULL);
    hd_store_sites_load(now, b->id, each_site, NULL);
    hd_store_functions(now, b->id, each_function, NULL);
    hd_store_predecessors_load(now, b->id, 5, each_pair, NULL);
    hd_coverage_init(&coverage, &(struct hd_observe_config){.metrics = 0});
    hd_cover_load(now, &places, b->id, ~(u64)0, &coverage);
    hd_coverage_release(&coverage);
    hd_places_release(&places);
    return 0;
}
static int each_program(void *self, s64 id, const char *name, s64 at)
{
    hd_store_builds(now, id, each_build, NULL);
    hd_store_campaigns(now, id, each_campaign, NULL);
    return 0;
}

static void read_anew(enum hd_store_mode mode)
{
    struct hd_error err;
    if (hd_store_open(&now, path, mode, 0, &err))
        return;
    hd_store_programs(now, each_program, NULL);
    hd_store_close(now, &err);
}

/* ... by the reader that is open: what it remembers of the last input is gone first. */
static void read_again(void)
{
    memset(reader->names, 0, sizeof reader->names);
    reader->campaign = reader->build = reader->input = 0;
    reader->candidates = 0;
    reader->code = reader->failed = 0;
    now = reader;
    hd_store_programs(now, each_program, NULL);
}

static void merge(void)
{
    struct hd_store *st;
    struct hd_error err;
    put_new(open_other, &fresh);
    if (hd_store_open(&st, other, HD_STORE_WRITE, 0, &err))
        return;
    hd_store_merge(st, path);
    hd_store_close(st, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (!reader)
        begin();
    bool is_file = n > 16 && !memcmp(data, "SQLite format 3", 16);
    if (is_file)
        put(open_path, data, n);
    else
        apply(data, n);
    if (!is_file)
        read_again();
    if (is_file || n % 8 == 0) {
        read_anew(HD_STORE_READ);
        merge();
    }
    if (is_file) /* what a good header lets a writer do to the rest */
        read_anew(HD_STORE_WRITE);
    return 0;
}
