/* test_predict_iroot.c: what the predictor says about scripted profile runs: the
 * paper's infeasible cases are left out, its feasible ones are there. */
#include "unit/predict_script.h"

/* ---- the order (figure 5a) ------------------------------------------------------- */

static void concurrent_both_ways(void **state)
{
    foretell(ONE, EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), R(1, X, 2)), "iroot/1:1,2 iroot/1:2,1");
    foretell(ONE, EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), W(1, X, 2)), "iroot/1:1,2 iroot/1:2,1");
    foretell(ONE, EVENTS(CREATE(0, 1, 0x90), R(0, X, 1), R(1, X, 2)), "");
    foretell(ONE, EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), R(1, Y, 2)), "");
}

static void create_and_join(void **state)
{
    foretell(ONE, EVENTS(W(0, X, 1), CREATE(0, 1, 0x90), R(1, X, 2)), "iroot/1:1,2");
    foretell(ONE, EVENTS(CREATE(0, 1, 0x90), W(1, X, 2), EXIT(1), JOIN(0, 1, 0x91), R(0, X, 1)),
             "iroot/1:2,1");
    /* a join that failed orders nothing */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), W(1, X, 2), EV(0, JOIN, 1, 0x91, .arg = 16), R(0, X, 1)),
             "iroot/1:1,2 iroot/1:2,1");
    /* over a grandchild */
    foretell(ONE, EVENTS(W(0, X, 1), CREATE(0, 1, 0x90), CREATE(1, 2, 0x91), W(2, X, 2)),
             "iroot/1:1,2");
    /* created before: not ordered by the second create */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), CREATE(0, 2, 0x91), R(1, X, 2), R(2, X, 3)),
             "iroot/1:1,2 iroot/1:2,1 iroot/1:1,3");
}

static void barrier(void **state)
{
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), EV(0, BARRIER_WAIT, B, 3),
                    EV(1, BARRIER_WAIT, B, 4), EV(0, BARRIER_LEAVE, B, 3),
                    EV(1, BARRIER_LEAVE, B, 4), R(1, X, 2)),
             "iroot/1:1,2 iroot/1:3,4 iroot/1:4,3");
    /* two rounds: accesses of one round race; a fast thread may arrive for the second
     * before a slow one has left the first */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), EV(0, BARRIER_WAIT, B, 3), EV(1, BARRIER_WAIT, B, 4),
                    EV(0, BARRIER_LEAVE, B, 3), W(0, X, 1), EV(0, BARRIER_WAIT, B, 5),
                    EV(1, BARRIER_LEAVE, B, 4), R(1, X, 2), EV(1, BARRIER_WAIT, B, 6),
                    EV(0, BARRIER_LEAVE, B, 5), EV(1, BARRIER_LEAVE, B, 6)),
             "iroot/1:1,2 iroot/1:2,1 iroot/1:3,4 iroot/1:4,3 iroot/1:5,6 iroot/1:6,5 iroot/1:5,4 "
             "iroot/1:6,3");
}

static void condition(void **state)
{
    /* woken by 1: what came before the signal is before what follows the wait */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), LOCK(0, M, 0x10), UNLOCK(0, M, 0x11),
                    EV(0, COND_WAIT, C, 0x11), W(1, X, 1), LOCK(1, M, 0x12),
                    EV(1, COND_SIGNAL, C, 0x13, .arg = 1), UNLOCK(1, M, 0x14), W(1, Y, 3),
                    EV(0, COND_WAKE, C, 0x11), LOCK(0, M, 0x11), R(0, X, 2), R(0, Y, 4),
                    UNLOCK(0, M, 0x15)),
             "iroot/1:1,2 iroot/1:3,4 iroot/1:4,3 iroot/1:13,11 iroot/1:14,11 iroot/1:14,10 "
             "iroot/1:11,12");
    /* timed out: nobody woke it */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), EV(0, COND_WAIT, C, 0x11), W(1, X, 1),
                    EV(1, COND_SIGNAL, C, 0x13), EV(0, COND_WAKE, C, 0x11, .arg = 110), R(0, X, 2)),
             "iroot/1:1,2 iroot/1:2,1");
    /* two wakers and two waiters: who woke whom is open */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), CREATE(0, 2, 0x91), CREATE(0, 3, 0x92),
                    EV(0, COND_WAIT, C, 0x11), EV(3, COND_WAIT, C, 0x12), W(1, X, 1),
                    EV(1, COND_SIGNAL, C, 0x13, .arg = 1), EV(2, COND_SIGNAL, C, 0x14, .arg = 1),
                    EV(0, COND_WAKE, C, 0x11), R(0, X, 2), EV(3, COND_WAKE, C, 0x12)),
             "iroot/1:1,2 iroot/1:2,1 iroot/1:13,11 iroot/1:14,11 iroot/1:13,12 iroot/1:14,12");
}

