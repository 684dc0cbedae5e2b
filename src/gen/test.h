/* test.h: a generated test and what its runs gave.
 *
 * A test is the calls of struct hd_wire_test (wire.h), in this order: those of main before the
 * threads, those of each thread, those of main after the threads. An *order* is a sequence of
 * the threads' calls that keeps each thread's own; an *outcome* is what one run gave. See
 * docs/design/gen.md.
 */
#ifndef HD_GEN_TEST_H
#define HD_GEN_TEST_H

#include "event/shm.h"
#include "gen/api.h"
#include "gen/wire.h"

#define HD_GEN_ORDERS 100

struct hd_gen_outcome {
    u32 verdict; /* enum hd_verdict_kind */
    u32 limit;
    bool is_order; /* of one order of the calls, not of threads side by side: */
    u8 order[HD_WIRE_CALLS], n_order;
    struct hd_wire_result r;
    char msg[200]; /* of the verdict */
};

/* All sequential outcomes of a test. */
struct hd_gen_orders {
    struct hd_gen_outcome *at; /* HD_GEN_ORDERS of them */
    u32 n;
    bool is_failing;  /* some order crashes or fails by itself */
    bool is_blocking; /* some order blocks */
    bool has_waiting; /* some call of a thread can wait, maybe with a time-out */
    bool is_exact;    /* each had a process of its own (orders.c) */
};

static inline bool hd_gen_is_threaded(const struct hd_wire_call *c)
{
    return c->thread != HD_WIRE_BEFORE && c->thread != HD_WIRE_AFTER;
}

/* How many orders the test has, at most HD_GEN_ORDERS + 1. */
u32 hd_gen_order_count(const struct hd_wire_test *t);
/* Order k as a test of its own; false: there are fewer. */
bool hd_gen_order(const struct hd_wire_test *t, u32 k, struct hd_wire_test *out);

/* Is the verdict a failure of the program, other than to block? */
bool hd_gen_is_failure(u32 verdict);
/* Did threads wait for each other for ever? */
bool hd_gen_is_blocked(u32 verdict);

/* Do the results of call i count? Not what an observer saw in a test with calls that can wait:
 * a queue may count those who wait, and no order of whole calls has anybody waiting. */
bool hd_gen_is_compared(const struct hd_api *a, const struct hd_wire_test *t,
                        const struct hd_gen_orders *all, u32 i);
/* Same results? Pointers count as handles, by first appearance. */
bool hd_gen_is_same(const struct hd_api *a, const struct hd_wire_test *t,
                    const struct hd_gen_orders *all, const struct hd_gen_outcome *x,
                    const struct hd_gen_outcome *y);
/* In how many calls the results differ. */
u32 hd_gen_distance(const struct hd_api *a, const struct hd_wire_test *t,
                    const struct hd_gen_orders *all, const struct hd_gen_outcome *x,
                    const struct hd_gen_outcome *y);

/* The first call whose results differ; t->n = none. */
u32 hd_gen_difference(const struct hd_api *a, const struct hd_wire_test *t,
                      const struct hd_gen_orders *all, const struct hd_gen_outcome *x,
                      const struct hd_gen_outcome *y);

enum hd_gen_wrong {
    HD_GEN_RIGHT,
    HD_GEN_WRONG_RESULT, /* no order gives these results */
    HD_GEN_WRONG_END,    /* a failure that no order shows */
    HD_GEN_WRONG_BLOCK,  /* blocked where no order does */
    HD_GEN_WRONG_RACE,   /* a data race (race.c): not by hd_gen_judge */
};
/* Is the outcome of a run with threads explained by an order that keeps real-time order? */
enum hd_gen_wrong hd_gen_judge(const struct hd_api *a, const struct hd_wire_test *t,
                               const struct hd_gen_orders *all, const struct hd_gen_outcome *got);
/* The order whose results are nearest to it, NULL = none ended. */
const struct hd_gen_outcome *hd_gen_nearest(const struct hd_api *a, const struct hd_wire_test *t,
                                            const struct hd_gen_orders *all,
                                            const struct hd_gen_outcome *got);

/* "push(1) = 0", for people; call i of the outcome, NULL = without results. */
void hd_gen_call_text(const struct hd_api *a, const struct hd_wire_test *t, u32 i,
                      const struct hd_gen_outcome *got, char *buf, size_t size);

#endif
