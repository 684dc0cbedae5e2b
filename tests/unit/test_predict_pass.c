/* test_predict_pass.c: what is passed on, and blocks that come into being: orders that
 * cannot be otherwise are not predicted, those that can are. */
#include "unit/predict_script.h"

enum { Q = 0x9000 }; /* what is passed on through */
#define STORE(t, o, s) EV(t, ASTORE, o, s, .size = 8)
#define LOAD(t, o, s) EV(t, ALOAD, o, s, .size = 8)
#define ALLOC(t, o, n) EV(t, ALLOC, o, 9, .arg = n)
#define FREE(t, o, n) EV(t, FREE, o, 9, .arg = n)
#define PUT(t) LOCK(t, M, 0x10), W(t, Q, 3), UNLOCK(t, M, 0x11)
#define GET(t) LOCK(t, M, 0x12), R(t, Q, 4), UNLOCK(t, M, 0x13)
#define BOTH_SECTIONS "iroot/1:3,4 iroot/1:4,3 iroot/1:11,12 iroot/1:13,10"

/* ---- under a lock ---------------------------------------------------------------------- */

static void handed_over(void **state)
{
    /* filled, put, got, used */
    foretell(ONE, EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), PUT(0), GET(1), R(1, X, 2)),
             "iroot/1:1,2 " BOTH_SECTIONS);
    /* only the last before and the first after follow each other directly */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), W(0, X, 5), PUT(0), GET(1), R(1, X, 2),
                    W(1, X, 6), R(1, X, 7)),
             "iroot/1:5,2 " BOTH_SECTIONS);
    /* over a third thread that does it in one critical section */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), CREATE(0, 2, 0x91), W(0, X, 1), LOCK(0, M, 0x10),
                    W(0, Q, 3), UNLOCK(0, M, 0x11), LOCK(1, M, 0x12), R(1, Q, 4), W(1, Z, 5),
                    UNLOCK(1, M, 0x13), LOCK(2, M, 0x14), R(2, Z, 6), UNLOCK(2, M, 0x15),
                    R(2, X, 2)),
             "iroot/1:1,2 iroot/1:3,4 iroot/1:4,3 iroot/1:5,6 iroot/1:6,5 iroot/1:11,12 "
             "iroot/1:11,14 iroot/1:13,10 iroot/1:13,14 iroot/1:15,10 iroot/1:15,12");
}

static void not_handed_over(void **state)
{
    const char *all = "iroot/1:1,2 iroot/1:2,1 " BOTH_SECTIONS;
    /* written after it was put: that is the bug */
    foretell(ONE, EVENTS(CREATE(0, 1, 0x90), PUT(0), W(0, X, 1), GET(1), R(1, X, 2)), all);
    /* used before it was got */
    foretell(ONE, EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), PUT(0), R(1, X, 2), GET(1)), all);
    /* the lock alone passes nothing on */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), LOCK(0, M, 0x10), R(0, Q, 3),
                    UNLOCK(0, M, 0x11), LOCK(1, M, 0x12), R(1, Q, 4), UNLOCK(1, M, 0x13),
                    R(1, X, 2)),
             "iroot/1:1,2 iroot/1:2,1 iroot/1:11,12 iroot/1:13,10");
    /* nor does writing what the other one wrote */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), PUT(0), LOCK(1, M, 0x12), W(1, Q, 4),
                    UNLOCK(1, M, 0x13), R(1, X, 2)),
             all);
    /* two locks: a race, anything goes */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), PUT(0), LOCK(1, N, 0x12), R(1, Q, 4),
                    UNLOCK(1, N, 0x13), R(1, X, 2)),
             "iroot/1:1,2 iroot/1:2,1 iroot/1:3,4 iroot/1:4,3");
}

/* Two critical sections are open to both orders as wholes. */
static void sections(void **state)
{
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), LOCK(0, M, 0x10), R(0, Q, 1), W(0, Q, 3),
                    UNLOCK(0, M, 0x11), LOCK(1, M, 0x12), R(1, Q, 4), W(1, Q, 2),
                    UNLOCK(1, M, 0x13)),
             "iroot/1:3,4 iroot/1:2,1 iroot/1:11,12 iroot/1:13,10");
    /* what came before the other's section is before what this one does by its value */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), PUT(0), LOCK(1, M, 0x12), R(1, Q, 4),
                    R(1, X, 2), UNLOCK(1, M, 0x13)),
             "iroot/1:1,2 " BOTH_SECTIONS);
    /* a reader's section passes on as well */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), EV(0, WRLOCK, M, 0x10), W(0, Q, 3),
                    EV(0, RW_UNLOCK, M, 0x11), EV(1, RDLOCK, M, 0x12), R(1, Q, 4),
                    EV(1, RW_UNLOCK, M, 0x13), R(1, X, 2)),
             "iroot/1:1,2 " BOTH_SECTIONS);
    /* what comes after this one is after what it has seen, and not directly */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), PUT(0), GET(1), LOCK(1, M, 0x14), R(1, Q, 5),
                    UNLOCK(1, M, 0x15)),
             BOTH_SECTIONS);
}

