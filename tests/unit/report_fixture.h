/* report_fixture.h: findings made by hand on top of a compiled program whose
 * probes stand where the compiler's hooks would: shared by the report tests. */
#ifndef HD_TEST_REPORT_FIXTURE_H
#define HD_TEST_REPORT_FIXTURE_H

#include "fixture.h"
#include "report/finding.h"

static const char bank_source[] =
    "#define CALLER(name) printf(\"code %s %p\\n\", name, __builtin_return_address(0))\n"
    "#define TAKE(lock, name) probe(name)\n"
    "int balance;\n"
    "int ready;\n"
    "pthread_mutex_t a, b;\n"
    "pthread_cond_t filled;\n"
    "struct item { struct item *next; int value; } *head;\n"
    "static inline __attribute__((always_inline)) int current(void)\n"
    "{\n"
    "    int n = balance; probe(\"read\"); /* @read */\n"
    "    return n;\n"
    "}\n"
    "__attribute__((noinline)) void deposit(int n)\n"
    "{\n"
    "    CALLER(\"deposit\");\n"
    "    int old = current(); /* @current */\n"
    "    balance = old + n; probe(\"write\"); /* @write */\n"
    "    old++;\n"
    "}\n"
    "__attribute__((noinline)) void transfer(int n)\n"
    "{\n"
    "    CALLER(\"transfer\");\n"
    "    TAKE(&from->lock, \"lock_a\"); /* @lock_a */\n"
    "    probe(\"want_b\"); /* @want_b */\n"
    "    balance += n;\n"
    "}\n"
    "__attribute__((noinline)) void refund(int n)\n"
    "{\n"
    "    CALLER(\"refund\");\n"
    "    probe(\"lock_b\"); /* @lock_b */\n"
    "    probe(\"want_a\"); /* @want_a */\n"
    "    balance -= n;\n"
    "}\n"
    "__attribute__((noinline)) int consume(void)\n"
    "{\n"
    "    CALLER(\"consume\");\n"
    "    probe(\"test\"); /* @test */\n"
    "    probe(\"use\"); /* @use */\n"
    "    return ready;\n"
    "}\n"
    "__attribute__((noinline)) void *worker(void *p)\n"
    "{\n"
    "    deposit(10); /* @deposit */\n"
    "    transfer(1); /* @transfer */\n"
    "    refund(1); /* @refund */\n"
    "    balance += consume(); /* @consume */\n"
    "    probe(\"clear\"); /* @clear */\n"
    "    probe(\"signal\"); probe(\"wait\"); /* @wait */\n"
    "    return p;\n"
    "}\n"
    "int main(void)\n"
    "{\n"
    "    dl_iterate_phdr(show_module, NULL);\n"
    "    worker(NULL);\n"
    "    probe(\"create\"); /* @create */\n"
    "    probe(\"join\"); /* @join */\n"
    "    probe(\"check\"); /* @check */\n"
    "    show(\"balance\", &balance); show(\"ready\", &ready); show(\"head\", &head);\n"
    "    show(\"a\", &a); show(\"b\", &b); show(\"filled\", &filled); show(\"heap\", malloc(48));\n"
    "    return balance > 1000; /* @return */\n"
    "}\n";

struct bank {
    struct fixture fx;
    struct hd_finding f;
    struct hd_symbols *s;
    u32 step;
};

static inline u64 at(const struct bank *k, const char *name) { return fixture_addr(&k->fx, name); }

static inline void bank_event(struct bank *k, u16 tid, u8 kind, const char *site, u64 obj, u32 arg)
{
    struct hd_finding *f = &k->f;
    f->events = realloc(f->events, (f->n_events + 1) * sizeof *f->events);
    f->events[f->n_events++] = (struct hd_event){
        .step = ++k->step, .tid = tid, .kind = kind, .size = kind <= HD_EV_ARMW ? 4 : 0,
        .site = at(k, site), .obj = obj, .arg = arg,
    };
    f->stats.events = f->stats.steps = k->step;
}

/* `frames` are names of code facts, innermost first, NULL at the end. */
static inline struct hd_finding_thread *bank_thread(struct bank *k, u8 state, u8 op, u64 obj,
                                                    const char *const *frames)
{
    struct hd_finding *f = &k->f;
    f->threads = realloc(f->threads, (f->n_threads + 1) * sizeof *f->threads);
    struct hd_finding_thread *t = &f->threads[f->n_threads];
    *t = (struct hd_finding_thread){
        .tid = (u16)f->n_threads, .state = state, .op_kind = op, .op_obj = obj};
    if (t->tid)
        t->create_site = at(k, "create");
    t->frames = calloc(16, sizeof *t->frames);
    for (; frames && frames[t->n_frames]; t->n_frames++)
        t->frames[t->n_frames] = at(k, frames[t->n_frames]);
    if (t->n_frames)
        t->op_site = t->frames[0];
    f->stats.threads = ++f->n_threads;
    return t;
}
#define FRAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Compiles and runs the program once; every test then starts with bank_new. */
static inline void bank_init(struct bank *k, const char *compile)
{
    fixture_init(&k->fx);
    fixture_write(&k->fx, "bank.c", bank_source);
    if (shell("cd %s && %s", k->fx.dir, compile) || !fixture_run(&k->fx, "bank"))
        abort();
}

