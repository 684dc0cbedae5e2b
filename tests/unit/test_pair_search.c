/* test_pair_search.c: which two events the search for the deciding pair takes as competing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "minimize/pair_search.h"

static struct hd_event event(u8 kind, u64 obj, u8 size)
{
    return (struct hd_event){.kind = kind, .obj = obj, .size = size};
}

static bool is_same(struct hd_event a, struct hd_event b)
{
    bool is = hd_pair_search_same_object(&a, &b);
    assert_int_equal(hd_pair_search_same_object(&b, &a), is);
    return is;
}

/* Accesses that share a byte, wherever each begins. */
static void memory(void **state)
{
    struct hd_event wide = event(HD_EV_WRITE, 0x1000, 8);
    assert_true(is_same(wide, event(HD_EV_READ, 0x1000, 8)));
    assert_true(is_same(wide, event(HD_EV_READ, 0x1004, 4)));
    assert_true(is_same(wide, event(HD_EV_ASTORE, 0x1007, 1)));
    assert_false(is_same(wide, event(HD_EV_READ, 0x1008, 4)));
    assert_false(is_same(wide, event(HD_EV_READ, 0xffc, 4)));
    /* a futex is the word it lies in, of four bytes */
    assert_true(is_same(wide, event(HD_EV_FUTEX_WAIT, 0x1004, 0)));
    assert_false(is_same(wide, event(HD_EV_FUTEX_WAIT, 0x1008, 0)));
}

/* Locks are their address; other kinds of things at the same one are something else. */
static void objects(void **state)
{
    struct hd_event lock = event(HD_EV_LOCK, 0x2000, 0);
    assert_true(is_same(lock, event(HD_EV_UNLOCK, 0x2000, 0)));
    assert_false(is_same(lock, event(HD_EV_LOCK, 0x2001, 0)));
    assert_false(is_same(lock, event(HD_EV_WRITE, 0x2000, 8)));
    assert_false(is_same(lock, event(HD_EV_COND_SIGNAL, 0x2000, 0)));
    assert_false(is_same(event(HD_EV_JOIN, 1, 0), event(HD_EV_JOIN, 1, 0)));
}

/* One of them must change something, and a release does not compete with who comes next. */
static void conflicts(void **state)
{
    struct hd_event a = event(HD_EV_READ, 0x1000, 4), b = a, w = event(HD_EV_WRITE, 0x1000, 4);
    b.tid = w.tid = 1;
    assert_false(hd_pair_search_conflicts(&a, &b));
    assert_true(hd_pair_search_conflicts(&a, &w));
    assert_true(hd_pair_search_conflicts(&w, &a));
}

/* Readers of a lock do not keep one another out. */
static void readers(void **state)
{
    struct hd_event a = event(HD_EV_RDLOCK, 0x2000, 0), b = a, w = event(HD_EV_WRLOCK, 0x2000, 0);
    b.tid = w.tid = 1;
    assert_false(hd_pair_search_conflicts(&a, &b));
    b.kind = HD_EV_TRYRDLOCK;
    assert_false(hd_pair_search_conflicts(&a, &b));
    assert_true(hd_pair_search_conflicts(&a, &w));
}

static void add_step(struct hd_pair_search *h, u16 tid, u8 kind, u64 obj, u32 site)
{
    struct hd_event e = event(kind, obj, kind == HD_EV_LOCK ? 0 : 4);
    e.tid = tid;
    e.site = site;
    e.step = (u32)h->e.n + 1;
    *hd_vec_add(&h->e) = e;
    *hd_vec_add(&h->more) = 0;
}

/* Is the pair of these steps proposed, if thread 2 is preempted by 1 after `before` steps, for
 * `steps`? Releases what h holds. */
static bool is_proposed(struct hd_pair_search *h, u32 before, u32 steps, u32 first, u32 second)
{
    struct hd_shrunk s = {.preemptions = 1};
    const struct hd_choice log[] = {{before, 2, HD_CHOICE_PICK, 0},
                                    {steps, 1, HD_CHOICE_PICK, HD_CHOICE_PREEMPTS},
                                    {(u32)h->e.n - before - steps, 2, HD_CHOICE_PICK, 0}};
    bool is = false;
    hd_list_set(&s.list, log, HD_COUNT(log));
    h->s = &s;
    h->r = &(struct hd_runner){0};
    h->n_steps = h->n_pending = (u32)h->e.n;
    hd_pair_search_propose(h);
    for (u32 i = 0; i < h->n_pairs; i++)
        is |= h->e.at[h->pair[i].first].step == first && h->e.at[h->pair[i].second].step == second;
    hd_vec_release(&h->e);
    hd_vec_release(&h->more);
    hd_list_release(&s.list);
    return is;
}

/* Both threads add to a word in a loop; 2 is preempted between its first read and write. What
 * decides is that read of 1 that came first, with that write of 2 that came next. */
static void rounds_of_a_loop(void **state)
{
    struct hd_pair_search h = {0};
    add_step(&h, 2, HD_EV_READ, 0x1000, 0);
    for (u32 i = 0; i < 5; i++) {
        add_step(&h, 1, HD_EV_READ, 0x1000, 0);
        add_step(&h, 1, HD_EV_WRITE, 0x1000, 1);
        add_step(&h, 1, HD_EV_LOCK, 0x2000, 2);
    }
    for (u32 i = 0; i < 5; i++)
        add_step(&h, 2, i % 2 ? HD_EV_READ : HD_EV_WRITE, 0x1000, i % 2 ? 0 : 1);
    assert_true(is_proposed(&h, 1, 15, 2, 17));
}

/* The same with two locks in turns, each taken by one function to read and by another to write. A
 * pair of one lock is not dropped for a pair of the other, or of both. */
static void two_locks_at_one_site(void **state)
{
    const u64 lock[] = {0x2000, 0x3000};
    struct hd_pair_search h = {0};
    add_step(&h, 2, HD_EV_LOCK, lock[1], 0);
    for (u32 i = 0; i < 12; i++)
        add_step(&h, 1, HD_EV_LOCK, lock[i / 2 % 2], i % 2);
    add_step(&h, 2, HD_EV_LOCK, lock[1], 1);
    for (u32 i = 0; i < 4; i++)
        add_step(&h, 2, HD_EV_LOCK, lock[i / 2 % 2], i % 2);
    assert_true(is_proposed(&h, 1, 12, 4, 14));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory),
        cmocka_unit_test(objects),
        cmocka_unit_test(conflicts),
        cmocka_unit_test(readers),
        cmocka_unit_test(rounds_of_a_loop),
        cmocka_unit_test(two_locks_at_one_site),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
