/* test_store_profile.c: cheap runs of a suite: replaced, listed, merged, forgotten. */
#include "store_rig.h"

struct listed {
    u32 n;
    struct hd_store_profile at[4];
    u64 pair[4][2];
};

static int take(void *self, const struct hd_store_profile *p)
{
    struct listed *l = self;
    assert_true(l->n < 4);
    l->at[l->n] = *p;
    assert_true(p->pairs_len <= sizeof l->pair[0]);
    memcpy(l->pair[l->n], p->pairs, p->pairs_len);
    l->n++;
    return 0;
}

static struct listed list(struct hd_store *st, s64 build, const char *setting)
{
    struct listed l = {0};
    rig_ok(st, hd_store_profiles(st, build, setting, (u32)strlen(setting), take, &l));
    return l;
}

static void put(struct hd_store *st, s64 build, const char *setting, u64 events, u64 a, u64 b)
{
    const u64 pair[2] = {a, b};
    struct hd_store_profile p = {.state = 1, .threads = 2, .events = events, .seconds = 0.5, .pairs = pair,
                                 .pairs_len = sizeof pair, .sites = "", .sites_len = 0};
    rig_ok(st, hd_store_profile_put(st, build, setting, (u32)strlen(setting), &p));
}

static void test_put(void **state)
{
    struct hd_store *st = rig_open(rig_path("profile"), HD_STORE_WRITE);
    struct rig r = rig_start(st, 1);
    put(st, r.build, "one", 10, 1, 2);
    put(st, r.build, "two", 20, 3, 4);
    struct listed l = list(st, r.build, "one");
    assert_int_equal(l.n, 1);
    assert_true(l.at[0].state == 1 && l.at[0].threads == 2 && l.at[0].events == 10);
    assert_true(l.pair[0][0] == 1 && l.pair[0][1] == 2 && !l.at[0].sites_len);
    assert_int_equal(list(st, r.build, "").n, 2);
    assert_int_equal(list(st, r.build, "three").n, 0);
    put(st, r.build, "one", 11, 5, 6);
    l = list(st, r.build, "one");
    assert_true(l.n == 1 && l.at[0].events == 11 && l.pair[0][0] == 5);
    rig_ok(st, hd_store_forget(st, r.build));
    assert_int_equal(list(st, r.build, "").n, 0);
    rig_close(st);
}

/* In either order, and twice, the same. */
static void test_merge(void **state)
{
    u64 got[2][2];
    for (u32 k = 0; k < 2; k++) {
        char from[512], to[512];
        snprintf(from, sizeof from, "%s", rig_path(k ? "profile-a" : "profile-c"));
        snprintf(to, sizeof to, "%s", rig_path(k ? "profile-b" : "profile-d"));
        struct hd_store *st = rig_open(from, HD_STORE_WRITE);
        put(st, rig_start(st, 1).build, "one", 1, 1 + k, 2);
        rig_close(st);
        st = rig_open(to, HD_STORE_WRITE);
        s64 build = rig_start(st, 1).build;
        put(st, build, "one", 1, 2 - k, 2);
        rig_ok(st, hd_store_merge(st, from));
        rig_ok(st, hd_store_merge(st, from));
        struct listed l = list(st, build, "");
        assert_int_equal(l.n, 1);
        memcpy(got[k], l.pair[0], sizeof got[k]);
        rig_close(st);
    }
    assert_memory_equal(got[0], got[1], sizeof got[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_put), cmocka_unit_test(test_merge)};
    return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
