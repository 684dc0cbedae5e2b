/* test_store_race.c: which races were driven, in which order, and what came of it: across inputs and
 * builds. */
#include "store_rig.h"

struct listed {
    u32 n;
    struct hd_store_race at[8];
    char result[8][32], finding[8][32];
};

static int take(void *self, const struct hd_store_race *r)
{
    struct listed *l = self;
    assert_true(l->n < 8);
    l->at[l->n] = *r;
    snprintf(l->result[l->n], 32, "%s", r->result);
    snprintf(l->finding[l->n], 32, "%s", r->finding);
    l->n++;
    return 0;
}

static struct listed list(struct hd_store *st, s64 build, s64 input)
{
    struct listed l = {0};
    rig_ok(st, hd_store_races(st, build, input, take, &l));
    return l;
}

static s64 other_input(struct hd_store *st)
{
    char *argv[] = {"prog", "other", NULL};
    return rig_id(st, hd_store_input(st, argv, -1));
}

static struct hd_store_race race_of(struct hd_store *st, s64 build, u64 a, u64 b)
{
    return (struct hd_store_race){.site = {rig_site(st, build, a), rig_site(st, build, b)},
                                  .variable = "x", .doubt = 3, .runs = {4, 3}};
}

static void test_tried(void **state)
{
    struct hd_store *st = rig_open(rig_path("tried"), HD_STORE_WRITE);
    struct rig r = rig_start(st, 1);
    s64 other = other_input(st);
    struct hd_store_race vain = race_of(st, r.build, 0x10, 0x20);
    rig_ok(st, hd_store_race_tried(st, r.build, r.input, &vain));
    struct listed l = list(st, r.build, r.input);
    assert_int_equal(l.n, 1);
    assert_true(l.at[0].is_here && !l.at[0].class && l.at[0].in_vain == 1 && l.at[0].doubt == 3);
    assert_true(l.at[0].runs[0] == 4 && l.at[0].runs[1] == 3);
    /* under another input: what all of them tried is known, what came of it there is not */
    l = list(st, r.build, other);
    assert_true(l.n == 1 && !l.at[0].is_here && l.at[0].in_vain == 1 && l.at[0].runs[0] == 4);
    vain.doubt = 1;
    rig_ok(st, hd_store_race_tried(st, r.build, other, &vain));
    l = list(st, r.build, r.input);
    assert_true(l.n == 1 && l.at[0].in_vain == 2 && l.at[0].runs[0] == 8 && l.at[0].doubt == 1);
    rig_close(st);
}

static void test_brought_about(void **state)
{
    struct hd_store *st = rig_open(rig_path("about"), HD_STORE_WRITE);
    struct rig r = rig_start(st, 1);
    struct hd_store_race is = race_of(st, r.build, 0x10, 0x20);
    rig_ok(st, hd_store_race_tried(st, r.build, r.input, &is));
    is.class = 2;
    is.result = "10 10 a\n10 10 b\n";
    is.finding = "race-12345678";
    rig_ok(st, hd_store_race_tried(st, r.build, r.input, &is));
    struct listed l = list(st, r.build, r.input);
    assert_true(l.n == 1 && l.at[0].class == 2 && !l.at[0].in_vain && l.at[0].runs[0] == 8);
    assert_string_equal(l.finding[0], "race-12345678");
    assert_string_equal(l.result[0], "10 10 a\n10 10 b\n");
    /* what was brought about stays so */
    is.class = 0;
    is.result = is.finding = "";
    rig_ok(st, hd_store_race_tried(st, r.build, r.input, &is));
    l = list(st, r.build, r.input);
    assert_true(l.n == 1 && l.at[0].class == 2);
    assert_string_equal(l.finding[0], "race-12345678");
    /* another variable, another kind: another race */
    is.variable = "y";
    rig_ok(st, hd_store_race_tried(st, r.build, r.input, &is));
    is.kind = 1;
    rig_ok(st, hd_store_race_tried(st, r.build, r.input, &is));
    assert_int_equal(list(st, r.build, r.input).n, 3);
    assert_int_equal(list(st, r.build + 1, r.input).n, 0);
    rig_close(st);
}

