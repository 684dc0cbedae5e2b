/* Habits of threads, and runs that are imagined by them: after some runs of a program the events of
 * another schedule are known before it is made, values included. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "plan/corpus/corpus.h"

enum { THREADS = 2, PASSES = 5, COUNTER = 0x1000, LOCK = 0x2000, OTHER = 0x3000, EVENTS = 256 };

/* As the target hashes values. */
static u32 hash(u64 value)
{
    return ((u32)((value + 1) * 0x9e3779b97f4a7c15ull >> 44) + 1) & 0xfffff;
}

/* A program: each thread adds 1 to a counter, by a load and a
 * compare-and-swap that expects what was loaded, five times; an even number is followed by a store. */
struct toy_thread {
    u32 pc, pass, seen;
};
struct toy {
    struct toy_thread thread[THREADS];
    u32 counter, other, step;
    struct hd_habit_seen event[EVENTS];
    u32 n;
};

static void note(struct toy *p, u32 tid, u8 kind, u64 site, u64 obj, u32 arg, u32 found, u32 left)
{
    bool is_access = kind <= HD_EV_ARMW;
    assert_true(p->n < EVENTS);
    p->event[p->n++] = (struct hd_habit_seen){
        {.step = p->step, .tid = (u16)tid, .kind = kind, .size = 4, .site = site, .obj = obj, .arg = arg},
        is_access ? hash(found) : 0, is_access && kind != HD_EV_ALOAD ? hash(left) : 0};
}

/* One step of a worker; false: it is over. */
static bool toy_step(struct toy *p, u32 w)
{
    struct toy_thread *t = &p->thread[w];
    u32 tid = w + 1;
    if (t->pass > PASSES)
        return false;
    p->step++;
    if (t->pc == 0) {
        note(p, tid, HD_EV_START, 5, 0, 0, 0, 0);
        t->pc = 1;
    } else if (t->pass == PASSES) {
        note(p, tid, HD_EV_EXIT, 0, 0, 0, 0, 0);
        t->pass++;
    } else if (t->pc == 1) {
        t->seen = p->counter;
        note(p, tid, HD_EV_ALOAD, 10, COUNTER, 0, p->counter, 0);
        t->pc = 2;
    } else if (t->pc == 2) {
        bool fails = p->counter != t->seen;
        u32 found = p->counter;
        p->counter = fails ? found : t->seen + 1;
        note(p, tid, HD_EV_ARMW, 20, COUNTER, fails ? HD_MO_FAILED : 0, found, p->counter);
        t->seen = p->counter;
        t->pass += !fails && p->counter % 2;
        t->pc = fails ? 2 : p->counter % 2 ? 1 : 3;
    } else {
        note(p, tid, HD_EV_ASTORE, 30, OTHER, 0, p->other, 7);
        p->other = 7;
        t->pass++;
        t->pc = 1;
    }
    return true;
}

/* A run: as the choices say, then anybody goes on. */
static void toy_follow(struct toy *p, const struct hd_choice *choice, u32 n, struct hd_rng *rng)
{
    memset(p, 0, sizeof *p);
    for (u32 i = 0; i < THREADS; i++) {
        p->step++;
        note(p, 0, HD_EV_CREATE, 1, i + 1, 0, 0, 0);
    }
    for (u32 i = 0; i < n; i++)
        for (u32 k = 0; k < choice[i].count && choice[i].tid; k++)
            toy_step(p, choice[i].tid - 1u);
    for (bool goes = true; goes;) {
        u32 first = (u32)hd_rng_below(rng, THREADS);
        goes = toy_step(p, first) || toy_step(p, 1 - first);
    }
}

static void toy_run(struct toy *p, struct hd_rng *rng) { toy_follow(p, NULL, 0, rng); }

struct heard {
    struct hd_habit_seen event[EVENTS];
    u32 n;
};

static void hear(void *self, const struct hd_event *ev, u32 value, u32 left)
{
    struct heard *h = self;
    (void)left;
    if (h->n < EVENTS)
        h->event[h->n++] = (struct hd_habit_seen){*ev, value, 0};
}

static u32 choices_of(const struct toy *p, struct hd_choice *to)
{
    for (u32 i = 0; i < p->n; i++)
        to[i] = (struct hd_choice){.count = 1, .tid = p->event[i].ev.tid, .kind = HD_CHOICE_PICK};
    return p->n;
}

