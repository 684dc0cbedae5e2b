/* Unit tests of report/explain/refine.c on scripted events: what is a lost wake-up and
 * what only looks like one, livelock against hang. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/explain/refine.h"

enum { MUTEX = 0x100, COND = 0x200, WORD = 0x300, FLAG = 0x400, OTHER = 0x500 };

static struct hd_finding f;
static struct hd_refined r;

static void begin(enum hd_verdict_kind kind)
{
    free(f.events);
    memset(&f, 0, sizeof f);
    f.verdict.kind = kind;
}

static void ev(u16 tid, u8 kind, u64 site, u64 obj, u32 arg)
{
    f.events = realloc(f.events, (f.n_events + 1) * sizeof *f.events);
    f.events[f.n_events] = (struct hd_event){
        .step = f.n_events + 1, .tid = tid, .kind = kind, .size = 4, .site = site, .obj = obj,
        .arg = arg};
    f.n_events++;
    f.stats.steps = f.stats.events = f.n_events;
}

/* T1 waits on the condition, T0 for T1; no cycle. */
static void stuck(u64 obj)
{
    f.verdict.cycle = (struct hd_cycle){.n = 2, .tid = {0, 1}, .obj = {1, obj}};
    hd_refine(&f, &r);
}

static void wait_on_cond(void)
{
    ev(1, HD_EV_UNLOCK, 13, MUTEX, 0);
    f.events[f.n_events - 1].step++; /* same step as the wait */
    ev(1, HD_EV_COND_WAIT, 13, COND, 0);
}

/* A wait without a look, after the signal. */
static void test_lost_naked(void **state)
{
    begin(HD_V_DEADLOCK);
    ev(2, HD_EV_LOCK, 20, MUTEX, 0);
    ev(2, HD_EV_COND_SIGNAL, 21, COND, 0);
    ev(2, HD_EV_UNLOCK, 22, MUTEX, 0);
    ev(1, HD_EV_LOCK, 10, MUTEX, 0);
    wait_on_cond();
    stuck(COND);
    assert_int_equal(r.kind, HD_REFINED_LOST_WAKEUP);
    assert_int_equal(r.tid[0], 1);
    assert_int_equal(f.events[r.event[0]].kind, HD_EV_COND_WAIT);
    assert_int_equal(f.events[r.event[1]].site, 21);
    assert_string_equal(hd_finding_kind(&f), "lost-wakeup");
}

/* The look comes before, the signal between look and wait. */
static void test_lost_between(void **state)
{
    begin(HD_V_DEADLOCK);
    ev(1, HD_EV_LOCK, 10, MUTEX, 0);
    ev(1, HD_EV_ALOAD, 11, FLAG, 0);
    ev(2, HD_EV_ASTORE, 20, FLAG, 0);
    ev(2, HD_EV_COND_BROADCAST, 21, COND, 0);
    wait_on_cond();
    stuck(COND);
    assert_int_equal(r.kind, HD_REFINED_LOST_WAKEUP);
}

/* The condition was made anew since: the signal was for another one. */
static void test_lost_by_another(void **state)
{
    begin(HD_V_DEADLOCK);
    ev(2, HD_EV_COND_SIGNAL, 21, COND, 0);
    ev(2, HD_EV_COND_INIT, 22, COND, 0);
    ev(1, HD_EV_LOCK, 10, MUTEX, 0);
    wait_on_cond();
    stuck(COND);
    assert_int_equal(r.kind, HD_REFINED_NONE);

    begin(HD_V_DEADLOCK); /* destroyed, and used again */
    ev(2, HD_EV_COND_SIGNAL, 21, COND, 0);
    ev(2, HD_EV_COND_DESTROY, 22, COND, 0);
    ev(1, HD_EV_LOCK, 10, MUTEX, 0);
    wait_on_cond();
    stuck(COND);
    assert_int_equal(r.kind, HD_REFINED_NONE);

    begin(HD_V_DEADLOCK); /* that failed */
    ev(2, HD_EV_COND_SIGNAL, 21, COND, 0);
    ev(2, HD_EV_COND_DESTROY, 22, COND, EBUSY);
    ev(1, HD_EV_LOCK, 10, MUTEX, 0);
    wait_on_cond();
    stuck(COND);
    assert_int_equal(r.kind, HD_REFINED_LOST_WAKEUP);
}

static void test_lost_futex(void **state)
{
    begin(HD_V_DEADLOCK);
    ev(2, HD_EV_FUTEX_WAKE, 21, WORD, 0);
    ev(1, HD_EV_FUTEX_WAIT, 13, WORD, 0);
    stuck(WORD);
    assert_int_equal(r.kind, HD_REFINED_LOST_WAKEUP);
}

