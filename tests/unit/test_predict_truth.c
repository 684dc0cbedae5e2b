/* test_predict_truth.c: predictions against the truth. Random small programs
 * (2-3 threads with locks, create/join, conditions, semaphores, barriers) are
 * profiled under random schedules until nothing new is predicted; the oracle
 * walks through all their interleavings. Prints recall and precision by idiom.
 * What the observer sees in the profile runs must be in the truth as well: so
 * observer and oracle mean the same by an iRoot.
 */
#include "unit/predict_script.h"

#include "unit/predict_oracle.h"

#include <stdlib.h>

/* ---- random programs ----------------------------------------------------------------- */

enum { VX, VY, MM, MN, CC, SS }; /* objects; SS is a semaphore or a barrier */

struct maker {
    struct hd_rng rng;
    struct program *p;
    u8 site;
    bool has_barrier;
    u32 most[THREADS];
};

static u32 below(struct maker *k, u32 n) { return (u32)hd_rng_below(&k->rng, n); }

static void put(struct maker *k, u32 t, u8 kind, u8 obj, u8 obj2)
{
    if (k->p->n[t] < OPS)
        k->p->op[t][k->p->n[t]++] = (struct op){kind, obj, obj2, ++k->site};
}

static void put_access(struct maker *k, u32 t)
{
    static const u8 kinds[] = {READ, READ, READ, WRITE, WRITE, WRITE, UPDATE};
    put(k, t, kinds[below(k, HD_COUNT(kinds))], (u8)below(k, 2), 0);
}

/* One to three things, some of them under a lock. */
static void put_block(struct maker *k, u32 t, u32 room)
{
    u32 what = below(k, 12);
    if (what < 4 || room < 3) {
        put_access(k, t);
    } else if (what < 8) {
        u8 lock = (u8)(MM + below(k, 2));
        put(k, t, LOCK_, lock, 0);
        for (u32 i = 1 + below(k, HD_MIN(2u, room - 2)); i; i--)
            put_access(k, t);
        put(k, t, UNLOCK_, lock, 0);
    } else if (what < 9 && room >= 5) {
        u8 first = (u8)(MM + below(k, 2)), second = (u8)(MM + MN - first);
        put(k, t, LOCK_, first, 0);
        put(k, t, LOCK_, second, 0);
        put_access(k, t);
        put(k, t, UNLOCK_, second, 0);
        put(k, t, UNLOCK_, first, 0);
    } else if (what < 10 && !k->has_barrier) {
        put(k, t, t & 1 ? POST : TAKE, SS, 0);
    } else if (what < 11) {
        put(k, t, LOCK_, MM, 0);
        if (t == 0)
            put(k, t, WAIT, CC, MM);
        else
            put(k, t, below(k, 3) ? SIGNAL : BROADCAST, CC, 0);
        put(k, t, UNLOCK_, MM, 0);
    } else {
        put_access(k, t);
    }
}

static void make_program(struct program *p, u64 seed, u32 number)
{
    struct maker k = {.rng = hd_rng_make(seed, number, 0), .p = p};
    memset(p, 0, sizeof *p);
    p->n_threads = 2 + (number & 1);
    u32 room[THREADS] = {p->n_threads == 2 ? 9 : 6, p->n_threads == 2 ? 8 : 4, 4};
    p->sem[SS] = (u8)below(&k, 2);
    k.has_barrier = below(&k, 6) == 0;
    p->barrier[SS] = (u8)p->n_threads;
    if (below(&k, 2))
        put_access(&k, 0);
    put(&k, 0, CREATE_, 1, 0);
    if (p->n_threads == 3)
        put(&k, 0, CREATE_, 2, 0);
    for (u32 t = 0; t < p->n_threads; t++) {
        if (k.has_barrier && below(&k, 2))
            put_access(&k, t);
        if (k.has_barrier)
            put(&k, t, ARRIVE, SS, 0);
        while (p->n[t] < room[t])
            put_block(&k, t, room[t] + 2 - p->n[t]);
    }
    if (below(&k, 2)) {
        put(&k, 0, JOIN_, 1, 0);
        put_access(&k, 0);
    }
}

/* ---- random profile runs ---------------------------------------------------------------- */

static void send(struct hd_predict *p, struct hd_coverage *c, const struct hd_event *ev)
{
    hd_predict_event(p, ev);
    hd_coverage_event(c, ev);
}

static void profile_random(struct hd_predict *p, struct hd_coverage *c,
                           const struct program *prog, struct hd_rng *rng)
{
    struct machine m;
    machine_start(&m, prog);
    hd_predict_begin_run(p, p->count.runs + 1);
    hd_coverage_begin_run(c, p->count.runs, 0);
    struct hd_event init = {.kind = HD_EV_SEM_INIT, .obj = address(SS), .arg = prog->sem[SS]};
    send(p, c, &init);
    for (;;) {
        u32 can[THREADS], n = 0;
        for (u32 t = 0; t < prog->n_threads; t++)
            if (machine_can(&m, prog, t))
                can[n++] = t;
        if (!n)
            break;
        u32 t = can[hd_rng_below(rng, n)], choice = 0;
        const struct op *op = &prog->op[t][m.pc[t]];
        if (m.pc[t] < prog->n[t] && op->kind == SIGNAL) {
            u32 waiters = machine_waiters(&m, prog, op->obj);
            u32 k = waiters ? (u32)hd_rng_below(rng, (u64)__builtin_popcount(waiters)) : 0;
            while (k--)
                waiters &= waiters - 1;
            choice = waiters & -waiters;
        }
        struct hd_event ev[2];
        u32 count = machine_step(&m, prog, t, choice, ev);
        for (u32 i = 0; i < count; i++)
            send(p, c, &ev[i]);
    }
    hd_coverage_end_run(c, 0);
    hd_predict_end_run(p);
}

