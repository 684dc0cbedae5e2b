/* Named semaphores, between threads of one process. */
#include "check.h"

#include <fcntl.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t *ping, *pong;
static int counter;

static void *other_side(void *arg)
{
    for (int i = 0; i < 10; i++) {
        IS(sem_wait(ping), 0);
        counter++;
        IS(sem_post(pong), 0);
    }
    return NULL;
}

int main(void)
{
    char a[64], b[64];
    int v = -1;
    snprintf(a, sizeof a, "/heddle-test-a-%d", (int)getpid());
    snprintf(b, sizeof b, "/heddle-test-b-%d", (int)getpid());
    sem_unlink(a);
    sem_unlink(b);
    CHECK(sem_open(a, 0) == SEM_FAILED && errno == ENOENT);
    CHECK((ping = sem_open(a, O_CREAT | O_EXCL, 0600, 3)) != SEM_FAILED);
    CHECK(sem_open(a, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
    CHECK(sem_open(a, O_CREAT, 0600, 1) == ping); /* one mapping, value kept */
    CHECK(sem_open(a, 0) == ping);
    for (int i = 0; i < 3; i++) {
        IS(sem_getvalue(ping, &v), 0);
        IS(v, 3 - i);
        IS(sem_wait(ping), 0);
    }
    FAILS(sem_trywait(ping), EAGAIN);
    struct timespec soon = in_ms(CLOCK_REALTIME, 5);
    FAILS(sem_timedwait(ping, &soon), ETIMEDOUT);
    CHECK(is_past(CLOCK_REALTIME, soon));
    CHECK((pong = sem_open(b, O_CREAT, 0600, 0)) != SEM_FAILED);

    pthread_t t;
    IS(pthread_create(&t, NULL, other_side, NULL), 0);
    for (int i = 0; i < 10; i++) {
        IS(sem_post(ping), 0);
        IS(sem_wait(pong), 0);
        IS(counter, i + 1);
    }
    IS(pthread_join(t, NULL), 0);

    /* The value outlives the handle. */
    IS(sem_post(pong), 0);
    IS(sem_post(pong), 0);
    IS(sem_close(pong), 0);
    CHECK((pong = sem_open(b, 0)) != SEM_FAILED);
    IS(sem_getvalue(pong, &v), 0);
    IS(v, 2);
    IS(sem_close(pong), 0);
    for (int i = 0; i < 3; i++)
        IS(sem_close(ping), 0);
    IS(sem_unlink(a), 0);
    IS(sem_unlink(b), 0);
    FAILS(sem_unlink(b), ENOENT);
    return 0;
}
