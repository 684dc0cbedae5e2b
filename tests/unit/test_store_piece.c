/* test_store_piece.c: pieces of functions: kept with a build, merged, forgotten with it. */
#include "store_rig.h"

struct listed {
    u32 n;
    struct hd_store_piece at[8];
    u32 backs[8][4];
};

static int take(void *self, const struct hd_store_piece *p)
{
    struct listed *l = self;
    assert_true(l->n < 8 && p->n <= 4);
    l->at[l->n] = *p;
    if (p->n)
        memcpy(l->backs[l->n], p->backs, p->n * sizeof *p->backs);
    l->n++;
    return 0;
}

static struct listed list(struct hd_store *st, s64 build)
{
    struct listed l = {0};
    rig_ok(st, hd_store_pieces(st, build, take, &l));
    return l;
}

static void save(struct hd_store *st, s64 build)
{
    static const u32 backs[] = {0, 0x15, 0x70000030};
    const struct hd_store_piece p[] = {{0x200, 5, 6, 1, 1, backs + 2}, {0x200, UINT64_MAX, 7, 0, 3, backs},
                                       {0x100, 8, 0, 0, 0, NULL}};
    rig_ok(st, hd_store_pieces_save(st, build, p, HD_COUNT(p)));
}

static void expect_saved(const struct listed *l)
{
    assert_int_equal(l->n, 3);
    assert_true(l->at[0].start == 0x100 && !l->at[0].n && !l->at[0].text);
    assert_true(l->at[1].start == 0x200 && !l->at[1].number && l->at[1].hash == UINT64_MAX && l->at[1].n == 3);
    assert_true(l->backs[1][1] == 0x15 && l->backs[1][2] == 0x70000030);
    assert_true(l->at[2].number == 1 && l->at[2].text == 6 && l->backs[2][0] == 0x70000030);
}

static void test_kept(void **state)
{
    struct hd_store *st = rig_open(rig_path("kept"), HD_STORE_WRITE);
    struct rig r = rig_start(st, 1), other = rig_start(st, 2);
    save(st, r.build);
    save(st, r.build); /* again: nothing changes */
    save(st, other.build);
    struct listed l = list(st, r.build);
    expect_saved(&l);
    rig_ok(st, hd_store_forget(st, r.build));
    assert_int_equal(list(st, r.build).n, 0);
    l = list(st, other.build);
    expect_saved(&l);
    rig_close(st);
}

static void test_merge(void **state)
{
    const char *a = rig_path("left"), *b = rig_path("right");
    rig_close(rig_open(a, HD_STORE_WRITE));
    struct hd_store *st = rig_open(b, HD_STORE_WRITE);
    save(st, rig_start(st, 1).build);
    rig_close(st);
    st = rig_open(a, HD_STORE_WRITE);
    rig_start(st, 2); /* other ids */
    rig_ok(st, hd_store_merge(st, b));
    struct listed l = list(st, rig_start(st, 1).build);
    expect_saved(&l);
    rig_close(st);
}

/* A store of version 10 gets the table. */
static void test_old_store(void **state)
{
    const char *dir = rig_path("old");
    rig_close(rig_open(dir, HD_STORE_WRITE));
    rig_ask(dir, "DROP TABLE piece");
    rig_ask(dir, "PRAGMA user_version = 10");
    struct hd_store *st = rig_open(dir, HD_STORE_WRITE);
    struct rig r = rig_start(st, 1);
    save(st, r.build);
    struct listed l = list(st, r.build);
    expect_saved(&l);
    rig_close(st);
    assert_int_equal(rig_ask(dir, "PRAGMA user_version"), hd_migrate_latest(hd_sql_schema));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept), cmocka_unit_test(test_merge), cmocka_unit_test(test_old_store),
    };
    return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
