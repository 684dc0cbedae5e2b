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
        hd_corpus_event(c, 0, &ev[i], 0, 0);
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

/* What the last runs had is known without a look in the map, and counts for each of them. */
static void what_was_met_lately_needs_no_look(void **state)
{
    struct hd_corpus c;
    struct hd_event ev[] = {at(1, 0, HD_EV_WRITE, 10, X), at(2, 1, HD_EV_READ, 20, X)};
    (void)state;
    hd_corpus_init(&c, 1);
    run(&c, ev, 2, 0);
    u64 looks = c.looks;
    for (u32 i = 0; i < 3; i++)
        run(&c, ev, 2, 0);
    assert_int_equal(c.looks, looks);
    assert_int_equal(site_feature(&c, 20)->runs, 4);
    ev[1] = at(2, 1, HD_EV_READ, 21, X);
    run(&c, ev, 2, 0);
    assert_true(c.looks > looks);
    assert_int_equal(site_feature(&c, 20)->runs, 4);
    hd_corpus_release(&c);
}

static void fewer_steps_replace_more(void **state)
{
    struct hd_corpus c;
    struct hd_event ev[] = {at(1, 0, HD_EV_WRITE, 10, X), at(2, 0, HD_EV_WRITE, 11, X),
                            at(3, 1, HD_EV_READ, 20, X)};
    (void)state;
    hd_corpus_init(&c, 1);
    run(&c, ev, 3, 0);
    assert_int_equal(site_feature(&c, 20)->steps, 3);
    u32 log = site_feature(&c, 20)->log;
    run(&c, ev, 3, 0); /* as long: the first stays */
    assert_int_equal(site_feature(&c, 20)->log, log);
    ev[1] = at(2, 1, HD_EV_READ, 20, X);
    run(&c, ev, 2, 0);
    assert_int_equal(site_feature(&c, 20)->steps, 2);
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
        hd_corpus_event(&c, 0, &read, value, 0);
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
        assert_int_equal(c.feature.at[s.feature].step, 2);
        u64 site = c.feature.at[s.feature].site;
        assert_true(site == 30 || site == 20); /* what most runs do is not gone on from */
        rare += site == 30;
        all++;
        c.feature.at[s.feature].since = 0;
    }
    assert_true(rare > all / 2);
    hd_corpus_release(&c);
}

/* Threads that are not needed stay behind; with `is_whole` they do not. What is no step stays. */
static void a_slice_has_what_is_needed(void **state)
{
    struct hd_choice log[] = {{3, 0, HD_CHOICE_PICK, 0}, {1, 1, HD_CHOICE_WAKE, 0},
                              {4, 1, HD_CHOICE_PICK, 0}, {2, 0, HD_CHOICE_PICK, 0}};
    u32 past[] = {1, 1, 9, 4}; /* of two features */
    const struct hd_corpus_log l = {.choice = log, .n = 4, .past = past, .n_pasts = 2, .n_threads = 2};
    struct hd_feature f = {.step = 9, .past = 2};
    struct hd_choice to[4];
    (void)state;
    assert_int_equal(hd_corpus_slice(&f, &l, false, to), 4);
    assert_true(to[0].count == 3 && to[1].kind == HD_CHOICE_WAKE && to[2].count == 1 && to[3].count == 2);
    past[3] = 0;
    assert_int_equal(hd_corpus_slice(&f, &l, false, to), 3); /* 0 0 0, the wake-up, 0 0 */
    f.step = 5;
    assert_int_equal(hd_corpus_slice(&f, &l, true, to), 3);
    assert_true(to[0].count == 3 && to[2].count == 2);
    f.step = 0;
    assert_int_equal(hd_corpus_slice(&f, &l, true, to), 0);
}

