/* test_strategy_conform.c: what every row of strategy.def must do, whatever
 * else it does. Nothing here names a strategy: a new row is tested as it is.
 *
 * Picking a disabled thread ends the test program inside sim_advance.
 */
#include "conform/sim.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MEM = 0x1000, N_PROGRAMS = 10, N_CASES = 8 };

static struct sim_program *programs[N_PROGRAMS];
static struct sim sim_a, sim_b;

/* ---- programs ------------------------------------------------------------ */

/* Two threads, the same few words of memory. */
static struct sim_program *make_pair(void)
{
    struct sim_program *p = sim_program_new("pair", 2);
    for (u32 t = 0; t < 2; t++)
        for (u32 i = 0; i < 50; i++)
            sim_add(p, t, i % 3 ? HD_EV_READ : HD_EV_WRITE, MEM + 4 * (i % 5));
    return p;
}

/* Main creates workers that fight for one lock, and joins them. */
static struct sim_program *make_lock(void)
{
    struct sim_program *p = sim_program_new("lock", 1);
    for (u32 t = 1; t <= 64; t++) {
        sim_add(p, 0, HD_EV_CREATE, t);
        for (u32 i = 0; i < 4; i++) {
            sim_add(p, t, HD_EV_LOCK, 0);
            sim_add(p, t, HD_EV_WRITE, MEM);
            sim_add(p, t, HD_EV_UNLOCK, 0);
        }
    }
    for (u32 t = 1; t <= 64; t++)
        sim_add(p, 0, HD_EV_JOIN, t);
    return p;
}

/* Every number there is, few alive at a time: created, finished, joined. */
static struct sim_program *make_churn(void)
{
    struct sim_program *p = sim_program_new("churn", 1);
    for (u32 t = 1; t < HD_MAX_THREADS; t++) {
        sim_add(p, t, HD_EV_WRITE, MEM + t % 7);
        sim_add(p, 0, HD_EV_CREATE, t);
        if (t > 3)
            sim_add(p, 0, HD_EV_JOIN, t - 3);
    }
    return p;
}

/* Every number there is, all alive. */
static struct sim_program *make_wide(void)
{
    struct sim_program *p = sim_program_new("wide", 1);
    for (u32 t = 1; t < HD_MAX_THREADS; t++) {
        sim_add(p, t, HD_EV_FUTEX_WAIT, 0); /* level 0: open */
        sim_add(p, 0, HD_EV_CREATE, t);
    }
    for (u32 t = 1; t < HD_MAX_THREADS; t++)
        sim_add(p, 0, HD_EV_JOIN, t);
    return p;
}

/* The number of enabled threads jumps: all wait at a gate, then all may go. */
static struct sim_program *make_gates(void)
{
    struct sim_program *p = sim_program_new("gates", 1);
    for (u32 t = 1; t <= 300; t++) {
        sim_add(p, 0, HD_EV_CREATE, t);
        for (u32 r = 1; r <= 3; r++) {
            sim_add_arg(p, t, HD_EV_FUTEX_WAIT, 1, r);
            sim_add(p, t, HD_EV_WRITE, MEM + 4 * t);
            sim_add(p, t, HD_EV_FUTEX_WAKE, 1 + r); /* gate 1+r counts arrivals */
        }
    }
    for (u32 r = 1; r <= 3; r++) {
        sim_add(p, 0, HD_EV_FUTEX_WAKE, 1);
        sim_add_arg(p, 0, HD_EV_FUTEX_WAIT, 1 + r, 300);
    }
    return p;
}

/* Children create children: numbers are not given in order of depth. */
static struct sim_program *make_tree(void)
{
    struct sim_program *p = sim_program_new("tree", 1);
    for (u32 t = 0; t < 127; t++) {
        sim_add(p, t, HD_EV_WRITE, MEM);
        if (2 * t + 2 < 127) {
            sim_add(p, t, HD_EV_CREATE, 2 * t + 1);
            sim_add(p, t, HD_EV_READ, MEM);
            sim_add(p, t, HD_EV_CREATE, 2 * t + 2);
            sim_add(p, t, HD_EV_JOIN, 2 * t + 1);
        }
        sim_add(p, t, HD_EV_YIELD, 0);
    }
    return p;
}

/* Random threads over few objects; locks are nested in ascending order, so
 * that nothing deadlocks. */
static struct sim_program *make_any(u64 seed)
{
    struct sim_program *p = sim_program_new("any", 1);
    struct hd_rng r = hd_rng_make(seed, 0, 99);
    u32 n = 2 + (u32)hd_rng_below(&r, 9);
    for (u32 t = 1; t < n; t++)
        sim_add(p, 0, HD_EV_CREATE, t);
    for (u32 t = 0; t < n; t++) {
        u32 blocks = 1 + (u32)hd_rng_below(&r, 12);
        for (u32 b = 0; b < blocks; b++) {
            u64 low = hd_rng_below(&r, 4), high = low + 1 + hd_rng_below(&r, 3);
            bool nested = hd_rng_below(&r, 2);
            sim_add(p, t, HD_EV_LOCK, low);
            if (nested)
                sim_add(p, t, HD_EV_LOCK, high);
            for (u64 i = hd_rng_below(&r, 4); i; i--)
                sim_add(p, t, hd_rng_below(&r, 2) ? HD_EV_READ : HD_EV_WRITE,
                        MEM + hd_rng_below(&r, 8));
            if (nested)
                sim_add(p, t, HD_EV_UNLOCK, high);
            sim_add(p, t, HD_EV_UNLOCK, low);
        }
    }
    return p;
}

