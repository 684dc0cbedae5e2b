/* Spin locks. */
#include "check.h"

static pthread_spinlock_t lock;
static int counter;

static void *try_it(void *arg)
{
    return (void *)(long)pthread_spin_trylock(&lock);
}

static void *count(void *arg)
{
    for (int i = 0; i < 20; i++) {
        IS(pthread_spin_lock(&lock), 0);
        int c = counter;
        counter = c + 1;
        IS(pthread_spin_unlock(&lock), 0);
    }
    return NULL;
}

int main(void)
{
    for (int round = 0; round < 2; round++) {
        IS(pthread_spin_init(&lock, round ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE), 0);
        IS(pthread_spin_lock(&lock), 0);
        IS(in_thread(try_it, NULL), EBUSY);
        IS(pthread_spin_unlock(&lock), 0);
        IS(pthread_spin_trylock(&lock), 0);
        IS(in_thread(try_it, NULL), EBUSY);
        IS(pthread_spin_unlock(&lock), 0);
        pthread_t t[2];
        counter = 0;
        for (int i = 0; i < 2; i++)
            IS(pthread_create(&t[i], NULL, count, NULL), 0);
        for (int i = 0; i < 2; i++)
            IS(pthread_join(t[i], NULL), 0);
        IS(counter, 40);
        IS(pthread_spin_destroy(&lock), 0);
    }
    return 0;
}