/* A run of six entries whose last one shows a feature, and the start there. */
static struct hd_corpus_start six_entries(struct hd_corpus *c)
{
    struct hd_event ev[6];
    hd_corpus_init(c, 1);
    for (u32 i = 0; i < 6; i++)
        ev[i] = at(i + 1, (u16)(i % 3), HD_EV_ARMW, 10 + i, X); /* each needs the one before */
    run(c, ev, 6, 0);
    struct hd_corpus_start s = {.choice = c->log.at[0].choice, .n = 6, .feature = 1};
    while (c->feature.at[s.feature].step != 6)
        s.feature++;
    return s;
}

/* What is followed begins as the run that is kept, and differs from it in the way that is told. */
static void scripts_differ_as_told(void **state)
{
    struct hd_corpus c;
    struct hd_rng rng = hd_rng_make(4, 5, 6), other = hd_rng_make(1, 2, 3);
    struct hd_choice to[6 + HD_CORPUS_MORE];
    u32 seen = 0;
    (void)state;
    struct hd_corpus_start s = six_entries(&c), drawn;
    hd_corpus_choose(&c, &other, &drawn); /* splices come from what can be chosen */
    for (u32 i = 0; i < 400; i++) {
        u32 n = hd_corpus_script(&c, &s, &rng, to), same = 0, steps = 0;
        for (u32 k = 0; k < n; k++)
            steps += to[k].count;
        while (same < n && same < 6 && to[same].tid == s.choice[same].tid && to[same].count == 1)
            same++;
        seen |= 1u << s.how;
        switch (s.how) {
        case HD_CORPUS_GO_ON: assert_true(n == 6 && same == 6); break;
        case HD_CORPUS_CUT: assert_true(n < 6 && same == n); break;
        case HD_CORPUS_REPEAT:
            assert_true(n > 6 && same == 6);
            assert_int_equal(to[n - 1].tid, to[5].tid);
            break;
        case HD_CORPUS_SPLICE: assert_true(n >= 6 && same == 6); break;
        case HD_CORPUS_REVERSE: assert_int_equal(steps, 6); break; /* the same ones, in another order */
        default: assert_true(n >= 5 && n <= 7); break;
        }
    }
    assert_int_equal(seen, (1u << (HD_CORPUS_VARY + 1)) - 1);
    hd_corpus_release(&c);
}

/* A reader came before the first of two writes: what makes it read something else is tried. */
static void reads_are_moved_behind_writes(void **state)
{
    struct hd_corpus c;
    struct hd_event ev[] = {at(1, 1, HD_EV_READ, 20, X), at(2, 0, HD_EV_WRITE, 10, Y),
                            at(3, 0, HD_EV_WRITE, 11, X), at(4, 0, HD_EV_WRITE, 12, X)};
    struct hd_rng rng = hd_rng_make(4, 5, 6);
    u32 seen = 0;
    (void)state;
    hd_corpus_init(&c, 1);
    run(&c, ev, 4, 0);
    const struct hd_feature *f = site_feature(&c, 20);
    for (u32 i = 0; i < 100; i++) {
        struct hd_choice to[1 + HD_CORPUS_MORE] = {{1, 1, HD_CHOICE_PICK, 0}};
        if (hd_corpus_reverse(f, &c.log.at[f->log - 1], to, 1, &rng) != 2)
            continue; /* nothing came before it that could be moved */
        assert_true(to[0].tid == 0 && to[1].tid == 1 && to[1].count == 1);
        seen |= 1u << to[0].count;
    }
    assert_int_equal(seen, 1u << 2 | 1u << 3); /* behind the first write, or the second */
    hd_corpus_release(&c);
}

/* Values at two sites are as rare; one stratum brings something with each run, the other never. With
 * a floor of a quarter the poor one gets about one of 8 of the choices by value; a fair draw would give it
 * half: of at least 100 more than a third has a probability below 1e-6 at a rate of 1 in 6. */
