/* SEM_UNDO: a process that ends gives back what it took
 * text:   the adjustments of the process are applied when it exits
 * expect: exit 0
 */
#include "check.h"
#include <sys/ipc.h>
#include <sys/sem.h>

int main(void)
{
    int id = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
    TRUE(id >= 0);
    OK(semctl(id, 0, SETVAL, 3));
    pid_t child = fork();
    if (child == 0) {
        OK(semop(id, &(struct sembuf){0, -2, SEM_UNDO}, 1));
        IS(semctl(id, 0, GETVAL), 1);
        _exit(0);
    }
    IS(reap(child), 0);
    IS(semctl(id, 0, GETVAL), 3);
    OK(semctl(id, 0, IPC_RMID));
    return 0;
}
