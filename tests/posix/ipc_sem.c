/* System V semaphores: operations, IPC_NOWAIT, SEM_UNDO, removal
 * text:   an operation list is done whole or not at all; EAGAIN with IPC_NOWAIT; removal wakes
 *         waiters with EIDRM; bad ids are EINVAL
 * expect: exit 0
 */
#include "check.h"
#include <sys/ipc.h>
#include <sys/sem.h>

static int id;

static void *waiter(void *arg)
{
    struct sembuf down = {0, -1, 0};
    OK(semop(id, &down, 1));
    IS(semop(id, &down, 1), -1);
    TRUE(errno == EIDRM || errno == EINVAL);
    return NULL;
}

int main(void)
{
    struct sembuf up = {0, 1, 0}, both[2] = {{0, -1, IPC_NOWAIT}, {1, -1, IPC_NOWAIT}};
    struct sembuf zero = {1, 0, IPC_NOWAIT};
    id = semget(IPC_PRIVATE, 2, IPC_CREAT | 0600);
    TRUE(id >= 0);
    OK(semop(id, &up, 1));
    FAILS(semop(id, both, 2), EAGAIN);
    IS(semctl(id, 0, GETVAL), 1); /* nothing was done */
    OK(semop(id, &zero, 1));
    FAILS(semop(id, &(struct sembuf){9, 1, 0}, 1), EFBIG);
    FAILS(semop(-1, &up, 1), EINVAL);
    FAILS(semop(id, both, 0), EINVAL);
    OK(semctl(id, 0, SETVAL, 0));
    struct timespec ms = {0, 5000000};
    long long begin = now_ns(CLOCK_MONOTONIC);
    FAILS(semtimedop(id, &(struct sembuf){0, -1, 0}, 1, &ms), EAGAIN);
    TRUE(now_ns(CLOCK_MONOTONIC) - begin >= 5000000);
    pthread_t t = start(waiter, NULL);
    OK(semop(id, &up, 1));
    while (semctl(id, 0, GETVAL) != 0)
        sched_yield();
    OK(semctl(id, 0, IPC_RMID));
    join(t);
    FAILS(semctl(id, 0, GETVAL), EINVAL);
    return 0;
}