struct exposed {
    u64 seen, untrue, predicted;
};

static void check_exposed(struct exposed *x, struct hd_coverage *c, struct hd_predict *p,
                          const struct oracle *o)
{
    for (u32 i = 0; i < hd_coverage_size(c); i++) {
        struct hd_element e;
        hd_coverage_at(c, i, &e, NULL);
        x->seen++;
        x->untrue += !hd_map_has(&o->truth, packed_element(&e));
        x->predicted += predicted_has(p, &e);
    }
}

/* ---- comparison ---------------------------------------------------------------------------- */

struct score {
    u64 truth[7], predicted[7], both[7];
};

static void compare(struct score *s, struct hd_predict *p, struct oracle *o, u32 show)
{
    u64 key;
    struct hd_map said = {0};
    for (u32 i = 0; i < predicted_size(p); i++) {
        struct hd_element e;
        char text[HD_ELEMENT_TEXT];
        predicted_at(p, i, &e);
        hd_map_put(&said, packed_element(&e), 1);
        s->predicted[e.sub]++;
        hd_element_text(&e, text, sizeof text);
        if (!hd_map_has(&o->truth, packed_element(&e)) && show >> e.sub & 1)
            print_message("  too much: %s\n", text);
    }
    for (size_t i = 0; hd_map_next(&o->truth, &i, &key, NULL);) {
        s->truth[key >> 32]++;
        s->both[key >> 32] += hd_map_has(&said, key);
        if (!hd_map_has(&said, key) && show >> (key >> 32) & 1)
            print_message("  missed:   iroot/%u:%x,%x,%x,%x\n", (u32)(key >> 32),
                          (u32)(key >> 24 & 255), (u32)(key >> 16 & 255), (u32)(key >> 8 & 255),
                          (u32)(key & 255));
    }
    hd_map_release(&said);
}

static void print_program(const struct program *p)
{
    static const char *const names[] = {"R", "W", "U", "lock", "unlock", "create", "join", "wait",
                                        "signal", "broadcast", "post", "take", "arrive"};
    print_message("program: sem %u\n", p->sem[SS]);
    for (u32 t = 0; t < p->n_threads; t++) {
        print_message(" T%u:", t);
        for (u32 i = 0; i < p->n[t]; i++)
            print_message(" %x:%s(%u)", p->op[t][i].site, names[p->op[t][i].kind],
                          p->op[t][i].obj);
        print_message("\n");
    }
}

static double percent(u64 a, u64 b) { return b ? 100.0 * (double)a / (double)b : 100.0; }

static void print_score(const char *title, const struct score *s)
{
    print_message("%s\n  idiom    truth  predicted   recall  precision\n", title);
    for (u32 i = 1; i <= 6; i++)
        print_message("  %5u %8lu %10lu %7.1f%% %9.1f%%\n", i, s->truth[i], s->predicted[i],
                      percent(s->both[i], s->truth[i]), percent(s->both[i], s->predicted[i]));
}

enum { PROGRAMS = 300, LIMIT = 700000, RUNS = 20 };

static void random_programs(void **state)
{
    struct score first = {0}, all = {0};
    struct exposed exposed = {0};
    u32 done = 0, skipped = 0, runs = 0;
    const char *env = getenv("PREDICT_SHOW"); /* idioms, as bits: print what differs */
    u32 show = env ? (u32)strtoul(env, NULL, 0) : 0;
    struct oracle *o = malloc(sizeof *o);
    for (u32 number = 0; done < PROGRAMS; number++) {
        struct program prog;
        struct machine m;
        struct hd_predict p;
        struct hd_coverage c;
        struct hd_rng rng = hd_rng_make(11, number, 1);
        make_program(&prog, 5, number);
        *o = (struct oracle){.p = &prog, .limit = LIMIT};
        machine_start(&m, &prog);
        if (!oracle_walk(o, &m)) { /* too many interleavings */
            hd_map_release(&o->truth);
            skipped++;
            continue;
        }
        done++;
        hd_predict_init(&p, &(struct hd_predict_config){0});
        cover(&c, HD_METRIC_iroot);
        for (u32 quiet = 0, i = 0; quiet < 3 && i < RUNS; i++, runs++) {
            profile_random(&p, &c, &prog, &rng);
            quiet = p.count.new_in_run ? 0 : quiet + 1;
            if (i == 0)
                compare(&first, &p, o, 0);
        }
        if (show)
            print_program(&prog);
        compare(&all, &p, o, show);
        check_exposed(&exposed, &c, &p, o);
        hd_coverage_release(&c);
        hd_predict_release(&p);
        hd_map_release(&o->truth);
    }
    free(o);
    print_score("after one profile run", &first);
    print_score("until three runs brought nothing new", &all);
    print_message("  %u programs (%u more had too many interleavings), %.1f runs each\n", done,
                  skipped, (double)runs / done);
    print_message("  exposed by the profile runs themselves: %lu, of these predicted: %lu\n",
                  exposed.seen, exposed.predicted);
    assert_int_equal(exposed.untrue, 0);
    assert_true(percent(exposed.predicted, exposed.seen) >= 99);
    /* The same programs, the same schedules every time: these are no chances. */
    assert_true(percent(all.both[1], all.truth[1]) >= 98);
    assert_true(percent(all.both[1], all.predicted[1]) >= 99);
    for (u32 i = 2; i <= 6; i++) {
        assert_true(all.truth[i] > 200);
        assert_true(percent(all.both[i], all.truth[i]) >= 97);
        assert_true(percent(all.both[i], all.predicted[i]) >= 93);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
