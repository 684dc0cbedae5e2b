/* timerfd: expirations are counted and read; EAGAIN, EINVAL
 * text:   a read gives the number of expirations since the last one and waits for the first;
 *         non-blocking gives EAGAIN
 * expect: exit 0
 */
#include "check.h"
#include <poll.h>
#include <stdint.h>
#include <sys/timerfd.h>

int main(void)
{
    struct itimerspec it = {{0, 2000000}, {0, 4000000}}, now;
    struct itimerspec bad = {{0, 0}, {0, 1000000000}}, off = {{0, 0}, {0, 0}};
    uint64_t n;
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    TRUE(fd >= 0);
    FAILS(read(fd, &n, sizeof n), EAGAIN);
    FAILS(read(fd, &n, 4), EINVAL);
    FAILS(timerfd_settime(fd, 0, &bad, NULL), EINVAL);
    long long begin = now_ns(CLOCK_MONOTONIC);
    OK(timerfd_settime(fd, 0, &it, NULL));
    OK(timerfd_gettime(fd, &now));
    IS(now.it_interval.tv_nsec, 2000000);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    uint64_t total = 0;
    while (total < 3) {
        IS(poll(&p, 1, -1), 1);
        IS(read(fd, &n, sizeof n), sizeof n);
        total += n;
        TRUE(now_ns(CLOCK_MONOTONIC) - begin >= 4000000 + (long long)(total - 1) * 2000000);
    }
    OK(timerfd_settime(fd, 0, &off, &now));
    IS(now.it_interval.tv_nsec, 2000000);
    FAILS(read(fd, &n, sizeof n), EAGAIN);
    OK(close(fd));
    FAILS(timerfd_create(12345, 0), EINVAL);
    FAILS(timerfd_create(CLOCK_MONOTONIC, 0x12345), EINVAL);
    FAILS(timerfd_settime(999, 0, &it, NULL), EBADF);
    FAILS(timerfd_gettime(1, &now), EINVAL);
    return 0;
}
