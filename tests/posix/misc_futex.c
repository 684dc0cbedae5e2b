/* futex: wait and wake, counts, requeue
 * text:   a wake gives how many were woken; FUTEX_WAIT_BITSET has an absolute time; requeue moves waiters
 * expect: exit 0
 */
#include "check.h"
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>

static atomic_int a, b, woken;

static long futex(atomic_int *w, int op, int v, void *t, void *w2, int v3)
{
    return syscall(SYS_futex, w, op | FUTEX_PRIVATE_FLAG, v, t, w2, v3);
}

static void *waiter(void *arg)
{
    while (a == 0) {
        long r = futex(&a, FUTEX_WAIT, 0, NULL, NULL, 0);
        if (r < 0)
            TRUE(errno == EAGAIN || errno == EINTR);
    }
    woken++;
    return NULL;
}

int main(void)
{
    struct timespec t = in_ms(CLOCK_MONOTONIC, 5);
    FAILS(futex(&b, FUTEX_WAIT_BITSET, 0, &t, NULL, -1), ETIMEDOUT);
    TRUE(now_ns(CLOCK_MONOTONIC) >= t.tv_sec * 1000000000LL + t.tv_nsec);
    FAILS(futex(&b, FUTEX_WAIT_BITSET, 0, &t, NULL, 0), EINVAL);
    IS(futex(&b, FUTEX_WAKE, 10, NULL, NULL, 0), 0);
    FAILS(futex(&b, FUTEX_CMP_REQUEUE, 1, (void *)1, &a, 7), EAGAIN);
    pthread_t p[3];
    for (int i = 0; i < 3; i++)
        p[i] = start(waiter, NULL);
    a = 1;
    long n = futex(&a, FUTEX_WAKE, 10, NULL, NULL, 0);
    TRUE(n >= 0 && n <= 3);
    for (int i = 0; i < 3; i++)
        join(p[i]);
    IS(woken, 3);
    return 0;
}
