/* The block is written once more after its pointer went into the message queue
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 * tsan:     T1-R2, the queue orders the allocation and the read
 */
#include <fcntl.h>
#include <mqueue.h>
#include <stdlib.h>
#include <unistd.h>

#include "threads.h"

static mqd_t q;
static int out;

static void *sender(void *arg)
{
    int *block = calloc(2, sizeof *block); /* T1 */
    block[0] = 1;
    mq_send(q, (char *)&block, sizeof block, 0);
    block[1] = 2; /* R1 */
    return arg;
}

static void *receiver(void *arg)
{
    int *block;
    if (mq_receive(q, (char *)&block, sizeof block, NULL) == sizeof block)
        out = block[0] + block[1]; /* R2 */
    return arg;
}

int main(void)
{
    char name[64];
    struct mq_attr attr = {.mq_maxmsg = 2, .mq_msgsize = sizeof(int *)};
    snprintf(name, sizeof name, "/mq_after_%d", (int)getpid());
    q = mq_open(name, O_CREAT | O_RDWR, 0600, &attr);
    mq_unlink(name);
    run_both(sender, receiver);
    printf("%d\n", out);
    return 0;
}
