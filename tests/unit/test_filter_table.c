/* test_filter_table.c: each cell of each table in runtime/filter/filter.def; and that the
 * quick way of shadow.h does what the table says, on random accesses. */
#include "runtime/filter/filter.h"
#include "unit/filter_rig.h"

/* ---- a site ---------------------------------------------------------------------------- */

/* One letter per flag: Learn Event Point poll(X) sTreamed Goal Spin Heap. */
static const char *flags_text(u8 flags)
{
    static const struct {
        u8 flag;
        char letter;
    } all[] = {{HD_SITE_LEARN, 'L'},  {HD_SITE_STREAMED, 'T'}, {HD_SITE_EVENT, 'E'},
               {HD_SITE_POINT, 'P'},  {HD_SITE_GOAL, 'G'},     {HD_SITE_SPIN, 'S'},
               {HD_SITE_POLL, 'X'},   {HD_SITE_HEAP, 'H'}};
    static char text[9];
    char *to = text;
    for (u32 i = 0; i < HD_COUNT(all); i++)
        if (flags & all[i].flag)
            *to++ = all[i].letter;
    *to = 0;
    return text;
}

static void flags_at_begin(void **state)
{
    enum { E = HD_SITE_EVENT, P = HD_SITE_POINT, S = HD_SITE_SPIN, G = HD_SITE_GOAL };
    enum { LEARN = HD_MODE_LEARN, STREAM = HD_MODE_STREAM, NO_HEAP = HD_MODE_NO_HEAP };
    static const struct {
        u8 known;
        const char *plain, *streamed, *learning, *both;
    } row[] = {
        {0, "", "", "L", "LT"},
        {E, "", "E", "L", "LTE"},
        {E | S, "S", "ES", "LS", "LTES"},
        {E | P, "P", "EP", "P", "EP"},
        {E | P | S, "P", "EP", "P", "EP"},
        {G, "PG", "PG", "LPG", "LTPG"},
        {E | G, "PG", "EPG", "LPG", "LTEPG"},
        {E | S | G, "PGS", "EPGS", "LPGS", "LTEPGS"},
        {E | P | G, "P", "EP", "P", "EP"},
    };
    for (u32 i = 0; i < HD_COUNT(row); i++) {
        u8 k = row[i].known;
        assert_string_equal(flags_text(hd_filter_begin(k, NO_HEAP, false)), row[i].plain);
        assert_string_equal(flags_text(hd_filter_begin(k, NO_HEAP | STREAM, false)), row[i].streamed);
        assert_string_equal(flags_text(hd_filter_begin(k, NO_HEAP | LEARN, false)), row[i].learning);
        assert_string_equal(flags_text(hd_filter_begin(k, NO_HEAP | LEARN | STREAM, false)), row[i].both);
        /* Clean sites are not checked where samples will do. */
        assert_int_equal(hd_filter_begin(k | HD_SITE_CLEAN, 0, true), hd_filter_begin(k, NO_HEAP, true));
        assert_int_equal(hd_filter_begin(k | HD_SITE_CLEAN, 0, false), hd_filter_begin(k, 0, false));
        assert_int_equal(hd_filter_begin(k, 0, true), hd_filter_begin(k, 0, false));
        for (u32 mode = 0; mode < 4; mode++) { /* the heap, and all events, come on top */
            u32 m = (mode & 1 ? STREAM : 0) | (mode & 2 ? LEARN : 0);
            u8 flags = hd_filter_begin(k, m | NO_HEAP, false);
            assert_int_equal(hd_filter_begin(k, m, false), flags | HD_SITE_HEAP);
            assert_int_equal(hd_filter_begin(k, m | NO_HEAP | HD_MODE_ALL_EVENTS, false),
                             m & STREAM ? flags | E : flags);
            /* Values of a thread's own words: not while others learn, nor in long runs. */
            assert_int_equal(hd_filter_begin(k, m | NO_HEAP | HD_MODE_VALUES, false),
                             m == STREAM ? flags | E : flags);
            assert_int_equal(hd_filter_begin(k, m | NO_HEAP | HD_MODE_VALUES, true), flags);
            assert_string_equal(flags_text(hd_filter_begin(k, m | HD_MODE_NO_FILTER, false)), "EP");
        }
    }
}

