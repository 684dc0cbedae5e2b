/* Searches on random small programs against the enumeration of search_brute.h:
 *   dpor       every final state, every deadlock, nothing else; in all hardly more
 *              runs than there are classes of equivalent interleavings
 *   dpor=N, chess=N   every final state that N preemptions can lead to
 *   hapset     guided runs by themselves: far fewer than classes, most final states
 * Seeds are fixed; SEARCH_FUZZ=N tries N programs each instead, SEARCH_SEED=N
 * others. */
#include "search_brute.h"
#include "search_random.h"

static struct machine machine;

static void show(const struct program *p, u64 seed)
{
    static const char *const name[] = {
        "END", "R", "W", "WR", "ADD", "CAS", "LOCK", "UNLOCK", "TRY", "TLOCK", "WAIT", "TWAIT",
        "SIG", "CAST", "SWAIT", "POST", "STRY", "SGET", "BAR", "RD", "WRL", "RUN", "TRD", "TWR",
        "ONCE", "DONE", "SLEEP", "YIELD", "QUIT", "JZ", "JNZ", "JMP"};
    print_error("seed %lu, semaphore %u\n", (unsigned long)seed, p->sem[0]);
    for (u32 t = 0; t < p->threads; t++) {
        print_error("  thread %u:", t + 1);
        for (u32 i = 0; p->code[t][i].op != END; i++)
            print_error(" %s(%u,%u,%d)", name[p->code[t][i].op], p->code[t][i].x, p->code[t][i].y,
                        p->code[t][i].v);
        print_error("\n");
    }
}

static u32 times(u32 normal)
{
    const char *n = getenv("SEARCH_FUZZ");
    return n ? (u32)atoi(n) : normal;
}

static u64 first_seed(u64 normal)
{
    const char *n = getenv("SEARCH_SEED");
    return normal + (n ? (u64)atoll(n) : 0);
}

static void check(const struct program *p, u64 seed, const struct set *want, const struct found *f,
                  bool is_exact)
{
    bool is_bad = !f->result.is_over;
    for (u32 i = 0; i < want->n; i++)
        is_bad |= !set_has(&f->finals, want->at[i]);
    for (u32 i = 0; is_exact && i < f->finals.n; i++)
        is_bad |= !set_has(want, f->finals.at[i]);
    if (is_bad || (is_exact && !f->result.is_complete)) {
        show(p, seed);
        fail_msg("%u final states met, %u expected, limits %x, %lu runs", f->finals.n, want->n,
                 f->result.limits, (unsigned long)f->result.runs);
    }
}

static void fuzz_dpor(bool is_timed, bool is_plain, u64 from, u32 n, u64 per_mille)
{
    u64 runs = 0, traces = 0;
    from = first_seed(from);
    for (u64 seed = from; seed < from + n; seed++) {
        struct program p;
        struct brute b;
        struct found f;
        generate(&p, seed, is_timed, is_plain);
        brute_all(&b, &p);
        search_all(&machine, &p, "dpor", ~0ull, 50000, &f);
        check(&p, seed, &b.finals, &f, true);
        runs += f.result.runs;
        traces += b.traces;
        brute_release(&b);
        found_release(&f);
    }
    print_message("%lu runs for %lu classes\n", (unsigned long)runs, (unsigned long)traces);
    assert_true(runs * 1000 <= traces * per_mille);
}

static void test_plain(void **state)
{
    (void)state;
    fuzz_dpor(false, true, 1000, times(200), 1050);
}

static void test_sync(void **state)
{
    (void)state;
    fuzz_dpor(false, false, 100000, times(200), 1200);
}

static void test_timed(void **state)
{
    (void)state;
    fuzz_dpor(true, false, 200000, times(120), 1200);
}

static void fuzz_bounded(const char *method, u64 from, bool is_exact)
{
    u64 with = 0, without = 0;
    u32 n = times(60);
    from = first_seed(from);
    for (u64 seed = from; seed < from + n; seed++) {
        struct program p;
        generate(&p, seed, false, seed % 2);
        for (u32 bound = 0; bound <= 2; bound++) {
            struct bounded b = {.p = &p, .most = bound};
            struct found f;
            struct model m;
            model_init(&m, &p);
            bounded_go(&b, &m, 0, 0, 0);
            search_all(&machine, &p, method, bound, 50000, &f);
            check(&p, seed, &b.finals, &f, false);
            assert_true(!is_exact || f.finals.n == b.finals.n); /* nothing past the bound */
            with += f.result.runs;
            without += b.n;
            free(b.finals.at);
            found_release(&f);
        }
    }
    print_message("%lu runs instead of %lu\n", (unsigned long)with, (unsigned long)without);
    assert_true(with * 2 < without);
}

static void test_bounded(void **state)
{
    (void)state;
    fuzz_bounded("dpor", 300000, false);
}

static void test_chess(void **state)
{
    (void)state;
    fuzz_bounded("chess", 400000, true);
}

/* What guidance meets by itself. It may miss; the shares are those of the seeds, with some room. */
static void test_guided(void **state)
{
    (void)state;
    u64 runs = 0, traces = 0, met = 0, finals = 0, whole = 0;
    u32 n = times(200);
    u64 from = first_seed(500000);
    for (u64 seed = from; seed < from + n; seed++) {
        struct program p;
        struct brute b;
        struct found f;
        u32 here = 0;
        generate(&p, seed, false, seed % 2);
        brute_all(&b, &p);
        search_all(&machine, &p, "hapset", ~0ull, 50000, &f);
        assert_true(f.result.is_over);
        for (u32 i = 0; i < b.finals.n; i++)
            here += set_has(&f.finals, b.finals.at[i]);
        assert_int_equal(here, f.finals.n); /* nothing that cannot be */
        runs += f.result.runs;
        traces += b.traces;
        met += here;
        finals += b.finals.n;
        whole += here == b.finals.n;
        brute_release(&b);
        found_release(&f);
    }
    print_message("%lu guided runs, %lu classes; %lu of %lu final states, all in %lu of %u programs\n",
                  (unsigned long)runs, (unsigned long)traces, (unsigned long)met,
                  (unsigned long)finals, (unsigned long)whole, n);
    assert_true(runs * 10 < traces * 7);
    assert_true(met * 100 > finals * 55);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain), cmocka_unit_test(test_sync), cmocka_unit_test(test_timed),
        cmocka_unit_test(test_bounded), cmocka_unit_test(test_chess),
        cmocka_unit_test(test_guided)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
