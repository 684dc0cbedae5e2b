/* pthread_once: once, for all; again after a cancelled routine or a reset. */
#include "check.h"

#include <threads.h>

static pthread_once_t control = PTHREAD_ONCE_INIT;
static once_flag flag = ONCE_FLAG_INIT;
static int runs, value;

static void routine(void)
{
    runs++;
    sched_yield();
    value = 42;
}

static void *by_pthread(void *arg)
{
    IS(pthread_once(&control, routine), 0);
    IS(value, 42);
    return NULL;
}

static void *by_c11(void *arg)
{
    call_once(&flag, routine);
    IS(value, 42);
    return NULL;
}

static void all_at_once(void *(*fn)(void *))
{
    pthread_t t[4];
    runs = value = 0;
    for (int i = 0; i < 4; i++)
        IS(pthread_create(&t[i], NULL, fn, NULL), 0);
    for (int i = 0; i < 4; i++)
        IS(pthread_join(t[i], NULL), 0);
    IS(runs, 1);
}

/* Inner and outer once; the inner one is left by cancellation with it. */
static pthread_once_t inner, outer;
static int attempts;

static void inner_routine(void)
{
    if (attempts++ == 0) {
        pthread_cancel(pthread_self());
        pthread_testcancel();
    }
}

static void outer_routine(void)
{
    IS(pthread_once(&inner, inner_routine), 0);
    runs++;
}

static void *cancelled(void *arg)
{
    pthread_once(&outer, outer_routine);
    return NULL;
}

static void *exit_inside(void *arg);
static pthread_once_t exits = PTHREAD_ONCE_INIT;

static void exit_routine(void)
{
    if (attempts++ == 0)
        pthread_exit((void *)5);
}

static void *exit_inside(void *arg)
{
    IS(pthread_once(&exits, exit_routine), 0);
    return NULL;
}

int main(void)
{
    all_at_once(by_pthread);
    all_at_once(by_c11);
    control = PTHREAD_ONCE_INIT;
    all_at_once(by_pthread);

    runs = 0;
    IS(in_thread(cancelled, NULL), PTHREAD_CANCELED);
    IS(runs, 0);
    IS(in_thread(cancelled, NULL), 0);
    IS(in_thread(cancelled, NULL), 0);
    IS(runs, 1);
    IS(attempts, 2);

    attempts = 0;
    IS(in_thread(exit_inside, NULL), 5);
    IS(in_thread(exit_inside, NULL), 0);
    IS(attempts, 2);

    for (int i = 0; i < 3; i++) { /* a new control at an old address */
        pthread_once_t local = PTHREAD_ONCE_INIT;
        runs = 0;
        IS(pthread_once(&local, routine), 0);
        IS(pthread_once(&local, routine), 0);
        IS(runs, 1);
    }
    return 0;
}
