/* test_report_odd.c: the text report where something is missing or odd: no names, no stack, no
 * source, many threads, narrow terminals, control characters; and what findings are made from. */
#include "unit/report_text.h"

#include <sys/mman.h>

#include "unit/shm_rig.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_unnamed_objects), T(test_narrow_wide_and_color), T(test_nothing_recorded),
        T(test_thousands_of_threads), T(test_stripped_and_missing), T(test_missing_source),
        T(test_names_of_declarations), T(test_terminal_is_not_driven), T(test_identity),
        T(test_from_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
