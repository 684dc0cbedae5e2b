/* Unit tests of report/format/trace.c: the JSON as jq sees it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "report/format/trace.h"
#include "report_fixture.h"

static struct bank k;

/* Writes the trace of k.f and asks jq whether `condition` holds for it. */
static void holds(const char *condition)
{
    char path[600];
    snprintf(path, sizeof path, "%s/trace.json", k.fx.dir);
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    hd_report_trace(to, &k.f, k.s);
    fclose(to);
    if (shell("jq -e '%s' %s >/dev/null", condition, path))
        fail_msg("does not hold: %s", condition);
}

static void make_run(void)
{
    bank_new(&k, HD_V_CLEAN, 0);
    u64 a = at(&k, "a"), filled = at(&k, "filled"), balance = at(&k, "balance");
    bank_event(&k, 0, HD_EV_CREATE, "create", 1, 0);               /* 1 */
    bank_event(&k, 1, HD_EV_START, "create", 0, 0);                /* 2 */
    bank_event(&k, 1, HD_EV_LOCK, "lock_a", a, 0);                 /* 3 */
    bank_event(&k, 1, HD_EV_WRITE, "write", balance, 0);           /* 4 */
    bank_event(&k, 1, HD_EV_UNLOCK, "want_b", a, 0);               /* 5 */
    bank_event(&k, 0, HD_EV_LOCK, "lock_b", a, 0);                 /* 6 */
    bank_event(&k, 0, HD_EV_READ, "read", balance, 0);             /* 7 */
    bank_event(&k, 0, HD_EV_READ, "read", balance, 0);             /* 8 */
    bank_event(&k, 0, HD_EV_UNLOCK, "want_a", a, 0);               /* 9 */
    bank_event(&k, 0, HD_EV_COND_WAIT, "wait", filled, 0);         /* 10 */
    bank_event(&k, 1, HD_EV_COND_SIGNAL, "signal", filled, 1);     /* 11 */
    bank_event(&k, 0, HD_EV_COND_WAKE, "wait", filled, 0);         /* 12 */
    bank_event(&k, 1, HD_EV_COND_SIGNAL, "signal", filled, 0);     /* 13 */
    bank_event(&k, 1, HD_EV_ALLOC, "clear", at(&k, "heap"), 48);   /* 14 */
    bank_event(&k, 1, HD_EV_EXIT, "clear", 0, 0);                  /* 15 */
    bank_event(&k, 0, HD_EV_JOIN, "join", 1, 0);                   /* 16 */
    bank_thread(&k, HD_T_RUNNING, HD_EV_JOIN, 1, FRAMES("join"));
    bank_thread(&k, HD_T_FINISHED, HD_EV_EXIT, 0, NULL);
    strcpy(k.f.id, "clean-1");
}

static void test_tracks_and_steps(void **state)
{
    make_run();
    holds("[.traceEvents[] | select(.name == \"thread_name\") | .args.name] == "
          "[\"T0 (main)\", \"T1\"]");
    /* every step is a slice of its thread at its number */
    holds("[.traceEvents[] | select(.ph == \"X\" and .cat != \"wait\") | .ts] == "
          "[range(1; 14), 15, 16]");
    holds("all(.traceEvents[] | select(.ph == \"X\" and .cat != \"wait\"); "
          ".dur == 1 and .ts == .args.step)");
    holds("[.traceEvents[] | select(.ts == 3 and .ph == \"X\")][0] | .name == \"lock a\" and "
          ".tid == 1 and .args.object == \"a\" and (.args.place | startswith(\"bank.c:\"))");
    holds("[.traceEvents[] | select(.ph == \"i\") | .ts] == [14]");
    holds(".otherData.id == \"clean-1\" and .otherData.events == 16 and "
          ".otherData.events_lost == 0");
    bank_free(&k);
}

static void test_arrows(void **state)
{
    make_run();
    static const struct { const char *name; u32 from, to, a, b; } want[] = {
        {"create -> start", 1, 2, 0, 1}, {"unlock -> lock", 5, 6, 1, 0},
        {"write -> read", 4, 7, 1, 0},   {"signal -> wake", 11, 12, 1, 0},
        {"exit -> join", 15, 16, 1, 0},
    };
    char q[512];
    for (u32 i = 0; i < HD_COUNT(want); i++) {
        snprintf(q, sizeof q,
                 "[.traceEvents[] | select(.cat == \"dependency\" and .name == \"%s\") | "
                 "[.ph, .ts, .tid]] == [[\"s\", %u, %u], [\"f\", %u, %u]]", want[i].name,
                 want[i].from, want[i].a, want[i].to, want[i].b);
        holds(q);
    }
    /* each arrow has two ends with one number of its own; the second read and
     * the signal nobody waited for have none */
    holds("[.traceEvents[] | select(.cat == \"dependency\") | .id] | sort == "
          "[1, 1, 2, 2, 3, 3, 4, 4, 5, 5]");
    bank_free(&k);
}

/* A thread that had to wait shows as a slice up to the step it was let through. */
static void test_waits(void **state)
{
    make_run();
    holds("[.traceEvents[] | select(.cat == \"wait\" and .tid == 0) | [.name, .ts, .dur]] == "
          "[[\"before lock\", 2, 4], [\"waits\", 11, 1], [\"before join\", 13, 3]]");
    bank_free(&k);
}

static void test_empty(void **state)
{
    bank_new(&k, HD_V_NONE, 0);
    holds(".traceEvents | length == 1");
    bank_free(&k);
}

static int set_up(void **state)
{
    bank_init(&k, "gcc -g -O1 -include probe.h bank.c -o bank");
    return 0;
}

static int tear_down(void **state)
{
    fixture_release(&k.fx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tracks_and_steps),
        cmocka_unit_test(test_arrows),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
