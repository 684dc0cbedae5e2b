/* A pointer goes through a POSIX message queue; who receives it owns the block
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "threads.h"

static mqd_t q;

static void *sender(void *arg)
{
    for (int i = 0; i < 3; i++) {
        int *block = malloc(sizeof *block);
        *block = i;
        if (mq_send(q, (char *)&block, sizeof block, 0))
            abort();
    }
    return arg;
}

static void *receiver(void *arg)
{
    for (int i = 0; i < 3; i++) {
        int *block;
        if (mq_receive(q, (char *)&block, sizeof block, NULL) != sizeof block || *block != i)
            abort();
        *block = -1;
        free(block);
    }
    return arg;
}

int main(void)
{
    char name[64];
    struct mq_attr attr = {.mq_maxmsg = 2, .mq_msgsize = sizeof(int *)};
    snprintf(name, sizeof name, "/ok_mq_%d", (int)getpid());
    q = mq_open(name, O_CREAT | O_RDWR, 0600, &attr);
    if (q == (mqd_t)-1)
        return 0; /* none here */
    mq_unlink(name);
    run_both(sender, receiver);
    mq_close(q);
    return 0;
}
