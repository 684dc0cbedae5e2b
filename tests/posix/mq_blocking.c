/* Message queues block: a receiver until a message, a sender until there is room
 * text:   mq_receive waits for a message; mq_send on a full queue waits for room; the order of
 *         messages of one priority is that of sending
 * expect: exit 0
 * flags: -lrt
 */
#include "check.h"
#include <fcntl.h>
#include <mqueue.h>

static mqd_t q;

static void *sender(void *arg)
{
    for (int i = 0; i < 6; i++)
        OK(mq_send(q, (char *)&i, sizeof i, 0));
    return NULL;
}

int main(void)
{
    char name[64];
    struct mq_attr a = {.mq_maxmsg = 2, .mq_msgsize = sizeof(int)};
    snprintf(name, sizeof name, "/heddle-posix-mqb-%d", (int)getpid());
    q = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &a);
    TRUE(q != (mqd_t)-1);
    OK(mq_unlink(name));
    pthread_t t = start(sender, NULL);
    for (int i = 0; i < 6; i++) {
        int v;
        IS(mq_receive(q, (char *)&v, sizeof v, NULL), sizeof v);
        IS(v, i);
    }
    join(t);
    OK(mq_close(q));
    return 0;
}
