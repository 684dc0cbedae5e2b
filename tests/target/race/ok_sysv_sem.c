/* semop() of System V as a lock between threads
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/sem.h>

#include "threads.h"

static int id, counter, list[6];

static void op(int n)
{
    struct sembuf b = {0, (short)n, SEM_UNDO};
    if (semop(id, &b, 1))
        abort();
}

static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++) {
        op(-1);
        list[counter++] = i;
        op(1);
    }
    return arg;
}

int main(void)
{
    id = semget(IPC_PRIVATE, 1, 0600);
    if (id < 0)
        return 0; /* none here */
    semctl(id, 0, SETVAL, 1);
    run_both(worker, worker);
    semctl(id, 0, IPC_RMID);
    return counter != 6;
}
