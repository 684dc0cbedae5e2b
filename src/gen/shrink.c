/* shrink.c: a test that goes wrong, with fewer calls and smaller arguments, as long as it goes
 * wrong in the same way. Each attempt runs all its orders and some schedules. */
#include "gen/gen.h"

#include "base/stop.h"

#define BATCHES 6
#define MOST_NS 20000000000ll /* 20 s for one test */

static void remove_call(struct hd_wire_test *t, u32 i)
{
    memmove(&t->call[i], &t->call[i + 1], (t->n - i - 1u) * sizeof *t->call);
    t->n--;
}

/* Threads without calls are taken out; false: fewer than two are left. */
static bool close_ranks(struct hd_wire_test *t)
{
    u32 to = 0;
    for (u32 k = 1; k <= t->threads; k++) {
        bool is_any = false;
        for (u32 i = 0; i < t->n; i++)
            is_any |= t->call[i].thread == k;
        if (!is_any)
            continue;
        to++;
        for (u32 i = 0; i < t->n; i++)
            if (t->call[i].thread == k)
                t->call[i].thread = (u8)to;
    }
    t->threads = (u8)to;
    return to >= 2;
}

/* A run that a limit of time ends takes seconds, and smaller tests are many. */
static bool is_worth(const struct hd_gen *g) { return !hd_stop_is_due() && hd_monotonic_ns() < g->small_until_ns; }

/* Does the smaller test do it? Then it is the test. */
static bool accept(struct hd_gen *g, struct hd_wire_test *t, const struct hd_wire_test *smaller,
                   enum hd_gen_wrong how, struct hd_gen_outcome *got, struct hd_error *err)
{
    struct hd_gen_outcome again;
    u32 verdict = got->verdict;
    if (hd_gen_try(g, smaller, BATCHES, &again, err) != how || again.verdict != verdict)
        return false;
    *t = *smaller;
    *got = again;
    return true;
}

static bool fewer_calls(struct hd_gen *g, struct hd_wire_test *t, enum hd_gen_wrong how,
                        struct hd_gen_outcome *got, struct hd_error *err)
{
    bool is_any = false;
    for (u32 i = t->n; i-- > 0 && is_worth(g);) {
        struct hd_wire_test smaller = *t;
        u32 op = t->call[i].op, thread = t->call[i].thread;
        if (i >= t->n)
            continue;
        remove_call(&smaller, i);
        /* What a removed call made possible goes with it. */
        for (u32 k = i; k < smaller.n; k++)
            if (smaller.call[k].thread == thread &&
                g->api->func.at[smaller.call[k].op].after == (s32)op && thread) {
                remove_call(&smaller, k);
                break;
            }
        is_any |= close_ranks(&smaller) && accept(g, t, &smaller, how, got, err);
    }
    return is_any;
}

static void smaller_arguments(struct hd_gen *g, struct hd_wire_test *t, enum hd_gen_wrong how,
                              struct hd_gen_outcome *got, struct hd_error *err)
{
    for (u32 i = 0; i < t->n && is_worth(g); i++) {
        struct hd_wire_test smaller = *t;
        bool is_zero = true;
        for (u32 k = 0; k < HD_WIRE_ARGS; k++)
            is_zero &= !t->call[i].arg[k];
        memset(smaller.call[i].arg, 0, HD_WIRE_ARGS);
        if (!is_zero && accept(g, t, &smaller, how, got, err))
            continue;
        for (u32 k = 0; k < HD_WIRE_ARGS && !is_zero && is_worth(g); k++) {
            smaller = *t;
            if (!t->call[i].arg[k])
                continue;
            smaller.call[i].arg[k]--;
            accept(g, t, &smaller, how, got, err);
        }
    }
}

int hd_gen_shrink(struct hd_gen *g, struct hd_wire_test *t, enum hd_gen_wrong how,
                  struct hd_gen_outcome *got, struct hd_error *err)
{
    g->small_until_ns = hd_monotonic_ns() + MOST_NS;
    for (u32 round = 0; round < 3 && fewer_calls(g, t, how, got, err); round++)
        ;
    smaller_arguments(g, t, how, got, err);
    /* The orders are those of the test as it is now. */
    struct hd_gen_outcome again;
    if (hd_gen_try(g, t, 2 * BATCHES, &again, err) == how && again.verdict == got->verdict)
        *got = again;
    return 0;
}
