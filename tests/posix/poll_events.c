/* poll: what is reported, timeouts, bad descriptors
 * text:   POLLIN for data, POLLHUP for a closed other end, POLLNVAL for what is not open; negative
 *         descriptors are skipped; 0 after the time
 * expect: exit 0
 */
#include "check.h"
#include <poll.h>

static int p[2];

static void *writer(void *arg)
{
    IS(write(p[1], "x", 1), 1);
    return NULL;
}

int main(void)
{
    char c;
    OK(pipe(p));
    struct pollfd f[3] = {{p[0], POLLIN, 0}, {p[1], POLLOUT, 0}, {-1, POLLIN, 99}};
    IS(poll(f, 3, 0), 1);
    IS(f[0].revents, 0);
    IS(f[1].revents, POLLOUT);
    IS(f[2].revents, 0);
    long long begin = now_ns(CLOCK_MONOTONIC);
    IS(poll(f, 1, 10), 0);
    TRUE(now_ns(CLOCK_MONOTONIC) - begin >= 10000000);
    IS(poll(NULL, 0, 5), 0);
    pthread_t t = start(writer, NULL);
    IS(poll(f, 1, -1), 1);
    IS(f[0].revents, POLLIN);
    join(t);
    IS(read(p[0], &c, 1), 1);
    OK(close(p[1]));
    IS(poll(f, 1, -1), 1);
    IS(f[0].revents, POLLHUP);
    IS(poll(f + 1, 1, -1), 1);
    IS(f[1].revents, POLLNVAL);
    struct timespec zero = {0, 0}, bad = {0, 1000000000};
    IS(ppoll(f, 1, &zero, NULL), 1);
    FAILS(ppoll(f, 1, &bad, NULL), EINVAL);
    return 0;
}
