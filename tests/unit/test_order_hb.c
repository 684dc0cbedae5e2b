/* test_order_hb.c: the order that the runtime keeps in the target (runtime/filter/hb.c,
 * compiled in here) against the naive reference of order_random.h, on the same random
 * lists as order/order.c. It may order more, never less; and exactly the same where
 * objects have addresses of their own, live once, and no store overwrites another. */
#include "runtime/core/gate.h"
#include "runtime/filter/hb.h"
#include "runtime/filter/site.h"
#include "unit/order_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* What hb.c needs of the runtime. */
__thread struct hd_tls hd_tls;
u32 hd_site_n_resting;
void hd_site_look_again(void) {}
struct hd_rt hd_rt;
struct hd_thread hd_thread[HD_MAX_THREADS];

void *hd_arena_alloc(void *self, size_t size)
{
    void *p = calloc(1, size);
    assert_non_null(p);
    return p;
}

enum { LISTS = 150, LESS = 1, MORE = 2 };

static struct list list;
static struct hd_tls tls[LIST_THREADS];
static u32 segment[LIST_N];

static u32 segment_now(u16 t)
{
    hd_tls = tls[t];
    u32 seg = hd_hb_segment();
    tls[t] = hd_tls;
    return seg;
}

/* In a process of its own: a run begins with nothing known. */
static int differs(bool is_strict)
{
    static struct hd_shm_server server;
    int seen = 0;
    hd_rt.server = &server;
    hd_rt.sched.n_threads = LIST_THREADS;
    server.cfg.mode = HD_MODE_LEARN;
    for (u16 t = 0; t < LIST_THREADS; t++) {
        tls[t].tid = t;
        hd_thread[t].tls = &tls[t];
    }
    hd_hb_begin();
    for (u32 j = 0; j < list.n; j++) {
        u16 t = list.ev[j].tid;
        segment[j] = segment_now(t);
        hd_hb_event(&list.ev[j]);
        segment_now(t);
        for (u32 i = 0; i < j; i++) {
            if (list.ev[i].tid == t)
                continue;
            bool is_before = hd_hb_is_ordered(segment[i]), want = list_is_before(&list, i, j);
            if (is_before != want && (want || is_strict))
                fprintf(stderr, "%u (%s by %u) and %u (%s by %u): %s\n", i,
                        hd_event_text(list.ev[i].kind), list.ev[i].tid, j,
                        hd_event_text(list.ev[j].kind), t, want ? "missed" : "too much");
            seen |= is_before == want ? 0 : want ? LESS : MORE;
        }
    }
    return seen;
}

static int run(u64 seed, u32 with, u32 policy, bool is_strict)
{
    list_make(&list, seed, with, policy);
    int status, child = fork();
    if (!child)
        _exit(differs(is_strict));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void the_same(void **state)
{
    for (u64 seed = 0; seed < LISTS; seed++)
        assert_int_equal(run(seed, LIST_ORDERS, ~0u, true), 0);
}

static void never_less(void **state)
{
    u32 more = 0;
    for (u64 seed = 0; seed < LISTS; seed++) {
        int seen = run(seed, ~(u32)LIST_SIGNALS, ~0u, false);
        assert_false(seen & LESS);
        more += seen == MORE;
    }
    assert_true(more > 0); /* else the lists show nothing */
}

/* Threads without room for a clock are ordered with nobody. */
static void many_threads(void **state)
{
    static struct hd_shm_server server;
    hd_rt.server = &server;
    hd_rt.sched.n_threads = HD_HB_THREADS + 2;
    server.cfg.mode = HD_MODE_LEARN;
    hd_hb_begin();
    hd_tls = (struct hd_tls){.tid = HD_HB_THREADS};
    u32 seg = hd_hb_segment();
    assert_true(hd_hb_is_mine(seg));
    assert_null(hd_tls.clock);
    hd_hb_event(&(struct hd_event){.tid = HD_HB_THREADS, .kind = HD_EV_UNLOCK, .obj = 0x10});
    hd_hb_event(&(struct hd_event){.tid = 1, .kind = HD_EV_LOCK, .obj = 0x10});
    hd_tls = (struct hd_tls){.tid = 1};
    hd_hb_segment();
    assert_false(hd_hb_is_ordered(seg));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same),
        cmocka_unit_test(never_less),
        cmocka_unit_test(many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