static bool is_equal(const struct toy *p, const struct heard *h)
{
    if (h->n != p->n)
        return false;
    for (u32 i = 0; i < p->n; i++)
        if (memcmp(&p->event[i].ev, &h->event[i].ev, sizeof p->event[i].ev) || p->event[i].value != h->event[i].value)
            return false;
    return true;
}

/* Of 200 schedules that were not learned from, so many are imagined as they come out. */
static u32 imagined_right(struct hd_habit *m, struct hd_rng *rng)
{
    static struct toy p;
    static struct heard h;
    struct hd_choice choice[EVENTS];
    struct hd_imagine g;
    u32 right = 0;
    hd_imagine_init(&g, m);
    g.sink = hear;
    g.self = &h;
    for (u32 i = 0; i < 200; i++) {
        toy_run(&p, rng);
        h.n = 0;
        hd_imagine_begin(&g);
        hd_imagine_follow(&g, choice, choices_of(&p, choice));
        right += is_equal(&p, &h);
    }
    hd_imagine_release(&g);
    return right;
}

static void schedules_are_known_before_they_are_made(void **state)
{
    static struct hd_habit m;
    static struct toy p;
    struct hd_rng rng = {7};
    (void)state;
    hd_habit_init(&m);
    assert_int_equal(imagined_right(&m, &rng), 0); /* nothing was learned yet */
    for (u32 i = 0; i < 100; i++) {
        toy_run(&p, &rng);
        hd_habit_learn(&m, p.event, p.n);
    }
    assert_int_equal(m.runs, 100);
    assert_true(imagined_right(&m, &rng) >= 180);
    hd_habit_release(&m);
}

/* The run joins the corpus. Returns how many features it brought. */
static size_t join(struct hd_corpus *c, const struct toy *p)
{
    struct hd_choice choice[EVENTS];
    size_t before = c->feature.n;
    hd_corpus_begin(c, 0);
    for (u32 i = 0; i < p->n; i++)
        hd_corpus_event(c, 0, &p->event[i].ev, p->event[i].value, i ? p->event[i - 1].left : 0);
    hd_corpus_ran(c, 0, choice, choices_of(p, choice), 0);
    return c->feature.n - before;
}

/* After so many runs that another one by chance hardly brings anything, one that was imagined before does. */
static void promises_come_true(void **state)
{
    static struct hd_corpus c;
    static struct toy p;
    struct hd_choice to[EVENTS];
    struct hd_rng rng = {4};
    u32 by_chance = 0, ahead = 0, made = 0;
    (void)state;
    hd_corpus_init(&c, 1);
    assert_int_equal(hd_corpus_ahead(&c, &rng, to, EVENTS), 0);
    for (u32 i = 0; i < 100; i++) {
        toy_run(&p, &rng);
        join(&c, &p);
    }
    for (u32 i = 0; i < 20; i++) {
        toy_run(&p, &rng);
        by_chance += join(&c, &p) > 0;
        u32 n = hd_corpus_ahead(&c, &rng, to, EVENTS);
        assert_true(n <= EVENTS);
        if (!n)
            continue; /* nothing that was imagined is new */
        made++;
        toy_follow(&p, to, n, &rng);
        ahead += join(&c, &p) > 0;
    }
    assert_true(made >= 5 && 2 * ahead >= made);
    assert_true(ahead > 2 * by_chance);
    hd_corpus_release(&c);
}

/* Where what was imagined never happens, less and less is imagined; until it happens once. */
static void doubts_what_does_not_come_true(void **state)
{
    static struct hd_corpus c;
    static struct toy known, made_so;
    struct hd_choice to[EVENTS];
    struct hd_rng rng = {4};
    u32 made = 0;
    (void)state;
    hd_corpus_init(&c, 1);
    for (u32 i = 0; i < 100; i++) {
        toy_run(&known, &rng);
        join(&c, &known);
    }
    for (u32 i = 0; i < 12; i++) {
        made += hd_corpus_ahead(&c, &rng, to, EVENTS) > 0;
        assert_int_equal(join(&c, &known), 0); /* what is made is something else */
    }
    assert_true(made >= 4);
    assert_true(hd_corpus_doubt(&c) >= 1);
    u64 looks = c.habit.looks;
    u32 thought = 0, learned = c.habit.runs;
    for (u32 i = 0; i < 32; i++, looks = c.habit.looks) {
        hd_corpus_ahead(&c, &rng, to, EVENTS);
        thought += c.habit.looks > looks;
        join(&c, &known);
    }
    assert_true(thought < 24);
    assert_true(c.habit.runs - learned < 24);
    for (u32 i = 0; i < 512 && hd_corpus_doubt(&c); i++) {
        u32 n = hd_corpus_ahead(&c, &rng, to, EVENTS);
        if (!n)
            continue;
        toy_follow(&made_so, to, n, &rng);
        join(&c, &made_so);
    }
    assert_int_equal(hd_corpus_doubt(&c), 0);
    hd_corpus_release(&c);
}

