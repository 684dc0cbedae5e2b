/* test_arrivals.c: a process of a command is known again in another run of it, whatever order the kernel
 * lets them come in; and the records of several of them survive a round trip (children/arrivals.c,
 * event/replay/replay.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "children/children.h"
#include "event/replay/replay.h"

static struct hd_ask ask(const char *exe, const char *arg, bool is_forked, u64 forks)
{
    struct hd_ask a = {.kind = is_forked ? HD_ASK_THREADS : HD_ASK_START, .is_forked = is_forked,
                       .forks = forks};
    snprintf(a.exe, sizeof a.exe, "%s", exe);
    a.n_args = (u32)snprintf(a.args, sizeof a.args, "%s", arg) + 1;
    return a;
}

/* All of `list`, as they come in this run. */
static void call(struct hd_process *to, const struct hd_ask *list, u32 n)
{
    struct hd_arrivals r = {0};
    for (u32 i = 0; i < n; i++)
        assert_true(hd_arrivals_add(&r, &list[i], &to[i]));
    hd_arrivals_release(&r);
}

static void test_numbers(void **state)
{
    struct hd_ask list[] = {ask("/a", "x", false, 0), ask("/b", "x", false, 0),
                            ask("/a", "y", false, 0), ask("/a", "x", false, 0),
                            ask("/a", "x", true, 5)};
    struct hd_process p[HD_COUNT(list)];
    call(p, list, HD_COUNT(list));
    const u32 instance[] = {1, 1, 2, 3, 1}, same[] = {1, 1, 1, 2, 1};
    for (u32 i = 0; i < HD_COUNT(list); i++) {
        assert_int_equal(p[i].instance, instance[i]);
        assert_int_equal(p[i].same_nth, same[i]);
        assert_true(p[i].started_with != 0);
    }
    assert_true(p[4].is_forked);
}

static void test_threads_of_a_started_one_do_not_count(void **state)
{
    struct hd_arrivals r = {0};
    struct hd_process who;
    struct hd_ask a = ask("/a", "x", true, 0);
    a.is_forked = 0;
    assert_false(hd_arrivals_add(&r, &a, &who));
    hd_arrivals_release(&r);
}

/* The list of the first run and one of a later run in another order: each finds itself. */
static void find_all(const struct hd_ask *first, const struct hd_ask *later, const u32 *want, u32 n)
{
    struct hd_process known[8], now[8];
    call(known, first, n);
    call(now, later, n);
    for (u32 i = 0; i < n; i++)
        for (u32 k = 0; k < n; k++)
            assert_int_equal(hd_process_is(&known[k], &now[i], known, n), k == want[i]);
}

static void test_order_of_arguments(void **state)
{
    struct hd_ask first[] = {ask("/a", "1", false, 0), ask("/a", "2", false, 0), ask("/a", "2", false, 0)};
    struct hd_ask later[] = {first[1], first[0], first[1]};
    find_all(first, later, (u32[]){1, 0, 2}, 3);
}

static void test_order_of_forks(void **state)
{
    struct hd_ask first[] = {ask("/a", "1", true, 11), ask("/a", "1", true, 12), ask("/a", "1", true, 13)};
    struct hd_ask later[] = {first[2], first[0], first[1]};
    find_all(first, later, (u32[]){2, 0, 1}, 3);
}

static void test_arguments_of_each_run(void **state)
{
    struct hd_ask first[] = {ask("/a", "/tmp/1", false, 0), ask("/a", "/tmp/2", false, 0)};
    struct hd_ask later[] = {ask("/a", "/tmp/3", false, 0), ask("/a", "/tmp/4", false, 0)};
    find_all(first, later, (u32[]){0, 1}, 2);
}

