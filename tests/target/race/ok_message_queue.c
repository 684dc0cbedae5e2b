/* A System V message carries the right to a variable
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sys/ipc.h>
#include <sys/msg.h>

#include "threads.h"

static int queue, data;

static void *sender(void *arg)
{
    struct { long type; char text[1]; } m = {1, "x"};
    data = 4;
    msgsnd(queue, &m, 1, 0);
    return arg;
}

static void *receiver(void *arg)
{
    struct { long type; char text[1]; } m;
    msgrcv(queue, &m, 1, 0, 0);
    return data == 4 ? arg : &data;
}

int main(void)
{
    queue = msgget(IPC_PRIVATE, 0600);
    run_both(sender, receiver);
    msgctl(queue, IPC_RMID, NULL);
    return 0;
}
