/* harness_orders.h: a part of harness.h: what the orders of a test's calls give, each with an object of
 * its own. They are tried in a copy of the process, so what waits for ever or leaves something behind
 * does no harm:
 *
 *   under Heddle   the copy is controlled as well (runtime/icept/process/attempt.c): time is virtual,
 *                  and that a call waits for ever is known at once
 *   without        a fork; what takes longer than some milliseconds is taken to wait
 */
#ifndef HEDDLE_HARNESS_ORDERS_H
#define HEDDLE_HARNESS_ORDERS_H

#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_DRAWS 20 /* of calls, until some cannot all wait for ever */
/* Without Heddle, orders are tried for so many milliseconds at first; again, before one is missed. */
#define HEDDLE_SOON_MS 10
#define HEDDLE_LATE_MS 2000

/* What orders give: written by copies of the process, kept for runs with the same calls (under
 * Heddle runs are copies, too). */
struct heddle_tries {
    int order, made; /* under way; calls of it that have returned */
    unsigned long long number, sum; /* of the calls, plus 1; of what follows */
    int is_testable, n_calls, n_threaded;
    struct heddle_call calls[HEDDLE_CALLS];
    int stopped[HEDDLE_ORDERS]; /* so many had returned when one waited; -1 = all did */
    long long outcome[HEDDLE_ORDERS][HEDDLE_CALLS];
};
static struct heddle_tries *heddle_tries;

static heddle_model *heddle_orders_model; /* NULL = on objects */

/* Not by libc, whose calls Heddle follows: whether a run has to try its orders, or one before has, must
 * be no difference to its schedule. */
HEDDLE_QUIET void heddle_copy(void *to, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
        __asm__ volatile("" : : : "memory"); /* no call of memmove is made of it */
    }
}
HEDDLE_QUIET int heddle_is_same(const void *a, const void *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (((const unsigned char *)a)[i] != ((const unsigned char *)b)[i])
            return 0;
    return 1;
}

