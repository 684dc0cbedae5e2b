/* test_predict_repeat.c: accesses like many before them in a long run are no nodes
 * (predict/history_repeat.c), and what is predicted all the same. A gap makes a run long. */
#include "unit/predict_script.h"

enum { CELLS = 2000, FAR = 0x700000 };

static struct hd_event stream[8 * CELLS];
static u32 n_stream;

static void add(struct hd_event ev)
{
    ev.step = n_stream + 1;
    stream[n_stream++] = ev;
}

static void start(bool is_long)
{
    n_stream = 0;
    add((struct hd_event)CREATE(0, 1, 0x101));
    add((struct hd_event)CREATE(0, 2, 0x102));
    if (is_long)
        add((struct hd_event)EV(0, GAP, 5, 0));
}

static u64 cell(u32 i) { return FAR + 8 * (u64)i; }

/* Thread 1 writes to each cell once, from one place. */
static void fill(void)
{
    for (u32 i = 0; i < CELLS; i++)
        add((struct hd_event)W(1, cell(i), 0x500));
}

static struct hd_history_count predicted(struct hd_predict *p, u32 idioms)
{
    hd_predict_init(p, &(struct hd_predict_config){.idioms = idioms});
    profile(p, stream, n_stream);
    return p->count.history;
}

static void few_nodes(void **state)
{
    struct hd_predict p;
    start(true);
    fill();
    struct hd_history_count c = predicted(&p, 0);
    assert_in_range(c.nodes, 64, CELLS / 4);
    assert_int_equal(c.nodes + c.repeats, CELLS);
    hd_predict_release(&p);
    start(false); /* in a short run each is a node */
    fill();
    c = predicted(&p, 0);
    assert_int_equal(c.nodes, CELLS);
    assert_int_equal(c.repeats, 0);
    hd_predict_release(&p);
}

/* Another thread comes to one of two thousand cells, whichever that is, also behind another gap. */
static void late_reader(void **state)
{
    struct hd_predict p;
    for (u32 at = 0; at < CELLS; at += 199) {
        for (u32 gap = 0; gap < 2; gap++) {
            start(true);
            fill();
            if (gap)
                add((struct hd_event)EV(0, GAP, 5, 0));
            add((struct hd_event)R(2, cell(at), 0x600));
            predicted(&p, ONE);
            expect_predicted(&p, "iroot/1:500,600 iroot/1:600,500");
            hd_predict_release(&p);
        }
    }
}

/* The same where the thread had ended before, and was joined: one order alone. */
static void joined(void **state)
{
    struct hd_predict p;
    start(true);
    fill();
    add((struct hd_event)EXIT(1));
    add((struct hd_event)JOIN(0, 1, 0x103));
    add((struct hd_event)R(0, cell(1234), 0x600));
    predicted(&p, ONE);
    expect_predicted(&p, "iroot/1:500,600");
    hd_predict_release(&p);
}

/* What a thread does to a cell after a repeat is known: its second write hides the first one from a
 * reader that comes after both. */
static void overwritten(void **state)
{
    struct hd_predict p;
    start(true);
    fill();
    add((struct hd_event)W(1, cell(1234), 0x501));
    add((struct hd_event)EXIT(1));
    add((struct hd_event)JOIN(0, 1, 0x103));
    add((struct hd_event)R(0, cell(1234), 0x600));
    predicted(&p, ONE);
    expect_predicted(&p, "iroot/1:501,600");
    hd_predict_release(&p);
}

/* A cell that goes to another thread and is freed: nothing of its past life is left. */
static void freed(void **state)
{
    struct hd_predict p;
    start(true);
    fill();
    add((struct hd_event)EV(1, FREE, cell(0), 0x900, .arg = 8 * CELLS));
    add((struct hd_event)EV(2, ALLOC, cell(0), 0x901, .arg = 8 * CELLS));
    add((struct hd_event)R(2, cell(1234), 0x600));
    predicted(&p, ONE);
    expect_predicted(&p, "");
    hd_predict_release(&p);
}

/* Thread 1 reads X from two places in turns; from its 256th step on these are repeats. What it does
 * to X in the end does not follow directly on the last read before that step. */
static void no_pair_over_repeats(void **state)
{
    struct hd_predict p;
    start(true);
    add((struct hd_event)W(2, X, 0x600));
    for (u32 i = 0; i < 200; i++) {
        add((struct hd_event)R(1, X, 0x510));
        add((struct hd_event)R(1, X, 0x500));
    }
    add((struct hd_event)W(1, X, 0x530));
    struct hd_history_count c = predicted(&p, TWO);
    assert_int_equal(c.repeats, 400 - 255);
    assert_true(predicts(&p, "iroot/2:510,600,500"));
    assert_true(predicts(&p, "iroot/2:500,600,510"));
    assert_false(predicts(&p, "iroot/2:510,600,530"));
    assert_false(predicts(&p, "iroot/2:500,600,530"));
    hd_predict_release(&p);
}

/* What many rounds of two threads have in common is found although most of it are repeats. */
static void compound(void **state)
{
    struct hd_predict p;
    start(true);
    for (u32 i = 0; i < 1000; i++) {
        add((struct hd_event)R(1, X, 0x500));
        add((struct hd_event)W(1, X, 0x501));
        add((struct hd_event)W(2, X, 0x600));
    }
    struct hd_history_count c = predicted(&p, TWO);
    assert_true(c.repeats > 1000);
    assert_true(predicts(&p, "iroot/2:500,600,501"));
    assert_true(predicts(&p, "iroot/2:501,600,500"));
    hd_predict_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_nodes), cmocka_unit_test(late_reader),
        cmocka_unit_test(joined),    cmocka_unit_test(overwritten),
        cmocka_unit_test(freed),     cmocka_unit_test(no_pair_over_repeats),
        cmocka_unit_test(compound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
