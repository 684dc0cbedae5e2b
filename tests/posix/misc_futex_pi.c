/* futex with priority inheritance: lock, try, time out, unlock
 * text:   FUTEX_LOCK_PI puts the thread's id into a word that is 0 and else waits; FUTEX_UNLOCK_PI is for the owner
 * expect: exit 0
 */
#define _GNU_SOURCE
#include "check.h"
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>

static atomic_int word, other;
static int n;

static long futex(atomic_int *w, int op, const struct timespec *t)
{
    return syscall(SYS_futex, w, op | FUTEX_PRIVATE_FLAG, 0, t, NULL, 0);
}

static int self(void)
{
    return (int)syscall(SYS_gettid);
}

static void lock(atomic_int *w)
{
    int zero = 0;
    if (!atomic_compare_exchange_strong(w, &zero, self()))
        OK(futex(w, FUTEX_LOCK_PI, NULL));
    IS(*w & FUTEX_TID_MASK, self());
}

static void unlock(atomic_int *w)
{
    int me = self();
    if (!atomic_compare_exchange_strong(w, &me, 0))
        OK(futex(w, FUTEX_UNLOCK_PI, NULL));
}

static void *adds(void *arg)
{
    for (int i = 0; i < 3; i++) {
        lock(&word);
        n++;
        unlock(&word);
    }
    return NULL;
}

/* While main has it. */
static void *is_refused(void *arg)
{
    struct timespec t = in_ms(CLOCK_REALTIME, 5);
    FAILS(futex(&other, FUTEX_TRYLOCK_PI, NULL), EAGAIN);
    FAILS(futex(&other, FUTEX_UNLOCK_PI, NULL), EPERM);
    FAILS(futex(&other, FUTEX_LOCK_PI, &t), ETIMEDOUT);
    TRUE(now_ns(CLOCK_REALTIME) >= t.tv_sec * 1000000000LL + t.tv_nsec);
    return NULL;
}

int main(void)
{
    pthread_t p[3];
    for (int i = 0; i < 3; i++)
        p[i] = start(adds, NULL);
    for (int i = 0; i < 3; i++)
        join(p[i]);
    IS(n, 9);
    IS(word, 0);

    OK(futex(&other, FUTEX_TRYLOCK_PI, NULL));
    FAILS(futex(&other, FUTEX_LOCK_PI, NULL), EDEADLK);
    join(start(is_refused, NULL));
    OK(futex(&other, FUTEX_UNLOCK_PI, NULL)); /* the one who waited has given up */
    IS(other, 0);
    return 0;
}
