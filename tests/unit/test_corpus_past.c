/* The causal past of an event: what is not needed is left out, and what is left is a run again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "base/rng.h"
#include "plan/corpus/corpus_past.h"

enum { X = 0x1000, Y = 0x2000, M = 0x3000 };

struct line {
    u16 tid;
    u8 kind;
    u64 obj;
    u32 arg;
};

/* Steps that each of three threads is needed up to, for the last line. */
static void past_of(const struct line *l, u32 n, u32 *step)
{
    struct hd_past p;
    struct hd_cut cut = {{0}};
    u32 last = 0;
    hd_past_init(&p);
    hd_past_begin(&p);
    for (u32 i = 0; i < n; i++) {
        struct hd_event ev = {.step = i + 1, .tid = l[i].tid, .kind = l[i].kind, .obj = l[i].obj,
                              .arg = l[i].arg, .size = 4};
        last = hd_past_event(&p, &ev);
    }
    hd_past_join(&p, &cut, last);
    hd_past_close(&p, &cut, step);
    hd_past_release(&p);
}

#define IS_NEEDED(a, b, c, ...)                                                                    \
    do {                                                                                           \
        const struct line line_[] = {__VA_ARGS__};                                                 \
        u32 step_[HD_PAST_THREADS];                                                                \
        past_of(line_, HD_COUNT(line_), step_);                                                    \
        assert_int_equal(step_[0], a);                                                             \
        assert_int_equal(step_[1], b);                                                             \
        assert_int_equal(step_[2], c);                                                             \
    } while (0)

static void who_wrote_what_is_read_is_needed(void **state)
{
    (void)state;
    IS_NEEDED(1, 0, 3, {0, HD_EV_WRITE, X, 0}, {1, HD_EV_WRITE, Y, 0}, {2, HD_EV_READ, X, 0});
    IS_NEEDED(0, 2, 3, {0, HD_EV_WRITE, X, 0}, {1, HD_EV_WRITE, X, 0}, {2, HD_EV_READ, X, 0});
    IS_NEEDED(1, 2, 3, {0, HD_EV_ARMW, X, 0}, {1, HD_EV_ARMW, X, 0}, {2, HD_EV_READ, X, 0});
    IS_NEEDED(1, 0, 3, {0, HD_EV_ARMW, X, 0}, {1, HD_EV_ARMW, X, HD_MO_FAILED}, {2, HD_EV_READ, X, 0});
    IS_NEEDED(0, 0, 3, {0, HD_EV_READ, X, 0}, {1, HD_EV_READ, X, 0}, {2, HD_EV_WRITE, X, 0});
}

static void threads_begin_and_end(void **state)
{
    (void)state;
    IS_NEEDED(1, 4, 0, {0, HD_EV_CREATE, 1, 0}, {0, HD_EV_WRITE, X, 0}, {1, HD_EV_START, 0, 0},
              {1, HD_EV_WRITE, Y, 0});
    IS_NEEDED(5, 4, 0, {0, HD_EV_CREATE, 1, 0}, {1, HD_EV_START, 0, 0}, {2, HD_EV_WRITE, X, 0},
              {1, HD_EV_EXIT, 0, 0}, {0, HD_EV_JOIN, 1, 0});
}

static void sections_are_left_before_the_next(void **state)
{
    (void)state;
    /* The one in the middle did nothing that matters; the first has to be left. */
    IS_NEEDED(3, 0, 7, {0, HD_EV_LOCK, M, 0}, {0, HD_EV_WRITE, X, 0}, {0, HD_EV_UNLOCK, M, 0},
              {1, HD_EV_LOCK, M, 0}, {1, HD_EV_UNLOCK, M, 0}, {2, HD_EV_LOCK, M, 0},
              {2, HD_EV_READ, X, 0});
    /* Whoever has the lock makes it busy. */
    IS_NEEDED(1, 2, 0, {0, HD_EV_LOCK, M, 0}, {1, HD_EV_TRYLOCK, M, EBUSY});
}

/* What main reads after a join hangs on who wrote it; that the others have ended it does not show. */
static void who_was_waited_for_may_do_anything(void **state)
{
    static const struct line line[] = {
        {0, HD_EV_CREATE, 1, 0}, {0, HD_EV_CREATE, 2, 0}, {1, HD_EV_WRITE, X, 0}, {2, HD_EV_WRITE, Y, 0},
        {1, HD_EV_WRITE, Y, 0},  {1, HD_EV_EXIT, 0, 0},   {2, HD_EV_EXIT, 0, 0},  {0, HD_EV_JOIN, 1, 0},
        {0, HD_EV_JOIN, 2, 0},   {0, HD_EV_READ, X, 0},   {0, HD_EV_CREATE, 3, 0}, {3, HD_EV_READ, X, 0}};
    struct hd_past p;
    u32 step[HD_PAST_THREADS];
    (void)state;
    hd_past_init(&p);
    hd_past_begin(&p);
    for (u32 i = 0; i < HD_COUNT(line); i++) {
        struct hd_event ev = {.step = i + 1, .tid = line[i].tid, .kind = line[i].kind, .obj = line[i].obj, .size = 4};
        hd_past_event(&p, &ev);
    }
    struct hd_cut read = {{0}}, later = {{0}};
    hd_past_join_data(&p, &read, 10);
    hd_past_close(&p, &read, step);
    assert_int_equal(step[0], 10);
    assert_int_equal(step[1], 3); /* it wrote X */
    assert_int_equal(step[2], 0);
    /* A thread that was created after the join needs all of them. */
    hd_past_join_data(&p, &later, 12);
    hd_past_close(&p, &later, step);
    assert_int_equal(step[0], 11);
    assert_int_equal(step[1], 6);
    assert_int_equal(step[2], 7);
    hd_past_release(&p);
}

