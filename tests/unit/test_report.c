/* test_report.c: the text report: findings made by hand against a compiled
 * program, and the lines a reader depends on. HEDDLE_TEST_SHOW=1 prints them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <sys/mman.h>

#include "report_fixture.h"
#include "unit/shm_rig.h"

static struct bank k;
static char *text;

/* Renders k.f into `text`; every line must fit unless it holds a command. */
static void render(int width, bool color)
{
    size_t len;
    free(text);
    FILE *to = open_memstream(&text, &len);
    struct hd_text_opts o = {.width = width, .color = color};
    hd_report_text(to, &k.f, k.s, &o);
    fclose(to);
    if (getenv("HEDDLE_TEST_SHOW"))
        printf("%s\n================================\n", text);
    for (const char *p = text; *p && !color; p += strcspn(p, "\n") + 1) {
        size_t n = strcspn(p, "\n");
        if (n > (size_t)(width ? width : 80) && strncmp(p, "  heddle replay", 15)) {
            fprintf(stderr, "too long (%zu): %.*s\n", n, (int)n, p);
            fail();
        }
    }
}

/* Is `want` in the text, with every run of blanks and newlines taken as one? */
static bool has(const char *want)
{
    for (const char *p = text; *p; p++) {
        const char *a = p, *b = want;
        while (*b && (*a == *b || (*b == ' ' && *a == '\n'))) {
            if (*b == ' ') {
                a += strspn(a, " \n");
                b++;
            } else {
                a++, b++;
            }
        }
        if (!*b)
            return true;
    }
    return false;
}

static void expect(const char *format, ...)
{
    char want[1024];
    va_list ap;
    va_start(ap, format);
    vsnprintf(want, sizeof want, format, ap);
    va_end(ap);
    if (!has(want)) {
        fprintf(stderr, "missing: %s\nin:\n%s\n", want, text);
        fail();
    }
}

static int L(const char *mark) { return fixture_line(&k.fx, mark); }

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

static void test_unnamed_objects(void **state)
{
    bank_deadlock(&k);
    u64 heap = at(&k, "heap"), a = at(&k, "a");
    bank_event(&k, 0, HD_EV_ALLOC, "check", heap, 48);
    for (u32 i = 0; i < k.f.n_events; i++)
        if (k.f.events[i].obj == a)
            k.f.events[i].obj = heap + 8;
    k.f.threads[2].op_obj = k.f.verdict.cycle.obj[1] = heap + 8;
    render(80, false);
    expect("Deadlock: T1 holds mutex A+8 and waits for `b`");
    expect("Evidence A is a block of 48 bytes that T0 (main) allocated at bank.c:%d.", L("check"));
    k.f.n_events--; /* the allocation is too long ago */
    render(80, false);
    expect("Deadlock: T1 holds mutex A and waits for `b`");
    /* the line has a macro of the program: what its arguments mean is not known */
    expect("A is the mutex at 0x%llx.", (unsigned long long)heap + 8);
    k.f.threads[0].stack_lo = heap, k.f.threads[0].stack_hi = heap + 16;
    render(80, false);
    expect("A is the mutex at 0x%llx, on the stack of T0 (main).",
           (unsigned long long)heap + 8);
    bank_free(&k);
}

static void test_narrow_wide_and_color(void **state)
{
    bank_lost_update(&k);
    render(40, false);
    expect("The assertion `balance == 20` failed");
    expect("step line thread");
    expect("> 7 %d T2 write balance", L("write"));
    render(200, false);
    expect("T0 (main) T1 T2");
    render(80, true);
    assert_non_null(strstr(text, "\033[1mEvidence\n\033[0m"));
    bank_free(&k);
    bank_deadlock(&k);
    render(30, false);
    bank_free(&k);
}

static void test_nothing_recorded(void **state)
{
    bank_new(&k, HD_V_SIGNAL, 7);
    k.f.verdict.signo = 11;
    k.f.verdict.addr = 0x123456;
    render(0, false);
    expect("The program crashed (SIGSEGV): T7, accessed the invalid address 0x123456.");
    expect("No step was recorded.");
    bank_free(&k);
    bank_new(&k, HD_V_DEADLOCK, 0);
    render(80, false);
    expect("Deadlock: no thread can go on.");
    bank_free(&k);
    bank_new(&k, HD_V_NONE, 0);
    render(80, false);
    expect("killed before it could say why");
    bank_free(&k);
}

