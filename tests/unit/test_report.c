/* test_report.c: the text report, by kind of finding: made by hand against a compiled
 * program, and the lines a reader depends on. */
#include "unit/report_text.h"

static void test_assert_lost_update(void **state)
{
    bank_lost_update(&k);
    render(80, false);
    expect("FINDING assertion-12345678 The assertion `balance == 20` failed in T0 (main), at bank.c:%d in "
           "main(), most likely because T2 wrote `balance` at bank.c:%d between T1's read at bank.c:%d and "
           "its write at bank.c:%d.", L("check"), L("write"), L("read"), L("write"));
    expect("T0 (main) failed here: #0 main bank.c:%d probe(\"check\"); /* @check */", L("check"));
    expect("Ended before: T1, T2.");
    expect("step line T0 (main) T1 T2"); /* one file: its name stands below */
    expect("> 4 %d read balance -- preempted --", L("read"));
    expect("> 7 %d write balance 8 %d ends", L("write"), L("write"));
    expect("-- waits for T1 to end --");
    expect("> end %d assertion fails", L("check"));
    expect("bank.c:%d int n = balance; probe(\"read\"); /* @read */", L("read"));
    expect("heddle replay .heddle/findings/x/replay.heddle heddle replay "
           ".heddle/findings/x/replay.heddle --gdb");
    expect("strategy pct, seed 42, in run 16, after 17 runs and 0.2 s.");
    expect("Replayed 20 times: the same failure every time.");
    expect("Memory model: sequential consistency.");
    assert_false(has("wrote to stderr")); /* nothing but the assertion itself */
    assert_false(has("Not controlled"));
    assert_false(has("-fsanitize=thread"));
    assert_null(strchr(text, '\033'));
    bank_free(&k);
}

static void test_deadlock(void **state)
{
    bank_deadlock(&k);
    render(80, false);
    expect("Deadlock: T1 holds `a` and waits for `b` at bank.c:%d, while T2 holds `b` and waits for `a` at "
           "bank.c:%d.", L("want_b"), L("want_a"));
    expect("T1 holds `a` (taken at bank.c:%d) and waits for `b` at bank.c:%d, which is held by T2.",
           L("lock_a"), L("want_b"));
    expect("T2 holds `b` (taken at bank.c:%d) and waits for `a` at bank.c:%d, which is held by T1.",
           L("lock_b"), L("want_a"));
    expect("T1 waits for `b`; holds `a` (taken at bank.c:%d); created by T0 (main) at bank.c:%d: "
           "#0 transfer bank.c:%d", L("lock_a"), L("create"), L("want_b"));
    expect("#1 worker bank.c:%d transfer(1); /* @transfer */", L("transfer"));
    expect("T0 (main) waits for T1 to end: #0 main bank.c:%d", L("join"));
    expect("> 4 %d lock a", L("lock_a"));
    expect("> end %d waits for `b`", L("want_b"));
    expect("> end %d waits for `a`", L("want_a"));
    bank_free(&k);
}

/* Three of a circle are named in the sentence. */
static void test_deadlock_of_four(void **state)
{
    bank_deadlock(&k);
    struct hd_cycle *c = &k.f.verdict.cycle;
    for (; c->n < 4; c->n++) {
        c->tid[c->n] = c->tid[c->n - 2];
        c->obj[c->n] = c->obj[c->n - 2];
    }
    render(80, false);
    expect(", and 1 more thread waits in the same circle.");
    bank_free(&k);
}

/* Nobody holds anything: the signal came too early. */
static void test_lost_wakeup(void **state)
{
    bank_new(&k, HD_V_DEADLOCK, 1);
    u64 filled = at(&k, "filled");
    bank_event(&k, 0, HD_EV_COND_SIGNAL, "signal", filled, 0);
    bank_event(&k, 1, HD_EV_LOCK, "lock_a", at(&k, "a"), 0);
    bank_event(&k, 1, HD_EV_UNLOCK, "wait", at(&k, "a"), 0);
    bank_event(&k, 1, HD_EV_COND_WAIT, "wait", filled, 0);
    bank_thread(&k, HD_T_PENDING, HD_EV_JOIN, 1, FRAMES("join"));
    bank_thread(&k, HD_T_PENDING, HD_EV_COND_WAIT, filled, FRAMES("wait"));
    k.f.verdict.cycle = (struct hd_cycle){.n = 2, .tid = {0, 1}, .obj = {1, filled}};
    render(80, false);
    expect("FINDING lost-wakeup");
    expect("Lost wake-up: T1 waits on `filled` at bank.c:%d for ever, because the last signal, by "
           "T0 (main) at bank.c:%d, came too early: before T1 waited, when nobody did.", L("wait"),
           L("wait"));
    expect("cond signal filled (nobody waits)");
    assert_false(has("holds `a`")); /* the wait gave it up */
    bank_free(&k);
}