static void changes(void **state)
{
    static const struct {
        enum hd_filter_change change;
        const char *of_all, *of_none;
    } row[] = {
        {HD_CHANGE_SILENT, "LTPGSXH", ""}, {HD_CHANGE_RESTS, "EPGSXH", ""}, {HD_CHANGE_CLEAN, "LTEPGSX", ""},
        {HD_CHANGE_SAMPLE, "LTEPGSXH", "H"},    {HD_CHANGE_STOP_ASKED, "LTEPGSXH", "X"},
        {HD_CHANGE_STOPPED, "LTEPGSH", ""},     {HD_CHANGE_GOAL_SPENT, "LTESXH", ""},
    };
    assert_int_equal(HD_COUNT(row), HD_CHANGES);
    for (u32 i = 0; i < HD_COUNT(row); i++) {
        assert_string_equal(flags_text(hd_filter_after(0xff, row[i].change)), row[i].of_all);
        assert_string_equal(flags_text(hd_filter_after(0, row[i].change)), row[i].of_none);
    }
}

static void routes(void **state)
{
    const u8 only_full = HD_SITE_POINT | HD_SITE_GOAL | HD_SITE_SPIN | HD_SITE_POLL;
    for (u32 flags = 0; flags < 256; flags++) {
        bool is_learning = flags & HD_SITE_LEARN, is_both = flags & HD_SITE_STREAMED;
        if (is_learning ? flags & HD_SITE_EVENT && !is_both : is_both)
            continue; /* never so: STREAMED is LEARN in a streamed run */
        enum hd_filter_route want = flags & only_full       ? HD_ROUTE_FULL
                                    : is_both               ? HD_ROUTE_LEARN_STREAMED
                                    : is_learning           ? HD_ROUTE_LEARN
                                    : flags & HD_SITE_EVENT ? HD_ROUTE_STREAM
                                                            : HD_ROUTE_CHECK;
        assert_int_equal(hd_filter_route((u8)flags), want);
    }
}

static void streams(void **state)
{
    enum { YES = HD_STREAM_STREAM, SIGN = HD_STREAM_SIGN, NO = HD_STREAM_LEAVE_OUT };
    static const u8 want[HD_MEMORIES][4] = {
        /* is_first and is_hot:   neither, hot, first, both */
        [HD_MEMORY_ANY] = {YES, YES, YES, YES},
        [HD_MEMORY_OWN] = {YES, NO, YES, YES},
        [HD_MEMORY_SAMPLED] = {NO, NO, SIGN, SIGN},
    };
    for (u32 m = 0; m < HD_MEMORIES; m++)
        for (u32 i = 0; i < 4; i++)
            assert_int_equal(hd_filter_stream(m, i & 2, i & 1), want[m][i]);
}

/* ---- a cell ------------------------------------------------------------------------------ */

static int state_after(const void *script)
{
    rig_script(script);
    const struct hd_cell *low = hd_shadow_low(rig_addr('x'));
    return (int)hd_cell_state(low->what, low->what & HD_CELL_VISITS);
}

