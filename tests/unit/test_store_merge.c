/* test_store_merge.c: merging is a union: twice is once, order does not matter,
 * nothing is lost; and what two machines say about one thing is settled. */
#include "store_rig.h"

static void merge(const char *into, const char *from)
{
    struct hd_store *st = rig_open(into, HD_STORE_WRITE);
    rig_ok(st, hd_store_merge(st, from));
    rig_close(st);
}

static void same(const char *a, const char *b)
{
    char *x = rig_dump(a), *y = rig_dump(b);
    if (strcmp(x, y)) {
        size_t i = 0, line = 0;
        for (; x[i] && x[i] == y[i]; i++)
            if (x[i] == '\n')
                line = i + 1;
        fail_msg("%s and %s differ:\n%.200s\n---\n%.200s", a, b, x + line, y + line);
    }
    free(x);
    free(y);
}

/* Every line of the identifying tables of `part` is in `whole`. */
static void contains(const char *whole, const char *part)
{
    char *x = rig_dump(whole), *y = rig_dump(part), *save = NULL;
    for (char *line = strtok_r(y, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        static const char *const kept[] = {"name|", "program|", "element|", "run|", "curve|"};
        for (u32 i = 0; i < HD_COUNT(kept); i++)
            if (!strncmp(line, kept[i], strlen(kept[i])) && !strstr(x, line))
                fail_msg("%s lacks %s", whole, line);
    }
    free(x);
    free(y);
}

/* Three stores that grew apart from one, with campaigns they share. */
static void grow(struct hd_rng *rng, const char *const name[3])
{
    const char *root = rig_path("root-%llx", (unsigned long long)hd_rng_next(rng));
    struct hd_store *st = rig_open(root, HD_STORE_WRITE);
    if (hd_rng_chance(rng, 2, 3))
        rig_fill(st, rng, 0, 30);
    rig_close(st);
    bool is_tie = hd_rng_chance(rng, 1, 2);
    s64 shared = rig_ask(root, "SELECT coalesce(max(id), 0) FROM campaign");
    for (u32 i = 0; i < 3; i++) {
        rig_copy(root, name[i]);
        st = rig_open(name[i], HD_STORE_WRITE);
        if (shared && hd_rng_chance(rng, 2, 3))
            rig_fill(st, rng, shared, 60);
        for (u64 k = hd_rng_below(rng, 3); k > 0; k--)
            rig_fill(st, rng, 0, (u32)hd_rng_below(rng, 60));
        rig_close(st);
        if (is_tie) /* all campaigns began at once */
            rig_ask(name[i], "UPDATE campaign SET started_at = 1000");
    }
}

static void test_properties(void **state)
{
    enum { TIMES = 25 };
    for (u64 seed = 1; seed <= TIMES; seed++) {
        struct hd_rng rng = {seed};
        char a[64], b[64], c[64], ab[64], ba[64], ab_c[64], bc[64], a_bc[64];
        char *all[] = {a, b, c, ab, ba, ab_c, bc, a_bc};
        for (u32 i = 0; i < HD_COUNT(all); i++)
            snprintf(all[i], 64, "%s/p%llu-%u", rig_dir, (unsigned long long)seed, i);
        grow(&rng, (const char *const[]){a, b, c});

        rig_copy(a, ab), merge(ab, b);
        rig_copy(b, ba), merge(ba, a);
        same(ab, ba); /* commutative */
        rig_copy(ab, ab_c), merge(ab_c, c);
        rig_copy(b, bc), merge(bc, c);
        rig_copy(a, a_bc), merge(a_bc, bc);
        same(ab_c, a_bc); /* associative */

        merge(ab, b), merge(ab, a), merge(ab, ba), merge(ab, ab);
        same(ab, ba); /* idempotent */
        contains(ab, a), contains(ab, b);

        const char *empty = rig_path("empty-%llu", (unsigned long long)seed);
        merge(empty, a);
        same(empty, a);
        rig_check(ab_c);
    }
}

/* ---- what is settled how --------------------------------------------------------------- */

static int only_candidate(void *self, const struct hd_store_candidate *c)
{
    *(struct hd_store_candidate *)self = *c;
    return 0;
}

static int only_seen(void *self, const struct hd_store_seen *s)
{
    *(struct hd_store_seen *)self = *s;
    return 0;
}

static int only_finding(void *self, const struct hd_store_finding *f)
{
    *(struct hd_store_finding *)self = *f;
    return 0;
}

/* The same build on two machines, under two paths. A tries a candidate in vain
 * that B exposes. */
static void test_settle(void **state)
{
    const char *da = rig_path("machine-a"), *db = rig_path("machine-b");
    struct hd_store *a = rig_open(da, HD_STORE_WRITE), *b = rig_open(db, HD_STORE_WRITE);
    struct hd_store_finding f = {.key = "hang-1", .kind = "hang", .title = "t", .dir = "d"};
    struct rig x = rig_start(a, 1), y;
    struct hd_store_element e = {.metric = "iroot", .sub = 1, .n = 1};
    struct hd_store_element tried = {.metric = "iroot", .sub = 2, .n = 1};

    tried.site[0] = e.site[0] = rig_site(a, x.build, 0x10);
    s64 id = rig_id(a, hd_store_candidate_add(a, x.build, x.input, &e));
    rig_ok(a, hd_store_attempt(a, id, x.input, 2));
    rig_ok(a, hd_store_candidate_set(a, id, HD_STORE_FAILED));
    id = rig_id(a, hd_store_candidate_add(a, x.build, x.input, &tried));
    rig_ok(a, hd_store_attempt(a, id, x.input, 2));
    rig_ok(a, hd_store_finding_add(a, x.campaign, &f, 3, 2));
    rig_close(a);

    /* Other ids, other path, other inputs first. */
    rig_id(b, hd_store_build(b, 0, "zzz", 3, "/lib/z.so"));
    s64 other_input = rig_id(b, hd_store_input(b, (char *[]){"p", "other", NULL}, -1));
    y.program = rig_id(b, hd_store_program(b, "/home/b/prog"));
    y.build = rig_id(b, hd_store_build(b, y.program, "\1", 1, "/home/b/prog"));
    y.input = rig_id(b, hd_store_input(b, (char *[]){"p", "--size", "3", NULL}, -1));
    y.campaign = rig_id(b, hd_store_campaign_begin(b, y.program, y.build, y.input, "pos", 1));
    tried.site[0] = e.site[0] =
        rig_id(b, hd_store_site(b, &(struct hd_store_site){.build = y.build, .offset = 0x10,
                                                           .text = "f@a.c:3#0"}));
    rig_id(b, hd_store_element_add(b, y.campaign, &e, 7, 4));
    id = rig_id(b, hd_store_candidate_add(b, y.build, y.input, &tried));
    rig_ok(b, hd_store_attempt(b, id, y.input, 1));
    rig_ok(b, hd_store_attempt(b, id, other_input, 5));
    rig_ok(b, hd_store_finding_add(b, y.campaign, &f, 1, 3));
    rig_close(b);

    merge(da, rig_path("machine-b/store.db")); /* a file will do */
    a = rig_open(da, HD_STORE_WRITE);
    struct hd_store_candidate c = {0};
    rig_ok(a, hd_store_candidates(a, x.build, x.input, only_candidate, &c));
    assert_int_equal(c.what.sub, 2);
    assert_int_equal(c.state, HD_STORE_PREDICTED);
    assert_int_equal(c.attempts, 2); /* the greater, not the sum */
    assert_int_equal(c.total, 7);
    assert_int_equal(rig_ask(da, "SELECT state FROM candidate c JOIN element e ON e.id = "
                                 "c.element WHERE e.sub = 1"), HD_STORE_EXPOSED);
    struct hd_store_seen s = {0};
    rig_ok(a, hd_store_elements(a, x.build, "iroot", x.input, only_seen, &s));
    assert_true(s.run == 7 && s.runs == 4 && s.campaign != x.campaign);
    struct hd_store_site site;
    rig_ok(a, hd_store_site_get(a, s.what.site[0], &site));
    assert_string_equal(site.text, "f@a.c:3#0"); /* known there */
    struct hd_store_finding found = {0};
    rig_ok(a, hd_store_findings(a, x.build, only_finding, &found));
    assert_int_equal(found.times, 5); /* two campaigns: both count */
    assert_int_equal(rig_ask(da, "SELECT count(*) FROM program"), 2);
    assert_int_equal(rig_ask(da, "SELECT count(*) FROM version"), 2);
    rig_close(a);
}

/* The batch at hand is part of the store; its own file and a missing one. */
static void test_open_store(void **state)
{
    const char *dir = rig_path("open"), *from = rig_path("open-from");
    struct hd_store *st = rig_open(from, HD_STORE_WRITE);
    rig_id(st, hd_store_program(st, "/theirs"));
    rig_ok(st, hd_store_commit(st));
    struct hd_store *to = rig_open(dir, HD_STORE_WRITE);
    s64 ours = rig_id(to, hd_store_program(to, "/ours"));
    rig_ok(to, hd_store_merge(to, from)); /* while it is in use */
    assert_int_equal(hd_store_program(to, "/ours"), ours);
    rig_id(to, hd_store_program(to, "/theirs"));
    rig_ok(to, hd_store_merge(to, dir));
    assert_int_equal(hd_store_merge(to, rig_path("nowhere")), -ENOENT);
    assert_non_null(strstr(hd_store_error(to), "nowhere"));
    rig_id(to, hd_store_program(to, "/later"));
    rig_close(to);
    rig_close(st);
    assert_int_equal(rig_ask(dir, "SELECT count(*) FROM program"), 3);
    st = rig_open(dir, HD_STORE_READ);
    assert_int_equal(hd_store_merge(st, from), -EROFS);
    rig_close(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_settle),
        cmocka_unit_test(test_open_store),
    };
    return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