/* ---- one run --------------------------------------------------------------- */

static const u8 guard = 0xa5;

/* Runs p to its end; the rest of the state area is guarded. */
static void run(struct sim *s, const struct sim_program *p, struct sim_driver *d, u64 seed,
                u64 param, const struct hd_learned *l)
{
    u8 *rest = (u8 *)d->state + d->strategy->state_size;
    size_t n_rest = 8 * HD_STRATEGY_WORDS - d->strategy->state_size;
    memset(rest, guard, n_rest);
    sim_init(s, p);
    sim_driver_start(d, seed, 1, param, l);
    while (sim_advance(s, d) != HD_NO_THREAD)
        assert_true(s->steps < 1000000);
    assert_true(sim_is_done(s));
    for (size_t i = 0; i < n_rest; i++)
        assert_int_equal(rest[i], guard);
}

static u64 default_run(const struct sim_program *p, struct sim_driver *d, u64 seed,
                       const struct hd_learned *l)
{
    run(&sim_a, p, d, seed, d->strategy->param_default, l);
    return sim_a.hash;
}

/* ---- cases: state is the row --------------------------------------------- */

static void row_is_complete(void **state)
{
    const struct hd_strategy *s = *state;
    assert_true(s->name && s->name[0] && s->doc && s->doc[0]);
    assert_non_null(s->start);
    assert_non_null(s->pick);
    assert_true(s->state_size <= 8 * HD_STRATEGY_WORDS);
    assert_true(s->param_name || s->param_default == 0);
    assert_ptr_equal(hd_strategy_find(s->name), s);
    assert_ptr_equal(hd_strategy_at(hd_strategy_index(s)), s);
}

/* Every program ends, with nothing learned and with the first run learned. */
static void ends(void **state)
{
    struct sim_driver d = sim_driver_new(*state);
    for (u32 i = 0; i < N_PROGRAMS; i++) {
        struct hd_learned l = {0};
        for (u64 seed = 1; seed <= 3; seed++) {
            default_run(programs[i], &d, seed, &l);
            sim_learn(&sim_a, &l);
        }
    }
    sim_driver_free(&d);
}

/* Learned from another program: counts that do not fit must not hurt. */
static void learned_wrong(void **state)
{
    struct sim_driver d = sim_driver_new(*state);
    static struct hd_learned l;
    l = (struct hd_learned){.runs = 7, .max_threads = HD_MAX_THREADS, .max_points = ~0u,
                            .mean_points = 5};
    for (u32 t = 0; t < HD_LEARN_THREADS; t += 2)
        l.thread_points[t] = ~0u;
    for (u32 i = 0; i < N_PROGRAMS; i++)
        default_run(programs[i], &d, 4, &l);
    l = (struct hd_learned){.runs = 1, .max_threads = 1, .max_points = 1};
    for (u32 i = 0; i < N_PROGRAMS; i++)
        default_run(programs[i], &d, 4, &l);
    sim_driver_free(&d);
}

/* The same seed gives the same picks, also when another run of the same
 * strategy goes on at the same time: no memory outside the state. */
static void repeats(void **state)
{
    const struct hd_strategy *row = *state;
    struct sim_driver d = sim_driver_new(row), e = sim_driver_new(row);
    struct hd_learned l = {0};
    for (u32 i = 0; i < N_PROGRAMS; i++) {
        u64 first = default_run(programs[i], &d, 11, &l);
        u64 other = default_run(programs[i], &d, 12, &l);
        sim_init(&sim_a, programs[i]);
        sim_init(&sim_b, programs[i]);
        sim_driver_start(&d, 11, 1, row->param_default, &l);
        sim_driver_start(&e, 12, 1, row->param_default, &l);
        bool a = true, b = true;
        while (a || b) {
            a = a && sim_advance(&sim_a, &d) != HD_NO_THREAD;
            b = b && sim_advance(&sim_b, &e) != HD_NO_THREAD;
        }
        assert_int_equal(sim_a.hash, first);
        assert_int_equal(sim_b.hash, other);
    }
    sim_driver_free(&d);
    sim_driver_free(&e);
}

/* Other seeds give other schedules, if the row says so; else none ever does. */
static void seeds_matter(void **state)
{
    const struct hd_strategy *row = *state;
    struct sim_driver d = sim_driver_new(row);
    struct hd_learned l = {0};
    u64 seen[20];
    u32 distinct = 0;
    default_run(programs[0], &d, 0, &l);
    sim_learn(&sim_a, &l);
    for (u64 seed = 0; seed < HD_COUNT(seen); seed++) {
        u64 h = default_run(programs[0], &d, seed, &l);
        u32 i = 0;
        while (i < distinct && seen[i] != h)
            i++;
        if (i == distinct)
            seen[distinct++] = h;
    }
    if (row->is_seeded)
        assert_true(distinct >= 3);
    else
        assert_int_equal(distinct, 1);
    sim_driver_free(&d);
}

