/* System V queues and semaphores: what is refused at once, also where the call would wait
 * text:   message type below 1, a message larger than the queue, bad times and too many operations
 *         fail without waiting
 * expect: exit 0
 */
#include "check.h"
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

static struct {
    long type;
    char text[70000];
} m;

int main(void)
{
    struct sembuf down = {0, -1, 0}, ops[2000];
    struct timespec bad = {0, 1000000000}, negative = {-1, 0};
    int q = msgget(IPC_PRIVATE, IPC_CREAT | 0600), s = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
    TRUE(q >= 0 && s >= 0);
    m.type = 1;
    FAILS(msgsnd(q, &m, sizeof m.text, 0), EINVAL);
    while (msgsnd(q, &m, 1000, IPC_NOWAIT) == 0)
        ;
    IS(errno, EAGAIN);
    m.type = 0;
    FAILS(msgsnd(q, &m, 1000, 0), EINVAL); /* full */
    FAILS(msgrcv(q, &m, -1, 77, 0), EINVAL);
    FAILS(semtimedop(s, &down, 1, &bad), EINVAL);
    FAILS(semtimedop(s, &down, 1, &negative), EINVAL);
    memset(ops, 0, sizeof ops);
    FAILS(semop(s, ops, 2000), E2BIG);
    OK(msgctl(q, IPC_RMID, NULL));
    OK(semctl(s, 0, IPC_RMID));
    return 0;
}
