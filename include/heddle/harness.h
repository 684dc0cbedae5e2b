/* harness.h: concurrent tests of one object by hand-written operations. Included by heddle.h;
 * docs/harness.md.
 *
 *     HEDDLE_OBJECT(struct queue *q, queue_new(4), queue_free(q));
 *     HEDDLE_OP(push, int, (int v), queue_push(q, v));
 *     HEDDLE_OP(pop, int, (), queue_pop(q));
 *     HEDDLE_LINEARIZABLE();
 *
 * is a whole program. Each run makes some calls in two threads; what they return must be what
 * some order of the same calls returns that keeps real-time order. All orders are tried first, in a
 * copy of the process, each with an object of its own (or on the model of HEDDLE_SPEC). An order in
 * which a call waits for ever gives nothing; calls that may all wait for ever are not tested.
 * Which calls: by the number of the run, so a schedule that is replayed makes the same ones.
 */
#ifndef HEDDLE_HARNESS_H
#define HEDDLE_HARNESS_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_ARGS 4
#define HEDDLE_CALLS 16
#define HEDDLE_ORDERS 100
#define HEDDLE_SAME 16 /* runs with the same calls */
#define HEDDLE_ALONE 100 /* tests without Heddle, and for so many seconds at most */
#define HEDDLE_ALONE_S 10
#define HEDDLE_UNUSED __attribute__((unused)) static
/* What the harness notes must not be a scheduling point. */
#define HEDDLE_QUIET __attribute__((unused, noinline, no_sanitize("thread"))) static

struct heddle_op {
    const char *name;
    long long (*run)(void *self, const int *arg);
    void *self;
    int n_args, is_pointer;
    struct heddle_op *next;
};
struct heddle_call {
    const struct heddle_op *op;
    int arg[HEDDLE_ARGS];
    int thread; /* 0 before, 1, 2 side by side, 3 afterwards */
    unsigned begin, end;
    long long result;
};
/* A model: the result of an operation on `state`, which begins as zeros. */
#define HEDDLE_STATE 1024
#define HEDDLE_WAITS (-0x7fffffffffffffffLL - 1) /* ... it waits until another call was made */
typedef long long heddle_model(void *state, const char *op, const int *arg);

static struct heddle_op *heddle_ops, **heddle_ops_end = &heddle_ops;
static void (*heddle_make)(void), (*heddle_destroy)(void);
static struct heddle_call heddle_calls[HEDDLE_CALLS];
static int heddle_n_calls;
static unsigned heddle_stamp;
static int heddle_order[HEDDLE_ORDERS][HEDDLE_CALLS], heddle_n_orders, heddle_n_threaded;
HEDDLE_UNUSED int heddle_share(void);

HEDDLE_UNUSED void heddle_add_op(struct heddle_op *op)
{
    heddle_share();
    *heddle_ops_end = op;
    heddle_ops_end = &op->next;
}

/* ---- which calls ---- */

HEDDLE_QUIET unsigned heddle_random(unsigned long long *state, unsigned n)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)((*state >> 33) % n);
}

HEDDLE_QUIET void heddle_choose(unsigned long long number, unsigned draw)
{
    unsigned long long state = number * 0x9e3779b97f4a7c15ull + 12345 + draw;
    unsigned n_ops = 0, length[4];
    for (struct heddle_op *op = heddle_ops; op; op = op->next)
        n_ops++;
    for (int i = 0; i < 8; i++)
        heddle_random(&state, 2);
    length[0] = heddle_random(&state, 4);
    length[1] = 1 + heddle_random(&state, 3);
    length[2] = 1 + heddle_random(&state, 3);
    length[3] = heddle_random(&state, 3);
    heddle_n_calls = heddle_n_threaded = 0;
    for (int thread = 0; thread < 4; thread++)
        for (unsigned i = 0; i < length[thread]; i++) {
            struct heddle_call *c = &heddle_calls[heddle_n_calls++];
            unsigned k = heddle_random(&state, n_ops);
            c->op = heddle_ops;
            while (k--)
                c->op = c->op->next;
            for (int a = 0; a < HEDDLE_ARGS; a++)
                c->arg[a] = (int)heddle_random(&state, 4) + 1;
            c->thread = thread;
            heddle_n_threaded += thread == 1 || thread == 2;
        }
}

/* ---- calls, by threads or in one order ---- */

HEDDLE_QUIET void heddle_begin(struct heddle_call *c) { c->begin = ++heddle_stamp; }
HEDDLE_QUIET void heddle_end(struct heddle_call *c, long long result)
{
    c->end = ++heddle_stamp;
    c->result = c->op->is_pointer ? result != 0 : result;
}

