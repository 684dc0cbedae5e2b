/* futex(2) through syscall(): wait, wake, bit sets, requeue, error codes. */
#include "check.h"

#include <linux/futex.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word, other, flag, n_ready;

static long futex(int *addr, int op, int val, const void *timeout, int *addr2, int val3)
{
    return syscall(SYS_futex, addr, op, val, timeout, addr2, val3);
}

static int get(int *p)
{
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}
static void set(int *p, int v)
{
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);
}

/* A lock in the usual three states. */
static int lock_word;

static void lock(void)
{
    int seen = 0;
    if (__atomic_compare_exchange_n(&lock_word, &seen, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return;
    while (__atomic_exchange_n(&lock_word, 2, __ATOMIC_SEQ_CST) != 0) {
        long r = futex(&lock_word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
        CHECK(r == 0 || errno == EAGAIN || errno == EINTR);
    }
}

static void unlock(void)
{
    if (__atomic_exchange_n(&lock_word, 0, __ATOMIC_SEQ_CST) == 2)
        CHECK(futex(&lock_word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) >= 0);
}

static int counter;

static void *count(void *arg)
{
    for (int i = 0; i < 20; i++) {
        lock();
        int c = counter;
        counter = c + 1;
        unlock();
    }
    return NULL;
}

static void *wait_word(void *op)
{
    __atomic_add_fetch(&n_ready, 1, __ATOMIC_SEQ_CST);
    while (get(&word) == 0) {
        long r = futex(&word, (int)(long)op, 0, NULL, NULL, FUTEX_BITSET_MATCH_ANY);
        CHECK(r == 0 || errno == EAGAIN || errno == EINTR);
    }
    return NULL;
}

static void wake_all(long op)
{
    pthread_t t[3];
    set(&word, 0);
    n_ready = 0;
    for (int i = 0; i < 3; i++)
        IS(pthread_create(&t[i], NULL, wait_word, (void *)op), 0);
    set(&word, 1);
    long n = futex(&word, FUTEX_WAKE | (op & FUTEX_PRIVATE_FLAG), INT_MAX, NULL, NULL, 0);
    CHECK(n >= 0 && n <= 3);
    for (int i = 0; i < 3; i++)
        IS(pthread_join(t[i], NULL), 0);
}

/* Waits for exactly one wake-up, counted by the waker. */
static void *wait_bit(void *bits)
{
    long r;
    do
        r = futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, (int)(long)bits);
    while (r == -1 && errno == EINTR);
    IS(r, 0);
    __atomic_or_fetch(&flag, (int)(long)bits, __ATOMIC_SEQ_CST);
    return NULL;
}

static void bitsets(void)
{
    pthread_t a, b;
    set(&word, 0);
    IS(pthread_create(&a, NULL, wait_bit, (void *)1), 0);
    IS(pthread_create(&b, NULL, wait_bit, (void *)2), 0);
    while (futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 2) == 0)
        sched_yield();
    IS(pthread_join(b, NULL), 0);
    IS(get(&flag), 2);
    IS(futex(&word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, 4), 0);
    while (futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 5) == 0)
        sched_yield();
    IS(pthread_join(a, NULL), 0);
    IS(get(&flag), 3);
}

static void requeue(void)
{
    pthread_t t[3];
    set(&word, 0);
    set(&flag, 0);
    for (long i = 0; i < 3; i++)
        IS(pthread_create(&t[i], NULL, wait_bit, (void *)(1L << i)), 0);
    FAILS(futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, 1, (void *)(long)INT_MAX, &other, 5), EAGAIN);
    int moved = 0; /* woken and requeued together make three */
    while (moved < 3) {
        moved += (int)futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, 0, (void *)(long)INT_MAX, &other, 0);
        sched_yield();
    }
    IS(moved, 3);
    IS(get(&flag), 0);
    IS(futex(&word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0), 0);
    IS(futex(&other, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0), 1);
    IS(futex(&other, FUTEX_REQUEUE_PRIVATE, 1, (void *)(long)1, &word, 0), 2);
    IS(futex(&word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0), 1);
    for (int i = 0; i < 3; i++)
        IS(pthread_join(t[i], NULL), 0);
}

static void wake_op(void)
{
    pthread_t t;
    set(&word, 0);
    set(&flag, 0);
    IS(pthread_create(&t, NULL, wait_bit, (void *)1), 0);
    set(&other, 10);
    int op = FUTEX_OP(FUTEX_OP_ADD, 5, FUTEX_OP_CMP_EQ, 10);
    int n = 10;
    while (futex(&word, FUTEX_WAKE_OP_PRIVATE, 1, (void *)1L, &other, op) == 0) {
        n += 5;
        sched_yield();
    }
    IS(get(&other), n + 5);
    IS(pthread_join(t, NULL), 0);
}

int main(void)
{
    struct timespec soon = {0, 3000000}, bad = {0, NS}, negative = {-1, 0};
    set(&word, 1);
    FAILS(futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0), EAGAIN);
    FAILS(futex(&word, FUTEX_WAIT_PRIVATE, 1, &bad, NULL, 0), EINVAL);
    FAILS(futex(&word, FUTEX_WAIT_PRIVATE, 1, &negative, NULL, 0), EINVAL);
    FAILS(futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 1, NULL, NULL, 0), EINVAL);
    FAILS(futex((int *)((char *)&word + 1), FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0), EINVAL);
    long long before = now_ns(CLOCK_MONOTONIC);
    FAILS(futex(&word, FUTEX_WAIT_PRIVATE, 1, &soon, NULL, 0), ETIMEDOUT);
    CHECK(now_ns(CLOCK_MONOTONIC) - before >= 3000000);
    struct timespec until = in_ms(CLOCK_MONOTONIC, 3);
    FAILS(futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 1, &until, NULL, 1), ETIMEDOUT);
    CHECK(is_past(CLOCK_MONOTONIC, until));
    until = in_ms(CLOCK_REALTIME, 3);
    FAILS(futex(&word, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 1, &until, NULL, 1),
          ETIMEDOUT);
    CHECK(is_past(CLOCK_REALTIME, until));
    IS(futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0), 0);

    wake_all(FUTEX_WAIT_PRIVATE);
    wake_all(FUTEX_WAIT);
    wake_all(FUTEX_WAIT_BITSET_PRIVATE);
    bitsets();
    requeue();
    wake_op();

    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        IS(pthread_create(&t[i], NULL, count, NULL), 0);
    for (int i = 0; i < 3; i++)
        IS(pthread_join(t[i], NULL), 0);
    IS(counter, 60);
    return 0;
}