static void semaphore(void **state)
{
    const char *posted = "iroot/1:1,2 iroot/1:20,21";
    foretell(ONE,
             EVENTS(EV(0, SEM_INIT, S, 0x89), CREATE(0, 1, 0x90), W(0, X, 1),
                    EV(0, SEM_POST, S, 0x20), EV(1, SEM_WAIT, S, 0x21), R(1, X, 2)),
             posted);
    /* a token was there: the post orders nothing */
    foretell(ONE,
             EVENTS(EV(0, SEM_INIT, S, 0x89, .arg = 1), CREATE(0, 1, 0x90), W(0, X, 1),
                    EV(0, SEM_POST, S, 0x20), EV(1, SEM_WAIT, S, 0x21), R(1, X, 2)),
             "iroot/1:1,2 iroot/1:2,1 iroot/1:20,21");
    /* two posts, one wait: either will do; the second wait needs both */
    foretell(ONE,
             EVENTS(EV(0, SEM_INIT, S, 0x89), CREATE(0, 1, 0x90), CREATE(0, 2, 0x91), W(0, X, 1),
                    EV(0, SEM_POST, S, 0x20), EV(2, SEM_POST, S, 0x22), EV(1, SEM_WAIT, S, 0x21),
                    R(1, X, 2), EV(1, SEM_WAIT, S, 0x23), R(1, X, 3)),
             "iroot/1:1,2 iroot/1:2,1 iroot/1:1,3 iroot/1:20,21 iroot/1:22,21 iroot/1:20,23 "
             "iroot/1:22,23");
}

static void once_and_annotations(void **state)
{
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), EV(0, ONCE_BEGIN, C, 0x30, .arg = 1), W(0, X, 1),
                    EV(0, ONCE_END, C, 0x30), EV(1, ONCE_BEGIN, C, 0x31), R(1, X, 2)),
             "iroot/1:1,2 iroot/1:30,31");
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), EV(0, HB_RELEASE, C, 0x30),
                    EV(1, HB_ACQUIRE, C, 0x31), R(1, X, 2)),
             "iroot/1:1,2 iroot/1:30,31");
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), EV(1, FUTEX_WAIT, C, 0x31), W(0, X, 1),
                    EV(0, FUTEX_WAKE, C, 0x30, .arg = 1), EV(1, FUTEX_WOKEN, C, 0x31), R(1, X, 2)),
             "iroot/1:1,2 iroot/1:30,31");
}

/* while (!flag); -- three equal reads, one write, one read, then on. */
static void spin_flag(void **state)
{
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), R(1, Y, 5), R(1, Y, 5), R(1, Y, 5), W(0, X, 1), W(0, Y, 6),
                    R(1, Y, 5), R(1, X, 2)),
             "iroot/1:1,2 iroot/1:5,6 iroot/1:6,5");
    /* two reads are no loop */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), R(1, Y, 5), R(1, Y, 5), W(0, X, 1), W(0, Y, 6), R(1, Y, 5),
                    R(1, X, 2)),
             "iroot/1:1,2 iroot/1:2,1 iroot/1:5,6 iroot/1:6,5");
    /* it reads on: that value was not what it waits for */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), CREATE(0, 2, 0x91), R(1, Y, 5), R(1, Y, 5), R(1, Y, 5),
                    W(0, X, 1), W(0, Y, 6), R(1, Y, 5), R(1, Y, 5), W(2, Y, 7), R(1, Y, 5),
                    R(1, X, 2)),
             "iroot/1:1,2 iroot/1:2,1 iroot/1:5,6 iroot/1:6,5 iroot/1:5,7 iroot/1:7,5 iroot/1:6,7 "
             "iroot/1:7,6");
    /* it leaves without having read the new value */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), R(1, Y, 5), R(1, Y, 5), R(1, Y, 5), W(0, X, 1), W(0, Y, 6),
                    W(1, Z, 7), R(1, X, 2)),
             "iroot/1:1,2 iroot/1:2,1 iroot/1:5,6 iroot/1:6,5");
    /* it takes it: a lock made of atomics, anybody may be first */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), R(1, Y, 5), R(1, Y, 5), R(1, Y, 5), W(0, X, 1), W(0, Y, 6),
                    R(1, Y, 5), U(1, Y, 7), R(1, X, 2)),
             "iroot/1:1,2 iroot/1:2,1 iroot/1:5,6 iroot/1:6,5 iroot/1:6,7 iroot/1:7,6");
}