HEDDLE_UNUSED void heddle_run_call(struct heddle_call *c)
{
    heddle_begin(c);
    heddle_end(c, c->op->run(c->op->self, c->arg));
}

HEDDLE_UNUSED void *heddle_thread(void *arg)
{
    int me = *(int *)arg;
    for (int i = 0; i < heddle_n_calls; i++)
        if (heddle_calls[i].thread == me)
            heddle_run_call(&heddle_calls[i]);
    return NULL;
}

HEDDLE_UNUSED void heddle_run_all(int thread)
{
    for (int i = 0; i < heddle_n_calls; i++)
        if (heddle_calls[i].thread == thread)
            heddle_run_call(&heddle_calls[i]);
}

#ifdef __cplusplus
}
#endif
#include <heddle/harness_orders.h>
#ifdef __cplusplus
extern "C" {
#endif

/* ---- is it explained? ---- */

HEDDLE_QUIET int heddle_distance(int k)
{
    int differ = 0;
    for (int i = 0; i < heddle_n_calls; i++)
        differ += 2 * (heddle_tries->outcome[k][i] != heddle_calls[i].result);
    for (int i = 0; i < heddle_n_threaded; i++)
        for (int j = i + 1; j < heddle_n_threaded; j++)
            if (heddle_calls[heddle_order[k][j]].end < heddle_calls[heddle_order[k][i]].begin)
                return differ + 1; /* against real time */
    return differ;
}

HEDDLE_QUIET size_t heddle_call_text(char *text, size_t size, const struct heddle_call *c,
                                     long long result)
{
    size_t at = (size_t)snprintf(text, size, "%s(", c->op->name);
    for (int i = 0; i < c->op->n_args && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%d", i ? ", " : "", c->arg[i]);
    if (at < size && c->op->is_pointer)
        at += (size_t)snprintf(text + at, size - at, ") %s NULL", result ? "is not" : "is");
    else if (at < size)
        at += (size_t)snprintf(text + at, size - at, ") = %lld", result);
    return at < size ? at : size - 1;
}

HEDDLE_QUIET void heddle_complain(int nearest)
{
    static const char *const where[] = {"before", "thread 1", "thread 2", "afterwards"};
    static char text[500];
    size_t at = (size_t)snprintf(text, sizeof text, "no order of these %d calls gives this",
                                 heddle_n_threaded);
    for (int i = 0; i < heddle_n_calls && at < sizeof text - 64; i++) {
        at +=
            (size_t)snprintf(text + at, sizeof text - at, "\n%s: ", where[heddle_calls[i].thread]);
        at +=
            heddle_call_text(text + at, sizeof text - at, &heddle_calls[i], heddle_calls[i].result);
    }
    if (nearest >= 0 && at < sizeof text - 64) {
        at += (size_t)snprintf(text + at, sizeof text - at, "\nThe nearest order gives: ");
        for (int i = 0; i < heddle_n_threaded && at < sizeof text - 48; i++) {
            int k = heddle_order[nearest][i];
            at += (size_t)snprintf(text + at, sizeof text - at, "%s", i ? "; " : "");
            at += heddle_call_text(text + at, sizeof text - at, &heddle_calls[k],
                                   heddle_tries->outcome[nearest][k]);
        }
    }
    if (__heddle_check_failed)
        __heddle_check_failed(text, __FILE__, __LINE__);
    fprintf(stderr, "%s\n", text);
    abort();
}

/* Is it what some order gives? *at: the nearest one. */
HEDDLE_QUIET int heddle_is_explained(int *at)
{
    int nearest = -1, least = 1 << 20;
    for (int k = 0; k < heddle_n_orders; k++) {
        int d = heddle_tries->stopped[k] < 0 ? heddle_distance(k) : least;
        if (d < least) {
            least = d;
            nearest = k;
        }
    }
    *at = nearest;
    return !least;
}

/* ---- main ---- */

HEDDLE_QUIET void heddle_judge(void)
{
    int nearest;
    if (heddle_is_explained(&nearest))
        return;
    if (!heddle_is_on()) { /* the machine may have been busy */
        heddle_try_orders(HEDDLE_LATE_MS);
        if (heddle_is_explained(&nearest))
            return;
    }
    heddle_complain(nearest);
}

HEDDLE_UNUSED void heddle_test(unsigned long long number, heddle_model *model)
{
    static int who[] = {1, 2};
    pthread_t thread[2];
    if (!heddle_prepare(number, model))
        return;
    heddle_make();
    heddle_run_all(0);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&thread[i], NULL, heddle_thread, &who[i]))
            abort();
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    heddle_run_all(3);
    heddle_judge();
    heddle_destroy();
}

