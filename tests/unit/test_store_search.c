/* Searches in the store: save, go on, remove; two at once; rows that were changed by
 * somebody else; stores from before there were any. */
#include "store_rig.h"

#include "cover/cover.h"
#include "plan/search_run.h"

static struct hd_store_search row(struct hd_store *st, const char *input, const char *state,
                                  u64 runs)
{
    char *argv[] = {"prog", (char *)input, NULL};
    s64 program = rig_id(st, hd_store_program(st, "/bin/prog"));
    return (struct hd_store_search){
        .build = rig_id(st, hd_store_build(st, program, "\1\2\3", 3, "/bin/prog")),
        .input = rig_id(st, hd_store_input(st, argv, -1)),
        .method = "dfs",
        .param = 2,
        .mode = 5,
        .layout = ~(u64)7,
        .runs = runs,
        .state = state};
}

static char met[64];
static u64 met_runs, met_layout;

static int meet(void *self, const struct hd_store_search *s)
{
    snprintf(met, sizeof met, "%s", s->state);
    met_runs = s->runs;
    met_layout = s->layout;
    return *(int *)self;
}

static int load(struct hd_store *st, const char *input)
{
    int ret = 0;
    struct hd_store_search s = row(st, input, NULL, 0);
    met[0] = '\0';
    return hd_store_search_load(st, &s, meet, &ret);
}

static void save(struct hd_store *st, const char *input, const char *state, u64 runs)
{
    struct hd_store_search s = row(st, input, state, runs);
    rig_ok(st, hd_store_search_save(st, &s));
}

static void test_save(void **state)
{
    (void)state;
    const char *dir = rig_path("save");
    struct hd_store *st = rig_open(dir, HD_STORE_WRITE);
    assert_int_equal(load(st, "a"), -ENOENT);
    save(st, "a", "first\n", 3);
    save(st, "a", "second\n", 4);
    save(st, "b", "other\n", 5);
    rig_close(st);
    st = rig_open(dir, HD_STORE_READ);
    assert_int_equal(load(st, "a"), 0);
    assert_string_equal(met, "second\n");
    assert_int_equal(met_runs, 4);
    assert_true(met_layout == ~(u64)7);
    rig_close(st);
    st = rig_open(dir, HD_STORE_WRITE);
    struct hd_store_search s = row(st, "a", NULL, 0);
    s.param = 3;
    int ret = -EXDEV;
    assert_int_equal(hd_store_search_load(st, &s, meet, &ret), -ENOENT); /* another bound */
    s.param = 2;
    assert_int_equal(hd_store_search_load(st, &s, meet, &ret), -EXDEV); /* as the caller says */
    rig_ok(st, hd_store_search_remove(st, &s));
    assert_int_equal(load(st, "a"), -ENOENT);
    assert_int_equal(load(st, "b"), 0);
    rig_close(st);
}