/* If a run shows that T2 goes on even so, the order is predicted after all. */
static void seen_otherwise(void **state)
{
    struct hd_predict p;
    hd_predict_init(&p, &(struct hd_predict_config){.idioms = ONE});
    profile(&p, EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), PUT(0), GET(1), R(1, X, 2)));
    assert_false(predicts(&p, "iroot/1:2,1"));
    profile(&p, EVENTS(CREATE(0, 1, 0x90), GET(1), W(0, X, 1), PUT(0), R(1, X, 2)));
    assert_true(predicts(&p, "iroot/1:2,1"));
    hd_predict_release(&p);
    hd_predict_init(&p, &(struct hd_predict_config){.idioms = ONE, .no_passes = true});
    profile(&p, EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), PUT(0), GET(1), R(1, X, 2)));
    assert_true(predicts(&p, "iroot/1:2,1"));
    hd_predict_release(&p);
}

/* A ring of one slot: the next item comes after the last one was taken out. */
static void slot_is_used_again(void **state)
{
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), PUT(0), GET(1), R(1, X, 2), LOCK(1, M, 0x14),
                    W(1, Q, 5), UNLOCK(1, M, 0x15), LOCK(0, M, 0x16), R(0, Q, 6),
                    UNLOCK(0, M, 0x17), W(0, X, 7)),
             "iroot/1:1,2 iroot/1:2,7 " BOTH_SECTIONS " iroot/1:5,6 iroot/1:6,5 iroot/1:15,16 "
             "iroot/1:17,14 iroot/1:13,16");
}

/* ---- atomics --------------------------------------------------------------------------- */

static void atomics(void **state)
{
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), STORE(0, Y, 3), LOAD(1, Y, 4), R(1, X, 2)),
             "iroot/1:1,2 iroot/1:3,4 iroot/1:4,3");
    /* published too early */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), STORE(0, Y, 3), W(0, X, 1), LOAD(1, Y, 4), R(1, X, 2)),
             "iroot/1:1,2 iroot/1:2,1 iroot/1:3,4 iroot/1:4,3");
    /* a plain flag is a race: nothing is certain */
    foretell(ONE, EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), W(0, Y, 3), R(1, Y, 4), R(1, X, 2)),
             "iroot/1:1,2 iroot/1:2,1 iroot/1:3,4 iroot/1:4,3");
    /* the last to count down frees: not directly after the other's count */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), R(0, X, 1), U(0, Y, 3), U(1, Y, 4), W(1, X, 2),
                    W(1, Y, 5)),
             "iroot/1:1,2 iroot/1:3,4 iroot/1:4,3");
}

/* ---- blocks ---------------------------------------------------------------------------- */

enum { P = 0xa000 };

static void born(void **state)
{
    /* filled, then told by a racy store: ordered; written later: not */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), ALLOC(0, P, 32), W(0, P, 1), W(0, Y, 3), W(0, P + 8, 5),
                    R(1, Y, 4), R(1, P, 2), R(1, P + 8, 6)),
             "iroot/1:1,2 iroot/1:3,4 iroot/1:4,3 iroot/1:5,6 iroot/1:6,5");
    /* told before it was filled */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), ALLOC(0, P, 32), W(0, Y, 3), W(0, P, 1), R(1, Y, 4),
                    R(1, P, 2)),
             "iroot/1:1,2 iroot/1:2,1 iroot/1:3,4 iroot/1:4,3");
    /* by giving up a lock, through memory nobody sees; a block in a block */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), LOCK(0, M, 0x10), ALLOC(0, P, 32), ALLOC(0, Q, 16),
                    W(0, Q, 1), W(0, P, 3), UNLOCK(0, M, 0x11), LOCK(1, M, 0x12), R(1, P, 4),
                    R(1, Q, 2), UNLOCK(1, M, 0x13)),
             "iroot/1:1,2 iroot/1:3,4 iroot/1:11,12");
    /* by a post that is not needed */
    foretell(ONE,
             EVENTS(EV(0, SEM_INIT, S, 0x89, .arg = 1), CREATE(0, 1, 0x90), ALLOC(0, P, 32),
                    W(0, P, 1), EV(0, SEM_POST, S, 0x20), EV(1, SEM_WAIT, S, 0x21), R(1, P, 2)),
             "iroot/1:1,2 iroot/1:20,21");
}

