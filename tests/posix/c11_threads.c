/* C11 threads: exit value, detach, once, sleep, equality
 * text:   thrd_exit gives the result to thrd_join; call_once calls once; thrd_sleep
 *         returns 0 after the time
 * expect: exit 0
 */
#include "check.h"
#include <stdatomic.h>
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
static int calls;
static atomic_int detached;

static void init(void) { calls++; }

static int user(void *arg)
{
    call_once(&once, init);
    thrd_yield();
    thrd_exit(*(int *)arg);
}

static int alone(void *arg)
{
    detached = 1;
    return 0;
}

int main(void)
{
    int values[2] = {-3, 70000}, r;
    thrd_t t[2];
    for (int i = 0; i < 2; i++)
        IS(thrd_create(&t[i], user, &values[i]), thrd_success);
    TRUE(!thrd_equal(t[0], t[1]) && thrd_equal(thrd_current(), thrd_current()));
    for (int i = 0; i < 2; i++) {
        IS(thrd_join(t[i], &r), thrd_success);
        IS(r, values[i]);
    }
    IS(calls, 1);
    long long begin = now_ns(CLOCK_MONOTONIC);
    struct timespec ms = {.tv_nsec = 5000000};
    IS(thrd_sleep(&ms, NULL), 0);
    TRUE(now_ns(CLOCK_MONOTONIC) - begin >= 5000000);
    IS(thrd_create(&t[0], alone, NULL), thrd_success);
    IS(thrd_detach(t[0]), thrd_success);
    while (!detached)
        thrd_yield();
    return 0;
}
