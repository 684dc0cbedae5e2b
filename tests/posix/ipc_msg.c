/* System V messages: types, IPC_NOWAIT, MSG_NOERROR, removal
 * text:   a positive type takes the first of it, a negative one the lowest up to it, 0 the first;
 *         ENOMSG with IPC_NOWAIT; E2BIG without MSG_NOERROR
 * expect: exit 0
 */
#include "check.h"
#include <sys/ipc.h>
#include <sys/msg.h>

struct message {
    long type;
    char text[8];
};
static int id;

static void *sender(void *arg)
{
    struct message m = {7, "seven"};
    OK(msgsnd(id, &m, 6, 0));
    return NULL;
}

int main(void)
{
    struct message m = {3, "three"}, got;
    id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
    TRUE(id >= 0);
    FAILS(msgrcv(id, &got, 8, 0, IPC_NOWAIT), ENOMSG);
    OK(msgsnd(id, &m, 6, 0));
    m = (struct message){2, "two"};
    OK(msgsnd(id, &m, 4, 0));
    m = (struct message){5, "five"};
    OK(msgsnd(id, &m, 5, 0));
    IS(msgrcv(id, &got, 8, 5, 0), 5);
    IS(msgrcv(id, &got, 8, -4, 0), 4);
    IS(got.type, 2);
    FAILS(msgrcv(id, &got, 2, 0, 0), E2BIG);
    IS(msgrcv(id, &got, 2, 0, MSG_NOERROR), 2);
    IS(got.type, 3);
    m.type = 0;
    FAILS(msgsnd(id, &m, 1, 0), EINVAL);
    FAILS(msgsnd(-1, &m, 1, 0), EINVAL);
    pthread_t t = start(sender, NULL);
    IS(msgrcv(id, &got, 8, 7, 0), 6);
    OK(strcmp(got.text, "seven"));
    join(t);
    OK(msgctl(id, IPC_RMID, NULL));
    FAILS(msgrcv(id, &got, 8, 0, IPC_NOWAIT), EINVAL);
    return 0;
}