/* It went through its critical section since: it knew. */
static void test_informed_by_lock(void **state)
{
    begin(HD_V_DEADLOCK);
    ev(2, HD_EV_COND_SIGNAL, 21, COND, 0);
    ev(1, HD_EV_LOCK, 10, MUTEX, 0);
    ev(1, HD_EV_UNLOCK, 11, MUTEX, 0);
    ev(1, HD_EV_LOCK, 12, MUTEX, 0);
    wait_on_cond();
    stuck(COND);
    assert_int_equal(r.kind, HD_REFINED_NONE);
    assert_string_equal(hd_finding_kind(&f), "deadlock");
}

/* It read what the signaller wrote: it knew. */
static void test_informed_by_read(void **state)
{
    begin(HD_V_DEADLOCK);
    ev(2, HD_EV_ASTORE, 20, FLAG, 0);
    ev(2, HD_EV_COND_SIGNAL, 21, COND, 0);
    ev(1, HD_EV_LOCK, 10, MUTEX, 0);
    ev(1, HD_EV_ALOAD, 11, FLAG, 0);
    wait_on_cond();
    stuck(COND);
    assert_int_equal(r.kind, HD_REFINED_NONE);
}

static void test_not_lost(void **state)
{
    begin(HD_V_DEADLOCK); /* never signalled */
    ev(1, HD_EV_LOCK, 10, MUTEX, 0);
    wait_on_cond();
    stuck(COND);
    assert_int_equal(r.kind, HD_REFINED_NONE);

    begin(HD_V_DEADLOCK); /* awake already, wants the mutex back */
    ev(2, HD_EV_COND_SIGNAL, 21, COND, 0);
    ev(1, HD_EV_LOCK, 10, MUTEX, 0);
    wait_on_cond();
    ev(1, HD_EV_COND_WAKE, 13, COND, 0);
    stuck(MUTEX);
    assert_int_equal(r.kind, HD_REFINED_NONE);

    begin(HD_V_DEADLOCK); /* a cycle of locks is the reason */
    ev(2, HD_EV_COND_SIGNAL, 21, COND, 0);
    ev(1, HD_EV_LOCK, 10, MUTEX, 0);
    wait_on_cond();
    f.verdict.cycle.is_cycle = true;
    f.verdict.cycle.n = 2;
    hd_refine(&f, &r);
    assert_int_equal(r.kind, HD_REFINED_NONE);
}

/* ---- others are woken ----------------------------------------------------------- */

/* T3 waits on the condition, T2 signals, T3 wakes up with its mutex. */
static void wake_another(u8 signal, u64 wait_site)
{
    ev(3, HD_EV_LOCK, 30, MUTEX, 0);
    ev(3, HD_EV_UNLOCK, wait_site, MUTEX, 0);
    ev(3, HD_EV_COND_WAIT, wait_site, COND, 0);
    ev(2, signal, 21, COND, 1);
    ev(3, HD_EV_COND_WAKE, wait_site, COND, 0);
    ev(3, HD_EV_LOCK, wait_site, MUTEX, 0);
}

static void go_back(u64 wait_site)
{
    ev(3, HD_EV_UNLOCK, wait_site, MUTEX, 0);
    ev(3, HD_EV_COND_WAIT, wait_site, COND, 0);
}

/* Nobody waited, but another thread of the pool has looked since, and waits as well. */
static void test_known_is_not_lost(void **state)
{
    struct hd_finding_thread thread[] = {{.tid = 1}, {.tid = 2}, {.tid = 3}};
    enum { NEVER, BY_ANOTHER, BY_THE_WAKER, ELSEWHERE, CASES };
    for (int how = NEVER; how < CASES; how++) {
        u16 other = how == BY_THE_WAKER ? 2 : 3;
        begin(HD_V_DEADLOCK);
        f.threads = thread;
        f.n_threads = HD_COUNT(thread);
        ev(2, HD_EV_COND_SIGNAL, 21, COND, 0);
        if (how != NEVER) {
            ev(other, HD_EV_LOCK, 30, MUTEX, 0);
            ev(other, HD_EV_UNLOCK, 31, MUTEX, 0);
        }
        ev(other, HD_EV_LOCK, 32, MUTEX, 0);
        ev(other, HD_EV_UNLOCK, 33, MUTEX, 0);
        ev(other, HD_EV_COND_WAIT, how == ELSEWHERE ? 34 : 13, COND, 0);
        ev(1, HD_EV_LOCK, 10, MUTEX, 0);
        wait_on_cond();
        stuck(COND);
        assert_int_equal(r.kind, how == NEVER || how == ELSEWHERE ? HD_REFINED_LOST_WAKEUP : HD_REFINED_NONE);
    }
}