/* Something ordered between the two takes the place of one of them. */
static void nothing_in_between(void **state)
{
    /* the child's second read follows its first */
    foretell(ONE, EVENTS(W(0, X, 1), CREATE(0, 1, 0x90), R(1, X, 2), R(1, X, 3)), "iroot/1:1,2");
    /* the parent's first write is overwritten */
    foretell(ONE, EVENTS(W(0, X, 1), W(0, X, 2), CREATE(0, 1, 0x90), R(1, X, 3)), "iroot/1:2,3");
    /* its read does not hide its write from a reader, but from a writer */
    foretell(ONE, EVENTS(W(0, X, 1), R(0, X, 2), CREATE(0, 1, 0x90), R(1, X, 3), W(1, X, 4)),
             "iroot/1:1,3 iroot/1:2,4");
    /* a third thread in between for sure */
    foretell(ONE,
             EVENTS(W(0, X, 1), CREATE(0, 1, 0x90), W(1, X, 2), EXIT(1), JOIN(0, 1, 0x91),
                    CREATE(0, 2, 0x92), R(2, X, 3)),
             "iroot/1:1,2 iroot/1:2,3");
}

/* ---- mutual exclusion (figure 5b) -------------------------------------------------- */

static void critical_sections(void **state)
{
    /* A B under m; C under m: A => C and C => B are impossible */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), LOCK(0, M, 0x10), W(0, X, 1), W(0, X, 2),
                    UNLOCK(0, M, 0x11), LOCK(1, M, 0x12), W(1, X, 3), UNLOCK(1, M, 0x13)),
             "iroot/1:2,3 iroot/1:3,1 iroot/1:11,12 iroot/1:13,10");
    /* another lock does not help */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), LOCK(0, M, 0x10), W(0, X, 1), W(0, X, 2),
                    UNLOCK(0, M, 0x11), LOCK(1, N, 0x12), W(1, X, 3), UNLOCK(1, N, 0x13)),
             "iroot/1:1,3 iroot/1:3,1 iroot/1:2,3 iroot/1:3,2");
    /* two critical sections: in between there is room */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), LOCK(0, M, 0x10), W(0, X, 1), UNLOCK(0, M, 0x11),
                    LOCK(0, M, 0x12), W(0, X, 2), UNLOCK(0, M, 0x13), LOCK(1, M, 0x14), W(1, X, 3),
                    UNLOCK(1, M, 0x15)),
             "iroot/1:1,3 iroot/1:3,1 iroot/1:2,3 iroot/1:3,2 iroot/1:11,14 iroot/1:15,10 "
             "iroot/1:13,14 iroot/1:15,12");
    /* the writer reads again before it unlocks: its write still reaches the reader */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), LOCK(0, M, 0x10), W(0, X, 1), R(0, X, 2),
                    UNLOCK(0, M, 0x11), LOCK(1, M, 0x12), R(1, X, 3), UNLOCK(1, M, 0x13)),
             "iroot/1:1,3 iroot/1:3,1 iroot/1:11,12 iroot/1:13,10");
    /* the other reads before it writes: its write still follows the read */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), LOCK(0, M, 0x10), R(0, X, 1), UNLOCK(0, M, 0x11),
                    LOCK(1, M, 0x12), R(1, X, 2), W(1, X, 3), UNLOCK(1, M, 0x13)),
             "iroot/1:1,3 iroot/1:3,1 iroot/1:11,12 iroot/1:13,10");
    /* attempts that failed take nothing */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), EV(0, TRYLOCK, M, 0x10, .arg = 16), W(0, X, 1), W(0, X, 2),
                    LOCK(1, M, 0x12), W(1, X, 3), UNLOCK(1, M, 0x13)),
             "iroot/1:1,3 iroot/1:3,1 iroot/1:2,3 iroot/1:3,2");
    /* an owner that died left it to the next */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), EV(0, LOCK, M, 0x10, .arg = 130), W(0, X, 1), W(0, X, 2),
                    UNLOCK(0, M, 0x11), LOCK(1, M, 0x12), W(1, X, 3), UNLOCK(1, M, 0x13)),
             "iroot/1:2,3 iroot/1:3,1 iroot/1:11,12 iroot/1:13,10");
}

