/* The corpus: what is new joins with the choices that led to it; fewer steps replace more; what
 * few runs have is gone on from more often; what is followed gets shorter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "plan/corpus/corpus.h"

enum { X = 0x1000, Y = 0x2000 };

static struct hd_event at(u32 step, u16 tid, u8 kind, u64 site, u64 obj)
{
    return (struct hd_event){.step = step, .tid = tid, .kind = kind, .site = site, .obj = obj, .size = 4};
}

/* One run of `n` events, by choices of one step each. Returns its news. */
static u32 run(struct hd_corpus *c, const struct hd_event *ev, u32 n, u32 from)
{
    struct hd_choice choice[64];
    assert_true(n <= 64);
    hd_corpus_begin(c, 0);
    for (u32 i = 0; i < n; i++) {
        hd_corpus_event(c, 0, &ev[i], 0);
        choice[i] = (struct hd_choice){.count = 1, .tid = ev[i].tid, .kind = HD_CHOICE_PICK};
    }
    return hd_corpus_ran(c, 0, choice, n, from);
}

static const struct hd_feature *site_feature(const struct hd_corpus *c, u64 site)
{
    for (u32 i = 1; i < c->feature.n; i++)
        if (c->feature.at[i].kind == HD_FEATURE_SITE && c->feature.at[i].site == site)
            return &c->feature.at[i];
    return NULL;
}

static void news_join_once(void **state)
{
    struct hd_corpus c;
    struct hd_event ev[] = {at(1, 0, HD_EV_WRITE, 10, X), at(2, 1, HD_EV_READ, 20, X)};
    (void)state;
    hd_corpus_init(&c, 1);
    assert_true(run(&c, ev, 2, 0) > 0);
    assert_int_equal(run(&c, ev, 2, 0), 0);
    ev[0] = at(1, 1, HD_EV_READ, 20, X); /* the other way round: reads what nobody wrote */
    ev[1] = at(2, 0, HD_EV_WRITE, 10, X);
    assert_true(run(&c, ev, 2, 0) > 0);
    assert_int_equal(run(&c, ev, 2, 0), 0);
    hd_corpus_release(&c);
}

static void fewer_steps_replace_more(void **state)
{
    struct hd_corpus c;
    struct hd_event ev[] = {at(1, 0, HD_EV_WRITE, 10, X), at(2, 0, HD_EV_WRITE, 11, X),
                            at(3, 1, HD_EV_WRITE, 20, Y)};
    (void)state;
    hd_corpus_init(&c, 1);
    run(&c, ev, 3, 0);
    assert_int_equal(site_feature(&c, 20)->step, 3);
    u32 log = site_feature(&c, 20)->log;
    run(&c, ev, 3, 0); /* as long: the first stays */
    assert_int_equal(site_feature(&c, 20)->log, log);
    ev[1] = at(2, 1, HD_EV_WRITE, 20, Y);
    run(&c, ev, 2, 0);
    assert_int_equal(site_feature(&c, 20)->step, 2);
    assert_int_not_equal(site_feature(&c, 20)->log, log);
    for (u32 i = 0; i < c.log.n; i++) /* what nobody refers to is not kept */
        assert_int_equal(c.log.at[i].users > 0, c.log.at[i].choice != NULL);
    hd_corpus_release(&c);
}

/* The same events, another value read, or a compare-and-swap that failed. */
static void values_and_outcomes_are_features(void **state)
{
    struct hd_corpus c;
    struct hd_event read = at(1, 1, HD_EV_ALOAD, 20, X), update = at(1, 1, HD_EV_ARMW, 30, X);
    (void)state;
    hd_corpus_init(&c, 1);
    for (u32 value = 0; value < 3; value++) { /* 0: not known */
        hd_corpus_begin(&c, 0);
        hd_corpus_event(&c, 0, &read, value);
        hd_corpus_ran(&c, 0, NULL, 0, 0);
    }
    assert_int_equal(c.count[HD_FEATURE_VALUE], 2);
    run(&c, &update, 1, 0);
    update.arg = HD_MO_FAILED;
    assert_int_not_equal(run(&c, &update, 1, 0), 0);
    hd_corpus_release(&c);
}