static void what_brings_more_is_taken_more_often(void **state)
{
    struct hd_corpus c;
    struct hd_rng rng = hd_rng_make(7, 8, 9);
    u32 by[2] = {0, 0};
    (void)state;
    hd_corpus_init(&c, 1);
    for (u32 i = 0; i < 1000; i++) {
        struct hd_choice choice = {1, 1, HD_CHOICE_PICK, 0};
        struct hd_event ev = at(1, 1, HD_EV_ALOAD, i % 2 ? 20 : 30, X);
        hd_corpus_begin(&c, 0);
        hd_corpus_event(&c, 0, &ev, i % 100 < 2 ? 7 : 8, 0);
        hd_corpus_ran(&c, 0, &choice, 1, 0);
    }
    for (u32 i = 0; i < c.feature.n; i++)
        if (c.feature.at[i].kind == HD_FEATURE_VALUE)
            c.stratum.at[c.feature.at[i].stratum].yield =
                (struct hd_corpus_yield){.tried = 50, .gain = c.feature.at[i].site == 20 ? 100 : 0};
    for (u32 i = 0; i < 800; i++) {
        struct hd_corpus_start s;
        assert_true(hd_corpus_choose(&c, &rng, &s));
        const struct hd_feature *f = &c.feature.at[s.feature];
        by[f->site == 30] += f->kind == HD_FEATURE_VALUE;
    }
    assert_true(by[0] + by[1] > 100);
    assert_true(by[1] > 0 && 3 * by[1] < by[0] + by[1]);
    hd_corpus_release(&c);
}

/* The event after a write tells what it left: that is new memory, alone and with other words. */
static void what_writes_leave_is_a_feature(void **state)
{
    struct hd_corpus c;
    struct hd_event ev[] = {at(1, 0, HD_EV_ASTORE, 10, X), at(2, 1, HD_EV_ASTORE, 20, Y),
                            at(3, 1, HD_EV_ASTORE, 30, X)};
    u32 before[] = {1, 2, 3}, left[] = {0, 3, 4}; /* X: 1 -> 3, Y: 2 -> 4 */
    (void)state;
    hd_corpus_init(&c, 1);
    hd_corpus_begin(&c, 0);
    for (u32 i = 0; i < 3; i++)
        hd_corpus_event(&c, 0, &ev[i], before[i], left[i]);
    hd_corpus_ran(&c, 0, NULL, 0, 0);
    assert_int_equal(c.count[HD_FEATURE_WORD], 2);
    assert_int_equal(c.count[HD_FEATURE_PAIR], 1); /* Y became 4 while X was 3 */
    assert_int_equal(c.count[HD_FEATURE_STATE], 2);
    hd_corpus_release(&c);
}

/* One run of n events that found these values. */
static u64 features_of(struct hd_corpus *c, const struct hd_event *ev, const u32 *value, u32 n, u8 kind)
{
    struct hd_choice choice = {.count = n, .kind = HD_CHOICE_PICK};
    hd_corpus_begin(c, 0);
    for (u32 i = 0; i < n; i++)
        hd_corpus_event(c, 0, &ev[i], value[i], 0);
    hd_corpus_ran(c, 0, &choice, 1, 0);
    return c->count[kind];
}

static void what_a_thread_knows_is_a_feature(void **state)
{
    struct hd_corpus c;
    const struct hd_event ev[] = {at(1, 0, HD_EV_ALOAD, 10, X), at(2, 0, HD_EV_ALOAD, 11, Y)};
    (void)state;
    hd_corpus_init(&c, 1);
    features_of(&c, ev, (u32[]){7, 8}, 2, HD_FEATURE_KNOWS);
    features_of(&c, ev, (u32[]){9, 6}, 2, HD_FEATURE_KNOWS);
    u64 values = c.count[HD_FEATURE_VALUE];
    assert_int_equal(features_of(&c, ev, (u32[]){7, 6}, 2, HD_FEATURE_KNOWS), 3); /* both came, but not together */
    assert_int_equal(c.count[HD_FEATURE_VALUE], values);
    hd_corpus_release(&c);
}