/* It woke those who waited, before this thread was created. */
static void test_lost_by_the_young(void **state)
{
    begin(HD_V_DEADLOCK);
    wake_another(HD_EV_COND_BROADCAST, 33);
    ev(3, HD_EV_UNLOCK, 34, MUTEX, 0);
    ev(2, HD_EV_CREATE, 35, 1, 0);
    ev(1, HD_EV_LOCK, 10, MUTEX, 0);
    wait_on_cond();
    stuck(COND);
    assert_int_equal(r.kind, HD_REFINED_NONE);

    begin(HD_V_DEADLOCK); /* one that woke nobody was meant for it */
    ev(2, HD_EV_COND_BROADCAST, 21, COND, 0);
    ev(2, HD_EV_CREATE, 22, 1, 0);
    ev(1, HD_EV_LOCK, 10, MUTEX, 0);
    wait_on_cond();
    stuck(COND);
    assert_int_equal(r.kind, HD_REFINED_LOST_WAKEUP);
}

/* A broadcast is for all: who comes late has missed it, whoever was there. */
static void test_lost_broadcast(void **state)
{
    begin(HD_V_DEADLOCK);
    wake_another(HD_EV_COND_BROADCAST, 33);
    ev(3, HD_EV_UNLOCK, 34, MUTEX, 0);
    ev(1, HD_EV_LOCK, 10, MUTEX, 0);
    wait_on_cond();
    stuck(COND);
    assert_int_equal(r.kind, HD_REFINED_LOST_WAKEUP);
    assert_int_equal(r.woken, 3);
    assert_false(r.is_wrong_waiter);
    assert_int_equal(r.n_events, 2);

    begin(HD_V_DEADLOCK); /* but not one who knew */
    ev(2, HD_EV_ASTORE, 20, FLAG, 0);
    wake_another(HD_EV_COND_BROADCAST, 33);
    ev(3, HD_EV_UNLOCK, 34, MUTEX, 0);
    ev(1, HD_EV_LOCK, 10, MUTEX, 0);
    ev(1, HD_EV_ALOAD, 11, FLAG, 0);
    wait_on_cond();
    stuck(COND);
    assert_int_equal(r.kind, HD_REFINED_NONE);
}

/* Between the look and the wait a signal comes and wakes another. */
static void test_lost_between_others(void **state)
{
    begin(HD_V_DEADLOCK);
    ev(1, HD_EV_ALOAD, 11, FLAG, 0);
    ev(2, HD_EV_ASTORE, 20, FLAG, 0);
    wake_another(HD_EV_COND_SIGNAL, 33);
    ev(3, HD_EV_UNLOCK, 34, MUTEX, 0);
    ev(1, HD_EV_LOCK, 12, MUTEX, 0);
    wait_on_cond();
    stuck(COND);
    assert_int_equal(r.kind, HD_REFINED_LOST_WAKEUP);
    assert_int_equal(r.woken, 3);

    begin(HD_V_DEADLOCK); /* the look was under the mutex, the signal without it */
    ev(3, HD_EV_LOCK, 30, MUTEX, 0);
    ev(3, HD_EV_UNLOCK, 33, MUTEX, 0);
    ev(3, HD_EV_COND_WAIT, 33, COND, 0);
    ev(1, HD_EV_LOCK, 10, MUTEX, 0);
    ev(2, HD_EV_COND_SIGNAL, 21, COND, 1);
    wait_on_cond();
    ev(3, HD_EV_COND_WAKE, 33, COND, 0);
    stuck(COND);
    assert_int_equal(r.kind, HD_REFINED_LOST_WAKEUP);
    assert_int_equal(r.woken, 3);
}