static void test_thousands_of_threads(void **state)
{
    bank_crash(&k);
    for (int i = 0; i < 3000; i++)
        bank_thread(&k, HD_T_PENDING, HD_EV_COND_WAIT, at(&k, "filled"), FRAMES("wait"));
    for (int i = 0; i < 50; i++)
        bank_thread(&k, HD_T_PENDING, HD_EV_LOCK, at(&k, "balance") + (u64)i * 64,
                    FRAMES("want_b", "transfer"));
    for (int i = 0; i < 20; i++)
        bank_event(&k, (u16)(100 + i), HD_EV_ALOAD, "test", at(&k, "ready"), 0);
    render(80, false);
    expect("T3-T3002 (3000 threads, each) waits on condition `filled`");
    expect("more threads with other stacks are not shown.");
    expect("T119 atomic load ready");
    int lines = 0;
    for (char *p = text; *p; p++)
        lines += *p == '\n';
    assert_true(lines < 150);
    bank_free(&k);
}

static void test_stripped_and_missing(void **state)
{
    shell("cd %s && strip bank", k.fx.dir);
    bank_deadlock(&k);
    u64 offset = at(&k, "want_b") - k.fx.modules[0].bias;
    hd_finding_identify(&k.f, k.s);
    render(80, false);
    expect("bank+0x%llx", (unsigned long long)offset);
    expect("has no debug information");
    bank_free(&k);
    shell("cd %s && rm bank", k.fx.dir);
    bank_deadlock(&k);
    render(80, false);
    expect("bank+0x%llx", (unsigned long long)offset);
    bank_free(&k);
}

static void test_names_of_declarations(void **state)
{
    static const struct { const char *told, *want; } names[] = {
        {"main", "main"}, {"int main(void)", "main"}, {"void *ns::worker(void *)", "ns::worker"},
        {"std::pair<int, int> q<T>::take(std::function<void (int)>) [with T = int]", "q<T>::take"},
        {"bool box::operator()(int) const", "box::operator()"},
        {"int (anonymous namespace)::f(int)", "(anonymous namespace)::f"},
    };
    for (size_t i = 0; i < HD_COUNT(names); i++) {
        bank_lost_update(&k);
        snprintf(k.f.verdict.msg, sizeof k.f.verdict.msg, "bank.c:999: %s: Assertion `x' failed.",
                 names[i].told);
        render(80, false);
        expect("failed in T0 (main), at bank.c:999 in %s()", names[i].want);
        bank_free(&k);
    }
}

static void test_missing_source(void **state)
{
    shell("rm %s", k.fx.source);
    bank_deadlock(&k);
    render(80, false);
    expect("#0 transfer bank.c:%d #1 worker bank.c:%d", L("want_b"), L("transfer"));
    bank_free(&k);
}

static void test_terminal_is_not_driven(void **state)
{
    bank_lost_update(&k);
    k.f.out = strdup("one\ntwo\033[31m\a\nthree\xc3\xa4\n\n");
    k.f.out_len = strlen(k.f.out);
    render(80, false);
    assert_null(strchr(text, '\033'));
    expect("| one | two?[31m?");
    k.f.err[0] = 'B';
    render(80, false);
    expect("The program wrote to stderr: | Bank: bank.c:%d: main: Assertion", L("check"));
    strcpy(k.f.dir, "it's a dir");
    render(80, false);
    expect("heddle replay 'it'\\''s a dir/replay.heddle'");
    bank_free(&k);
}

static void test_identity(void **state)
{
    char first[24];
    bank_deadlock(&k);
    hd_finding_identify(&k.f, k.s);
    assert_memory_equal(k.f.id, "blocked-", 8);
    assert_int_equal(strlen(k.f.id), 16);
    strcpy(first, k.f.id);
    /* the other way round, other threads, other steps: the same deadlock */
    struct hd_cycle *c = &k.f.verdict.cycle;
    *c = (struct hd_cycle){.n = 2, .is_cycle = true, .tid = {2, 1}, .obj = {c->obj[1], c->obj[0]}};
    hd_finding_identify(&k.f, k.s);
    assert_string_equal(k.f.id, first);
    c->obj[0] = at(&k, "filled");
    hd_finding_identify(&k.f, k.s);
    assert_string_not_equal(k.f.id, first);
    bank_free(&k);

    bank_lost_update(&k);
    hd_finding_identify(&k.f, k.s);
    strcpy(first, k.f.id);
    snprintf(k.f.verdict.msg, sizeof k.f.verdict.msg,
             "bank.c:999: main: Assertion `balance == 20' failed.");
    hd_finding_identify(&k.f, k.s);
    assert_string_equal(k.f.id, first); /* a line more above it */
    snprintf(k.f.verdict.msg, sizeof k.f.verdict.msg,
             "bank.c:999: main: Assertion `balance == 30' failed.");
    hd_finding_identify(&k.f, k.s);
    assert_string_not_equal(k.f.id, first);
    bank_free(&k);
}