/* State before, an access, state after: by thread 1, which has acquired m. */
static void cells(void **state)
{
    static const struct {
        const char *before, *access;
        enum hd_cell_state from, to;
    } row[] = {
#define ROW(from, before, access, to) {before, access, HD_CELL_IS_##from, HD_CELL_IS_##to}
        ROW(UNTOUCHED, "", "1rxa", EXCLUSIVE),
        ROW(UNTOUCHED, "", "1wxa", EXCLUSIVE),
        ROW(EXCLUSIVE, "1wxa 1rxa", "1wxa", EXCLUSIVE), /* its own */
        ROW(EXCLUSIVE, "1rxa", "1rxb", EXCLUSIVE),
        ROW(EXCLUSIVE, "0rxa", "1rxb", READ_SHARED), /* another thread has read it */
        ROW(EXCLUSIVE, "0rxa 0+m 1-m", "1wxb", SHARED),
        ROW(EXCLUSIVE, "0wxa 0+m 1-m", "1rxb", SHARED),
        ROW(EXCLUSIVE, "0rxa", "1wxb", RACING),
        ROW(EXCLUSIVE, "0wxa", "1rxb", RACING),
        ROW(EXCLUSIVE, "0wxa", "0!x", UNTOUCHED), /* freed */
        ROW(READ_SHARED, "0rxa 1rxb", "1rxb", READ_SHARED),
        ROW(READ_SHARED, "0rxa 1rxb", "2rxb", READ_SHARED),
        ROW(READ_SHARED, "0rxa 1rxb", "1wxb", SHARED), /* the other's read is forgotten */
        ROW(READ_SHARED, "0rxa 1rxb 1+m 2-m", "2wxb", SHARED),
        ROW(READ_SHARED, "0rxa 1rxb", "2wxb", RACING),
        ROW(READ_SHARED, "0rxa 1rxb", "0!x", UNTOUCHED),
        ROW(SHARED, "0wxa 0+m 1-m 1rxb", "1wxb", SHARED),
        ROW(SHARED, "0wxa 0+m 1-m 1wxb 1+m 0-m", "0wxa", SHARED),
        ROW(SHARED, "0wxa 0+m 1-m 1wxb", "0wxa", RACING),
        ROW(SHARED, "0wxa 0+m 1-m 1rxb", "0!x", UNTOUCHED),
        ROW(RACING, "0wxa 1wxb", "1rxb", RACING),
        ROW(RACING, "0wxa 1wxb 1+m 0-m", "0rxb", RACING),
        ROW(RACING, "0wxa 1wxb", "0!x", UNTOUCHED),
#undef ROW
    };
    for (u32 i = 0; i < HD_COUNT(row); i++) {
        char script[64];
        snprintf(script, sizeof script, "%s %s", row[i].before, row[i].access);
        for (u32 mode = 0; mode < 2; mode++) { /* whether it is streamed or not */
            u32 learn = HD_MODE_LEARN | (mode ? HD_MODE_STREAM : 0);
            rig_fresh();
            assert_int_equal(rig_run(learn, state_after, row[i].before), row[i].from);
            rig_fresh();
            int is = rig_run(learn, state_after, script);
            if (is != (int)row[i].to)
                fail_msg("%s: state %d, not %d", script, is, row[i].to);
        }
    }
}

/* The next run remembers a race; it is no conflict of that run until there is one. */
static void raced_before(void **state)
{
    rig_fresh();
    rig_run(HD_MODE_LEARN, state_after, "0wxa 1wxb");
    assert_int_equal(rig_run(HD_MODE_LEARN, state_after, ""), HD_CELL_IS_RACED_BEFORE);
    assert_int_equal(rig_run(HD_MODE_LEARN, state_after, "0wxc"), HD_CELL_IS_RACED_BEFORE);
    assert_int_equal(rig_known('c'), HD_SITE_EVENT | HD_SITE_POINT);
    assert_int_equal(rig_run(HD_MODE_LEARN, state_after, "0rxd 1rxd"), HD_CELL_IS_RACED_BEFORE);
    assert_int_equal(rig_run(HD_MODE_LEARN, state_after, "0wxe 0+m 1-m 1rxf"), HD_CELL_IS_RACING);
}

/* A state is its bits, and what it makes of sites is what the quick way asks for. */
/* As many visits as there are numbers for; then the script. */
static int state_after_many(const void *script)
{
    rig_script("0wxa");
    for (u32 i = 0; i < HD_VISITS; i++) {
        if (i % 64 == 0)
            rig_sync(0, HD_EV_UNLOCK, 'm');
        hd_visit_of(200 + i % 64, hd_hb_segment());
    }
    return state_after(script);
}

/* Cells are forgotten, and learning goes on; what was raced on in earlier runs is known. */
static void numbers_run_out(void **state)
{
    rig_fresh();
    assert_int_equal(rig_run(HD_MODE_LEARN, state_after_many, ""), HD_CELL_IS_UNTOUCHED);
    assert_int_equal(rig_run(HD_MODE_LEARN, state_after_many, "0wxc 0+m 1-m 1rxd"), HD_CELL_IS_SHARED);
    assert_int_equal(rig_run(HD_MODE_LEARN, state_after_many, "0wxc 1rxd"), HD_CELL_IS_RACING);
    assert_int_equal(rig_run(HD_MODE_LEARN, state_after_many, ""), HD_CELL_IS_RACED_BEFORE);
}