/* Killed right after it was committed. */
static void test_killed(void **state)
{
    (void)state;
    const char *dir = rig_path("killed");
    pid_t pid = fork();
    if (!pid) {
        struct hd_store *st = rig_open(dir, HD_STORE_WRITE);
        save(st, "a", "kept\n", 7);
        rig_ok(st, hd_store_commit(st));
        save(st, "a", "lost\n", 8);
        raise(SIGKILL);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    struct hd_store *st = rig_open(dir, HD_STORE_WRITE);
    assert_int_equal(load(st, "a"), 0);
    assert_string_equal(met, "kept\n");
    rig_close(st);
}

static void test_changed_row(void **state)
{
    (void)state;
    const char *dir = rig_path("changed");
    struct hd_store *st = rig_open(dir, HD_STORE_WRITE);
    save(st, "a", "node 1 2 3\n", 3);
    rig_close(st);
    static const char *const edits[] = {
        "UPDATE search SET state = 'node 1 2 4' || char(10)", "UPDATE search SET state = ''",
        "UPDATE search SET state = CAST(x'ff00fe' AS TEXT)", "UPDATE search SET sum = 0"};
    for (u32 i = 0; i < HD_COUNT(edits); i++) {
        rig_ask(dir, edits[i]);
        st = rig_open(dir, HD_STORE_WRITE);
        assert_int_equal(load(st, "a"), -EBADMSG);
        assert_non_null(strstr(hd_store_error(st), "damaged"));
        assert_string_equal(met, "");
        save(st, "a", "anew\n", 1); /* and the next one takes its place */
        assert_int_equal(load(st, "a"), 0);
        rig_close(st);
    }
}

/* A second campaign in the same folder reads what is committed, and is told who writes. */
static void test_two_campaigns(void **state)
{
    (void)state;
    const char *dir = rig_path("two");
    struct hd_store *one = rig_open(dir, HD_STORE_WRITE), *two;
    save(one, "a", "one\n", 1);
    rig_ok(one, hd_store_commit(one));
    assert_int_equal(hd_store_open(&two, dir, HD_STORE_WRITE, 0, &rig_err), -EBUSY);
    assert_non_null(strstr(rig_err.text, "in use by another heddle"));
    two = rig_open(dir, HD_STORE_READ);
    assert_int_equal(load(two, "a"), 0);
    assert_string_equal(met, "one\n");
    rig_close(two);
    rig_close(one);
    two = rig_open(dir, HD_STORE_WRITE);
    save(two, "b", "two\n", 1);
    assert_int_equal(load(two, "a"), 0);
    assert_int_equal(load(two, "b"), 0);
    rig_close(two);
}

static void count_pair(void *self, u64 pair) { *(u64 *)self += pair; }

static void test_predecessors(void **state)
{
    (void)state;
    const char *dir = rig_path("pairs");
    struct hd_store *st = rig_open(dir, HD_STORE_WRITE);
    u64 pair[] = {1, ~(u64)0, 20, 1}, sum = 0;
    s64 build = row(st, "a", NULL, 0).build;
    rig_ok(st, hd_store_predecessors_save(st, build, 9, pair, 4));
    rig_ok(st, hd_store_predecessors_save(st, build, 9, pair, 2));
    rig_ok(st, hd_store_predecessors_load(st, build, 8, count_pair, &sum));
    assert_int_equal(sum, 0);
    rig_ok(st, hd_store_predecessors_load(st, build, 9, count_pair, &sum));
    assert_true(sum == 20);
    rig_close(st);
}

static void count_one(void *self, u64 pair) { ++*(u32 *)self; }

/* What hapset learned is kept for the next campaign up to 1,048,576 pairs; of more nothing, so what an earlier
 * campaign kept stays. */
static void test_learned_at_most(void **state)
{
    enum { MOST = 1 << 20 };
    const char *dir = rig_path("most");
    struct hd_store *st = rig_open(dir, HD_STORE_WRITE);
    struct hd_cover cover = {.store = st, .build = row(st, "a", NULL, 0).build};
    struct hd_config cfg = {0};
    struct hd_search_opts how = {.method = hd_search_find("hapset"), .param = HD_NO_BOUND};
    struct hd_director_opts o = {.search = how.method, .cfg = &cfg, .cover = &cover};
    static const u32 sizes[][2] = {{1000, 1000}, {MOST + 1, 1000}, {MOST / 16, MOST / 16}};
    for (u32 i = 0; i < HD_COUNT(sizes); i++) {
        struct hd_search *s = hd_search_open(&how);
        u32 kept = 0;
        for (u64 pair = 1; pair <= sizes[i][0]; pair++)
            hd_search_give(s, &pair, 1);
        assert_int_equal(hd_search_learned(s, NULL, 0), sizes[i][0]);
        hd_search_memory_learn(&o, 9, s, 0);
        hd_search_close(s);
        rig_ok(st, hd_store_predecessors_load(st, cover.build, 9, count_one, &kept));
        assert_int_equal(kept, sizes[i][1]);
    }
    rig_close(st);
}

/* A store of version 2 gets the tables, and keeps what it has. */
static void test_old_store(void **state)
{
    (void)state;
    const char *dir = rig_path("old");
    struct hd_store *st = rig_open(dir, HD_STORE_WRITE);
    rig_id(st, hd_store_program(st, "/bin/prog"));
    rig_close(st);
    rig_ask(dir, "DROP TABLE search");
    rig_ask(dir, "DROP TABLE predecessor");
    rig_ask(dir, "DROP TABLE function");
    rig_ask(dir, "DROP TABLE arm");
    rig_ask(dir, "ALTER TABLE candidate DROP COLUMN outside");
    rig_ask(dir, "DROP TABLE uncontrolled");
    rig_ask(dir, "DROP TABLE piece");
    rig_ask(dir, "DROP TABLE profile");
    rig_ask(dir, "DROP TABLE race_try");
    rig_ask(dir, "DROP TABLE race");
    rig_ask(dir, "ALTER TABLE version DROP COLUMN revision");
    rig_ask(dir, "PRAGMA user_version = 2");
    st = rig_open(dir, HD_STORE_READ);
    rig_id(st, hd_store_program(st, "/bin/prog"));
    rig_close(st);
    st = rig_open(dir, HD_STORE_WRITE);
    save(st, "a", "new\n", 1);
    assert_int_equal(load(st, "a"), 0);
    rig_close(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_save),         cmocka_unit_test(test_killed),
        cmocka_unit_test(test_changed_row),  cmocka_unit_test(test_two_campaigns),
        cmocka_unit_test(test_predecessors), cmocka_unit_test(test_old_store),
        cmocka_unit_test(test_learned_at_most),
    };
    return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
