/* test_filter.c: what the filter decides about the accesses of scripted runs; see
 * filter_rig.h for the words of a script and the letters of what came of it. */
#include "unit/filter_rig.h"

enum {
    LEARN = HD_MODE_LEARN,
    STREAM = HD_MODE_STREAM,
    SHARED = HD_SITE_EVENT,
    RACING = HD_SITE_EVENT | HD_SITE_POINT,
};

static int play(const void *script)
{
    rig_script(script);
    return 0;
}

static const char *run_script(u32 mode, const char *script)
{
    rig_run(mode, play, script);
    return rig->said;
}

/* Knowledge is made by one learning run and in force from the next run on. */
static void conflicts(void **state)
{
    static const struct {
        const char *script;
        u8 a, b; /* what these sites are known as afterwards */
        const char *plain, *streamed;
    } row[] = {
        {"0wxa 0rxb", 0, 0, "..", ".."},                     /* one thread's own */
        {"0rxa 1rxb 2rxa", 0, 0, "...", "..."},              /* nobody writes */
        {"0wxa 1rxb", RACING, RACING, "pp", "pp"},
        {"0rxa 1wxb", RACING, RACING, "pp", "pp"},
        {"0wxa 1wxb", RACING, RACING, "pp", "pp"},
        {"0wxa 0+m 1-m 1rxb", SHARED, SHARED, "..", "ss"},   /* handed over by a lock */
        {"0wxa 0+m 1-m 1wxb", SHARED, SHARED, "..", "ss"},
        {"0rxa 0+m 1-m 1wxb", SHARED, SHARED, "..", "ss"},
        {"0wxa 0+m 1-n 1rxb", RACING, RACING, "pp", "pp"},   /* by different locks */
        {"0wxa 1wyb", 0, 0, "..", ".."},                     /* neighbours */
        {"0wXa 1wyb", RACING, RACING, "pp", "pp"},           /* both halves, then one */
        {"0wya 1wXb", RACING, RACING, "pp", "pp"},
        {"0wxa 0!x 1wxb", 0, 0, "..", ".."},                 /* freed: another object */
        {"0wxb 1wxb 0!x 1wxa", 0, RACING, "pp.", "pp."},
        {"0wxb 1wxb 0rxa", RACING, RACING, "ppp", "ppp"},    /* whoever touches it later */
        {"0wxa 0rxa 1rxb", RACING, RACING, "ppp", "ppp"},    /* a write before own reads */
        {"0wxb 0+m 1-m 1rxb 1+m 2-m 2rxa", SHARED, SHARED, "...", "sss"},
        {"0wxa 1rzb 1rxb", RACING, RACING, "ppp", "ppp"},    /* after others of its segment: */
        {"0wxa 0+m 1-m 1rzb 1rxb", SHARED, SHARED, "...", "sss"}, /* the quick way */
    };
    for (u32 i = 0; i < 2 * HD_COUNT(row); i++) {
        u32 k = i / 2, learn = LEARN | (i % 2 ? STREAM : 0);
        rig_fresh();
        const char *said = run_script(learn, row[k].script);
        for (; *said; said++)
            assert_int_equal(*said, '.'); /* not yet */
        if (rig_known('a') != row[k].a || rig_known('b') != row[k].b)
            fail_msg("%s: known as %x and %x", row[k].script, rig_known('a'), rig_known('b'));
        assert_string_equal(run_script(0, row[k].script), row[k].plain);
        assert_string_equal(run_script(STREAM, row[k].script), row[k].streamed);
        assert_string_equal(run_script(LEARN | STREAM, row[k].script), row[k].streamed);
    }
}

/* Whether the host listens changes nothing about scheduling points. */
static void learning_without_stream(void **state)
{
    rig_fresh();
    run_script(LEARN, "0wxa 1rxb 0wza 0+m 1-m 1rzc");
    assert_int_equal(rig_known('a'), RACING);
    assert_int_equal(rig_known('b'), RACING);
    assert_int_equal(rig_known('c'), SHARED);
    assert_string_equal(run_script(LEARN, "0wxa 1rxb 1rzc"), "pp.");
}

