/* Mutex types, their error codes, timed and clock forms, mutual exclusion. */
#include "check.h"

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t errorcheck = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;

static void *try_it(void *m)
{
    long r = pthread_mutex_trylock(m);
    if (r == 0)
        pthread_mutex_unlock(m);
    return (void *)r;
}

static void *unlock_it(void *m)
{
    return (void *)(long)pthread_mutex_unlock(m);
}

static void *timed_it(void *m)
{
    struct timespec past = {1, 0}, soon = in_ms(CLOCK_REALTIME, 5), bad = {1, NS};
    IS(pthread_mutex_timedlock(m, &past), ETIMEDOUT);
    IS(pthread_mutex_timedlock(m, &bad), EINVAL);
    IS(pthread_mutex_timedlock(m, &soon), ETIMEDOUT);
    CHECK(is_past(CLOCK_REALTIME, soon));
    soon = in_ms(CLOCK_MONOTONIC, 5);
    IS(pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
    CHECK(is_past(CLOCK_MONOTONIC, soon));
    IS(pthread_mutex_clocklock(m, CLOCK_REALTIME, &past), ETIMEDOUT);
    IS(pthread_mutex_clocklock(m, CLOCK_PROCESS_CPUTIME_ID, &soon), EINVAL);
    return NULL;
}

static void basics(pthread_mutex_t *m)
{
    IS(pthread_mutex_lock(m), 0);
    IS(in_thread(try_it, m), EBUSY);
    IS(in_thread(timed_it, m), 0);
    IS(pthread_mutex_unlock(m), 0);
    IS(in_thread(try_it, m), 0);
    struct timespec past = {1, 0}, bad = {1, -1};
    IS(pthread_mutex_timedlock(m, &past), 0); /* free: a past time does not matter */
    IS(pthread_mutex_unlock(m), 0);
    IS(pthread_mutex_timedlock(m, &bad), 0); /* nor does an invalid one */
    IS(pthread_mutex_unlock(m), 0);
    struct timespec later = in_ms(CLOCK_MONOTONIC, 100000);
    IS(pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &later), 0);
    IS(pthread_mutex_unlock(m), 0);
}

static void init_type(pthread_mutex_t *m, int type)
{
    pthread_mutexattr_t a;
    IS(pthread_mutexattr_init(&a), 0);
    IS(pthread_mutexattr_settype(&a, type), 0);
    IS(pthread_mutex_init(m, &a), 0);
    IS(pthread_mutexattr_destroy(&a), 0);
}

static void check_recursive(pthread_mutex_t *m)
{
    for (int i = 0; i < 5; i++)
        IS(i % 2 ? pthread_mutex_lock(m) : pthread_mutex_trylock(m), 0);
    struct timespec past = {1, 0};
    IS(pthread_mutex_timedlock(m, &past), 0);
    IS(in_thread(unlock_it, m), EPERM);
    for (int i = 0; i < 6; i++) {
        IS(in_thread(try_it, m), EBUSY);
        IS(pthread_mutex_unlock(m), 0);
    }
    IS(in_thread(try_it, m), 0);
    IS(pthread_mutex_unlock(m), EPERM);
}

static void check_errorcheck(pthread_mutex_t *m)
{
    IS(pthread_mutex_unlock(m), EPERM);
    IS(pthread_mutex_lock(m), 0);
    IS(pthread_mutex_lock(m), EDEADLK);
    IS(pthread_mutex_trylock(m), EBUSY);
    struct timespec later = in_ms(CLOCK_REALTIME, 100000);
    IS(pthread_mutex_timedlock(m, &later), EDEADLK);
    IS(in_thread(unlock_it, m), EPERM);
    IS(pthread_mutex_unlock(m), 0);
    IS(pthread_mutex_unlock(m), EPERM);
}

static int counter;

static void *count(void *m)
{
    for (int i = 0; i < 20; i++) {
        struct timespec later = in_ms(CLOCK_REALTIME, 1000000);
        int r = i % 3 == 0   ? pthread_mutex_lock(m)
                : i % 3 == 1 ? pthread_mutex_timedlock(m, &later)
                             : pthread_mutex_trylock(m);
        if (r) {
            CHECK(r == EBUSY || r == ETIMEDOUT);
            IS(pthread_mutex_lock(m), 0);
        }
        int c = counter;
        counter = c + 1;
        IS(pthread_mutex_unlock(m), 0);
    }
    return NULL;
}

static void exclusion(pthread_mutex_t *m)
{
    pthread_t t[3];
    counter = 0;
    for (int i = 0; i < 3; i++)
        IS(pthread_create(&t[i], NULL, count, m), 0);
    for (int i = 0; i < 3; i++)
        IS(pthread_join(t[i], NULL), 0);
    IS(counter, 60);
}

int main(void)
{
    basics(&normal);
    basics(&recursive);
    basics(&errorcheck);
    basics(&adaptive);
    check_recursive(&recursive);
    check_errorcheck(&errorcheck);
    exclusion(&normal);
    exclusion(&recursive);

    static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
                                PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_DEFAULT,
                                PTHREAD_MUTEX_ADAPTIVE_NP};
    /* The same memory takes every type in turn. */
    pthread_mutex_t m;
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++) {
        init_type(&m, types[i]);
        basics(&m);
        if (types[i] == PTHREAD_MUTEX_RECURSIVE)
            check_recursive(&m);
        if (types[i] == PTHREAD_MUTEX_ERRORCHECK)
            check_errorcheck(&m);
        exclusion(&m);
        IS(pthread_mutex_destroy(&m), 0);
    }

    pthread_mutexattr_t a;
    int ceiling = -1;
    IS(pthread_mutexattr_init(&a), 0);
    IS(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT), 0);
    IS(pthread_mutexattr_setprioceiling(&a, 7), 0);
    IS(pthread_mutex_init(&m, &a), 0);
    IS(pthread_mutex_getprioceiling(&m, &ceiling), 0);
    IS(ceiling, 7);
    IS(pthread_mutex_destroy(&m), 0);
    IS(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT), 0);
    IS(pthread_mutex_init(&m, &a), 0);
    basics(&m);
    exclusion(&m);
    IS(pthread_mutex_setprioceiling(&m, 5, &ceiling), EINVAL);
    IS(pthread_mutex_destroy(&m), 0);
    return 0;
}