static void readers_share(void **state)
{
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), EV(0, RDLOCK, M, 0x10), R(0, X, 1),
                    EV(0, RW_UNLOCK, M, 0x11), EV(1, RDLOCK, M, 0x12), W(1, X, 2), W(1, X, 3),
                    EV(1, RW_UNLOCK, M, 0x13)),
             "iroot/1:1,2 iroot/1:2,1 iroot/1:1,3 iroot/1:3,1");
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), EV(0, RDLOCK, M, 0x10), R(0, X, 1),
                    EV(0, RW_UNLOCK, M, 0x11), EV(1, WRLOCK, M, 0x12), W(1, X, 2), W(1, X, 3),
                    EV(1, RW_UNLOCK, M, 0x13)),
             "iroot/1:1,2 iroot/1:3,1 iroot/1:11,12 iroot/1:13,10");
}

/* Nested locks: under the outer one the inner critical sections stay together. */
static void nested_locks(void **state)
{
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), LOCK(0, M, 0x10), LOCK(0, N, 0x11), UNLOCK(0, N, 0x12),
                    LOCK(0, N, 0x13), UNLOCK(0, N, 0x14), UNLOCK(0, M, 0x15), LOCK(1, M, 0x20),
                    LOCK(1, N, 0x21), UNLOCK(1, N, 0x22), UNLOCK(1, M, 0x23)),
             "iroot/1:15,20 iroot/1:23,10 iroot/1:14,21 iroot/1:22,11");
    /* taking a recursive lock again is no access of its own */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), LOCK(0, M, 0x10), LOCK(0, M, 0x11), UNLOCK(0, M, 0x12),
                    W(0, X, 1), W(0, X, 2), UNLOCK(0, M, 0x13), LOCK(1, M, 0x20), R(1, X, 3),
                    UNLOCK(1, M, 0x21)),
             "iroot/1:13,20 iroot/1:21,10 iroot/1:2,3 iroot/1:3,1");
}

/* ---- objects ----------------------------------------------------------------------- */

static void lifetimes(void **state)
{
    /* judged when the object ends; the next one at that address is another */
    foretell(ONE,
             EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), R(1, X, 2), EV(0, FREE, X - 8, 9, .arg = 24),
                    EV(1, ALLOC, X - 8, 9, .arg = 24), W(1, X, 3)),
             "iroot/1:1,2 iroot/1:2,1");
    /* a whole written, halves read */
    foretell(ONE,
             EVENTS(EV(0, WRITE, X, 1, .size = 8), CREATE(0, 1, 0x90), EV(1, READ, X, 2, .size = 4),
                    EV(1, READ, X + 4, 3, .size = 4), EV(0, WRITE, X + 4, 4, .size = 4)),
             "iroot/1:1,2 iroot/1:1,3 iroot/1:3,4 iroot/1:4,3");
}

static void updates(void **state)
{
    foretell(ONE | TWO, EVENTS(CREATE(0, 1, 0x90), U(0, X, 1), U(1, X, 2)),
             "iroot/1:1,2 iroot/1:2,1");
    foretell(ONE | TWO, EVENTS(CREATE(0, 1, 0x90), U(0, X, 1), U(0, X, 2), U(1, X, 3)),
             "iroot/1:1,3 iroot/1:3,1 iroot/1:2,3 iroot/1:3,2 iroot/2:1,3,2");
}

/* ---- compound idioms ------------------------------------------------------------------ */

static void idiom_2(void **state)
{
    foretell(TWO, EVENTS(CREATE(0, 1, 0x90), R(0, X, 1), R(0, X, 2), W(1, X, 3)), "iroot/2:1,3,2");
    /* one critical section */
    foretell(TWO,
             EVENTS(CREATE(0, 1, 0x90), LOCK(0, M, 0x10), R(0, X, 1), W(0, X, 2),
                    UNLOCK(0, M, 0x11), LOCK(1, M, 0x12), W(1, X, 3), UNLOCK(1, M, 0x13)),
             "");
    /* two: the classic lost update */
    foretell(TWO,
             EVENTS(CREATE(0, 1, 0x90), LOCK(0, M, 0x10), R(0, X, 1), UNLOCK(0, M, 0x11),
                    LOCK(0, M, 0x12), W(0, X, 2), UNLOCK(0, M, 0x13), LOCK(1, M, 0x14), W(1, X, 3),
                    UNLOCK(1, M, 0x15)),
             "iroot/2:1,3,2");
    /* the thread itself touches X in between */
    foretell(TWO, EVENTS(CREATE(0, 1, 0x90), R(0, X, 1), R(0, X, 9), R(0, X, 2), W(1, X, 3)),
             "iroot/2:1,3,9 iroot/2:9,3,2");
}