HEDDLE_UNUSED int heddle_share(void)
{
    if (!heddle_tries)
        heddle_tries = (struct heddle_tries *)mmap(NULL, sizeof *heddle_tries, PROT_READ | PROT_WRITE,
                                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return heddle_tries != MAP_FAILED;
}

HEDDLE_QUIET void heddle_list_orders(int *order, int n, int a, int b)
{
    if (heddle_n_orders == HEDDLE_ORDERS)
        return;
    if (n == heddle_n_threaded) {
        heddle_copy(heddle_order[heddle_n_orders++], order, sizeof(int) * (size_t)n);
        return;
    }
    int next[2] = {-1, -1}, seen[2] = {0, 0};
    for (int i = 0; i < heddle_n_calls; i++)
        for (int k = 0; k < 2; k++)
            if (heddle_calls[i].thread == k + 1 && seen[k]++ == (k ? b : a))
                next[k] = i;
    for (int k = 0; k < 2; k++)
        if (next[k] >= 0) {
            order[n] = next[k];
            heddle_list_orders(order, n + 1, a + !k, b + k);
        }
}

/* All calls of order k, from those before the threads to those afterwards. */
HEDDLE_QUIET int heddle_list_calls(int k, int *at)
{
    int n = 0;
    for (int i = 0; i < heddle_n_calls; i++)
        if (heddle_calls[i].thread == 0)
            at[n++] = i;
    for (int i = 0; i < heddle_n_threaded; i++)
        at[n++] = heddle_order[k][i];
    for (int i = 0; i < heddle_n_calls; i++)
        if (heddle_calls[i].thread == 3)
            at[n++] = i;
    return n;
}

HEDDLE_QUIET void heddle_returned(int k, int i, long long got)
{
    heddle_tries->outcome[k][i] = heddle_calls[i].op->is_pointer ? got != 0 : got;
    heddle_tries->made++;
}

HEDDLE_UNUSED void heddle_run_order(int k)
{
    heddle_model *model = heddle_orders_model;
    unsigned char state[HEDDLE_STATE];
    int at[HEDDLE_CALLS], n = heddle_list_calls(k, at);
    memset(state, 0, sizeof state);
    heddle_tries->made = 0;
    if (!model)
        heddle_make();
    for (int i = 0; i < n; i++) {
        struct heddle_call *c = &heddle_calls[at[i]];
        long long got = model ? model(state, c->op->name, c->arg) : c->op->run(c->op->self, c->arg);
        if (model && got == HEDDLE_WAITS)
            break;
        heddle_returned(k, at[i], got);
    }
    if (!model)
        heddle_destroy();
    heddle_tries->stopped[k] = heddle_tries->made == n ? -1 : heddle_tries->made;
    heddle_tries->order = k + 1;
}

/* From the one that is next. */
HEDDLE_UNUSED void heddle_run_orders(void *unused)
{
    (void)unused;
    while (heddle_tries->order < heddle_n_orders)
        heddle_run_order(heddle_tries->order);
}

/* 1: it returned; 0: it waits for ever; 2: it failed; -1: there is no copy. */
HEDDLE_QUIET int heddle_apart(void (*fn)(void *), int ms)
{
    int status = 0;
    if (__heddle_attempt && heddle_is_on())
        return __heddle_attempt(fn, NULL);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct itimerval most = {{0, 0}, {ms / 1000, ms % 1000 * 1000}};
        setitimer(ITIMER_REAL, &most, NULL);
        fn(NULL);
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -1;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        return 0;
    return WIFEXITED(status) && !WEXITSTATUS(status) ? 1 : 2;
}

/* The order under way waits, and so do those behind it that begin with the same calls. */
HEDDLE_QUIET void heddle_stopped(void)
{
    int k = heddle_tries->order, made = heddle_tries->made, n = made + 1;
    for (int i = 0; i < heddle_n_calls; i++)
        n -= heddle_calls[i].thread == 0;
    if (n > heddle_n_threaded) /* afterwards */
        n = heddle_n_threaded;
    do
        heddle_tries->stopped[heddle_tries->order++] = made;
    while (heddle_tries->order < heddle_n_orders &&
           (n <= 0 || heddle_is_same(heddle_order[heddle_tries->order], heddle_order[k],
                                     sizeof(int) * (size_t)n)));
}

HEDDLE_QUIET void heddle_try_orders(int ms)
{
    heddle_tries->order = 0;
    while (heddle_tries->order < heddle_n_orders) {
        int is = heddle_apart(heddle_run_orders, ms);
        if (is == 0) {
            heddle_stopped();
        } else if (is != 1) { /* what fails by itself fails here, for everybody to see */
            heddle_run_orders(NULL);
        }
    }
}

/* Leaves out a call that waits before or after the threads; 0: there is none. */
HEDDLE_QUIET int heddle_drop_waiting(void)
{
    for (int k = 0; k < heddle_n_orders; k++) {
        int at[HEDDLE_CALLS], stopped = heddle_tries->stopped[k];
        heddle_list_calls(k, at);
        if (stopped < 0 || heddle_calls[at[stopped]].thread % 3)
            continue;
        heddle_copy(&heddle_calls[at[stopped]], &heddle_calls[at[stopped] + 1],
                    sizeof *heddle_calls * (size_t)(--heddle_n_calls - at[stopped]));
        return 1;
    }
    return 0;
}

/* Could both threads wait, or one after the other's end, whatever the schedule? Then somewhere
 * whole calls have led to a state in which no call that is next returns. */
HEDDLE_QUIET int heddle_may_wait(void)
{
    int before = heddle_n_calls - heddle_n_threaded;
    for (int i = 0; i < heddle_n_calls; i++)
        before -= heddle_calls[i].thread == 3;
    for (int k = 0; k < heddle_n_orders; k++) {
        int made = heddle_tries->stopped[k] - before, goes_on = 0;
        for (int j = 0; j < heddle_n_orders && heddle_tries->stopped[k] >= 0; j++)
            goes_on |= (heddle_tries->stopped[j] < 0 || heddle_tries->stopped[j] - before > made) &&
                       heddle_is_same(heddle_order[j], heddle_order[k], sizeof(int) * (size_t)made);
        if (heddle_tries->stopped[k] >= 0 && !goes_on)
            return 1;
    }
    return 0;
}

HEDDLE_QUIET void heddle_list_all_orders(void)
{
    int order[HEDDLE_CALLS];
    heddle_n_orders = 0;
    heddle_list_orders(order, 0, 0, 0);
}

/* Draws calls until there are some that cannot all wait for ever. */
HEDDLE_QUIET int heddle_draw(unsigned long long number)
{
    for (unsigned draw = 0; draw < HEDDLE_DRAWS; draw++) {
        heddle_choose(number, draw);
        do {
            heddle_list_all_orders();
            heddle_try_orders(HEDDLE_SOON_MS);
        } while (heddle_drop_waiting());
        if (!heddle_may_wait())
            return 1;
    }
    return 0;
}

HEDDLE_QUIET unsigned long long heddle_sum(void)
{
    const unsigned char *from = (const unsigned char *)&heddle_tries->is_testable;
    const unsigned char *to = (const unsigned char *)(heddle_tries + 1);
    unsigned long long sum = heddle_tries->number;
    while (from < to)
        sum = (sum ^ *from++) * 0x100000001b3ull;
    return sum;
}

/* Calls for this number, and what their orders give. 0: all that were drawn may wait for ever. */
HEDDLE_QUIET int heddle_prepare(unsigned long long number, heddle_model *model)
{
    struct heddle_tries *t = heddle_tries;
    if (t->number == number + 1 && t->sum == heddle_sum()) { /* a run before has tried them */
        heddle_n_calls = t->n_calls;
        heddle_n_threaded = t->n_threaded;
        heddle_copy(heddle_calls, t->calls, sizeof heddle_calls);
        heddle_list_all_orders();
        return t->is_testable;
    }
    t->number = 0;
    heddle_orders_model = model;
    t->is_testable = heddle_draw(number);
    t->n_calls = heddle_n_calls;
    t->n_threaded = heddle_n_threaded;
    heddle_copy(t->calls, heddle_calls, sizeof heddle_calls);
    t->number = number + 1;
    t->sum = heddle_sum();
    return t->is_testable;
}

#ifdef __cplusplus
}
#endif
#endif