/* The third execution without the reset in between, and which write was read. */
static void counts_are_features(void **state)
{
    struct hd_corpus c;
    struct hd_event ev[] = {at(1, 0, HD_EV_WRITE, 9, X), at(2, 0, HD_EV_WRITE, 10, X),
                            at(3, 0, HD_EV_WRITE, 9, X), at(4, 0, HD_EV_WRITE, 10, X)};
    (void)state;
    hd_corpus_init(&c, 1);
    run(&c, ev, 4, 0);
    u64 streaks = c.count[HD_FEATURE_STREAK];
    ev[2] = at(3, 0, HD_EV_WRITE, 10, X);
    run(&c, ev, 4, 0); /* 9 10 10 10: two and three since the 9, three in all */
    assert_int_equal(c.count[HD_FEATURE_STREAK], streaks + 3);
    ev[3] = at(4, 1, HD_EV_READ, 30, X);
    run(&c, ev, 4, 0);
    assert_int_equal(c.count[HD_FEATURE_PASS], 1); /* the first read got the second write */
    ev[2] = ev[3];
    run(&c, ev, 3, 0);
    assert_int_equal(c.count[HD_FEATURE_PASS], 2); /* ... the first */
    hd_corpus_release(&c);
}

/* A program does one of two things: one in 1 of 10 runs, another in 1 of 100. Both are as
 * many features, so the rare one, of 10 times the weight, is chosen in 10 of 11 cases, but for
 * what choices themselves do, which count as runs here. Of 60 choices fewer than 31 for it have
 * a probability below 1e-12 (binomial, p >= 2/3 all along). */
static void rare_ones_are_chosen(void **state)
{
    struct hd_corpus c;
    struct hd_rng rng = hd_rng_make(1, 2, 3);
    u32 rare = 0, all = 0;
    (void)state;
    hd_corpus_init(&c, 1);
    for (u32 i = 0; i < 1000; i++) {
        struct hd_event ev[] = {at(1, 0, HD_EV_WRITE, 10, X),
                                at(2, 1, HD_EV_WRITE, i % 100 == 5 ? 30 : i % 10 == 0 ? 20 : 40, Y)};
        run(&c, ev, 2, 0);
    }
    for (u32 i = 0; i < 60; i++) {
        struct hd_corpus_start s;
        assert_true(hd_corpus_choose(&c, &rng, &s));
        assert_int_equal(s.steps, 2);
        u64 site = c.feature.at[s.feature].site;
        assert_true(site == 30 || site == 20); /* what most runs do is not gone on from */
        rare += site == 30;
        all++;
        c.feature.at[s.feature].since = 0;
    }
    assert_true(rare > all / 2);
    hd_corpus_release(&c);
}

static void a_cut_has_so_many_steps(void **state)
{
    const struct hd_choice log[] = {{3, 0, HD_CHOICE_PICK, 0}, {1, 1, HD_CHOICE_WAKE, 0},
                                    {4, 1, HD_CHOICE_PICK, 0}, {2, 0, HD_CHOICE_PICK, 0}};
    u32 last;
    (void)state;
    assert_int_equal(hd_corpus_cut(log, 4, 0, &last), 0);
    assert_int_equal(hd_corpus_cut(log, 4, 3, &last), 1);
    assert_int_equal(last, 3);
    assert_int_equal(hd_corpus_cut(log, 4, 5, &last), 3);
    assert_int_equal(last, 2);
    assert_int_equal(hd_corpus_cut(log, 4, 100, &last), 4);
    assert_int_equal(last, 2);
}

/* What is followed is the run up to the feature, a part of it, or all but one entry: never
 * anything else, and each entry but the last is left out at some time. */
static void scripts_get_shorter(void **state)
{
    struct hd_corpus c;
    struct hd_rng rng = hd_rng_make(4, 5, 6);
    struct hd_event ev[6];
    struct hd_choice to[8];
    u32 left_out = 0;
    (void)state;
    hd_corpus_init(&c, 1);
    for (u32 i = 0; i < 6; i++)
        ev[i] = at(i + 1, (u16)(i % 3), HD_EV_WRITE, 10 + i, X);
    run(&c, ev, 6, 0);
    struct hd_corpus_start s = {.choice = c.log.at[0].choice, .n = 6, .steps = 6};
    for (s.feature = 1; c.feature.at[s.feature].step != 6; s.feature++)
        continue;
    for (u32 i = 0; i < 200; i++) {
        u32 n = hd_corpus_script(&c, &s, &rng, to), same = 0;
        assert_true(n <= 6);
        while (same < n && to[same].tid == s.choice[same].tid)
            same++;
        if (same < n) {
            assert_int_equal(n, 5);
            left_out |= 1u << same;
        }
    }
    assert_int_equal(left_out & 0x1f, 0x1f);
    hd_corpus_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(news_join_once),          cmocka_unit_test(fewer_steps_replace_more),
        cmocka_unit_test(counts_are_features),
        cmocka_unit_test(values_and_outcomes_are_features),     cmocka_unit_test(rare_ones_are_chosen),
        cmocka_unit_test(a_cut_has_so_many_steps), cmocka_unit_test(scripts_get_shorter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