static void idiom_3(void **state)
{
    foretell(THREE, EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), R(0, X, 2), R(1, X, 3), W(1, X, 4)),
             "iroot/3:1,3,4,2 iroot/3:3,1,2,4");
}

static void idiom_4(void **state)
{
    const char *both = "iroot/4:1,3,4,2 iroot/4:3,1,2,4";
    foretell(FOUR, EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), W(0, Y, 2), W(1, X, 3), W(1, Y, 4)),
             both);
    /* each under its own critical section */
    foretell(FOUR,
             EVENTS(CREATE(0, 1, 0x90), LOCK(0, M, 0x10), W(0, X, 1), UNLOCK(0, M, 0x11),
                    LOCK(0, M, 0x12), W(0, Y, 2), UNLOCK(0, M, 0x13), LOCK(1, N, 0x14), W(1, X, 3),
                    W(1, Y, 4), UNLOCK(1, N, 0x15)),
             both);
    /* a lock kept by one and held by the other */
    foretell(FOUR,
             EVENTS(CREATE(0, 1, 0x90), LOCK(0, M, 0x10), W(0, X, 1), W(0, Y, 2),
                    UNLOCK(0, M, 0x11), LOCK(1, M, 0x14), W(1, X, 3), W(1, Y, 4),
                    UNLOCK(1, M, 0x15)),
             "");
    /* ... at the first of its two accesses: then both come after the pair */
    foretell(FOUR,
             EVENTS(CREATE(0, 1, 0x90), LOCK(1, M, 0x14), R(1, X, 3), UNLOCK(1, M, 0x15),
                    W(1, Y, 4), LOCK(0, M, 0x10), W(0, X, 1), R(0, Y, 2), UNLOCK(0, M, 0x11)),
             "iroot/4:3,1,2,4 iroot/4:15,10,2,4");
    /* ... at the second: then both come before it */
    foretell(FOUR,
             EVENTS(CREATE(0, 1, 0x90), LOCK(0, M, 0x10), W(0, X, 1), R(0, Y, 2),
                    UNLOCK(0, M, 0x11), R(1, X, 3), LOCK(1, M, 0x14), W(1, Y, 4),
                    UNLOCK(1, M, 0x15)),
             "iroot/4:3,1,2,4 iroot/4:3,1,11,14");
    /* the order of the other thread does not fit */
    foretell(FOUR, EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), W(0, Y, 2), W(1, Y, 4), W(1, X, 3)), "");
}

/* Figure 4: the MySQL bug, between critical sections of two locks. */
static void maple_figure_4(void **state)
{
    struct hd_predict p;
    enum { open = M, log = N };
    hd_predict_init(&p, &(struct hd_predict_config){.idioms = FOUR});
    profile(&p, EVENTS(CREATE(0, 1, 0x90), LOCK(0, open, 1), UNLOCK(0, open, 2), LOCK(0, log, 3),
                       UNLOCK(0, log, 4), LOCK(1, open, 5), UNLOCK(1, open, 6), LOCK(1, log, 7),
                       UNLOCK(1, log, 8)));
    assert_true(predicts(&p, "iroot/4:2,5,8,3"));
    hd_predict_release(&p);
}

