/* test_store.c: what is put into a store comes out of it, by another process
 * too; what belongs to another build stays apart; one writer; what it costs. */
#include "store_rig.h"

#include <sys/mman.h>
#include <time.h>

/* ---- round trips ------------------------------------------------------------------ */

static void test_identity(void **state)
{
    const char *dir = rig_path("identity");
    struct hd_store *st = rig_open(dir, HD_STORE_WRITE);
    s64 p = rig_id(st, hd_store_program(st, "/opt/prog"));
    assert_int_equal(hd_store_program(st, "/opt/prog"), p);
    assert_true(hd_store_program(st, "/opt/prog2") != p);
    s64 b = rig_id(st, hd_store_build(st, p, "\0\1\2", 3, "/opt/prog"));
    assert_int_equal(hd_store_build(st, p, "\0\1\2", 3, "/elsewhere"), b);
    assert_true(hd_store_build(st, p, "\0\1\3", 3, "/opt/prog") != b);
    assert_int_equal(hd_store_build(st, p, "", 0, "/opt/prog"), -EINVAL);
    rig_close(st);

    st = rig_open(dir, HD_STORE_READ);
    assert_int_equal(hd_store_program(st, "/opt/prog"), p);
    assert_int_equal(hd_store_build(st, p, "\0\1\2", 3, "/opt/prog"), b);
    assert_int_equal(hd_store_program(st, "/opt/other"), -ENOENT);
    assert_int_equal(hd_store_campaign_begin(st, p, b, 1, "pct", 1), -ENOENT);
    assert_int_equal(hd_store_attempt(st, 1, 1, 1), -EROFS);
    assert_non_null(strstr(hd_store_error(st), "reading only"));
    rig_close(st);
}