/* ---- what is left is a run again -------------------------------------------------------- */

enum { THREADS = 4, OPS = 12, WORDS = 3, LOCKS = 2 };

struct machine {
    u8 kind[THREADS][OPS];
    u32 obj[THREADS][OPS];
    u32 at[THREADS];
    u64 word[WORDS], seen[THREADS]; /* hash of all that the thread read */
    u32 owner[LOCKS];               /* thread + 1 */
};

/* Sections do not nest. */
static void write_programs(struct machine *m, struct hd_rng *rng)
{
    static const u8 kind[] = {HD_EV_READ, HD_EV_WRITE, HD_EV_ARMW, HD_EV_READ};
    memset(m, 0, sizeof *m);
    for (u32 t = 0; t < THREADS; t++) {
        u32 held = 0; /* lock + 1 */
        for (u32 i = 0; i < OPS; i++) {
            bool is_lock = hd_rng_below(rng, 3) == 0;
            m->kind[t][i] = is_lock ? held ? HD_EV_UNLOCK : HD_EV_LOCK
                                    : kind[hd_rng_below(rng, HD_COUNT(kind))];
            m->obj[t][i] = is_lock ? held ? held - 1 : (u32)hd_rng_below(rng, LOCKS)
                                   : (u32)hd_rng_below(rng, WORDS);
            if (is_lock)
                held = held ? 0 : m->obj[t][i] + 1;
        }
    }
}

static bool can_go(const struct machine *m, u32 t)
{
    u32 i = m->at[t];
    return i < OPS && !(m->kind[t][i] == HD_EV_LOCK && m->owner[m->obj[t][i]]);
}

/* One step of t; returns what it read. */
static u64 go(struct machine *m, u32 t)
{
    u32 i = m->at[t]++, obj = m->obj[t][i];
    u8 kind = m->kind[t][i];
    u64 read = kind == HD_EV_READ || kind == HD_EV_ARMW ? m->word[obj] : 0;
    m->seen[t] = (m->seen[t] + read + 1) * 0x9e3779b97f4a7c15ull;
    if (kind == HD_EV_WRITE || kind == HD_EV_ARMW)
        m->word[obj] = m->seen[t] + t;
    if (kind == HD_EV_LOCK || kind == HD_EV_UNLOCK)
        m->owner[obj] = kind == HD_EV_LOCK ? t + 1 : 0;
    return read;
}

static void what_is_left_is_a_run(void **state)
{
    struct hd_rng rng = hd_rng_make(1, 2, 3);
    struct machine m, again;
    struct hd_past p;
    u32 left_out = 0;
    (void)state;
    hd_past_init(&p);
    for (u32 round = 0; round < 2000; round++) {
        u16 who[THREADS * OPS];
        u64 read[THREADS * OPS];
        u32 n = 0, tries = 0;
        write_programs(&m, &rng);
        again = m;
        hd_past_begin(&p);
        while (n < THREADS * OPS && tries++ < 1000) {
            u32 t = (u32)hd_rng_below(&rng, THREADS);
            if (!can_go(&m, t))
                continue;
            u8 kind = m.kind[t][m.at[t]];
            bool is_lock = kind == HD_EV_LOCK || kind == HD_EV_UNLOCK;
            struct hd_event ev = {.step = n + 1, .tid = (u16)t, .kind = kind, .size = 4,
                                  .obj = m.obj[t][m.at[t]] * 8 + (is_lock ? M : X)};
            hd_past_event(&p, &ev);
            read[n] = go(&m, t);
            who[n++] = (u16)t;
        }
        struct hd_cut cut = {{0}};
        u32 last = (u32)hd_rng_below(&rng, n), step[HD_PAST_THREADS];
        hd_past_join(&p, &cut, last + 1);
        hd_past_close(&p, &cut, step);
        for (u32 i = 0; i <= last; i++) {
            if (i + 1 > step[who[i]]) {
                left_out++;
                continue;
            }
            assert_true(can_go(&again, who[i]));
            assert_true(go(&again, who[i]) == read[i]);
        }
        assert_int_equal(step[who[last]], last + 1);
    }
    assert_true(left_out > 2000);
    hd_past_release(&p);
}

static void long_runs_have_none(void **state)
{
    struct hd_past p;
    struct hd_event ev = {.tid = 1, .kind = HD_EV_WRITE, .obj = X, .size = 4};
    (void)state;
    hd_past_init(&p);
    hd_past_begin(&p);
    for (u32 i = 0; i < HD_PAST_EVENTS; i++)
        assert_int_equal(hd_past_event(&p, &ev), i + 1);
    assert_int_equal(hd_past_event(&p, &ev), 0);
    hd_past_begin(&p);
    ev.tid = HD_PAST_THREADS;
    assert_int_equal(hd_past_event(&p, &ev), 0);
    hd_past_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_wrote_what_is_read_is_needed), cmocka_unit_test(threads_begin_and_end),
        cmocka_unit_test(who_was_waited_for_may_do_anything),
        cmocka_unit_test(sections_are_left_before_the_next), cmocka_unit_test(what_is_left_is_a_run),
        cmocka_unit_test(long_runs_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