static void idiom_5(void **state)
{
    foretell(FIVE, EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), W(0, Y, 2), W(1, Y, 3), W(1, X, 4)),
             "iroot/5:1,4,3,2");
    /* kept apart by one lock */
    foretell(FIVE,
             EVENTS(CREATE(0, 1, 0x90), LOCK(0, M, 0x10), W(0, X, 1), W(0, Y, 2),
                    UNLOCK(0, M, 0x11), LOCK(1, M, 0x12), W(1, Y, 3), W(1, X, 4),
                    UNLOCK(1, M, 0x13)),
             "");
    /* kept by one only: the other's second access comes after its critical section */
    foretell(FIVE,
             EVENTS(CREATE(0, 1, 0x90), LOCK(0, M, 0x10), W(0, X, 1), W(0, Y, 2),
                    UNLOCK(0, M, 0x11), W(1, Y, 3), LOCK(1, M, 0x12), W(1, X, 4),
                    UNLOCK(1, M, 0x13)),
             "iroot/5:1,4,3,2");
    /* ... by the other only */
    foretell(FIVE,
             EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), LOCK(0, M, 0x10), W(0, Y, 2),
                    UNLOCK(0, M, 0x11), LOCK(1, M, 0x12), W(1, Y, 3), W(1, X, 4),
                    UNLOCK(1, M, 0x13)),
             "iroot/5:1,4,3,2");
}

static void deadlocks(void **state)
{
#define PAIR(t, a, b, s)                                                                           \
    LOCK(t, a, s), LOCK(t, b, (s) + 1), UNLOCK(t, b, (s) + 2), UNLOCK(t, a, (s) + 3)
    struct hd_predict p;
    hd_predict_init(&p, &(struct hd_predict_config){.idioms = FIVE});
    profile(&p, EVENTS(CREATE(0, 1, 0x90), PAIR(0, M, N, 1), PAIR(1, N, M, 5)));
    assert_true(predicts(&p, "iroot/5:1,6,5,2"));
    hd_predict_release(&p);
    /* same order; a gate; one after the other for sure */
    foretell(FIVE, EVENTS(CREATE(0, 1, 0x90), PAIR(0, M, N, 1), PAIR(1, M, N, 5)), "");
    foretell(FIVE,
             EVENTS(CREATE(0, 1, 0x90), LOCK(0, X, 0x20), PAIR(0, M, N, 1), UNLOCK(0, X, 0x21),
                    LOCK(1, X, 0x22), PAIR(1, N, M, 5), UNLOCK(1, X, 0x23)),
             "");
    foretell(FIVE, EVENTS(PAIR(0, M, N, 1), CREATE(0, 1, 0x90), PAIR(1, N, M, 5)), "");
#undef PAIR
}

static void idiom_6(void **state)
{
    foretell(SIX, EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), W(0, Y, 2), R(1, X, 3), R(1, Y, 4)),
             "iroot/6:1,3,2,4 iroot/6:3,1,4,2");
    foretell(SIX, EVENTS(CREATE(0, 1, 0x90), W(0, X, 1), W(0, Y, 2), R(1, Y, 4), R(1, X, 3)), "");
}

/* Memory and locks mix. */
static void mixed(void **state)
{
    struct hd_predict p;
    hd_predict_init(&p, &(struct hd_predict_config){0});
    profile(&p, EVENTS(CREATE(0, 1, 0x90), LOCK(0, M, 1), UNLOCK(0, M, 2), R(0, Y, 4),
                       LOCK(1, M, 5), W(1, Y, 7), UNLOCK(1, M, 6)));
    assert_true(predicts(&p, "iroot/4:2,5,7,4"));
    assert_true(predicts(&p, "iroot/6:2,5,4,7"));
    hd_predict_release(&p);
}

static void window(void **state)
{
    for (u32 steps = 0; steps < 4; steps++) {
        struct hd_predict p;
        const struct hd_event first[] = {CREATE(0, 1, 0x90), R(0, X, 1)}, pad = W(0, Z, 9),
                              rest[] = {R(0, X, 3), W(1, X, 2)};
        hd_predict_init(&p, &(struct hd_predict_config){.window = 3});
        hd_predict_begin_run(&p, 1);
        hd_predict_event(&p, &first[0]);
        hd_predict_event(&p, &first[1]);
        for (u32 i = 0; i < steps; i++)
            hd_predict_event(&p, &pad);
        hd_predict_event(&p, &rest[0]);
        hd_predict_event(&p, &rest[1]);
        hd_predict_end_run(&p);
        assert_int_equal(predicts(&p, "iroot/2:1,2,3"), steps + 1 < 3);
        hd_predict_release(&p);
    }
}

/* ---- what comes with a candidate ------------------------------------------------------- */

struct taken {
    u32 n;
    struct hd_candidate at[64];
};

static void take(void *self, const struct hd_candidate *c)
{
    struct taken *t = self;
    if (t->n < HD_COUNT(t->at))
        t->at[t->n++] = *c;
}