static int memfd(const char *text)
{
    int fd = memfd_create("stdin", 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    return fd;
}

static void test_input(void **state)
{
    struct hd_store *st = rig_open(rig_path("input"), HD_STORE_WRITE);
    char *list[][4] = {{"p"}, {"p", "ab"}, {"p", "a", "b"}, {"p", "<"}, {"p", ""}, {"p", "", ""}};
    s64 id[16];
    u32 n = 0;
    for (u32 i = 0; i < HD_COUNT(list); i++)
        id[n++] = rig_id(st, hd_store_input(st, list[i], -1));
    int empty = memfd(""), some = memfd("some"), long_one = memfd("something");
    id[n++] = rig_id(st, hd_store_input(st, list[0], empty));
    id[n++] = rig_id(st, hd_store_input(st, list[0], some));
    id[n++] = rig_id(st, hd_store_input(st, list[0], long_one));
    id[n++] = rig_id(st, hd_store_input(st, list[1], some));
    for (u32 i = 0; i < n; i++)
        for (u32 j = 0; j < i; j++)
            assert_true(id[i] != id[j]);
    /* The name it was called by does not count, nor where stdin stands. */
    char *other[] = {"q", "ab", NULL};
    assert_int_equal(hd_store_input(st, other, -1), id[1]);
    lseek(some, 2, SEEK_SET);
    assert_int_equal(hd_store_input(st, list[0], some), id[7]);
    assert_int_equal(lseek(some, 0, SEEK_CUR), 2);
    close(empty), close(some), close(long_one);
    assert_int_equal(hd_store_input(st, list[0], 9999), -EBADF);
    rig_close(st);
}

static int show_args(void *self, const struct hd_store_campaign *c)
{
    snprintf(self, 2048, "%s", c->args);
    return 0;
}

static void test_input_text(void **state)
{
    struct hd_store *st = rig_open(rig_path("text"), HD_STORE_WRITE);
    s64 p = hd_store_program(st, "/p"), b = hd_store_build(st, p, "b", 1, "/p");
    char *argv[] = {"p", "-n", "two words", "it's", "", NULL}, text[2048];
    int fd = memfd("x");
    rig_id(st, hd_store_campaign_begin(st, p, b, hd_store_input(st, argv, fd), "pct", 1));
    rig_ok(st, hd_store_campaigns(st, p, show_args, text));
    assert_string_equal(text, "-n 'two words' 'it'\\''s' '' <stdin");
    close(fd);
    /* Long ones are cut for people, not for the hash. */
    char big[2][3000];
    for (u32 i = 0; i < 2; i++) {
        memset(big[i], 'x', sizeof big[i]);
        big[i][sizeof big[i] - 2] = (char)('a' + i);
        big[i][sizeof big[i] - 1] = '\0';
    }
    s64 x = rig_id(st, hd_store_input(st, (char *[]){"p", big[0], "y", NULL}, -1));
    assert_true(hd_store_input(st, (char *[]){"p", big[1], "y", NULL}, -1) != x);
    rig_close(st);
}

static void test_site(void **state)
{
    const char *dir = rig_path("site");
    struct hd_store *st = rig_open(dir, HD_STORE_WRITE);
    s64 b = rig_id(st, hd_store_build(st, 0, "lib", 3, "/lib/x.so")), id;
    struct hd_store_site s = {.build = b, .offset = ~0ull - 5}, got;
    id = rig_id(st, hd_store_site(st, &s));
    rig_ok(st, hd_store_site_get(st, id, &got));
    assert_string_equal(got.text, "");
    s.text = "put@queue.c:12#1";
    s.function = "put";
    s.file = "queue.c";
    s.line = 12;
    s.ordinal = 1;
    s.source = "q->n++;";
    assert_int_equal(hd_store_site(st, &s), id); /* now something is known */
    assert_int_equal(rig_site(st, b, s.offset), id);
    rig_close(st);

    st = rig_open(dir, HD_STORE_READ);
    rig_ok(st, hd_store_site_get(st, id, &got));
    assert_int_equal(got.id, id);
    assert_int_equal(got.build, b);
    assert_true(got.offset == s.offset);
    assert_string_equal(got.text, s.text);
    assert_string_equal(got.function, "put");
    assert_string_equal(got.file, "queue.c");
    assert_int_equal(got.line, 12);
    assert_int_equal(got.ordinal, 1);
    assert_string_equal(got.source, "q->n++;");
    assert_int_equal(got.hash_len, 3);
    assert_memory_equal(got.hash, "lib", 3);
    assert_int_equal(hd_store_site_get(st, 0, &got), -ENOENT);
    assert_int_equal(hd_store_site_get(st, 77, &got), -ENOENT);
    rig_close(st);
}

struct list {
    u32 n;
    u64 sum;
    struct hd_store_count count[4];
    struct hd_store_candidate candidate[4];
    struct hd_store_seen seen[4];
    struct hd_store_campaign campaign[4];
    struct hd_store_build build[4];
    struct hd_store_finding finding[4];
    char text[4][64];
    int stop;
};

#define ADD_TO(what, type)                                                                         \
    static int add_##what(void *self, const struct type *x)                                        \
    {                                                                                              \
        struct list *l = self;                                                                     \
        assert_true(l->n < 4);                                                                     \
        l->what[l->n++] = *x;                                                                      \
        return l->stop;                                                                            \
    }
ADD_TO(candidate, hd_store_candidate)
ADD_TO(seen, hd_store_seen)
ADD_TO(campaign, hd_store_campaign)
ADD_TO(build, hd_store_build)

static int add_count(void *self, const struct hd_store_count *c)
{
    struct list *l = self;
    assert_true(l->n < 4);
    snprintf(l->text[l->n], sizeof l->text[0], "%s", c->metric);
    l->count[l->n++] = *c;
    return 0;
}

static int add_finding(void *self, const struct hd_store_finding *f)
{
    struct list *l = self;
    assert_true(l->n < 4);
    snprintf(l->text[l->n], sizeof l->text[0], "%s|%s|%s|%s", f->key, f->kind, f->title, f->dir);
    l->finding[l->n++] = *f;
    return 0;
}

static int add_point(void *self, u64 run, double seconds, u64 covered)
{
    struct list *l = self;
    l->n++;
    l->sum += run * 100 + covered + (u64)(seconds * 10);
    return 0;
}

static int add_learned(void *self, const struct hd_store_site *s, u32 flags)
{
    struct list *l = self;
    l->sum = l->sum * 100 + s->offset * 10 + flags;
    l->n++;
    return 0;
}

static void test_journal(void **state)
{
    const char *dir = rig_path("journal");
    struct hd_store *st = rig_open(dir, HD_STORE_WRITE);
    struct rig r = rig_start(st, 1);
    for (u64 i = 3; i > 0; i--)
        rig_ok(st, hd_store_run(st, r.campaign,
                                &(struct hd_store_run){i, ~i, "pct", i == 2 ? "deadlock" : "clean",
                                                       100 * i, 10 * i, 0.5 * (double)i}));
    /* Said again: stays as it was. */
    rig_ok(st, hd_store_run(st, r.campaign, &(struct hd_store_run){1, 0, "pos", "exit", 0, 0, 0}));
    rig_ok(st, hd_store_curve_add(st, r.campaign, "iroot", 1, 0.1, 5));
    rig_ok(st, hd_store_curve_add(st, r.campaign, "iroot", 2, 0.2, 6));
    rig_ok(st, hd_store_curve_add(st, r.campaign, "pset", 2, 0.2, 50));
    assert_int_equal(hd_store_run(st, 99, &(struct hd_store_run){1, 0, "pos", "x", 0, 0, 0}),
                     -EINVAL);
    rig_ok(st, hd_store_campaign_end(st, r.campaign, 10, 2.5));
    s64 killed = hd_store_campaign_begin(st, r.program, r.build, r.input, "pos", ~0ull);
    rig_ok(st, hd_store_run(st, killed, &(struct hd_store_run){1, 0, "pos", "clean", 1, 1, 7}));
    rig_close(st);

    st = rig_open(dir, HD_STORE_READ);
    assert_int_equal(rig_ask(dir, "SELECT count(*) FROM run WHERE campaign = 1"), 3);
    assert_int_equal(rig_ask(dir, "SELECT count(*) FROM run r JOIN name s ON s.id = r.strategy "
                                  "JOIN name v ON v.id = r.verdict WHERE campaign = 1 AND "
                                  "seed = ~number AND steps = 100 * number AND "
                                  "points = 10 * number AND seconds = 0.5 * number AND "
                                  "s.text = 'pct' AND "
                                  "v.text = iif(number = 2, 'deadlock', 'clean')"), 3);
    struct list l = {0};
    rig_ok(st, hd_store_curve(st, r.campaign, "iroot", add_point, &l));
    assert_int_equal(l.n, 2);
    assert_int_equal(l.sum, 100 + 5 + 1 + 200 + 6 + 2);
    l = (struct list){0};
    rig_ok(st, hd_store_campaigns(st, r.program, add_campaign, &l));
    assert_int_equal(l.n, 2);
    assert_int_equal(l.campaign[0].id, r.campaign);
    assert_int_equal(l.campaign[0].runs, 10);
    assert_true(l.campaign[0].is_ended && l.campaign[0].seconds == 2.5);
    assert_true(l.campaign[1].seed == ~0ull && !l.campaign[1].is_ended);
    assert_int_equal(l.campaign[1].runs, 1);
    assert_true(l.campaign[1].seconds == 7);
    rig_close(st);
}

static void add_text(void *self, const char *text)
{
    char *to = self;
    strcat(to, text);
    strcat(to, ";");
}

/* What a campaign was not in control of, and what it found. */
static void test_uncontrolled(void **state)
{
    struct hd_store *st = rig_open(rig_path("uncontrolled"), HD_STORE_WRITE);
    struct rig r = rig_start(st, 1);
    char said[200] = "", found[200] = "";
    (void)state;
    s64 later = hd_store_campaign_begin(st, r.program, r.build, r.input, "active", 1);
    rig_ok(st, hd_store_uncontrolled_add(st, r.campaign, "b"));
    rig_ok(st, hd_store_uncontrolled_add(st, r.campaign, "a"));
    rig_ok(st, hd_store_uncontrolled_add(st, r.campaign, "b")); /* said again */
    rig_ok(st, hd_store_uncontrolled_add(st, later, "c"));
    rig_ok(st, hd_store_uncontrolled(st, r.campaign, add_text, said));
    assert_string_equal(said, "a;b;");
    struct hd_store_finding f = {.key = "exit-1", .kind = "exit", .title = "t", .dir = ""};
    assert_int_equal(hd_store_finding_add(st, later, &f, 3, 1), 1);
    rig_ok(st, hd_store_sightings(st, r.campaign, add_text, found));
    rig_ok(st, hd_store_sightings(st, later, add_text, found));
    assert_string_equal(found, "exit-1;");
    assert_int_equal(hd_store_uncontrolled_add(st, 99, "a"), -EINVAL);
    rig_close(st);
}

static void add_arm(void *self, const struct hd_store_arm *a)
{
    u64 *sum = self;
    sum[0]++;
    sum[1] += !strcmp(a->name, "pct") ? a->runs + 10 * a->cost + 100 * a->news : 0;
}

/* What kinds of runs brought, over the campaigns on a program. */
static void test_arm(void **state)
{
    struct hd_store *st = rig_open(rig_path("arm"), HD_STORE_WRITE);
    struct rig r = rig_start(st, 1);
    u64 sum[2] = {0};
    (void)state;
    s64 later = hd_store_campaign_begin(st, r.program, r.build, r.input, "active", 1);
    rig_ok(st, hd_store_arm_add(st, r.campaign, &(struct hd_store_arm){"pct", 3, 4, 1}));
    rig_ok(st, hd_store_arm_add(st, r.campaign, &(struct hd_store_arm){"pct", 9, 9, 9})); /* said again */
    rig_ok(st, hd_store_arm_add(st, r.campaign, &(struct hd_store_arm){"corpus", 1, 1, 1}));
    rig_ok(st, hd_store_arm_add(st, later, &(struct hd_store_arm){"pct", 2, 2, 2}));
    rig_ok(st, hd_store_arms(st, later, add_arm, sum));
    assert_int_equal(sum[0], 2);
    assert_int_equal(sum[1], 5 + 60 + 300);
    assert_int_equal(hd_store_arm_add(st, 99, &(struct hd_store_arm){"pct", 1, 1, 1}), -EINVAL);
    rig_close(st);
}

static void test_finding(void **state)
{
    struct hd_store *st = rig_open(rig_path("finding"), HD_STORE_WRITE);
    struct rig r = rig_start(st, 1);
    struct hd_store_finding f = {.key = "hang-1", .kind = "hang", .title = "t", .dir = "d/a"};
    assert_int_equal(hd_store_finding_add(st, r.campaign, &f, 5, 1), 1);
    assert_false(st->in_batch); /* safe already */
    assert_int_equal(hd_store_finding_add(st, r.campaign, &f, 9, 2), 0);
    s64 later = hd_store_campaign_begin(st, r.program, r.build, r.input, "pct", 8);
    f.title = "better";
    assert_int_equal(hd_store_finding_add(st, later, &f, 1, 4), 0);
    struct rig rebuilt = rig_start(st, 2);
    assert_int_equal(hd_store_finding_add(st, rebuilt.campaign, &f, 1, 1), 1);
    assert_int_equal(hd_store_finding_add(st, 99, &f, 1, 1), -EINVAL);

    struct list l = {0};
    rig_ok(st, hd_store_findings(st, r.build, add_finding, &l));
    assert_int_equal(l.n, 1);
    assert_string_equal(l.text[0], "hang-1|hang|better|d/a");
    assert_int_equal(l.finding[0].times, 7);
    assert_int_equal(l.finding[0].build, r.build);
    rig_ok(st, hd_store_findings(st, 0, add_finding, memset(&l, 0, sizeof l)));
    assert_int_equal(l.n, 2);
    rig_close(st);
}

/* ---- orderings ---------------------------------------------------------------------- */

static void test_element(void **state)
{
    struct hd_store *st = rig_open(rig_path("element"), HD_STORE_WRITE);
    struct rig r = rig_start(st, 1);
    s64 a = rig_site(st, r.build, 0x10), b = rig_site(st, r.build, 0x20);
    struct hd_store_element e = {.metric = "iroot", .sub = 2, .n = 2, .site = {a, b}};
    s64 id = rig_id(st, hd_store_element_add(st, r.campaign, &e, 3, 1));
    assert_int_equal(hd_store_element_add(st, r.campaign, &e, 4, 10), id);
    /* Anything in the key that differs makes another one. */
    struct hd_store_element other[] = {
        {.metric = "pset", .sub = 2, .n = 2, .site = {a, b}},
        {.metric = "iroot", .sub = 3, .n = 2, .site = {a, b}},
        {.metric = "iroot", .sub = 2, .n = 2, .site = {b, a}},
        {.metric = "iroot", .sub = 2, .n = 3, .site = {a, b, a}},
        {.metric = "iroot", .sub = 2, .n = 2, .site = {a, b}, .extra = "\0", .extra_len = 1}};
    for (u32 i = 0; i < HD_COUNT(other); i++)
        assert_true(rig_id(st, hd_store_element_add(st, r.campaign, &other[i], 5, 1)) != id);
    e.site[1] = 999;
    assert_int_equal(hd_store_element_add(st, r.campaign, &e, 6, 1), -EINVAL);
    e.site[1] = b;

    /* Under a second input: the same element, seen twice. */
    s64 input = rig_id(st, hd_store_input(st, (char *[]){"p", NULL}, -1));
    s64 later = hd_store_campaign_begin(st, r.program, r.build, input, "pct", 1);
    assert_int_equal(hd_store_element_add(st, later, &e, 1, 100), id);
    struct list l = {0};
    rig_ok(st, hd_store_elements(st, r.build, "pset", 0, add_seen, &l));
    assert_int_equal(l.n, 1);
    rig_ok(st, hd_store_elements(st, r.build, NULL, input, add_seen, memset(&l, 0, sizeof l)));
    assert_int_equal(l.n, 1);
    assert_int_equal(l.seen[0].runs, 100);
    assert_int_equal(l.seen[0].campaign, later);
    l = (struct list){.stop = 1};
    assert_int_equal(hd_store_elements(st, r.build, "iroot", 0, add_seen, &l), 1);
    assert_int_equal(l.seen[0].id, id);
    assert_int_equal(l.seen[0].what.sub, 2);
    assert_int_equal(l.seen[0].what.n, 2);
    assert_int_equal(l.seen[0].what.site[0], a);
    assert_int_equal(l.seen[0].what.site[1], b);
    assert_int_equal(l.seen[0].what.extra_len, 0);
    assert_int_equal(l.seen[0].runs, 111);
    assert_int_equal(l.seen[0].inputs, 2);
    assert_int_equal(l.seen[0].run, l.seen[0].campaign == later ? 1 : 3);
    rig_ok(st, hd_store_counts(st, r.build, add_count, memset(&l, 0, sizeof l)));
    assert_int_equal(l.n, 3);
    assert_string_equal(l.text[0], "iroot");
    assert_int_equal(l.count[0].sub, 2);
    assert_int_equal(l.count[0].covered, 4);
    rig_close(st);
}

static void test_candidate(void **state)
{
    struct hd_store *st = rig_open(rig_path("candidate"), HD_STORE_WRITE);
    struct rig r = rig_start(st, 1);
    s64 a = rig_site(st, r.build, 0x10);
    struct hd_store_element e[4];
    s64 id[4];
    for (u32 i = 0; i < 4; i++)
        e[i] = (struct hd_store_element){.metric = "iroot", .sub = i, .n = 1, .site = {a}};
    rig_id(st, hd_store_element_add(st, r.campaign, &e[3], 1, 1)); /* before it is predicted */
    for (u32 i = 0; i < 4; i++)
        id[i] = rig_id(st, hd_store_candidate_add(st, r.build, r.input, &e[i]));
    rig_ok(st, hd_store_attempt(st, id[0], r.input, 1));
    rig_ok(st, hd_store_attempt(st, id[0], r.input, 1));
    rig_ok(st, hd_store_candidate_set(st, id[0], HD_STORE_FAILED));
    rig_ok(st, hd_store_candidate_external(st, id[0]));
    rig_id(st, hd_store_element_add(st, r.campaign, &e[1], 2, 1)); /* exposes it */
    rig_ok(st, hd_store_candidate_set(st, id[1], HD_STORE_PREDICTED)); /* too late */
    assert_int_equal(hd_store_candidate_add(st, r.build, r.input, &e[0]), id[0]);
    assert_int_equal(hd_store_attempt(st, 999, r.input, 1), -EINVAL);

    s64 input = rig_id(st, hd_store_input(st, (char *[]){"p", NULL}, -1));
    rig_ok(st, hd_store_attempt(st, id[0], input, 5));
    struct list l = {0};
    rig_ok(st, hd_store_candidates(st, r.build, r.input, add_candidate, &l));
    assert_int_equal(l.n, 4);
    assert_int_equal(l.candidate[0].id, id[3]);
    assert_int_equal(l.candidate[0].state, HD_STORE_EXPOSED);
    assert_int_equal(l.candidate[1].id, id[0]);
    assert_int_equal(l.candidate[1].state, HD_STORE_FAILED);
    assert_int_equal(l.candidate[1].attempts, 2);
    assert_int_equal(l.candidate[1].total, 7);
    assert_true(l.candidate[1].is_external && !l.candidate[0].is_external);
    assert_int_equal(l.candidate[2].state, HD_STORE_EXPOSED);
    assert_int_equal(l.candidate[3].state, HD_STORE_PREDICTED);
    assert_true(l.candidate[3].is_predicted && !l.candidate[3].attempts && !l.candidate[3].total);
    /* Seen from the other input: nothing is predicted there but the one tried. */
    rig_ok(st, hd_store_candidates(st, r.build, input, add_candidate, memset(&l, 0, sizeof l)));
    assert_true(l.candidate[1].is_predicted && l.candidate[1].attempts == 5);
    assert_false(l.candidate[0].is_predicted || l.candidate[2].is_predicted);
    rig_ok(st, hd_store_candidate_set(st, id[0], HD_STORE_PREDICTED)); /* re-admitted */
    rig_ok(st, hd_store_counts(st, r.build, add_count, memset(&l, 0, sizeof l)));
    assert_int_equal(l.n, 4);
    assert_true(l.count[0].predicted == 1 && !l.count[0].failed && !l.count[0].covered);
    assert_true(l.count[1].covered == 1 && !l.count[1].predicted);
    rig_close(st);
}

static void test_learned(void **state)
{
    const char *dir = rig_path("learned");
    struct hd_store *st = rig_open(dir, HD_STORE_WRITE);
    struct rig r = rig_start(st, 1);
    s64 lib = rig_id(st, hd_store_build(st, 0, "lib", 3, "/lib/x.so"));
    struct hd_store_learned l[] = {{rig_site(st, r.build, 2), 2}, {rig_site(st, r.build, 1), 2},
                                   {rig_site(st, lib, 3), 6}};
    rig_ok(st, hd_store_sites_save(st, r.build, l, 3));
    l[0].flags = 4;
    rig_ok(st, hd_store_sites_save(st, r.build, l, 1)); /* added, not replaced */
    rig_close(st);
    st = rig_open(dir, HD_STORE_READ);
    struct list got = {0};
    rig_ok(st, hd_store_sites_load(st, r.build, add_learned, &got));
    assert_int_equal(got.n, 3);
    assert_int_equal(got.sum, (12 * 100 + 26) * 100 + 36); /* in order of build and offset */
    rig_ok(st, hd_store_sites_load(st, lib, add_learned, memset(&got, 0, sizeof got)));
    assert_int_equal(got.n, 0);
    rig_close(st);
}

static void test_rebuilt(void **state)
{
    struct hd_store *st = rig_open(rig_path("rebuilt"), HD_STORE_WRITE);
    struct rig old = rig_start(st, 1);
    struct hd_store_element e = {.metric = "iroot", .n = 1};
    e.site[0] = rig_site(st, old.build, 0x10);
    rig_id(st, hd_store_element_add(st, old.campaign, &e, 1, 1));
    struct rig new = rig_start(st, 2);
    assert_int_equal(new.program, old.program);
    assert_int_equal(new.input, old.input);
    assert_true(new.build != old.build);
    struct list l = {0};
    rig_ok(st, hd_store_elements(st, new.build, NULL, 0, add_seen, &l));
    assert_int_equal(l.n, 0);
    rig_ok(st, hd_store_elements(st, old.build, NULL, 0, add_seen, &l));
    assert_int_equal(l.n, 1);
    rig_ok(st, hd_store_builds(st, old.program, add_build, memset(&l, 0, sizeof l)));
    assert_int_equal(l.n, 2);
    assert_int_equal(l.build[0].id, old.build);
    assert_int_equal(l.build[1].id, new.build);
    rig_close(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity),    cmocka_unit_test(test_input),
        cmocka_unit_test(test_input_text),  cmocka_unit_test(test_site),
        cmocka_unit_test(test_journal),     cmocka_unit_test(test_finding),
        cmocka_unit_test(test_arm),
        cmocka_unit_test(test_uncontrolled),
        cmocka_unit_test(test_element),     cmocka_unit_test(test_candidate),
        cmocka_unit_test(test_learned),     cmocka_unit_test(test_rebuilt),


    };
    return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
