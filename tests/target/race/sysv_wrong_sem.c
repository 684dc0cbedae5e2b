/* Two threads take two semaphores of one System V set for the same data
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    changes
 */
#include <sys/ipc.h>
#include <sys/sem.h>

#include "threads.h"

static int id, counter;

static void op(int which, int n)
{
    struct sembuf b = {(unsigned short)which, (short)n, 0};
    semop(id, &b, 1);
}

static void add(int which)
{
    op(which, -1);
    counter++; /* R1 */
    op(which, 1);
}
static void *zero(void *arg) { add(0); return arg; }
static void *one(void *arg) { add(1); return arg; }

int main(void)
{
    id = semget(IPC_PRIVATE, 2, 0600);
    semctl(id, 0, SETVAL, 1);
    semctl(id, 1, SETVAL, 1);
    run_both(zero, one);
    semctl(id, 0, IPC_RMID);
    printf("%d\n", counter);
    return 0;
}