static struct hd_habit_seen seen(u32 step, u16 tid, u8 kind, u64 site, u64 obj)
{
    return (struct hd_habit_seen){{.step = step, .tid = tid, .kind = kind, .site = site, .obj = obj}, 0, 0};
}

/* Two threads with a section each of one lock: the second waits. */
static void a_lock_excludes(void **state)
{
    static struct hd_habit m;
    struct heard h = {.n = 0};
    struct hd_imagine g;
    struct hd_habit_seen run[] = {
        seen(1, 0, HD_EV_CREATE, 1, 1), seen(2, 1, HD_EV_START, 2, 0), seen(3, 1, HD_EV_LOCK, 3, LOCK),
        seen(4, 1, HD_EV_UNLOCK, 4, LOCK), seen(5, 1, HD_EV_EXIT, 0, 0), seen(6, 0, HD_EV_LOCK, 5, LOCK),
        seen(7, 0, HD_EV_UNLOCK, 6, LOCK), seen(8, 0, HD_EV_JOIN, 7, 1), seen(9, 0, HD_EV_END, 8, 0)};
    struct hd_choice choice[] = {{3, 1, HD_CHOICE_PICK, 0}, {1, 0, HD_CHOICE_PICK, 0}, {2, 1, HD_CHOICE_PICK, 0},
                                 {1, 0, HD_CHOICE_PICK, 0}, {1, 1, HD_CHOICE_PICK, 0}, {9, 0, HD_CHOICE_PICK, 0}};
    static const u8 kind[] = {HD_EV_CREATE, HD_EV_START, HD_EV_LOCK, HD_EV_UNLOCK, HD_EV_LOCK, HD_EV_UNLOCK};
    (void)state;
    hd_habit_init(&m);
    hd_habit_learn(&m, run, sizeof run / sizeof *run);
    hd_imagine_init(&g, &m);
    g.sink = hear;
    g.self = &h;
    hd_imagine_begin(&g);
    /* Thread 1 is not there yet; when it holds the lock thread 0 cannot go on, nor join it before its end. */
    hd_imagine_follow(&g, choice, sizeof choice / sizeof *choice);
    assert_int_equal(h.n, sizeof kind);
    for (u32 i = 0; i < h.n; i++)
        assert_int_equal(h.event[i].ev.kind, kind[i]);
    assert_int_equal(h.event[3].ev.tid, 1);
    struct hd_rng rng = {1};
    hd_imagine_wander(&g, 100, &rng);
    assert_int_equal(h.n, 9);
    assert_int_equal(h.event[8].ev.kind, HD_EV_END);
    hd_imagine_release(&g);
    hd_habit_release(&m);
}

enum { FIRST = 20, WRITE = 30, READS = 4 }; /* sites */

/* A thread reads four words; it writes one word if the last is equal to the first and the third is four more than
 * the second, else another one. Returns how many events. */
static u32 compare(const u32 *v, struct hd_habit_seen *out)
{
    bool is_odd = v[3] == v[0] && v[2] == v[1] + 4;
    u32 n = 0;
    out[n++] = seen(1, 0, HD_EV_START, 5, 0);
    for (u32 i = 0; i < READS; i++) {
        out[n] = seen(2 + i, 0, HD_EV_ALOAD, FIRST + i, COUNTER + 8 * i);
        out[n++].value = hash(v[i]);
    }
    out[n] = seen(2 + READS, 0, HD_EV_ASTORE, WRITE + is_odd, OTHER + 8 * is_odd);
    out[n].value = hash(0);
    out[n++].left = hash(is_odd);
    return n;
}

static void draw(struct hd_rng *rng, u32 from, u32 *v)
{
    v[0] = (u32)hd_rng_below(rng, 4);
    v[1] = from + (u32)hd_rng_below(rng, 12);
    v[2] = v[1] + (hd_rng_below(rng, 3) ? 4 : (u32)hd_rng_below(rng, 8));
    v[3] = hd_rng_below(rng, 3) ? v[0] : (u32)hd_rng_below(rng, 4);
}

