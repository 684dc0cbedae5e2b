/* Timed message queue calls: ETIMEDOUT and EINVAL
 * text:   the absolute time is on CLOCK_REALTIME; Linux refuses bad ones with
 *         EINVAL whether or not the call would wait
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
    struct timespec past = {1, 0}, t;
    snprintf(name, sizeof name, "/heddle-posix-mqt-%d", (int)getpid());
    mqd_t q = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &a);
    TRUE(q != (mqd_t)-1);
    OK(mq_unlink(name));
    long long begin = now_ns(CLOCK_REALTIME);
    t = in_ms(CLOCK_REALTIME, 10);
    FAILS(mq_timedreceive(q, buf, 8, NULL, &t), ETIMEDOUT);
    TRUE(now_ns(CLOCK_REALTIME) - begin >= 10000000);
    FAILS(mq_timedreceive(q, buf, 8, NULL, &past), ETIMEDOUT);
    t.tv_nsec = 1000000000;
    FAILS(mq_timedreceive(q, buf, 8, NULL, &t), EINVAL);
    OK(mq_timedsend(q, "x", 1, 0, &past));
    begin = now_ns(CLOCK_REALTIME);
    t = in_ms(CLOCK_REALTIME, 10);
    FAILS(mq_timedsend(q, "y", 1, 0, &t), ETIMEDOUT);
    TRUE(now_ns(CLOCK_REALTIME) - begin >= 10000000);
    t.tv_nsec = -1;
    FAILS(mq_timedsend(q, "y", 1, 0, &t), EINVAL);
    IS(mq_timedreceive(q, buf, 8, NULL, &past), 1);
    OK(mq_close(q));
    return 0;
}
