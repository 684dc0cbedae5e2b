/* test_store_rules.c: rules of the store that a wrong line would break without a sign: what is
 * cached by the store of an earlier campaign, word or process, and what two records of one thing
 * come to. */
#include "unit/store_rig.h"

static s64 asked(struct hd_store *st, const char *sql)
{
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_prepare_v2(st->db, sql, -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    s64 n = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return n;
}

/* Runs of several workers end in any order. */
static void test_first_run_of_a_finding(void **state)
{
    struct hd_store *st = rig_open(rig_path("first"), HD_STORE_WRITE);
    struct rig r = rig_start(st, 1);
    struct hd_store_finding f = {.key = "hang-1", .kind = "hang", .title = "t", .dir = "d"};
    assert_int_equal(hd_store_finding_add(st, r.campaign, &f, 5, 1), 1);
    assert_int_equal(hd_store_finding_add(st, r.campaign, &f, 3, 1), 0);
    assert_int_equal(hd_store_finding_add(st, r.campaign, &f, 9, 1), 0);
    assert_int_equal(asked(st, "SELECT run FROM sighting"), 3);
    assert_int_equal(asked(st, "SELECT times FROM sighting"), 3);
    rig_close(st);
}

static int state_of(void *self, const struct hd_store_candidate *c) { return *(int *)self = c->state, 0; }

/* Candidates of an earlier process become exposed, too. */
static void test_exposed_in_another_process(void **state)
{
    struct hd_store *st = rig_open(rig_path("exposed"), HD_STORE_WRITE);
    struct rig r = rig_start(st, 1);
    struct hd_store_element e = {.metric = "iroot", .n = 1, .site = {rig_site(st, r.build, 0x10)}};
    int is = 0;
    rig_id(st, hd_store_candidate_add(st, r.build, r.input, &e));
    rig_close(st);
    st = rig_open(rig_path("exposed"), HD_STORE_WRITE);
    rig_ok(st, hd_store_candidates(st, r.build, r.input, state_of, &is));
    assert_int_equal(is, HD_STORE_PREDICTED);
    rig_id(st, hd_store_element_add(st, r.campaign, &e, 1, 1));
    rig_ok(st, hd_store_candidates(st, r.build, r.input, state_of, &is));
    assert_int_equal(is, HD_STORE_EXPOSED);
    rig_close(st);
}

/* Words that share a place in the cache of words. */
static void test_words_stay_apart(void **state)
{
    struct hd_store *st = rig_open(rig_path("words"), HD_STORE_WRITE);
    s64 id[128];
    for (char c = '0'; c <= 'z'; c++)
        id[(int)c] = rig_id(st, hd_store_name(st, (char[]){c, '\0'}));
    for (char c = '0'; c <= 'z'; c++) {
        assert_int_equal(hd_store_name(st, (char[]){c, '\0'}), id[(int)c]);
        for (char d = '0'; d < c; d++)
            assert_true(id[(int)c] != id[(int)d]);
    }
    rig_close(st);
}

/* As many arguments, the same letters, parted elsewhere. */
static void test_arguments_stay_apart(void **state)
{
    struct hd_store *st = rig_open(rig_path("arguments"), HD_STORE_WRITE);
    s64 a = rig_id(st, hd_store_input(st, (char *[]){"p", "ab", "c", NULL}, -1));
    s64 b = rig_id(st, hd_store_input(st, (char *[]){"p", "a", "bc", NULL}, -1));
    assert_true(a != b);
    rig_close(st);
}

static int count(void *self, const struct hd_store_seen *s) { return ++*(u32 *)self, 0; }

/* What belongs to a campaign goes by its own build and input, not by those of the last one. */
static void test_campaigns_side_by_side(void **state)
{
    struct hd_store *st = rig_open(rig_path("beside"), HD_STORE_WRITE);
    struct rig r = rig_start(st, 1), other = rig_start(st, 2);
    struct hd_store_element e = {.metric = "iroot", .n = 1, .site = {rig_site(st, r.build, 0x10)}};
    u32 here = 0, there = 0;
    rig_id(st, hd_store_element_add(st, other.campaign, &e, 1, 1));
    rig_id(st, hd_store_element_add(st, r.campaign, &e, 1, 1));
    rig_ok(st, hd_store_elements(st, r.build, NULL, r.input, count, &here));
    rig_ok(st, hd_store_elements(st, other.build, NULL, other.input, count, &there));
    assert_int_equal(here, 1);
    assert_int_equal(there, 1);
    assert_int_equal(hd_store_element_add(st, 999, &e, 1, 1), -EINVAL);
    rig_close(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_run_of_a_finding),
        cmocka_unit_test(test_exposed_in_another_process),
        cmocka_unit_test(test_words_stay_apart),
        cmocka_unit_test(test_arguments_stay_apart),
        cmocka_unit_test(test_campaigns_side_by_side),
    };
    return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