static void test_crash(void **state)
{
    bank_crash(&k);
    render(80, false);
    expect("The program crashed (SIGSEGV): T1, at bank.c:%d in consume(), used a null pointer (address 0x8), "
           "most likely because T2 wrote `head` at bank.c:%d between two reads by T1 (bank.c:%d and "
           "bank.c:%d).", L("use"), L("clear"), L("test"), L("use"));
    expect("Signal 11 (SIGSEGV, Segmentation fault), fault address 0x8.");
    expect("#0 consume bank.c:%d", L("use"));
    expect("#1 worker bank.c:%d", L("consume"));
    expect("end bank.c:%d crashes (SIGSEGV)", L("use"));
    /* 0x5a5a5a5a5a5a5a5a: the kernel does not tell it, and says 0 */
    k.f.verdict.code = 0x80;
    k.f.verdict.addr = 0;
    render(80, false);
    expect("used a pointer that is no address at all");
    assert_false(has("null pointer") || has("fault address"));
    bank_free(&k);
}

/* What is not known is left out. */
static void test_left_out(void **state)
{
    bank_deadlock(&k);
    strcpy(k.f.threads[1].name, "  ");
    k.f.threads[0].op_kind = HD_EV_IO;
    k.f.threads[0].op_obj = (u64)-1;
    k.f.threads[0].n_frames = 0;
    render(80, false);
    expect("T0 (main) waits for another process or a file.");
    assert_false(has("descriptor -1") || has("no stack"));
    assert_false(has("T1 ( )") || has("T1 ()"));
    k.f.threads[0].op_kind = HD_EV_FENCE;
    k.f.threads[0].op_site = 0;
    render(80, false);
    expect("T0 (main) is about to end the program.");
    assert_false(has("fence"));
    k.f.threads[0].op_kind = HD_EV_FUTEX_WAIT;
    k.f.threads[0].op_obj = at(&k, "ready");
    k.f.threads[0].op_arg = 3;
    render(80, false);
    expect("T0 (main) waits (futex) on `ready` (it was 3).");
    k.f.threads[0].op_obj = 0;
    render(80, false);
    expect("T0 (main) waits (futex) on an object that is not known");
    assert_false(has("0x0"));
    bank_free(&k);
}

static void test_exit_and_pending_write(void **state)
{
    bank_new(&k, HD_V_EXIT, 1);
    k.f.verdict.status = 3 << 8;
    u64 ready = at(&k, "ready");
    bank_event(&k, 1, HD_EV_READ, "test", ready, 0);
    bank_thread(&k, HD_T_PENDING, HD_EV_WRITE, ready, FRAMES("check"));
    bank_thread(&k, HD_T_RUNNING, HD_EV_READ, ready, FRAMES("test", "consume"))->is_guess = true;
    k.f.stats.instrumented = 0;
    k.f.stats.uncontrolled = 1u << HD_UNC_CHILD | 1u << HD_UNC_IO;
    strcpy(k.f.stats.uncontrolled_call, "fork");
    k.f.tried = 10, k.f.reproduced = 4;
    k.f.dir[0] = 0;
    render(80, false);
    expect("The program ended with exit status 3 (last to run: T1, last seen at bank.c:%d in consume()), most "
           "likely because T1 read `ready` at bank.c:%d before T0 (main) could write it at bank.c:%d.",
           L("test"), L("test"), L("check"));
    expect("T1 was running, last seen here; created by T0 (main) at bank.c:%d: #0 consume bank.c:%d",
           L("create"), L("test"));
    k.f.threads[1].n_frames = 0; /* then its last step must do */
    render(80, false);
    expect("(last to run: T1, last seen at bank.c:%d in consume())", L("test"));
    expect("not built with -fsanitize=thread: memory accesses were not controlled");
    expect("Not controlled: the program started another process.");
    expect("Not controlled: data or timing came from another process.");
    expect("The first call behind it: fork.");
    expect("Replayed 10 times: only 4 gave the same failure");
    expect("was not saved");
    bank_free(&k);
}

