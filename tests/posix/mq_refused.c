/* Message queues: what is refused at once, also where the call would wait
 * text:   a buffer below the message size, a message above it and a bad priority are refused, however
 *         full the queue is
 * expect: exit 0
 * flags: -lrt
 */
#include "check.h"
#include <fcntl.h>
#include <mqueue.h>

int main(void)
{
    char name[64], buf[8];
    struct mq_attr a = {.mq_maxmsg = 1, .mq_msgsize = 8};
    struct timespec bad = {1, 1000000000};
    snprintf(name, sizeof name, "/heddle-posix-mqr-%d", (int)getpid());
    mqd_t q = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &a), r = mq_open(name, O_RDONLY);
    TRUE(q != (mqd_t)-1 && r != (mqd_t)-1);
    OK(mq_unlink(name));
    FAILS(mq_receive(q, buf, 7, NULL), EMSGSIZE); /* empty */
    OK(mq_send(q, "x", 1, 0));
    FAILS(mq_send(q, "123456789", 9, 0), EMSGSIZE); /* full */
    FAILS(mq_send(q, "1", 1, 40000), EINVAL);
    FAILS(mq_timedreceive(q, buf, 8, NULL, &bad), EINVAL); /* would not wait */
    FAILS(mq_send(r, "1", 1, 0), EBADF);
    FAILS(mq_receive(-1, buf, 8, NULL), EBADF);
    FAILS(mq_getattr(-1, &a), EBADF);
    OK(mq_close(q));
    OK(mq_close(r));
    return 0;
}