/* Variables that were raced on are remembered: a site that comes later is a point. */
static void racing_over_runs(void **state)
{
    rig_fresh();
    run_script(LEARN, "0wxa 1wxb");
    run_script(LEARN, "2rxc 2ryd");
    assert_int_equal(rig_known('c'), RACING);
    assert_int_equal(rig_known('d'), 0);
}

/* An access of 8 bytes is one of both halves, also after the halves were touched. */
static void accesses_of_all_sites(void **state)
{
    rig_fresh();
    run_script(LEARN | STREAM, "0wxc 0wXa 0ryd 0+m 1-m 1ryb");
    assert_int_equal(rig_known('a'), SHARED);
    assert_int_equal(rig_known('b'), SHARED);
    assert_int_equal(rig_known('c'), 0);
    assert_int_equal(rig_known('d'), SHARED); /* touched y before, in the same thread */
}

static void modes(void **state)
{
    rig_fresh();
    assert_string_equal(run_script(HD_MODE_NO_FILTER, "0wxa 0rxa"), "pp");
    assert_string_equal(run_script(STREAM | HD_MODE_ALL_EVENTS, "0wxa 0rxa"), "ss");
    assert_string_equal(run_script(STREAM, "0wxa 0rxa"), "..");
}

/* ---- changes within a run ------------------------------------------------------------ */

static int goal(const void *arg)
{
    for (u32 i = 0; i < HD_GOAL_TIMES + 10; i++)
        rig_word("0rxa");
    return hd_sites[RIG_SITE('a') >> 2 & (HD_SHM_SITES - 1)].flags & (HD_SITE_GOAL | HD_SITE_POINT);
}

static void goals(void **state)
{
    rig_fresh();
    hd_shm_site(hd_rt.run, RIG_SITE('a'))->known |= HD_SITE_GOAL;
    assert_string_equal(run_script(0, "0rxa 0rxb"), "p.");
    assert_int_equal(rig_run(0, goal, NULL), 0);
    assert_int_equal(strspn(rig->said, "p"), HD_GOAL_TIMES); /* then it is a point no more */
    assert_int_equal(strspn(rig->said + HD_GOAL_TIMES, "."), 10);
}

static int poll_x(const void *arg)
{
    for (int i = 0; i < 2100; i++)
        rig_word("0rxa");
    rig_word("0wxa");
    return 0;
}

static void polling(void **state)
{
    rig_fresh();
    for (int i = 0; i < 2; i++) { /* the second run does not learn */
        rig_run(i ? 0 : LEARN, poll_x, NULL);
        assert_int_equal(strspn(rig->said, "."), 2000);
        assert_int_equal(rig->said[2000], 'y');
        assert_null(strpbrk(rig->said + 2001, "ys"));
        assert_true(rig_known('a') & HD_SITE_SPIN);
    }
}

/* Something else in between: it makes progress. */
static int read_on(const void *arg)
{
    for (int i = 0; i < 8000; i++)
        rig_word(i % 1900 ? "0rxa" : "0rza");
    return 0;
}

static void not_polling(void **state)
{
    rig_fresh();
    rig_run(LEARN, read_on, NULL);
    assert_int_equal(strspn(rig->said, "."), 8000);
    assert_int_equal(rig_known('a'), 0);
}

static int stop(const void *arg)
{
    rig_script("0wxa 0wxb");
    hd_site_change_all(HD_CHANGE_STOP_ASKED);
    rig_script("0wxb 0wxa");
    return 0;
}

static void stop_asked(void **state)
{
    rig_fresh();
    rig_run(0, stop, NULL);
    assert_string_equal(rig->said, "..P."); /* by whoever comes first, once */
}