static void explanation(void **state)
{
    struct hd_predict p;
    struct taken t = {0};
    hd_predict_init(&p, &(struct hd_predict_config){.idioms = ONE, .sink = take, .self = &t});
    const struct hd_event ev[] = {
        CREATE(0, 1, 0x90), CREATE(0, 2, 0x90), EV(2, WRITE, X, 1, .size = 8, .ctx = 5),
        EV(2, WRITE, X, 1, .size = 8, .ctx = 5), EV(2, WRITE, X, 1, .size = 8, .ctx = 5),
        EV(0, READ, X, 2, .size = 8, .ctx = 7)};
    profile(&p, ev, HD_COUNT(ev));
    assert_int_equal(t.n, 2);
    const struct hd_candidate *c = t.at[0].element.site[0] == 1 ? &t.at[0] : &t.at[1];
    assert_int_equal(c->n, 2);
    assert_int_equal(c->run, 1);
    assert_int_equal(c->event[0].site, 1);
    assert_int_equal(c->event[0].tid, 2);
    assert_int_equal(c->event[0].addr, X);
    assert_int_equal(c->event[0].create_site, 0x90);
    assert_int_equal(c->event[0].create_nth, 2);
    /* the last one stands for itself: nothing of its thread comes after it */
    assert_int_equal(c->event[0].times, 1);
    assert_int_equal(c->event[0].executed, 3);
    assert_int_equal(c->event[0].last.ctx, 5);
    assert_int_equal(c->event[0].last.nth, 3);
    assert_int_equal(c->event[1].kind, HD_ACC_READ);
    assert_int_equal(c->event[1].create_site, 0);
    /* the same again: nothing new */
    profile(&p, ev, HD_COUNT(ev));
    assert_int_equal(t.n, 2);
    assert_int_equal(p.count.new_in_run, 0);
    assert_int_equal(p.count.in_run, 2);
    hd_predict_release(&p);
}

static void sync_pairs(void **state)
{
    struct hd_predict p;
    hd_predict_init(&p, &(struct hd_predict_config){.idioms = 1 << 30, .syncpairs = true});
    profile(&p, EVENTS(CREATE(0, 1, 0x90), LOCK(0, M, 1), UNLOCK(0, M, 2), LOCK(0, M, 3),
                       UNLOCK(0, M, 4), LOCK(1, M, 5), UNLOCK(1, M, 6)));
    expect_predicted(&p, "syncpair/0:1,3 syncpair/0:1,5 syncpair/0:3,5 syncpair/0:5,1 "
                         "syncpair/0:5,3");
    hd_predict_release(&p);
    /* AC2 and AC3: an outer lock keeps two inner critical sections together */
    hd_predict_init(&p, &(struct hd_predict_config){.idioms = 1 << 30, .syncpairs = true});
    profile(&p, EVENTS(CREATE(0, 1, 0x90), LOCK(0, N, 7), LOCK(0, M, 1), UNLOCK(0, M, 2),
                       LOCK(0, M, 3), UNLOCK(0, M, 4), UNLOCK(0, N, 8), LOCK(1, N, 9),
                       LOCK(1, M, 5), UNLOCK(1, M, 6), UNLOCK(1, N, 0x10)));
    expect_predicted(&p, "syncpair/0:1,3 syncpair/0:3,5 syncpair/0:5,1 syncpair/0:7,9 "
                         "syncpair/0:9,7");
    hd_predict_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(concurrent_both_ways), cmocka_unit_test(create_and_join),
        cmocka_unit_test(barrier), cmocka_unit_test(condition), cmocka_unit_test(semaphore),
        cmocka_unit_test(once_and_annotations), cmocka_unit_test(spin_flag),
        cmocka_unit_test(nothing_in_between), cmocka_unit_test(critical_sections),
        cmocka_unit_test(readers_share), cmocka_unit_test(nested_locks),
        cmocka_unit_test(lifetimes), cmocka_unit_test(updates), cmocka_unit_test(idiom_2),
        cmocka_unit_test(idiom_3), cmocka_unit_test(idiom_4), cmocka_unit_test(maple_figure_4),
        cmocka_unit_test(idiom_5), cmocka_unit_test(deadlocks), cmocka_unit_test(idiom_6),
        cmocka_unit_test(mixed), cmocka_unit_test(window), cmocka_unit_test(explanation),
        cmocka_unit_test(sync_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