/* The loop is folded, also when two threads spin in turn. */
static void test_hang(void **state)
{
    bank_new(&k, HD_V_HANG, 1);
    u64 ready = at(&k, "ready");
    for (int i = 0; i < 500; i++)
        bank_event(&k, 1, HD_EV_ALOAD, "test", ready, 0);
    for (int i = 0; i < 300; i++) {
        bank_event(&k, 1, HD_EV_ALOAD, "test", ready, 0);
        bank_event(&k, 2, HD_EV_YIELD, "use", 0, 0);
        bank_event(&k, 2, HD_EV_ALOAD, "clear", ready, 0);
    }
    bank_thread(&k, HD_T_PENDING, HD_EV_JOIN, 1, FRAMES("join"));
    bank_thread(&k, HD_T_PENDING, HD_EV_ALOAD, ready, FRAMES("test", "consume"));
    bank_thread(&k, HD_T_RUNNING, HD_EV_ALOAD, ready, FRAMES("clear"))->is_guess = true;
    render(80, false);
    expect("FINDING hang");
    expect("Hang: T2 spins at bank.c:%d, where it keeps reading `ready`, which no other thread is "
           "going to change.", L("clear"));
    expect("atomic load ready (501 times)");
    expect("the last 3 lines happened 299 times in a row");
    expect("Order of steps (1400 of 1400;");
    assert_null(strstr(text, "left out"));
    bank_free(&k);
}

/* Key steps far back are shown, what lies between is counted. */
static void test_gap(void **state)
{
    bank_lost_update(&k);
    for (u32 i = 0; i < 400; i++)
        bank_event(&k, 0, HD_EV_READ, i % 2 ? "check" : "join", at(&k, "heap") + i * 7919 % 30 * 8,
                   0);
    render(80, false);
    expect("between T1's read at bank.c:%d", L("read"));
    expect("> 9 %d write balance", L("write"));
    expect("steps left out");
    assert_null(strstr(text, "   200  "));
    bank_free(&k);
}

static void test_misuse_and_others(void **state)
{
    bank_new(&k, HD_V_MISUSE, 1);
    k.f.verdict.misuse = (struct hd_misuse){.kind = HD_MISUSE_UNLOCK_NOT_OWNER,
                                            .tid = 1,
                                            .owner = 0,
                                            .obj = at(&k, "a"),
                                            .site = at(&k, "lock_a")};
    bank_thread(&k, HD_T_PENDING, HD_EV_JOIN, 1, FRAMES("join"));
    bank_thread(&k, HD_T_RUNNING, HD_EV_UNLOCK, at(&k, "a"), FRAMES("lock_a", "transfer"));
    render(80, false);
    expect("T1 unlocked `a` at bank.c:%d, which T0 (main) holds.", L("lock_a"));

    k.f.verdict.kind = HD_V_HEAP;
    k.f.verdict.heap = (struct hd_heap_report){
        .kind = HD_HEAP_READ_FREED, .access_size = 8, .block = 0x1000, .size = 48, .offset = 8,
        .use = {1, 1, {at(&k, "use")}}, .alloc = {0, 1, {at(&k, "create")}},
        .freed = {2, 1, {at(&k, "clear")}},
    };
    render(80, false);
    expect("T1 read 8 bytes of freed memory at bank.c:%d: byte 8 of a block of 48 bytes allocated by "
           "T0 (main) at bank.c:%d and freed by T2 at bank.c:%d.", L("use"), L("create"),
           L("clear"));
    expect("The block was freed by T2: #0 worker bank.c:%d", L("clear"));

    k.f.verdict.kind = HD_V_DIVERGED;
    k.f.verdict.diverged = (struct hd_diverged){.is = true, .step = 9, .want_tid = 1, .got_tid = 1,
        .want_site = at(&k, "test"), .got_site = at(&k, "use")};
    strcpy(k.f.verdict.msg, "other site");
    render(80, false);
    expect("could not be followed past step 9 (other site): it wants T1 at bank.c:%d, but it is at bank.c:%d.",
           L("test"), L("use"));

    k.f.verdict.kind = HD_V_LIMIT;
    render(80, false);
    expect("was ended by a limit of Heddle");
    k.f.verdict.kind = HD_V_CHECK;
    strcpy(k.f.verdict.msg, "sum is 20");
    k.f.verdict.pc = at(&k, "lock_a");
    render(80, false);
    expect("The check \"sum is 20\" failed in T1, at bank.c:%d", L("lock_a"));
    k.f.verdict.pc = 0; /* the host's */
    strcpy(k.f.verdict.msg, "`cmp a b` ended with status 1\na b differ");
    render(80, false);
    expect("The check after the run failed: `cmp a b` ended with status 1: a b differ.");
    k.f.verdict.kind = HD_V_OUTPUT;
    strcpy(k.f.verdict.msg, "line 2 should be \"x\" and is \"y\" (see want.txt)");
    render(80, false);
    expect("FINDING output");
    expect("The program's output is not the one expected: line 2 should be \"x\"");
    bank_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_assert_lost_update), T(test_deadlock), T(test_deadlock_of_four), T(test_lost_wakeup),
        T(test_crash), T(test_exit_and_pending_write), T(test_hang), T(test_gap), T(test_misuse_and_others),
        T(test_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