/* One signal, one thread served: whoever waits later was not promised anything. */
static void test_served_is_not_lost(void **state)
{
    begin(HD_V_DEADLOCK);
    wake_another(HD_EV_COND_SIGNAL, 33);
    ev(3, HD_EV_UNLOCK, 34, MUTEX, 0);
    ev(1, HD_EV_LOCK, 10, MUTEX, 0);
    wait_on_cond();
    stuck(COND);
    assert_int_equal(r.kind, HD_REFINED_NONE);

    begin(HD_V_DEADLOCK); /* the same, though it waited before */
    ev(1, HD_EV_LOCK, 10, MUTEX, 0);
    wait_on_cond();
    wake_another(HD_EV_COND_SIGNAL, 33);
    ev(3, HD_EV_UNLOCK, 34, MUTEX, 0);
    stuck(COND);
    assert_int_equal(r.kind, HD_REFINED_NONE);

    begin(HD_V_DEADLOCK); /* and then the other waits for the next one */
    ev(1, HD_EV_LOCK, 10, MUTEX, 0);
    wait_on_cond();
    wake_another(HD_EV_COND_SIGNAL, 33);
    ev(3, HD_EV_UNLOCK, 34, MUTEX, 0);
    ev(3, HD_EV_LOCK, 30, MUTEX, 0);
    go_back(33);
    stuck(COND);
    assert_int_equal(r.kind, HD_REFINED_NONE);

    begin(HD_V_DEADLOCK); /* ... or has done something before it does */
    ev(1, HD_EV_LOCK, 10, MUTEX, 0);
    wait_on_cond();
    wake_another(HD_EV_COND_SIGNAL, 33);
    ev(3, HD_EV_WRITE, 35, WORD, 0);
    go_back(33);
    stuck(COND);
    assert_int_equal(r.kind, HD_REFINED_NONE);
}

static void test_wrong_waiter(void **state)
{
    begin(HD_V_DEADLOCK);
    ev(1, HD_EV_LOCK, 10, MUTEX, 0);
    wait_on_cond();
    wake_another(HD_EV_COND_SIGNAL, 33);
    ev(3, HD_EV_READ, 32, WORD, 0);
    go_back(33);
    stuck(COND);
    assert_int_equal(r.kind, HD_REFINED_LOST_WAKEUP);
    assert_true(r.is_wrong_waiter && r.woken == 3 && r.n_events == 3);
    assert_int_equal(r.tid[0], 1);
    assert_int_equal(f.events[r.event[1]].site, 21);
    assert_int_equal(r.event[2], f.n_events - 1);

    begin(HD_V_DEADLOCK); /* the right one waits only then */
    wake_another(HD_EV_COND_SIGNAL, 33);
    go_back(33);
    ev(1, HD_EV_LOCK, 10, MUTEX, 0);
    wait_on_cond();
    stuck(COND);
    assert_true(r.kind == HD_REFINED_LOST_WAKEUP && r.is_wrong_waiter);

    begin(HD_V_DEADLOCK); /* a futex */
    ev(1, HD_EV_FUTEX_WAIT, 13, WORD, 0);
    ev(3, HD_EV_FUTEX_WAIT, 33, WORD, 0);
    ev(2, HD_EV_FUTEX_WAKE, 21, WORD, 1);
    ev(3, HD_EV_FUTEX_WOKEN, 33, WORD, 0);
    ev(3, HD_EV_ALOAD, 32, WORD, 0);
    ev(3, HD_EV_FUTEX_WAIT, 33, WORD, 0);
    stuck(WORD);
    assert_true(r.kind == HD_REFINED_LOST_WAKEUP && r.is_wrong_waiter);
}

/* The thread that was woken and waited again is not the one that lost anything. */
static void test_the_woken_has_lost_nothing(void **state)
{
    begin(HD_V_DEADLOCK);
    wake_another(HD_EV_COND_SIGNAL, 33);
    go_back(33);
    f.verdict.cycle = (struct hd_cycle){.n = 2, .tid = {0, 3}, .obj = {3, COND}};
    hd_refine(&f, &r);
    assert_int_equal(r.kind, HD_REFINED_NONE);
}

/* ---- step limit ------------------------------------------------------------------ */

static void test_livelock_flags(void **state)
{
    begin(HD_V_HANG);
    for (int i = 0; i < 200; i++)
        for (u16 t = 1; t <= 2; t++) {
            ev(t, HD_EV_ALOAD, 10 + t, FLAG, 0);
            ev(t, HD_EV_ASTORE, 20 + t, FLAG, 0);
        }
    hd_refine(&f, &r);
    assert_int_equal(r.kind, HD_REFINED_LIVELOCK);
    assert_int_equal(r.n, 2);
    assert_int_equal(f.events[r.event[1]].site, 22);
    assert_string_equal(hd_finding_kind(&f), "livelock");
}

static void test_livelock_try(void **state)
{
    begin(HD_V_HANG);
    for (int i = 0; i < 200; i++)
        for (u16 t = 1; t <= 2; t++) {
            ev(t, HD_EV_LOCK, 10 + t, MUTEX + t, 0);
            ev(t, HD_EV_TRYLOCK, 20 + t, MUTEX + 3 - t, EBUSY);
            ev(t, HD_EV_UNLOCK, 30 + t, MUTEX + t, 0);
        }
    hd_refine(&f, &r);
    assert_int_equal(r.kind, HD_REFINED_LIVELOCK);
    assert_int_equal(f.events[r.event[0]].kind, HD_EV_TRYLOCK);
}