static inline void bank_new(struct bank *k, enum hd_verdict_kind kind, u16 tid)
{
    struct hd_finding *f = &k->f;
    memset(f, 0, sizeof *f);
    k->step = 0;
    hd_replay_init(&f->replay);
    f->verdict.kind = kind;
    f->verdict.tid = tid;
    f->n_modules = k->fx.n_modules;
    f->modules = calloc(f->n_modules, sizeof *f->modules);
    memcpy(f->modules, k->fx.modules, f->n_modules * sizeof *f->modules);
    snprintf(f->program, sizeof f->program, "%s", f->modules[0].path);
    f->strategy = "pct";
    f->seed = 42;
    f->run = 16;
    f->runs_until = 17;
    f->reproduced = f->tried = 20;
    f->seconds = 0.25;
    f->stats.instrumented = 1;
    strcpy(f->dir, ".heddle/findings/x");
    k->s = hd_symbols_open(f->modules, f->n_modules);
}

static inline void bank_free(struct bank *k)
{
    hd_symbols_close(k->s);
    hd_finding_release(&k->f);
}

/* ---- the findings most tests use ------------------------------------------------------- */

/* A lost update: T2 deposits between T1's read and write; main's check fails. */
static inline void bank_lost_update(struct bank *k)
{
    bank_new(k, HD_V_ASSERT, 0);
    u64 balance = at(k, "balance");
    bank_event(k, 0, HD_EV_CREATE, "create", 1, 0);
    bank_event(k, 0, HD_EV_CREATE, "create", 2, 0);
    bank_event(k, 1, HD_EV_START, "create", 0, 0);
    bank_event(k, 1, HD_EV_READ, "read", balance, 0);
    bank_event(k, 2, HD_EV_START, "create", 0, 0);
    bank_event(k, 2, HD_EV_READ, "read", balance, 0);
    bank_event(k, 2, HD_EV_WRITE, "write", balance, 0);
    bank_event(k, 2, HD_EV_EXIT, "write", 0, 0);
    bank_event(k, 1, HD_EV_WRITE, "write", balance, 0);
    bank_event(k, 1, HD_EV_EXIT, "write", 0, 0);
    bank_event(k, 0, HD_EV_JOIN, "join", 1, 0);
    bank_event(k, 0, HD_EV_JOIN, "join", 2, 0);
    bank_event(k, 0, HD_EV_READ, "check", balance, 0);
    bank_thread(k, HD_T_RUNNING, HD_EV_READ, balance, FRAMES("check"));
    bank_thread(k, HD_T_FINISHED, HD_EV_EXIT, 0, NULL);
    bank_thread(k, HD_T_FINISHED, HD_EV_EXIT, 0, NULL);
    k->f.verdict.signo = 6;
    snprintf(k->f.verdict.msg, sizeof k->f.verdict.msg,
             "bank: bank.c:%d: main: Assertion `balance == 20' failed.",
             fixture_line(&k->fx, "check"));
    strcpy(k->f.id, "assertion-12345678");
    k->f.err = strdup(k->f.verdict.msg);
    k->f.err_len = strlen(k->f.err);
}

/* Two locks taken in opposite order, main waits for T1. */
static inline void bank_deadlock(struct bank *k)
{
    bank_new(k, HD_V_DEADLOCK, 2);
    u64 a = at(k, "a"), b = at(k, "b");
    bank_event(k, 0, HD_EV_CREATE, "create", 1, 0);
    bank_event(k, 0, HD_EV_CREATE, "create", 2, 0);
    bank_event(k, 1, HD_EV_START, "create", 0, 0);
    bank_event(k, 1, HD_EV_LOCK, "lock_a", a, 0);
    bank_event(k, 2, HD_EV_START, "create", 0, 0);
    bank_event(k, 2, HD_EV_LOCK, "lock_b", b, 0);
    bank_thread(k, HD_T_PENDING, HD_EV_JOIN, 1, FRAMES("join"));
    bank_thread(k, HD_T_PENDING, HD_EV_LOCK, b, FRAMES("want_b", "transfer"));
    bank_thread(k, HD_T_PENDING, HD_EV_LOCK, a, FRAMES("want_a", "refund"));
    k->f.verdict.cycle = (struct hd_cycle){.n = 2, .is_cycle = true, .tid = {1, 2}, .obj = {b, a}};
}

/* T1 tests `head`, T2 sets it to NULL, T1 follows it. */
static inline void bank_crash(struct bank *k)
{
    bank_new(k, HD_V_SIGNAL, 1);
    u64 head = at(k, "head");
    bank_event(k, 1, HD_EV_READ, "test", head, 0);
    bank_event(k, 2, HD_EV_WRITE, "clear", head, 0);
    bank_event(k, 1, HD_EV_READ, "use", head, 0);
    bank_thread(k, HD_T_PENDING, HD_EV_JOIN, 1, FRAMES("join"));
    struct hd_finding_thread *t =
        bank_thread(k, HD_T_RUNNING, HD_EV_READ, head, FRAMES("use", "consume"));
    t->is_exact = true;
    t->frames[0] -= 1;
    bank_thread(k, HD_T_PENDING, HD_EV_EXIT, 0, FRAMES("clear"));
    k->f.verdict.signo = 11;
    k->f.verdict.addr = 8;
    k->f.verdict.pc = k->f.threads[1].frames[0];
}

#endif