/* Four endless threads: each must step in every window of 20000 steps. The
 * most lopsided fair row here gives a thread at least 1/385 of the choices
 * (weights 1 to 128), so it misses some window of 5 with probability at most
 * 4 * 5 * (1 - 1/385)^20000 < 1e-21. All work on one object, because the
 * priorities of pos are only drawn anew after a race. */
static void does_not_starve(void **state)
{
    const struct hd_strategy *row = *state;
    if (!row->is_fair)
        skip();
    struct sim_driver d = sim_driver_new(row);
    struct sim_program *p = sim_program_new("endless", 4);
    for (u32 t = 0; t < 4; t++) {
        sim_add(p, t, HD_EV_WRITE, MEM);
        p->code[t].loops = true;
    }
    struct hd_learned l = {.runs = 1, .max_threads = 4, .max_points = 1000,
                           .thread_points = {1000, 1, 10, 100}};
    for (u64 seed = 0; seed < 5; seed++) {
        u64 before[4] = {0};
        sim_init(&sim_a, p);
        sim_driver_start(&d, seed, 1, row->param_default, &l);
        for (u32 window = 0; window < 5; window++) {
            for (u32 i = 0; i < 20000; i++)
                sim_advance(&sim_a, &d);
            for (u32 t = 0; t < 4; t++) {
                assert_true(sim_a.thread[t].steps > before[t]);
                before[t] = sim_a.thread[t].steps;
            }
        }
    }
    sim_program_free(p);
    sim_driver_free(&d);
}

/* Any number behind NAME= must do something sensible. */
static void takes_any_param(void **state)
{
    static const u64 params[] = {0, 1, 2, 63, 64, 65, 100, 1000000, ~(u64)0};
    struct sim_driver d = sim_driver_new(*state);
    struct hd_learned l = {0};
    for (u32 i = 0; i < HD_COUNT(params); i++)
        for (u32 k = 0; k < 2; k++) /* pair, lock */
            run(&sim_a, programs[k], &d, i, params[i], &l);
    sim_driver_free(&d);
}

/* A script takes some of the choices, as in a replay with fallback: the
 * strategy only sees what happened. */
static void lives_with_a_script(void **state)
{
    const struct hd_strategy *row = *state;
    struct sim_driver d = sim_driver_new(row);
    struct hd_learned l = {0};
    struct hd_rng r = hd_rng_make(5, 5, 99);
    for (u32 i = 0; i < N_PROGRAMS; i++) {
        struct hd_view v;
        struct hd_op done;
        sim_init(&sim_a, programs[i]);
        sim_driver_start(&d, i, 1, row->param_default, &l);
        for (u32 n; (n = sim_look(&sim_a, &v)) > 0;) {
            if (hd_rng_below(&r, 2)) {
                sim_advance(&sim_a, &d);
                continue;
            }
            u32 t = hd_bits_nth(v.enabled, v.words, (u32)hd_rng_below(&r, n));
            sim_step(&sim_a, t, &done);
            if (row->stepped)
                row->stepped(d.state, &v, t, &done);
        }
        assert_true(sim_is_done(&sim_a));
    }
    sim_driver_free(&d);
}

/* ---- all rows times all cases ----------------------------------------------- */

int main(void)
{
    static const struct {
        const char *name;
        CMUnitTestFunction run;
    } cases[N_CASES] = {
        {"row is complete", row_is_complete},
        {"ends", ends},
        {"learned wrong", learned_wrong},
        {"repeats", repeats},
        {"seeds matter", seeds_matter},
        {"does not starve", does_not_starve},
        {"takes any param", takes_any_param},
        {"lives with a script", lives_with_a_script},
    };
    static struct CMUnitTest tests[64 * N_CASES];
    static char names[64 * N_CASES][64];
    struct sim_program *all[N_PROGRAMS] = {make_pair(),  make_lock(),  make_churn(), make_wide(),
                                           make_gates(), make_tree(),  make_any(1),  make_any(2),
                                           make_any(3),  make_any(4)};
    u32 n = 0;
    for (u32 i = 0; i < N_PROGRAMS; i++) {
        programs[i] = all[i];
        sim_program_end(programs[i]);
    }
    for (u32 i = 0; hd_strategy_at(i) && n + N_CASES <= HD_COUNT(tests); i++) {
        for (u32 k = 0; k < N_CASES; k++, n++) {
            snprintf(names[n], sizeof(names[n]), "%s: %s", hd_strategy_at(i)->name, cases[k].name);
            tests[n] = (struct CMUnitTest){names[n], cases[k].run, NULL, NULL,
                                           (void *)(uintptr_t)hd_strategy_at(i)};
        }
    }
    int failed = _cmocka_run_group_tests("strategy conformance", tests, n, NULL, NULL);
    for (u32 i = 0; i < N_PROGRAMS; i++)
        sim_program_free(programs[i]);
    return failed;
}
