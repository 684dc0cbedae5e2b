/* Message queues: priorities, EAGAIN, EMSGSIZE, attributes
 * text:   the oldest message of the highest priority comes first; a full or empty non-blocking
 *         queue is EAGAIN; too long messages and too small buffers are EMSGSIZE
 * expect: exit 0
 * flags: -lrt
 */
#include "check.h"
#include <fcntl.h>
#include <mqueue.h>

int main(void)
{
    char name[64], buf[16];
    unsigned prio;
    struct mq_attr a = {.mq_maxmsg = 3, .mq_msgsize = 8}, now;
    snprintf(name, sizeof name, "/heddle-posix-mq-%d", (int)getpid());
    FAILS(mq_open(name, O_RDWR), ENOENT);
    mqd_t q = mq_open(name, O_RDWR | O_CREAT | O_EXCL | O_NONBLOCK, 0600, &a);
    TRUE(q != (mqd_t)-1);
    FAILS(mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &a), EEXIST);
    FAILS(mq_receive(q, buf, 8, NULL), EAGAIN);
    OK(mq_send(q, "low", 3, 1));
    OK(mq_send(q, "high", 4, 9));
    OK(mq_send(q, "low2", 4, 1));
    FAILS(mq_send(q, "x", 1, 0), EAGAIN);
    FAILS(mq_send(q, "123456789", 9, 0), EMSGSIZE);
    FAILS(mq_receive(q, buf, 4, NULL), EMSGSIZE);
    OK(mq_getattr(q, &now));
    IS(now.mq_curmsgs, 3);
    IS(now.mq_maxmsg, 3);
    IS(now.mq_msgsize, 8);
    IS(now.mq_flags, O_NONBLOCK);
    IS(mq_receive(q, buf, 8, &prio), 4);
    IS(prio, 9);
    IS(mq_receive(q, buf, 8, &prio), 3);
    OK(memcmp(buf, "low", 3));
    IS(mq_receive(q, buf, 8, &prio), 4);
    FAILS(mq_send(q, "x", 1, 100000), EINVAL);
    OK(mq_unlink(name));
    FAILS(mq_unlink(name), ENOENT);
    OK(mq_close(q));
    FAILS(mq_close(q), EBADF);
    a.mq_maxmsg = -1;
    FAILS(mq_open(name, O_RDWR | O_CREAT, 0600, &a), EINVAL);
    return 0;
}