/* A new build tries again what touches changed code, and what was a finding. */
static void test_new_build(void **state)
{
    struct hd_store *st = rig_open(rig_path("build"), HD_STORE_WRITE);
    struct rig r = rig_start(st, 1), next = rig_start(st, 2);
    struct hd_store_race same = race_of(st, r.build, 0x110, 0x120), changed = race_of(st, r.build, 0x110, 0x210);
    struct hd_store_race found = race_of(st, r.build, 0x110, 0x130);
    found.class = 3;
    found.finding = "race-1";
    rig_ok(st, hd_store_race_tried(st, r.build, r.input, &same));
    rig_ok(st, hd_store_race_tried(st, r.build, r.input, &changed));
    rig_ok(st, hd_store_race_tried(st, r.build, r.input, &found));
    struct hd_store_moved moved = {.from = 0x100, .size = 0x100, .to = 0x500};
    struct hd_store_inherited in;
    rig_ok(st, hd_store_inherit(st, &(struct hd_store_change){.old = r.build, .new = next.build, .moved = &moved, .n_moved = 1}, true, &in));
    struct listed l = list(st, next.build, r.input);
    assert_int_equal(l.n, 1);
    assert_true(l.at[0].is_here && l.at[0].in_vain == 1 && l.at[0].runs[1] == 3);
    assert_int_equal(l.at[0].site[0], rig_site(st, next.build, 0x510));
    assert_int_equal(l.at[0].site[1], rig_site(st, next.build, 0x520));
    /* an old build is forgotten with its races, not those of others */
    rig_ok(st, hd_store_forget(st, r.build));
    assert_int_equal(list(st, r.build, r.input).n, 0);
    assert_int_equal(list(st, next.build, r.input).n, 1);
    rig_close(st);
    rig_check(rig_path("build"));
}

static void test_merge(void **state)
{
    const char *a = rig_path("left"), *b = rig_path("right");
    for (u32 i = 0; i < 2; i++) {
        struct hd_store *st = rig_open(i ? b : a, HD_STORE_WRITE);
        struct rig r = rig_start(st, 1);
        if (i)
            rig_site(st, r.build, 0x99); /* other ids */
        struct hd_store_race is = race_of(st, r.build, 0x10, 0x20);
        is.class = i ? 2 : 0;
        is.finding = i ? "race-1" : "";
        is.runs[0] = i ? 1 : 9;
        rig_ok(st, hd_store_race_tried(st, r.build, r.input, &is));
        rig_close(st);
    }
    struct hd_store *st = rig_open(a, HD_STORE_WRITE);
    rig_ok(st, hd_store_merge(st, b));
    struct rig r = rig_start(st, 1);
    struct listed l = list(st, r.build, r.input);
    assert_true(l.n == 1 && l.at[0].class == 2 && l.at[0].runs[0] == 9);
    assert_string_equal(l.finding[0], "race-1");
    rig_close(st);
}

/* A store of version 8 gets the tables. */
static void test_old_store(void **state)
{
    const char *dir = rig_path("old");
    struct hd_store *st = rig_open(dir, HD_STORE_WRITE);
    rig_start(st, 1);
    rig_close(st);
    rig_ask(dir, "DROP TABLE piece");
    rig_ask(dir, "DROP TABLE profile");
    rig_ask(dir, "DROP TABLE race_try");
    rig_ask(dir, "DROP TABLE race");
    rig_ask(dir, "PRAGMA user_version = 8");
    st = rig_open(dir, HD_STORE_WRITE);
    struct rig r = rig_start(st, 1);
    struct hd_store_race is = race_of(st, r.build, 0x10, 0x20);
    rig_ok(st, hd_store_race_tried(st, r.build, r.input, &is));
    assert_int_equal(list(st, r.build, r.input).n, 1);
    rig_close(st);
    assert_int_equal(rig_ask(dir, "PRAGMA user_version"), hd_migrate_latest(hd_sql_schema));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tried), cmocka_unit_test(test_brought_about),
        cmocka_unit_test(test_new_build), cmocka_unit_test(test_merge),
        cmocka_unit_test(test_old_store),
    };
    return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