/* Under Heddle one test per run, another after some runs; else a hundred, or what ten seconds are
 * enough for: calls that wait take some milliseconds each. */
HEDDLE_UNUSED int heddle_harness_main(heddle_model *model)
{
    if (!heddle_ops || !heddle_make) {
        fprintf(stderr, "the harness needs HEDDLE_OBJECT and HEDDLE_OP\n");
        return 2;
    }
    if (!heddle_share())
        return 2;
    if (__heddle_run && heddle_is_on()) {
        heddle_test(__heddle_run() / HEDDLE_SAME, model);
        return 0;
    }
    time_t until = time(NULL) + HEDDLE_ALONE_S;
    for (unsigned i = 0; i < HEDDLE_ALONE && time(NULL) <= until; i++)
        heddle_test(i, model);
    return 0;
}

#ifdef __cplusplus
}
#else

/* ---- what a test file says ---- */

/* The object has storage of its own, so that its declaration can be any. */
__attribute__((weak, aligned(16))) unsigned char heddle_object_storage[256];

#define HEDDLE_OBJECT(declaration, make, destroy)                                                  \
    extern declaration __asm__("heddle_object_storage");                                           \
    static void heddle_make_object(void)                                                           \
    {                                                                                              \
        __auto_type made = (make);                                                                 \
        _Static_assert(sizeof made <= sizeof heddle_object_storage, "a pointer is enough");        \
        memcpy(heddle_object_storage, &made, sizeof made);                                         \
        __asm__ volatile("" : : : "memory");                                                       \
    }                                                                                              \
    static void heddle_destroy_object(void) { destroy; }                                           \
    __attribute__((constructor)) static void heddle_add_object(void)                               \
    {                                                                                              \
        heddle_make = heddle_make_object;                                                          \
        heddle_destroy = heddle_destroy_object;                                                    \
    }                                                                                              \
    static void heddle_add_object(void)

#define HEDDLE_PICK(a, b, c, d, e, n, ...) n
#define HEDDLE_COUNT(...) HEDDLE_PICK(0 __VA_OPT__(, ) __VA_ARGS__, 4, 3, 2, 1, 0)
#define HEDDLE_GIVE_0
#define HEDDLE_GIVE_1 arg[0]
#define HEDDLE_GIVE_2 arg[0], arg[1]
#define HEDDLE_GIVE_3 arg[0], arg[1], arg[2]
#define HEDDLE_GIVE_4 arg[0], arg[1], arg[2], arg[3]
#define HEDDLE_GIVE_(n) HEDDLE_GIVE_##n
#define HEDDLE_GIVE(n) HEDDLE_GIVE_(n)
#define HEDDLE_VOID(type) __builtin_types_compatible_p(type, void)

#define HEDDLE_IS_POINTER(type)                                                                    \
    (__builtin_classify_type(__builtin_choose_expr(HEDDLE_VOID(type), 0, (type)0)) == 5)

/* An operation: its name, what it returns, its parameters (numbers), the call. */
#define HEDDLE_OP(ident, type, params, call)                                                       \
    static type heddle_call_##ident params { HEDDLE_RETURN(type, call); }                          \
    static long long heddle_run_##ident(void *self, const int *arg)                                \
    {                                                                                              \
        (void)self, (void)arg;                                                                     \
        return (long long)__builtin_choose_expr(                                                   \
            HEDDLE_VOID(type), (heddle_call_##ident(HEDDLE_GIVE(HEDDLE_COUNT params)), 0),         \
            heddle_call_##ident(HEDDLE_GIVE(HEDDLE_COUNT params)));                                \
    }                                                                                              \
    static struct heddle_op heddle_op_##ident = {                                                  \
        #ident, heddle_run_##ident, NULL, HEDDLE_COUNT params, HEDDLE_IS_POINTER(type), NULL};     \
    __attribute__((constructor)) static void heddle_add_##ident(void)                              \
    {                                                                                              \
        heddle_add_op(&heddle_op_##ident);                                                         \
    }                                                                                              \
    static void heddle_add_##ident(void)
#define HEDDLE_RETURN(type, call) return call

/* Results are those of some order of the same calls on the object itself, */
#define HEDDLE_LINEARIZABLE()                                                                      \
    int main(void) { return heddle_harness_main(NULL); }                                           \
    int main(void)
/* ... or on a model: heddle_model. */
#define HEDDLE_SPEC(model)                                                                         \
    int main(void) { return heddle_harness_main(model); }                                          \
    int main(void)

#endif
#endif