/* What is done next hangs on how values are related, so it is known of values that never came before. */
static void relations_of_values_are_learned(void **state)
{
    static struct hd_habit m;
    struct hd_habit_seen run[READS + 2];
    struct hd_rng rng = {7};
    u32 v[READS], right = 0, right_simply = 0, odd = 0;
    enum { TESTS = 100 };
    (void)state;
    hd_habit_init(&m);
    for (u32 i = 0; i < 300; i++) {
        draw(&rng, 0, v);
        hd_habit_learn(&m, run, compare(v, run));
    }
    for (u32 i = 0; i < TESTS; i++) {
        struct hd_habit_thread t;
        u32 n, next = 0;
        draw(&rng, 100, v);
        n = compare(v, run);
        hd_habit_thread_init(&t, 0);
        for (u32 k = 0; k + 1 < n; k++) {
            next = hd_habit_next(&m, &t);
            assert_int_equal(m.action.at[next].site, run[k].ev.site);
            hd_habit_do(&m, &t, next, run[k].value);
        }
        next = hd_habit_next(&m, &t);
        right += m.action.at[next].site == run[n - 1].ev.site;
        m.is_simple = true;
        right_simply += m.action.at[hd_habit_next(&m, &t)].site == run[n - 1].ev.site;
        m.is_simple = false;
        odd += run[n - 1].ev.site == WRITE + 1;
    }
    assert_true(odd > TESTS / 5 && odd < TESTS * 4 / 5);
    assert_true(right >= TESTS * 9 / 10);
    assert_true(right_simply < TESTS * 8 / 10); /* without relations it is a guess */
    hd_habit_release(&m);
}

/* A thread reads two words, and writes another one where they are 40 together. */
static u32 add_up(u32 a, u32 b, struct hd_habit_seen *out)
{
    bool is_whole = a + b == 40;
    out[0] = seen(1, 0, HD_EV_START, 5, 0);
    out[1] = seen(2, 0, HD_EV_ALOAD, FIRST, COUNTER);
    out[1].value = hash(a);
    out[2] = seen(3, 0, HD_EV_ALOAD, FIRST + 1, COUNTER + 8);
    out[2].value = hash(b);
    out[3] = seen(4, 0, HD_EV_ASTORE, WRITE + is_whole, OTHER + 8 * is_whole);
    out[3].value = hash(0);
    out[3].left = hash(is_whole);
    return 4;
}

static void sums_are_learned(void **state)
{
    static struct hd_habit m;
    struct hd_habit_seen run[4];
    struct hd_rng rng = {7};
    u32 right = 0;
    (void)state;
    hd_habit_init(&m);
    for (u32 i = 0; i < 300; i++) {
        u32 a = (u32)hd_rng_below(&rng, 12), sum = 38 + (u32)hd_rng_below(&rng, 4);
        hd_habit_learn(&m, run, add_up(a, sum - a, run));
    }
    for (u32 i = 0; i < 100; i++) { /* of numbers that never came */
        struct hd_habit_thread t;
        u32 a = 14 + (u32)hd_rng_below(&rng, 12), sum = 38 + (u32)hd_rng_below(&rng, 4);
        add_up(a, sum - a, run);
        hd_habit_thread_init(&t, 0);
        for (u32 k = 0; k < 3; k++)
            hd_habit_do(&m, &t, hd_habit_next(&m, &t), run[k].value);
        right += m.action.at[hd_habit_next(&m, &t)].site == run[3].ev.site;
    }
    assert_true(right >= 90);
    hd_habit_release(&m);
}

/* Whether an access is a step of its own hangs on what the run is for: it is the same action. */
static void points_are_no_other_actions(void **state)
{
    static struct hd_habit m;
    (void)state;
    hd_habit_init(&m);
    for (u32 i = 0; i < 40; i++) {
        bool is_point = i % 4 == 0;
        struct hd_habit_seen run[] = {seen(1, 0, HD_EV_START, 5, 0), seen(2, 0, HD_EV_LOCK, 6, LOCK),
                                      seen(2 + is_point, 0, HD_EV_READ, 7, COUNTER)};
        run[2].value = hash(1);
        hd_habit_learn(&m, run, HD_COUNT(run));
    }
    assert_int_equal(m.action.n, 4);
    assert_true(m.action.at[3].is_same_step);
    hd_habit_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relations_of_values_are_learned),
        cmocka_unit_test(sums_are_learned),
        cmocka_unit_test(points_are_no_other_actions),
        cmocka_unit_test(schedules_are_known_before_they_are_made),
        cmocka_unit_test(a_lock_excludes),
        cmocka_unit_test(promises_come_true), cmocka_unit_test(doubts_what_does_not_come_true),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