/* One works, one waits for it: no livelock; new places mean progress. */
static void test_work_is_no_livelock(void **state)
{
    begin(HD_V_HANG);
    for (int i = 0; i < 400; i++)
        for (u16 t = 1; t <= 2; t++)
            ev(t, HD_EV_WRITE, 20 + t, 0x10000 + (u64)i * 8, 0);
    hd_refine(&f, &r);
    assert_int_not_equal(r.kind, HD_REFINED_LIVELOCK);
}

static void test_spin(void **state)
{
    begin(HD_V_HANG);
    ev(2, HD_EV_WRITE, 30, OTHER, 0);
    for (int i = 0; i < 500; i++) {
        ev(1, HD_EV_ALOAD, 11, FLAG, 0);
        ev(1, HD_EV_YIELD, 12, 0, 0);
    }
    hd_refine(&f, &r);
    assert_int_equal(r.kind, HD_REFINED_SPIN);
    assert_int_equal(r.tid[0], 1);
    assert_int_equal(f.events[r.event[0]].site, 11);
    assert_true(r.is_hopeless);
    for (int i = 0; i < 500; i++) { /* somebody else is at work */
        ev(1, HD_EV_ALOAD, 11, FLAG, 0);
        ev(2, HD_EV_WRITE, 30, 0x10000 + (u64)i * 8, 0);
    }
    hd_refine(&f, &r);
    assert_int_equal(r.kind, HD_REFINED_SPIN);
    assert_false(r.is_hopeless);
}

/* Two that wait by an atomic exchange for a lock nobody gives back. */
static void test_spin_locks(void **state)
{
    begin(HD_V_HANG);
    for (int i = 0; i < 300; i++)
        for (u16 t = 1; t <= 2; t++)
            ev(t, HD_EV_ARMW, 10, WORD, 0);
    hd_refine(&f, &r);
    assert_int_equal(r.kind, HD_REFINED_SPIN);
    assert_string_equal(hd_finding_kind(&f), "hang");
}

/* Polling a flag under a lock, by two: they wait. */
static void test_polling_under_lock(void **state)
{
    begin(HD_V_HANG);
    for (int i = 0; i < 300; i++)
        for (u16 t = 1; t <= 2; t++) {
            ev(t, HD_EV_LOCK, 10, MUTEX, 0);
            ev(t, HD_EV_READ, 11, FLAG, 0);
            ev(t, HD_EV_UNLOCK, 12, MUTEX, 0);
        }
    hd_refine(&f, &r);
    assert_int_equal(r.kind, HD_REFINED_SPIN);
    assert_int_equal(f.events[r.event[0]].kind, HD_EV_READ);
}

static void test_nothing_to_say(void **state)
{
    begin(HD_V_HANG);
    ev(1, HD_EV_ALOAD, 11, FLAG, 0);
    hd_refine(&f, &r);
    assert_int_equal(r.kind, HD_REFINED_NONE);
    begin(HD_V_ASSERT);
    for (int i = 0; i < 500; i++)
        ev(1, HD_EV_ALOAD, 11, FLAG, 0);
    hd_refine(&f, &r);
    assert_int_equal(r.kind, HD_REFINED_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost_naked),        cmocka_unit_test(test_lost_between),
        cmocka_unit_test(test_known_is_not_lost), cmocka_unit_test(test_nothing_to_say),
        cmocka_unit_test(test_lost_by_another),   cmocka_unit_test(test_lost_by_the_young),
        cmocka_unit_test(test_lost_futex),        cmocka_unit_test(test_informed_by_lock),
        cmocka_unit_test(test_informed_by_read),  cmocka_unit_test(test_not_lost),
        cmocka_unit_test(test_livelock_flags),    cmocka_unit_test(test_livelock_try),
        cmocka_unit_test(test_work_is_no_livelock), cmocka_unit_test(test_spin),
        cmocka_unit_test(test_spin_locks),        cmocka_unit_test(test_polling_under_lock),
        cmocka_unit_test(test_lost_broadcast),    cmocka_unit_test(test_lost_between_others),
        cmocka_unit_test(test_served_is_not_lost), cmocka_unit_test(test_wrong_waiter),
        cmocka_unit_test(test_the_woken_has_lost_nothing),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(f.events);
    return failed;
}