static int long_run(const void *arg)
{
    const struct hd_site *s = &hd_sites[RIG_SITE('a') >> 2 & (HD_SHM_SITES - 1)];
    rig_word("0rxa");
    while (s->flags & HD_SITE_HEAP && rig->n_said < 2 * HD_HEAP_SHORT)
        hd_site_access(rig_addr('x'), 4, false, RIG_SITE('a')), rig->n_said++;
    if (s->flags || rig->n_said != HD_HEAP_SHORT + HD_HEAP_CLEAN)
        return 1;
    hd_heap_watched = 1;
    for (int i = 0; i < HD_HEAP_INTERVAL; i++)
        hd_heap_decided();
    if (s->flags != HD_SITE_HEAP) /* a sample */
        return 2;
    rig->n_said = 0;
    while (s->flags & HD_SITE_HEAP && rig->n_said < HD_HEAP_CLEAN)
        hd_site_access(rig_addr('x'), 4, false, RIG_SITE('a')), rig->n_said++;
    return rig->n_said == HD_HEAP_SAMPLE ? 0 : 3;
}

static int flags_of_a(const void *arg)
{
    return hd_sites[RIG_SITE('a') >> 2 & (HD_SHM_SITES - 1)].flags;
}

/* A long run: its hot sites are checked less and less. The next ones begin with what it
 * found, and without the calls of hooks that have nothing to do. */
static void heap_checks(void **state)
{
    rig_fresh();
    assert_int_equal(rig_run(0, long_run, NULL), 0);
    assert_int_equal(rig_known('a'), HD_SITE_CLEAN);
    hd_shm_site(hd_rt.run, RIG_SITE('b')); /* was not there often enough */
    while (hd_rt.server->run + 1 < HD_HEAP_SELDOM) {
        assert_int_equal(rig_run(0, flags_of_a, NULL), 0);
        assert_int_equal(rig->patched, 1);
    }
    assert_int_equal(rig_run(LEARN, flags_of_a, NULL), HD_SITE_LEARN | HD_SITE_HEAP);
    assert_int_equal(rig->patched, 0);
    rig_server->run = HD_HEAP_SELDOM - 1;
    assert_int_equal(rig_run(0, flags_of_a, NULL), HD_SITE_HEAP); /* the whole beginning */
    assert_int_equal(rig->patched, 0);
    assert_int_equal(rig_run(0, flags_of_a, NULL), HD_SITE_HEAP); /* that was a short run */
}

/* ---- what is left out of the stream ---------------------------------------------------- */

enum { CELLS = 4096, PASSES = 3 };

/* Thread 0 fills cells at site a and keeps them; one more at the same site goes to thread 1. */
static int keep(const void *arg)
{
    u64 *cell = rig->memory + 16;
    rig_script("0wxa 0+m 1-m 1rxb");
    rig_switch(0);
    rig->n_said = 0;
    for (int p = 0; p < PASSES; p++, hd_epoch++)
        for (u32 i = 0; i < CELLS; i++)
            hd_site_access((u64)&cell[i], 8, true, RIG_SITE('a'));
    return 0;
}

static void exclusive_memory(void **state)
{
    rig_fresh();
    rig_run(LEARN | STREAM, keep, NULL);
    rig_run(STREAM, keep, NULL);
    /* Until the site is hot, and then the first of each epoch; x counts, too. */
    assert_int_equal(strspn(rig->said, "s"), CELLS - 1 + PASSES - 1);
    assert_int_equal(rig->n_said, CELLS - 1 + PASSES - 1);
}

/* Thread 0 fills cells, thread 1 works on them: the same for all. */
static int hand_over(const void *arg)
{
    u64 *cell = rig->memory + 16;
    rig_switch(0);
    for (u32 i = 0; i < CELLS; i++)
        hd_site_access((u64)&cell[i], 8, true, RIG_SITE('a'));
    rig_script("0+m 1-m");
    for (u32 i = 0; i < CELLS; i++)
        hd_site_access((u64)&cell[i], 8, false, RIG_SITE('b'));
    return 0;
}

