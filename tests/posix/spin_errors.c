/* Spin locks: exclusion and EBUSY of trylock
 * text:   trylock returns EBUSY while the lock is held; lock spins until it is free
 * expect: exit 0
 */
#include "check.h"

static pthread_spinlock_t l;
static int n;

static void *busy(void *arg)
{
    IS(pthread_spin_trylock(&l), EBUSY);
    return NULL;
}

static void *add(void *arg)
{
    for (int i = 0; i < 5; i++) {
        OK(pthread_spin_lock(&l));
        n++;
        OK(pthread_spin_unlock(&l));
    }
    return NULL;
}

int main(void)
{
    OK(pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE));
    OK(pthread_spin_lock(&l));
    IS(pthread_spin_trylock(&l), EBUSY);
    join(start(busy, NULL));
    OK(pthread_spin_unlock(&l));
    OK(pthread_spin_trylock(&l));
    OK(pthread_spin_unlock(&l));
    pthread_t a = start(add, NULL), b = start(add, NULL);
    join(a);
    join(b);
    IS(n, 10);
    OK(pthread_spin_destroy(&l));
    return 0;
}