static void rows(void **state)
{
    for (u32 i = 0; i < HD_CELL_STATES; i++) {
        const struct hd_cell_row *row = &hd_cell_row[i];
        assert_int_equal(hd_cell_state(row->bits, i != HD_CELL_IS_UNTOUCHED), i);
        assert_int_equal(row->known, hd_shadow_known(row->bits));
        for (u32 r = 0; r <= HD_RELATION_RACE; r++) { /* nothing is forgotten */
            const struct hd_cell_row *next = &hd_cell_row[row->next[r]];
            assert_int_equal(row->known & ~next->known, 0);
            assert_int_equal(hd_relation_known(r) & ~next->known, 0);
        }
    }
}

/* ---- the quick way ----------------------------------------------------------------------- */

struct random_run {
    u64 seed;
    bool is_quick;
};

static u32 draw(u64 *seed, u32 n)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (u32)(*seed >> 20) % n;
}

static void random_access(u64 *seed, bool is_quick, u32 *quick)
{
    u32 size = 1u << draw(seed, 4), slot = 100 + draw(seed, 6);
    u64 addr = (u64)rig->memory + draw(seed, 3) * 8 + draw(seed, 8) / size * size;
    bool is_write = draw(seed, 3) == 0;
    u32 seg = hd_hb_segment();
    if (is_quick) {
        enum hd_quick q = hd_shadow_quick(slot, hd_sites[slot].known, addr, size, seg, is_write,
                                          hd_site_sets_is_on);
        if (q != HD_QUICK_NO) {
            ++*quick;
            return;
        }
    }
    hd_shadow_access(slot, addr, size, is_write, false);
}

static int random_accesses(const void *arg)
{
    const struct random_run *r = arg;
    u64 seed = r->seed * 0x9e3779b97f4a7c15ull + 1, hash = 0;
    u32 quick = 0;
    for (int i = 0; i < 600; i++) {
        u16 t = (u16)draw(&seed, 3);
        u64 lock = 1 + draw(&seed, 2);
        switch (draw(&seed, 12)) {
        case 0: rig_sync(t, HD_EV_UNLOCK, lock); break;
        case 1: rig_sync(t, HD_EV_LOCK, lock); break;
        default:
            if (draw(&seed, 4) == 0)
                rig_switch(t);
            random_access(&seed, r->is_quick, &quick);
        }
        if (i == 300)
            hd_shadow_clear((u64)rig->memory, 16);
        for (u64 at = (u64)rig->memory, end = at + 24; at < end; at += 4)
            hash = (hash ^ hd_shadow_half(hd_shadow_low(at), at)->what) * 0x100000001b3ull;
        for (u32 slot = 100; slot < 106; slot++)
            hash = (hash ^ hd_sites[slot].known) * 0x100000001b3ull;
        for (u32 k = 0; k < 3; k++)
            hash = (hash ^ *hd_exclusive_at((u64)&rig->memory[k])) * 0x100000001b3ull;
    }
    rig->result = hash;
    rig->n_quick += quick;
    return 0;
}

static void quick_way(void **state)
{
    for (u32 mode = 0; mode < 2; mode++) {
        u32 learn = HD_MODE_LEARN | (mode ? HD_MODE_STREAM : 0);
        rig->n_quick = 0;
        for (u64 seed = 0; seed < 60; seed++) {
            u64 result[2];
            for (u32 i = 0; i < 2; i++) {
                rig_fresh();
                struct random_run r = {seed, i};
                rig_run(learn, random_accesses, &r);
                result[i] = rig->result;
            }
            if (result[0] != result[1])
                fail_msg("seed %lu: the quick way differs", (unsigned long)seed);
        }
        assert_true(rig->n_quick > 60 * 100); /* else nothing was shown */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_at_begin), cmocka_unit_test(changes), cmocka_unit_test(routes),
        cmocka_unit_test(streams),        cmocka_unit_test(cells),   cmocka_unit_test(raced_before),
        cmocka_unit_test(rows),           cmocka_unit_test(quick_way), cmocka_unit_test(numbers_run_out),
    };
    rig_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
