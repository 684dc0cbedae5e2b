/* <threads.h>: threads, mutexes, conditions, keys, sleeping. */
#include "check.h"

#include <threads.h>

static mtx_t m;
static cnd_t c;
static tss_t key;
static int counter, turn, destroyed;

static int count(void *arg)
{
    for (int i = 0; i < 20; i++) {
        IS(mtx_lock(&m), thrd_success);
        int x = counter;
        thrd_yield();
        counter = x + 1;
        IS(mtx_unlock(&m), thrd_success);
    }
    return 3;
}

static int try_it(void *arg)
{
    struct timespec past = {1, 0}, soon = in_ms(CLOCK_REALTIME, 5);
    IS(mtx_timedlock(&m, &past), thrd_timedout);
    IS(mtx_timedlock(&m, &soon), thrd_timedout);
    CHECK(is_past(CLOCK_REALTIME, soon));
    return mtx_trylock(&m);
}

static int other_side(void *arg)
{
    for (int i = 0; i < 5; i++) {
        IS(mtx_lock(&m), thrd_success);
        while (turn != 1)
            IS(cnd_wait(&c, &m), thrd_success);
        turn = 0;
        IS(i % 2 ? cnd_signal(&c) : cnd_broadcast(&c), thrd_success);
        IS(mtx_unlock(&m), thrd_success);
    }
    return 0;
}

static void destroy(void *p)
{
    destroyed += *(int *)p;
}

static int use_key(void *arg)
{
    CHECK(tss_get(key) == NULL);
    IS(tss_set(key, arg), thrd_success);
    CHECK(tss_get(key) == arg);
    thrd_exit(9);
}

static int run(thrd_start_t fn, void *arg)
{
    thrd_t t;
    int r;
    IS(thrd_create(&t, fn, arg), thrd_success);
    IS(thrd_join(t, &r), thrd_success);
    return r;
}

int main(void)
{
    static const int types[] = {mtx_plain, mtx_timed, mtx_plain | mtx_recursive,
                                mtx_timed | mtx_recursive};
    for (int i = 0; i < 4; i++) {
        thrd_t t[2];
        int r;
        IS(mtx_init(&m, types[i]), thrd_success);
        counter = 0;
        for (int j = 0; j < 2; j++)
            IS(thrd_create(&t[j], count, NULL), thrd_success);
        for (int j = 0; j < 2; j++) {
            IS(thrd_join(t[j], &r), thrd_success);
            IS(r, 3);
        }
        IS(counter, 40);
        IS(mtx_lock(&m), thrd_success);
        IS(run(try_it, NULL), thrd_busy);
        if (types[i] & mtx_recursive) {
            IS(mtx_trylock(&m), thrd_success);
            IS(mtx_unlock(&m), thrd_success);
            IS(run(try_it, NULL), thrd_busy);
        }
        IS(mtx_unlock(&m), thrd_success);
        mtx_destroy(&m);
    }

    IS(mtx_init(&m, mtx_timed), thrd_success);
    IS(cnd_init(&c), thrd_success);
    thrd_t t;
    IS(thrd_create(&t, other_side, NULL), thrd_success);
    for (int i = 0; i < 5; i++) {
        IS(mtx_lock(&m), thrd_success);
        turn = 1;
        IS(cnd_broadcast(&c), thrd_success);
        while (turn != 0) {
            struct timespec later = in_ms(CLOCK_REALTIME, 1000);
            int r = cnd_timedwait(&c, &m, &later);
            CHECK(r == thrd_success || r == thrd_timedout);
        }
        IS(mtx_unlock(&m), thrd_success);
    }
    IS(thrd_join(t, NULL), thrd_success);
    IS(mtx_lock(&m), thrd_success);
    struct timespec soon = in_ms(CLOCK_REALTIME, 5), bad = {1, NS};
    while (cnd_timedwait(&c, &m, &soon) == thrd_success)
        ;
    CHECK(is_past(CLOCK_REALTIME, soon));
    IS(cnd_timedwait(&c, &m, &bad), thrd_error);
    IS(mtx_unlock(&m), thrd_success);
    cnd_destroy(&c);
    mtx_destroy(&m);

    int one = 1;
    IS(tss_create(&key, destroy), thrd_success);
    IS(run(use_key, &one), 9);
    IS(run(use_key, &one), 9);
    IS(destroyed, 2);
    tss_delete(key);

    struct timespec nap = {0, 2000000}, wrong = {0, -1};
    long long before = now_ns(CLOCK_MONOTONIC);
    IS(thrd_sleep(&nap, NULL), 0);
    CHECK(now_ns(CLOCK_MONOTONIC) - before >= 2000000);
    CHECK(thrd_sleep(&wrong, NULL) < -1);
    return 0;
}
