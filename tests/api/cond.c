/* Condition variables: signal, broadcast, timed waits on either clock. */
#include "check.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t fixed = PTHREAD_COND_INITIALIZER;
static pthread_cond_t *c;
static int turn, n_waiting, is_open;

static void *other_side(void *arg)
{
    for (int i = 0; i < 10; i++) {
        IS(pthread_mutex_lock(&m), 0);
        while (turn != 1)
            IS(pthread_cond_wait(c, &m), 0);
        turn = 0;
        IS(pthread_cond_signal(c), 0);
        IS(pthread_mutex_unlock(&m), 0);
    }
    return NULL;
}

static void ping_pong(void)
{
    pthread_t t;
    turn = 0;
    IS(pthread_create(&t, NULL, other_side, NULL), 0);
    for (int i = 0; i < 10; i++) {
        IS(pthread_mutex_lock(&m), 0);
        turn = 1;
        IS(pthread_cond_signal(c), 0);
        while (turn != 0)
            IS(pthread_cond_wait(c, &m), 0);
        IS(pthread_mutex_unlock(&m), 0);
    }
    IS(pthread_join(t, NULL), 0);
}

static void *wait_open(void *arg)
{
    IS(pthread_mutex_lock(&m), 0);
    n_waiting++;
    while (!is_open) {
        struct timespec later = in_ms(CLOCK_MONOTONIC, 1000);
        int r = arg ? pthread_cond_clockwait(c, &m, CLOCK_MONOTONIC, &later)
                    : pthread_cond_wait(c, &m);
        CHECK(r == 0 || (arg && r == ETIMEDOUT));
    }
    n_waiting--;
    IS(pthread_mutex_unlock(&m), 0);
    return NULL;
}

static void broadcast(void)
{
    pthread_t t[4];
    is_open = n_waiting = 0;
    for (long i = 0; i < 4; i++)
        IS(pthread_create(&t[i], NULL, wait_open, (void *)(i % 2)), 0);
    for (int done = 0; !done;) {
        IS(pthread_mutex_lock(&m), 0);
        if (n_waiting == 4) {
            is_open = done = 1;
            IS(pthread_cond_broadcast(c), 0);
        }
        IS(pthread_mutex_unlock(&m), 0);
        sched_yield();
    }
    for (int i = 0; i < 4; i++)
        IS(pthread_join(t[i], NULL), 0);
    IS(n_waiting, 0);
}

/* Nobody signals: each wait must end by its time, or spuriously before it. */
static void timeouts(clockid_t clock)
{
    IS(pthread_mutex_lock(&m), 0);
    struct timespec bad = {1, NS}, past = {1, 0}, negative = {-1, 0}, soon;
    IS(pthread_cond_timedwait(c, &m, &bad), EINVAL);
    IS(pthread_cond_clockwait(c, &m, CLOCK_MONOTONIC, &bad), EINVAL);
    IS(pthread_cond_timedwait(c, &m, &past), ETIMEDOUT);
    IS(pthread_cond_timedwait(c, &m, &negative), ETIMEDOUT);
    soon = in_ms(clock, 5);
    while (pthread_cond_timedwait(c, &m, &soon) == 0)
        ;
    CHECK(is_past(clock, soon));
    soon = in_ms(CLOCK_MONOTONIC, 5);
    while (pthread_cond_clockwait(c, &m, CLOCK_MONOTONIC, &soon) == 0)
        ;
    CHECK(is_past(CLOCK_MONOTONIC, soon));
    soon = in_ms(CLOCK_REALTIME, 5);
    while (pthread_cond_clockwait(c, &m, CLOCK_REALTIME, &soon) == 0)
        ;
    CHECK(is_past(CLOCK_REALTIME, soon));
    IS(pthread_cond_clockwait(c, &m, CLOCK_THREAD_CPUTIME_ID, &soon), EINVAL);
    IS(pthread_mutex_unlock(&m), 0);
}

/* A recursive mutex held once is given up and comes back. */
static pthread_mutex_t rec = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void *set_turn(void *arg)
{
    IS(pthread_mutex_lock(&rec), 0);
    turn = 7;
    IS(pthread_cond_signal(c), 0);
    IS(pthread_mutex_unlock(&rec), 0);
    return NULL;
}

static void recursive(void)
{
    pthread_t t;
    turn = 0;
    IS(pthread_mutex_lock(&rec), 0);
    IS(pthread_create(&t, NULL, set_turn, NULL), 0);
    while (turn != 7)
        IS(pthread_cond_wait(c, &rec), 0);
    IS(pthread_mutex_unlock(&rec), 0);
    IS(pthread_join(t, NULL), 0);
}

int main(void)
{
    c = &fixed;
    IS(pthread_cond_signal(c), 0);
    IS(pthread_cond_broadcast(c), 0);
    ping_pong();
    broadcast();
    timeouts(CLOCK_REALTIME);
    recursive();

    static pthread_cond_t made;
    c = &made;
    static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME};
    for (int i = 0; i < 2; i++) {
        pthread_condattr_t a;
        IS(pthread_condattr_init(&a), 0);
        IS(pthread_condattr_setclock(&a, clocks[i]), 0);
        IS(pthread_cond_init(&made, &a), 0);
        IS(pthread_condattr_destroy(&a), 0);
        ping_pong();
        broadcast();
        timeouts(clocks[i]);
        IS(pthread_cond_destroy(&made), 0);
    }
    return 0;
}