/* A value that is there again after others changed it, and how often they did. */
static void changes_in_between_are_features(void **state)
{
    struct hd_corpus c;
    const struct hd_event ev[] = {at(1, 0, HD_EV_ALOAD, 10, X), at(2, 1, HD_EV_ASTORE, 20, X),
                                  at(3, 1, HD_EV_ASTORE, 21, X), at(4, 0, HD_EV_ARMW, 11, X)};
    (void)state;
    hd_corpus_init(&c, 1);
    assert_int_equal(features_of(&c, ev, (u32[]){7, 7, 8, 9}, 4, HD_FEATURE_GAP), 1);
    u64 sites = c.count[HD_FEATURE_SITE];
    assert_int_equal(features_of(&c, ev, (u32[]){7, 7, 8, 7}, 4, HD_FEATURE_GAP), 1);
    assert_int_equal(c.count[HD_FEATURE_SITE], sites + 1);
    hd_corpus_release(&c);
}

/* There may be more sites and objects than strata: these share some of their kind, and take no memory. */
static void further_strata_are_shared(void **state)
{
    struct hd_corpus c;
    (void)state;
    hd_corpus_init(&c, 1);
    for (u32 i = 0; i < 4 * HD_CORPUS_STRATA; i++) {
        u32 at = hd_corpus_stratum(&c, i % 2 ? HD_FEATURE_VALUE : HD_FEATURE_WORD, i);
        assert_int_equal(c.stratum.at[at].kind, i % 2 ? HD_FEATURE_VALUE : HD_FEATURE_WORD);
        assert_int_equal(hd_corpus_stratum(&c, i % 2 ? HD_FEATURE_VALUE : HD_FEATURE_WORD, i), at);
    }
    assert_int_equal(c.stratum.n, HD_CORPUS_STRATA);
    assert_int_equal(c.by_stratum.n, HD_CORPUS_STRATA);
    hd_corpus_release(&c);
}

/* Hundreds of thousands of values: those that are not kept are known, and other kinds are kept. */
static void too_many_features_do_not_hide_others(void **state)
{
    struct hd_corpus c;
    struct hd_corpus_start s;
    struct hd_rng rng = {7};
    (void)state;
    hd_corpus_init(&c, 1);
    for (u32 i = 0; i < 1000; i++) {
        struct hd_event ev[32];
        u32 value[32];
        for (u32 k = 0; k < 32; k++) {
            ev[k] = at(k + 1, 0, HD_EV_ALOAD, 10, X);
            value[k] = 1 + i * 32 + k;
        }
        features_of(&c, ev, value, 32, HD_FEATURE_VALUE);
        if (i % 16 == 0)
            assert_true(hd_corpus_choose(&c, &rng, &s));
    }
    assert_true(c.feature.n < 64000 && c.by_key.n > 100000);
    const struct hd_event ev[] = {at(1, 0, HD_EV_ALOAD, 10, X), at(2, 0, HD_EV_ALOAD, 99, Y)};
    u64 n = c.by_key.n;
    features_of(&c, ev, (u32[]){1, 0}, 1, HD_FEATURE_VALUE);
    assert_int_equal(c.by_key.n, n); /* it is known still */
    features_of(&c, ev, (u32[]){1, 0}, 2, HD_FEATURE_SITE);
    assert_non_null(site_feature(&c, 99));
    hd_corpus_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(news_join_once),          cmocka_unit_test(fewer_steps_replace_more),
        cmocka_unit_test(what_was_met_lately_needs_no_look),
        cmocka_unit_test(counts_are_features),
        cmocka_unit_test(values_and_outcomes_are_features),     cmocka_unit_test(rare_ones_are_chosen),
        cmocka_unit_test(a_slice_has_what_is_needed), cmocka_unit_test(scripts_differ_as_told),
        cmocka_unit_test(reads_are_moved_behind_writes),
        cmocka_unit_test(what_brings_more_is_taken_more_often),
        cmocka_unit_test(what_writes_leave_is_a_feature),
        cmocka_unit_test(what_a_thread_knows_is_a_feature),
        cmocka_unit_test(changes_in_between_are_features),
        cmocka_unit_test(further_strata_are_shared),
        cmocka_unit_test(too_many_features_do_not_hide_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