static void test_from_run(void **state)
{
    struct rig rig = rig_make(), *m = &rig;
    m->run->n_modules = k.fx.n_modules;
    memcpy(hd_shm_modules(m->run), k.fx.modules, k.fx.n_modules * sizeof k.fx.modules[0]);
    m->host->cfg.seed = 5;
    m->server->run = 3;
    m->run->verdict =
        (struct hd_verdict){.kind = HD_V_SIGNAL, .tid = 1, .signo = 11, .pc = at(&k, "use")};
    m->run->ring_written = HD_SHM_RING + 10;
    m->run->stats = (struct hd_stats){.threads = 4, .events = HD_SHM_RING + 10ull, .steps = 99};
    struct hd_shm_thread *t = hd_shm_threads(m->run);
    t[0] = (struct hd_shm_thread){.state = HD_T_PENDING, .op_kind = HD_EV_JOIN, .op_obj = 1,
                                  .op_site = at(&k, "join")};
    t[1] = (struct hd_shm_thread){.state = HD_T_RUNNING, .depth = 2, .op_site = at(&k, "test")};
    hd_shm_frames(m->run, 1)[0].pc = at(&k, "create");
    hd_shm_frames(m->run, 1)[1].pc = at(&k, "consume");
    t[2] = (struct hd_shm_thread){.state = HD_T_PENDING, .op_site = at(&k, "test"),
                                  .depth = HD_SHM_FRAMES + 7};
    t[3] = (struct hd_shm_thread){.state = HD_T_FREE};
    for (u32 i = 0; i < HD_SHM_RING; i++)
        hd_shm_ring(m->run)[(i + 10) & (HD_SHM_RING - 1)] =
            (struct hd_event){.step = i + 11, .kind = HD_EV_YIELD};
    hd_shm_ring(m->run)[10].kind = 250; /* scribbled over */
    int fd = memfd_create("out", 0);
    assert_int_equal(write(fd, "hello\n", 6), 6);

    struct hd_finding f;
    struct hd_snapshot run;
    rig_take(&run, m);
    assert_int_equal(hd_finding_from_run(&f, &run, fd, -1), 0);
    hd_snapshot_release(&run);
    assert_int_equal(f.n_threads, 3);
    assert_int_equal(f.threads[0].n_frames, 1);
    assert_int_equal(f.threads[0].frames[0], at(&k, "join"));
    assert_int_equal(f.threads[1].n_frames, 3);
    assert_int_equal(f.threads[1].frames[0], at(&k, "use"));
    assert_int_equal(f.threads[1].frames[1], at(&k, "consume"));
    assert_int_equal(f.threads[1].frames[2], at(&k, "create"));
    assert_true(f.threads[1].is_exact);
    assert_int_equal(f.threads[2].frames_lost, 7);
    assert_int_equal(f.n_events, HD_SHM_RING);
    assert_int_equal(f.events[0].kind, HD_EV_NOTE);
    assert_int_equal(f.events[1].step, 12);
    assert_int_equal(f.events[f.n_events - 1].step, HD_SHM_RING + 10);
    assert_string_equal(f.out, "hello\n");
    assert_null(f.err);
    assert_int_equal(f.seed, 5);
    assert_string_equal(f.program, k.fx.modules[0].path);
    hd_finding_release(&f);
    close(fd);
    rig_drop(m);
}

static int setup(void **state)
{
    bank_init(&k, "gcc -g -O1 -include probe.h bank.c -o bank");
    return 0;
}

static int teardown(void **state)
{
    free(text);
    text = NULL;
    fixture_release(&k.fx);
    return 0;
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_assert_lost_update), T(test_deadlock), T(test_lost_wakeup), T(test_crash),
        T(test_exit_and_pending_write), T(test_hang), T(test_gap), T(test_misuse_and_others),
        T(test_left_out), T(test_unnamed_objects), T(test_narrow_wide_and_color), T(test_nothing_recorded),
        T(test_thousands_of_threads), T(test_stripped_and_missing), T(test_missing_source),
        T(test_names_of_declarations),
        T(test_terminal_is_not_driven), T(test_identity), T(test_from_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