static void not_born(void **state)
{
    const char *both = "iroot/1:1,2 iroot/1:2,1";
    /* nothing is known of how the other one got it */
    foretell(ONE, EVENTS(CREATE(0, 1, 0x90), ALLOC(0, P, 32), R(1, P, 2), W(0, P, 1)), both);
    /* beyond its end */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), ALLOC(0, P, 32), W(0, P + 32, 1), R(1, P + 32, 2)), both);
    /* grown where it is: not a new one */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), ALLOC(0, P, 32), W(0, Y, 3), ALLOC(0, P, 64), W(0, P, 1),
                    W(0, Y, 3), R(1, P, 2)),
             both);
    /* freed: what comes there next is another one */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), ALLOC(0, P, 32), W(0, P, 1), W(0, Y, 3), FREE(0, P, 32),
                    W(0, P, 1), R(1, P, 2)),
             both);
}

/* Of any size, many of them, and some are freed: the right one is found. */
static void many_blocks(void **state)
{
    struct hd_predict p;
    hd_predict_init(&p, &(struct hd_predict_config){.idioms = ONE});
    hd_predict_begin_run(&p, 1);
    struct hd_event ev[] = {CREATE(0, 1, 0x90)};
    hd_predict_event(&p, &ev[0]);
    for (u32 i = 0; i < 600; i++) {
        u64 at = 0x1000000 + (u64)i * 0x100000;
        u32 size = i % 3 == 0 ? 0x90000 : i % 3 == 1 ? 0x3000 : 16;
        const struct hd_event made[] = {ALLOC(0, at, size), W(0, at + size - 8, 1), W(0, Y, 3)};
        const struct hd_event gone = FREE(0, at, size);
        for (u32 k = 0; k < HD_COUNT(made); k++)
            hd_predict_event(&p, &made[k]);
        if (i % 2)
            hd_predict_event(&p, &gone);
    }
    for (u32 i = 0; i < 600; i++) {
        u64 at = 0x1000000 + (u64)i * 0x100000;
        u32 size = i % 3 == 0 ? 0x90000 : i % 3 == 1 ? 0x3000 : 16;
        const struct hd_event use = R(1, at + size - 8, 2);
        if (i % 2 == 0)
            hd_predict_event(&p, &use);
    }
    hd_predict_end_run(&p);
    assert_true(predicts(&p, "iroot/1:1,2"));
    assert_false(predicts(&p, "iroot/1:2,1"));
    hd_predict_release(&p);
}

/* Memory runs out and histories are forgotten: nothing is ordered wrongly later. */
static void forgotten(void **state)
{
    struct hd_predict p;
    hd_predict_init(&p, &(struct hd_predict_config){.idioms = ONE, .max_bytes = 4096});
    hd_predict_begin_run(&p, 1);
    const struct hd_event create = CREATE(0, 1, 0x90);
    hd_predict_event(&p, &create);
    for (u32 i = 0; i < 20000; i++) {
        u64 x = 0x1000000 + 8 * (u64)i;
        const struct hd_event ev[] = {W(0, x, 1), PUT(0), GET(1), R(1, x, 2), R(1, 0x700000, 7)};
        for (u32 k = 0; k < HD_COUNT(ev); k++)
            hd_predict_event(&p, &ev[k]);
    }
    const struct hd_event late = W(0, 0x700000, 8);
    hd_predict_event(&p, &late);
    hd_predict_end_run(&p);
    assert_true(p.count.cuts > 0);
    assert_true(predicts(&p, "iroot/1:1,2"));
    assert_true(predicts(&p, "iroot/1:7,8"));
    assert_false(predicts(&p, "iroot/1:2,1"));
    hd_predict_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handed_over), cmocka_unit_test(not_handed_over),
        cmocka_unit_test(sections), cmocka_unit_test(seen_otherwise),
        cmocka_unit_test(slot_is_used_again), cmocka_unit_test(atomics),
        cmocka_unit_test(born), cmocka_unit_test(not_born), cmocka_unit_test(many_blocks),
        cmocka_unit_test(forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
