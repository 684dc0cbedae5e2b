/* test_effect.c: what each kind of event means, column by column. The lists are the
 * meaning; event.def must agree with them, row by row. */
#include "event/effect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define E(k) HD_EV_##k
#define KINDS(...) (const u8[]){__VA_ARGS__}, sizeof((const u8[]){__VA_ARGS__})

static u32 effects(u8 kind, u32 arg)
{
    return hd_effects(&(struct hd_event){.kind = kind, .arg = arg});
}

/* Exactly these kinds have it, given that arg. */
static void have(u32 effect, u32 arg, const u8 *kind, size_t n)
{
    for (u32 k = 0; k < HD_EV_COUNT; k++)
        if (((effects((u8)k, arg) & effect) != 0) !=
            (n && memchr(kind, (int)k, n)))
            fail_msg("%s, arg %u: effect %u", hd_event_text((u8)k), arg, effect);
}

static void acquires(void **state)
{
    have(HD_ACQUIRES, 0,
         KINDS(E(ALOAD), E(ARMW), E(FENCE), E(JOIN), E(LOCK), E(TRYLOCK), E(RDLOCK), E(WRLOCK), E(TRYRDLOCK),
               E(TRYWRLOCK), E(COND_WAKE), E(BARRIER_LEAVE), E(SEM_WAIT), E(SEM_TRYWAIT),
               E(ONCE_BEGIN), E(FUTEX_WOKEN), E(SIGWAIT), E(HANDLER), E(HB_ACQUIRE)));
    /* arg 1: an error; a thread that runs a once routine itself; the serial thread; a signal;
     * relaxed */
    have(HD_ACQUIRES, 1,
         KINDS(E(BARRIER_LEAVE), E(SIGWAIT), E(HANDLER), E(HB_ACQUIRE)));
}

static void releases(void **state)
{
    have(HD_RELEASES, 0,
         KINDS(E(ASTORE), E(ARMW), E(FENCE), E(CREATE), E(UNLOCK), E(RW_UNLOCK), E(BARRIER_WAIT),
               E(SEM_POST), E(ONCE_END), E(KILL), E(HB_RELEASE)));
    /* arg 1: an error; one thread woken; a once routine that was abandoned */
    have(HD_RELEASES, 1,
         KINDS(E(CREATE), E(COND_SIGNAL), E(COND_BROADCAST), E(FUTEX_WAKE),
               E(FUTEX_REQUEUE), E(BARRIER_WAIT), E(KILL), E(HB_RELEASE)));
}

static void locks(void **state)
{
    const u8 all[] = {E(LOCK), E(TRYLOCK), E(RDLOCK), E(WRLOCK), E(TRYRDLOCK), E(TRYWRLOCK)};
    have(HD_TAKES, 0, all, sizeof all);
    have(HD_TAKES, EOWNERDEAD, all, sizeof all); /* its owner died, the lock is held */
    have(HD_TAKES, EBUSY, NULL, 0);
    have(HD_GIVES, 0, KINDS(E(UNLOCK), E(RW_UNLOCK)));
    have(HD_GIVES, EPERM, NULL, 0);
    have(HD_SHARED, 0, KINDS(E(RDLOCK), E(TRYRDLOCK)));
}

static void memory(void **state)
{
    have(HD_READS, 0, KINDS(E(READ), E(ALOAD), E(ARMW), E(SEM_GETVALUE)));
    have(HD_WRITES, 0, KINDS(E(WRITE), E(ASTORE), E(ARMW)));
    have(HD_ATOMIC, 0, KINDS(E(ALOAD), E(ASTORE), E(ARMW), E(FENCE)));
}

/* Acquires and releases by memory order. */
static void orders(void **state)
{
    const u32 both = HD_ACQUIRES | HD_RELEASES;
    const u32 want[] = {[HD_MO_SEQ_CST] = both,       [HD_MO_RELAXED] = 0,
                        [HD_MO_CONSUME] = HD_ACQUIRES, [HD_MO_ACQUIRE] = HD_ACQUIRES,
                        [HD_MO_RELEASE] = HD_RELEASES, [HD_MO_ACQ_REL] = both};
    for (u32 order = 0; order < HD_COUNT(want); order++) {
        assert_int_equal(effects(E(ARMW), order) & both, want[order]);
        assert_int_equal(effects(E(FENCE), order) & both, want[order]);
        assert_int_equal(effects(E(ALOAD), order) & both, want[order] & HD_ACQUIRES);
        assert_int_equal(effects(E(ASTORE), order) & both, want[order] & HD_RELEASES);
        u32 failed = effects(E(ARMW), order | HD_MO_FAILED);
        assert_int_equal(failed & (both | HD_READS | HD_WRITES), (want[order] & HD_ACQUIRES) | HD_READS);
    }
}

static void waits(void **state)
{
    have(HD_WAITS, 0, KINDS(E(COND_WAIT), E(FUTEX_WAIT)));
    have(HD_WAITS, EAGAIN, NULL, 0);
    have(HD_BLOCKS, 0,
         KINDS(E(JOIN), E(LOCK), E(RDLOCK), E(WRLOCK), E(COND_WAKE), E(BARRIER_LEAVE), E(SEM_WAIT),
               E(ONCE_BEGIN), E(FUTEX_WOKEN), E(SLEEP), E(IO), E(SIGWAIT)));
}