/* A record of an older version says only which number. */
static void test_without_arguments(void **state)
{
    struct hd_ask later[] = {ask("/a", "1", false, 0), ask("/a", "2", false, 0)};
    struct hd_process now[2], known = {.program = "/a", .instance = 2};
    call(now, later, 2);
    assert_false(hd_process_is(&known, &now[0], &known, 1));
    assert_true(hd_process_is(&known, &now[1], &known, 1));
}

static void test_config(void **state)
{
    struct hd_process p = {"/a", true, 3, 77, 2, true};
    struct hd_config cfg = {0};
    hd_process_to_config(&p, &cfg);
    struct hd_process q = hd_process_of(&cfg, "/a");
    assert_true(hd_process_is_same(&p, &q));
    assert_true(q.is_together);
    q.same_nth = 1;
    assert_false(hd_process_is_same(&p, &q));
}

/* ---- records of several ------------------------------------------------------------------- */

static void record(struct hd_replay *r, const char *program, u32 instance)
{
    hd_replay_init(r);
    snprintf(r->program, sizeof r->program, "%s", program);
    snprintf(r->strategy, sizeof r->strategy, "random");
    snprintf(r->cwd, sizeof r->cwd, "/");
    r->argv = calloc(2, sizeof *r->argv);
    r->argv[r->argc++] = strdup("./both.sh");
    r->verdict = HD_V_CLEAN;
    r->cfg.instance = instance;
    r->cfg.context = HD_CTX_DEPTH;
}

static void test_records(void **state)
{
    char dir[] = "/tmp/heddle-arrivals-XXXXXX", path[128], other[128];
    struct hd_error err;
    struct hd_replay r, copy, back;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/replay.heddle", dir);
    record(&r, "/bin/a", 1);
    r.others = calloc(2, sizeof *r.others);
    record(&r.others[r.n_others++], "/bin/b", 1);
    record(&r.others[r.n_others++], "/bin/b", 2);
    assert_int_equal(hd_replay_copy(&copy, &r), 0);
    hd_replay_release(&r);
    assert_int_equal(hd_replay_save(&copy, path, &err), 0);
    hd_replay_release(&copy);

    assert_int_equal(hd_replay_load(&back, path, &err), 0);
    assert_int_equal(back.n_others, 2);
    assert_null(back.others);
    assert_int_equal(hd_replay_load_others(&back, path, &err), 0);
    assert_string_equal(err.text, "");
    assert_int_equal(back.n_others, 2);
    assert_string_equal(back.others[1].program, "/bin/b");
    assert_int_equal(back.others[1].cfg.instance, 2);
    hd_replay_process(&back.others[1], other, sizeof other);
    assert_string_equal(other, "b, number 2 of them");
    hd_replay_release(&back);

    snprintf(other, sizeof other, "%s/replay.1.heddle", dir);
    assert_int_equal(unlink(other), 0);
    assert_int_equal(hd_replay_load(&back, path, &err), 0);
    assert_int_equal(hd_replay_load_others(&back, path, &err), 0);
    assert_non_null(strstr(err.text, "replay.1.heddle"));
    assert_int_equal(back.n_others, 1);
    hd_replay_release(&back);
    snprintf(other, sizeof other, "%s/replay.2.heddle", dir);
    unlink(other);
    unlink(path);
    rmdir(dir);
}

static void test_names(void **state)
{
    assert_true(hd_replay_is_other("replay.1.heddle", "replay"));
    assert_true(hd_replay_is_other("original.12.heddle", "original"));
    assert_false(hd_replay_is_other("replay.heddle", "replay"));
    assert_false(hd_replay_is_other("replay.x.heddle", "replay"));
    assert_false(hd_replay_is_other("replay.1.heddle.bak", "replay"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_threads_of_a_started_one_do_not_count),
        cmocka_unit_test(test_order_of_arguments),
        cmocka_unit_test(test_order_of_forks),
        cmocka_unit_test(test_arguments_of_each_run),
        cmocka_unit_test(test_without_arguments),
        cmocka_unit_test(test_config),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
