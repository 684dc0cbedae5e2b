/* A System V message queue and a shared segment: who gets the message may write the segment
 * build:    clang -shared-libsan -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/shm.h>

#include "threads.h"

static int q, *segment;

static void *worker(void *arg)
{
    struct {
        long type;
        char c;
    } m;
    for (int i = 0; i < 3; i++) {
        if (msgrcv(q, &m, 1, 1, 0) != 1)
            abort();
        segment[0]++;
        segment[1] = segment[0];
        if (msgsnd(q, &m, 1, 0))
            abort();
    }
    return arg;
}

int main(void)
{
    struct {
        long type;
        char c;
    } m = {1, 'x'};
    q = msgget(IPC_PRIVATE, 0600);
    int id = shmget(IPC_PRIVATE, 4096, 0600);
    if (q < 0 || id < 0)
        return 0; /* none here */
    segment = shmat(id, NULL, 0);
    shmctl(id, IPC_RMID, NULL);
    msgsnd(q, &m, 1, 0);
    run_both(worker, worker);
    msgctl(q, IPC_RMID, NULL);
    return segment[0] != 6 || segment[1] != 6;
}