static void generations(void **state)
{
    have(HD_BEGINS, 0,
         KINDS(E(MUTEX_INIT), E(RW_INIT), E(COND_INIT), E(BARRIER_INIT), E(SEM_INIT), E(ALLOC)));
    have(HD_BEGINS, 3, KINDS(E(MUTEX_INIT), E(RW_INIT), E(COND_INIT), E(SEM_INIT), E(ALLOC)));
    have(HD_ENDS, 0,
         KINDS(E(MUTEX_DESTROY), E(RW_DESTROY), E(COND_DESTROY), E(BARRIER_DESTROY), E(SEM_DESTROY),
               E(FREE)));
    have(HD_ENDS, EBUSY, KINDS(E(FREE)));
}

/* What says that a thread in a loop gets on. */
static void progress(void **state)
{
    have(HD_TRIES, 0,
         KINDS(E(LOCK), E(TRYLOCK), E(UNLOCK), E(RDLOCK), E(WRLOCK), E(TRYRDLOCK), E(TRYWRLOCK),
               E(RW_UNLOCK), E(SEM_WAIT), E(SEM_TRYWAIT), E(COND_WAIT), E(JOIN), E(DETACH),
               E(FUTEX_WAIT)));
    have(HD_WEAK, 0,
         KINDS(E(ARMW), E(LOCK), E(TRYLOCK), E(UNLOCK), E(RDLOCK), E(WRLOCK), E(TRYRDLOCK),
               E(TRYWRLOCK), E(RW_UNLOCK), E(SEM_WAIT), E(SEM_TRYWAIT), E(COND_WAIT), E(IO),
               E(KILL)));
    have(HD_IDLE, 0,
         KINDS(E(FENCE), E(END), E(BENIGN), E(ATOMIC_BEGIN), E(ATOMIC_END), E(PASS), E(GAP), E(START), E(COND_WAKE), E(BARRIER_LEAVE), E(FUTEX_WAIT),
               E(FUTEX_WOKEN), E(SLEEP), E(RETURN), E(HANDLER)));
}

static void spaces(void **state)
{
    static const struct {
        u8 first, last, space;
    } range[] = {
        {E(READ), E(ARMW), HD_SPACE_MEMORY},
        {E(FENCE), E(FENCE), HD_SPACE_FENCE},
        {E(CREATE), E(DETACH), HD_SPACE_THREAD},
        {E(MUTEX_INIT), E(CONSISTENT), HD_SPACE_MUTEX},
        {E(RW_INIT), E(RW_UNLOCK), HD_SPACE_RWLOCK},
        {E(COND_INIT), E(COND_BROADCAST), HD_SPACE_COND},
        {E(BARRIER_INIT), E(BARRIER_LEAVE), HD_SPACE_BARRIER},
        {E(SEM_INIT), E(SEM_GETVALUE), HD_SPACE_SEM},
        {E(ONCE_BEGIN), E(ONCE_END), HD_SPACE_ONCE},
        {E(FUTEX_WAIT), E(FUTEX_REQUEUE), HD_SPACE_FUTEX},
        {E(YIELD), E(SLEEP), HD_SPACE_NONE},
        {E(IO), E(IO), HD_SPACE_IO},
        {E(KILL), E(HANDLER), HD_SPACE_SIGNAL},
        {E(RETURN), E(RETURN), HD_SPACE_NONE},
        {E(HB_RELEASE), E(HB_ACQUIRE), HD_SPACE_NOTE},
        {E(ALLOC), E(ALLOC), HD_SPACE_HEAP},
        {E(FREE), E(FREE), HD_SPACE_MEMORY},
        {E(NOTE), E(GAP), HD_SPACE_NONE},
    };
    u32 next = 0;
    for (u32 i = 0; i < HD_COUNT(range); i++) {
        assert_int_equal(range[i].first, next);
        for (; next <= range[i].last; next++)
            if (hd_space_of((u8)next) != range[i].space)
                fail_msg("%s: space %u", hd_event_text((u8)next), hd_space_of((u8)next));
    }
    assert_int_equal(next, HD_EV_COUNT); /* no kind was left out */
}

/* The one word of the class column does not contradict the others. */
static void classes(void **state)
{
    for (u32 k = 0; k < HD_EV_COUNT; k++) {
        enum hd_evclass class = hd_event_class((u8)k);
        assert_int_equal(class == HD_CLASS_ACQ, hd_may((u8)k, HD_TAKES));
        assert_int_equal(class == HD_CLASS_REL, hd_may((u8)k, HD_GIVES));
        assert_int_equal(class == HD_CLASS_RMW, hd_may((u8)k, HD_READS) && hd_may((u8)k, HD_WRITES));
        if (class == HD_CLASS_WAKES)
            assert_true(hd_may((u8)k, HD_RELEASES));
        if (class == HD_CLASS_WAITS)
            assert_true(hd_may((u8)k, HD_WAITS | HD_ACQUIRES));
        if (class == HD_CLASS_LOCAL && k != E(FENCE)) /* by itself nobody notices a fence */
            assert_false(hd_may((u8)k, HD_ACQUIRES | HD_RELEASES | HD_READS | HD_WRITES));
    }
}

/* A record that was overwritten has kinds that do not exist. */
static void no_kind(void **state)
{
    for (u32 k = HD_EV_COUNT; k < 256; k++) {
        assert_int_equal(effects((u8)k, 0), 0);
        assert_int_equal(hd_space_of((u8)k), HD_SPACE_NONE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(acquires), cmocka_unit_test(releases), cmocka_unit_test(locks),
        cmocka_unit_test(memory),
        cmocka_unit_test(orders),   cmocka_unit_test(waits),    cmocka_unit_test(generations),
        cmocka_unit_test(progress), cmocka_unit_test(spaces),   cmocka_unit_test(classes),
        cmocka_unit_test(no_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