static void redundant_memory(void **state)
{
    rig_fresh();
    for (int i = 0; i < 3; i++)
        rig_run(LEARN | STREAM, hand_over, NULL);
    rig_run(STREAM, hand_over, NULL);
    u32 n = (u32)strspn(rig->said, "sh"), signs = 0;
    for (const char *p = rig->said; *p; p++)
        signs += *p == 'h';
    assert_int_equal(rig->n_said, n);
    /* of each site the first HD_EXCLUSIVE_MANY and a sixteenth of the others, roughly */
    const u32 rest = CELLS - HD_EXCLUSIVE_MANY;
    assert_in_range(n, 2 * (HD_EXCLUSIVE_MANY + rest / 32), 2 * (HD_EXCLUSIVE_MANY + rest / 8));
    assert_true(signs <= 2); /* instead of a cell that is not sampled, in each thread */
}

/* ---- long learning runs ---------------------------------------------------------------- */

static bool is_looked_at(char site) { return hd_site_find(RIG_SITE(site))->flags & HD_SITE_LEARN; }

/* A loop of thread 0 over much memory, at site a, up to the access from which on a rests. */
static u64 loop_until_rest(u64 most)
{
    u64 n = 0;
    rig_switch(0);
    for (; n < most && (!n || is_looked_at('a')); n++)
        hd_site_access((u64)&rig->memory[1024 + n % 32768], 8, n & 1, RIG_SITE('a'));
    return n;
}

static int rest_in_a_loop(const void *arg)
{
    u64 most = 1 << 24, n = loop_until_rest(most), again;
    rig_word("0rxb");
    if (n == most || is_looked_at('a') || !is_looked_at('b')) /* what is passed rarely is looked at */
        return 1;
    rig_word("0+m"); /* a new segment begins */
    if (!is_looked_at('a') || (again = loop_until_rest(most)) == most || again < HD_SITE_LOOKS)
        return 2;
    hd_site_change_all(HD_CHANGE_STOP_ASKED); /* whatever wants all of them gets them */
    if (!is_looked_at('a'))
        return 3;
    hd_site_change_all(HD_CHANGE_STOPPED);
    rig_word("0+m");
    rig_script("0wxa 1wxc");
    rig->result = n * 1000 + again % 1000;
    return 0;
}

static void resting(void **state)
{
    u64 counted = 0;
    for (u32 i = 0; i < 2; i++) {
        rig_fresh();
        assert_int_equal(rig_run(i ? LEARN | STREAM : LEARN, rest_in_a_loop, NULL), 0);
        assert_int_equal(rig_known('a') & HD_SITE_POINT, HD_SITE_POINT);
        assert_int_equal(rig_known('c') & HD_SITE_POINT, HD_SITE_POINT);
        if (i) /* a replay without the stream must do the same */
            assert_true(rig->result == counted);
        counted = rig->result;
    }
}

static int short_loop(const void *arg) { return loop_until_rest(1 << 20) != 1 << 20; }

static void not_resting(void **state)
{
    rig_fresh();
    assert_int_equal(rig_run(LEARN, short_loop, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conflicts),
        cmocka_unit_test(learning_without_stream),
        cmocka_unit_test(racing_over_runs),
        cmocka_unit_test(accesses_of_all_sites),
        cmocka_unit_test(modes),
        cmocka_unit_test(goals),
        cmocka_unit_test(polling),
        cmocka_unit_test(not_polling),
        cmocka_unit_test(stop_asked),
        cmocka_unit_test(heap_checks),
        cmocka_unit_test(exclusive_memory),
        cmocka_unit_test(redundant_memory),
        cmocka_unit_test(resting),
        cmocka_unit_test(not_resting),
    };
    rig_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
