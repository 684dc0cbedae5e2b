/* Searches on random small programs against the enumeration of search_brute.h:
 *   dpor       every final state, every deadlock, nothing else; in all hardly more
 *              runs than there are classes of equivalent interleavings
 *   dpor=N     every final state that N preemptions can lead to
 * Seeds are fixed; SEARCH_FUZZ=N tries N programs each instead, SEARCH_SEED=N
 * others. */
#include "search_brute.h"

static struct machine machine;

struct gen {
    struct hd_rng rng;
    struct ins *code;
    u32 n, room;
    bool is_timed, is_plain; /* with timeouts; memory and mutexes only */
};

static u32 below(struct gen *g, u32 n) { return (u32)hd_rng_below(&g->rng, n); }

static void put(struct gen *g, u8 op, u32 x, u32 y, int v)
{
    if (g->n < MAX_CODE - 1)
        g->code[g->n++] = (struct ins){op, (u8)x, (u8)y, (signed char)v};
}

static void put_simple(struct gen *g)
{
    static const u8 op[] = {R, W, WR, ADD, CAS, POST, SIG, CAST, SGET, STRY};
    u8 o = op[below(g, g->is_plain ? 5 : 10)];
    put(g, o, below(g, o == SIG || o == CAST || o >= SWAIT ? 1 : 2), 0, (int)below(g, 3) + 1);
    g->room--;
}

static void put_block(struct gen *g, u32 depth);

static void put_inner(struct gen *g, u32 depth)
{
    u32 n = below(g, 3);
    for (u32 i = 0; i < n && g->room; i++)
        put_block(g, depth + 1);
}

/* What is opened is closed: locks are given back, a routine run once is done. */
static void put_block(struct gen *g, u32 depth)
{
    u32 x = below(g, 2), jump;
    u32 what = g->room < 2 || depth > 2 ? 0 : below(g, g->is_plain ? 4 : 12);
    switch (what) {
    case 3: case 4:
        g->room--;
        put(g, LOCK, x, 0, 0);
        put_inner(g, depth);
        put(g, UNLOCK, x, 0, 0);
        break;
    case 5:
        g->room--;
        put(g, TRY, x, 0, 0);
        jump = g->n;
        put(g, JZ, 0, 0, 0);
        put_inner(g, depth);
        put(g, UNLOCK, x, 0, 0);
        g->code[jump].v = (signed char)g->n;
        break;
    case 6:
        g->room -= 2;
        put(g, LOCK, 1, 0, 0);
        put(g, g->is_timed && below(g, 2) ? TWAIT : WAIT, 0, 1, 0);
        put(g, UNLOCK, 1, 0, 0);
        break;
    case 7: put(g, SWAIT, 0, 0, 0); g->room--; break;
    case 8:
        g->room--;
        put(g, below(g, 2) ? RD : WRL, 0, 0, 0);
        if (g->room)
            put_simple(g);
        put(g, RUN, 0, 0, 0);
        break;
    case 9:
        g->room--;
        put(g, below(g, 2) ? TRD : TWR, 0, 0, 0);
        put(g, JZ, 0, 0, (int)g->n + 2);
        put(g, RUN, 0, 0, 0);
        break;
    case 10:
        g->room--;
        put(g, ONCE, 0, 0, 0);
        put(g, JZ, 0, 0, (int)g->n + 3);
        put(g, W, 2, 0, (int)below(g, 3) + 1);
        put(g, DONE, 0, 0, 0);
        break;
    case 11:
        g->room--;
        if (g->is_timed && below(g, 2))
            put(g, SLEEP, 0, 0, 0);
        else
            put(g, BAR, 0, 0, 2);
        break;
    default: put_simple(g); break;
    }
}

static void generate(struct program *p, u64 seed, bool is_timed, bool is_plain)
{
    struct gen g = {.rng = {seed}, .is_timed = is_timed, .is_plain = is_plain};
    memset(p, 0, sizeof *p);
    p->name = "random";
    p->threads = (u8)(2 + below(&g, 2));
    p->sem[0] = (u8)below(&g, 2);
    for (u32 t = 0; t < p->threads; t++) {
        g.code = p->code[t];
        g.n = 0;
        g.room = p->threads == 2 ? 4 : 2 + below(&g, 2);
        while (g.room && g.n < MAX_CODE - 8)
            put_block(&g, 0);
    }
    if (!below(&g, 16)) /* sometimes it ends before the others have */
        p->code[0][1].op = QUIT;
}

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

static void test_bounded(void **state)
{
    (void)state;
    u64 with = 0, without = 0;
    u32 n = times(60);
    u64 from = first_seed(300000);
    for (u64 seed = from; seed < from + n; seed++) {
        struct program p;
        generate(&p, seed, false, seed % 2);
        for (u32 bound = 0; bound <= 2; bound++) {
            struct bounded b = {.p = &p, .most = bound};
            struct found f;
            struct model m;
            model_init(&m, &p);
            bounded_go(&b, &m, 0, 0, 0);
            search_all(&machine, &p, "dpor", bound, 50000, &f);
            check(&p, seed, &b.finals, &f, false);
            with += f.result.runs;
            without += b.n;
            free(b.finals.at);
            found_release(&f);
        }
    }
    print_message("%lu runs instead of %lu\n", (unsigned long)with, (unsigned long)without);
    assert_true(with * 2 < without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain), cmocka_unit_test(test_sync), cmocka_unit_test(test_timed),
        cmocka_unit_test(test_bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
