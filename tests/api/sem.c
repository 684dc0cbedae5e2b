/* Unnamed semaphores. */
#include "check.h"

#include <limits.h>
#include <semaphore.h>

static sem_t s, done;
static int counter;

static void *worker(void *arg)
{
    for (int i = 0; i < 10; i++) {
        struct timespec later = in_ms(CLOCK_MONOTONIC, 100000);
        if (i % 2 == 0 || sem_clockwait(&s, CLOCK_MONOTONIC, &later))
            IS(sem_wait(&s), 0);
        int c = counter;
        counter = c + 1;
        IS(sem_post(&s), 0);
    }
    IS(sem_post(&done), 0);
    return NULL;
}

static void errors(void)
{
    int v = -1;
    IS(sem_init(&s, 0, 2), 0);
    IS(sem_getvalue(&s, &v), 0);
    IS(v, 2);
    errno = 77;
    IS(sem_wait(&s), 0);
    IS(sem_trywait(&s), 0);
    IS(errno, 77); /* left alone */
    FAILS(sem_trywait(&s), EAGAIN);
    IS(sem_getvalue(&s, &v), 0);
    IS(v, 0);
    struct timespec bad = {1, NS}, past = {1, 0}, soon = in_ms(CLOCK_REALTIME, 5);
    FAILS(sem_timedwait(&s, &bad), EINVAL);
    FAILS(sem_timedwait(&s, &past), ETIMEDOUT);
    FAILS(sem_timedwait(&s, &soon), ETIMEDOUT);
    CHECK(is_past(CLOCK_REALTIME, soon));
    soon = in_ms(CLOCK_MONOTONIC, 5);
    FAILS(sem_clockwait(&s, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
    CHECK(is_past(CLOCK_MONOTONIC, soon));
    FAILS(sem_clockwait(&s, 77, &soon), EINVAL);
    IS(sem_post(&s), 0);
    IS(sem_timedwait(&s, &past), 0);
    IS(sem_destroy(&s), 0);

    FAILS(sem_init(&s, 0, (unsigned)SEM_VALUE_MAX + 1), EINVAL);
    IS(sem_init(&s, 0, SEM_VALUE_MAX), 0);
    FAILS(sem_post(&s), EOVERFLOW);
    IS(sem_wait(&s), 0);
    IS(sem_post(&s), 0);
    IS(sem_destroy(&s), 0);
}

int main(void)
{
    errors();
    for (int pshared = 0; pshared < 2; pshared++) {
        IS(sem_init(&s, pshared, 1), 0);
        IS(sem_init(&done, pshared, 0), 0);
        counter = 0;
        pthread_t t[3];
        for (int i = 0; i < 3; i++)
            IS(pthread_create(&t[i], NULL, worker, NULL), 0);
        for (int i = 0; i < 3; i++)
            IS(sem_wait(&done), 0);
        IS(counter, 30);
        for (int i = 0; i < 3; i++)
            IS(pthread_join(t[i], NULL), 0);
        IS(sem_destroy(&s), 0);
        IS(sem_destroy(&done), 0);
    }
    return 0;
}
