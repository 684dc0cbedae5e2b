/* Read-write locks: sharing, exclusion, error codes, timed and clock forms. */
#include "check.h"

static pthread_rwlock_t fixed = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t writers = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static void *try_read(void *rw)
{
    long r = pthread_rwlock_tryrdlock(rw);
    if (r == 0)
        pthread_rwlock_unlock(rw);
    return (void *)r;
}

static void *try_write(void *rw)
{
    long r = pthread_rwlock_trywrlock(rw);
    if (r == 0)
        pthread_rwlock_unlock(rw);
    return (void *)r;
}

static void *timed_write(void *rw)
{
    struct timespec past = {1, 0}, soon = in_ms(CLOCK_REALTIME, 5), bad = {1, NS};
    IS(pthread_rwlock_timedwrlock(rw, &past), ETIMEDOUT);
    IS(pthread_rwlock_timedwrlock(rw, &bad), EINVAL);
    IS(pthread_rwlock_timedwrlock(rw, &soon), ETIMEDOUT);
    CHECK(is_past(CLOCK_REALTIME, soon));
    soon = in_ms(CLOCK_MONOTONIC, 5);
    IS(pthread_rwlock_clockwrlock(rw, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
    CHECK(is_past(CLOCK_MONOTONIC, soon));
    IS(pthread_rwlock_clockwrlock(rw, 77, &soon), EINVAL);
    return NULL;
}

static void *timed_read(void *rw)
{
    struct timespec past = {1, 0}, soon = in_ms(CLOCK_REALTIME, 5), bad = {1, -1};
    IS(pthread_rwlock_timedrdlock(rw, &past), ETIMEDOUT);
    IS(pthread_rwlock_timedrdlock(rw, &bad), EINVAL);
    IS(pthread_rwlock_timedrdlock(rw, &soon), ETIMEDOUT);
    CHECK(is_past(CLOCK_REALTIME, soon));
    soon = in_ms(CLOCK_MONOTONIC, 5);
    IS(pthread_rwlock_clockrdlock(rw, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
    CHECK(is_past(CLOCK_MONOTONIC, soon));
    IS(pthread_rwlock_clockrdlock(rw, 77, &soon), EINVAL);
    return NULL;
}

static void *timed_read_ok(void *rw)
{
    struct timespec past = {1, 0};
    IS(pthread_rwlock_timedrdlock(rw, &past), 0);
    IS(pthread_rwlock_unlock(rw), 0);
    IS(pthread_rwlock_clockrdlock(rw, CLOCK_MONOTONIC, &past), 0);
    IS(pthread_rwlock_unlock(rw), 0);
    return NULL;
}

static void basics(pthread_rwlock_t *rw)
{
    IS(pthread_rwlock_rdlock(rw), 0);
    IS(pthread_rwlock_rdlock(rw), 0);
    IS(in_thread(try_read, rw), 0);
    IS(in_thread(try_write, rw), EBUSY);
    IS(in_thread(timed_write, rw), 0);
    IS(in_thread(timed_read_ok, rw), 0);
    IS(pthread_rwlock_unlock(rw), 0);
    IS(in_thread(try_write, rw), EBUSY);
    IS(pthread_rwlock_unlock(rw), 0);
    IS(in_thread(try_write, rw), 0);

    IS(pthread_rwlock_wrlock(rw), 0);
    IS(pthread_rwlock_wrlock(rw), EDEADLK);
    IS(pthread_rwlock_rdlock(rw), EDEADLK);
    IS(in_thread(try_read, rw), EBUSY);
    IS(in_thread(try_write, rw), EBUSY);
    IS(in_thread(timed_read, rw), 0);
    IS(in_thread(timed_write, rw), 0);
    IS(pthread_rwlock_unlock(rw), 0);
    IS(in_thread(try_write, rw), 0);
}

static pthread_rwlock_t *shared;
static int a, b;

static void *reader(void *arg)
{
    for (int i = 0; i < 10; i++) {
        IS(pthread_rwlock_rdlock(shared), 0);
        CHECK(a == b);
        IS(pthread_rwlock_unlock(shared), 0);
    }
    return NULL;
}

static void *writer(void *arg)
{
    for (int i = 0; i < 10; i++) {
        IS(pthread_rwlock_wrlock(shared), 0);
        a++;
        b++;
        IS(pthread_rwlock_unlock(shared), 0);
    }
    return NULL;
}

static void exclusion(pthread_rwlock_t *rw)
{
    pthread_t t[4];
    shared = rw;
    a = b = 0;
    for (int i = 0; i < 4; i++)
        IS(pthread_create(&t[i], NULL, i % 2 ? writer : reader, NULL), 0);
    for (int i = 0; i < 4; i++)
        IS(pthread_join(t[i], NULL), 0);
    IS(a, 20);
    IS(b, 20);
}

int main(void)
{
    basics(&fixed);
    basics(&writers);
    exclusion(&fixed);
    exclusion(&writers);
    pthread_rwlock_t rw;
    pthread_rwlockattr_t attr;
    IS(pthread_rwlockattr_init(&attr), 0);
    for (int kind = 0; kind < 3; kind++) {
        IS(pthread_rwlockattr_setkind_np(&attr, kind), 0);
        IS(pthread_rwlock_init(&rw, &attr), 0);
        basics(&rw);
        exclusion(&rw);
        IS(pthread_rwlock_destroy(&rw), 0);
    }
    IS(pthread_rwlockattr_destroy(&attr), 0);
    return 0;
}
