/* select and pselect: sets, time left, errors
 * text:   sets are replaced by what is ready; a bad descriptor is EBADF; a negative count or bad
 *         time is EINVAL
 * expect: exit 0
 */
#include "check.h"
#include <sys/select.h>

static int p[2];

static void *writer(void *arg)
{
    IS(write(p[1], "x", 1), 1);
    return NULL;
}

int main(void)
{
    fd_set r, w;
    struct timeval zero = {0, 0}, ms = {0, 10000}, neg = {-1, 0};
    struct timespec bad = {0, 1000000000};
    OK(pipe(p));
    FD_ZERO(&r);
    FD_ZERO(&w);
    FD_SET(p[0], &r);
    FD_SET(p[1], &w);
    IS(select(p[1] + 1, &r, &w, NULL, &zero), 1);
    TRUE(!FD_ISSET(p[0], &r) && FD_ISSET(p[1], &w));
    FD_SET(p[0], &r);
    long long begin = now_ns(CLOCK_MONOTONIC);
    IS(select(p[0] + 1, &r, NULL, NULL, &ms), 0);
    TRUE(now_ns(CLOCK_MONOTONIC) - begin >= 10000000);
    TRUE(!FD_ISSET(p[0], &r));
    pthread_t t = start(writer, NULL);
    FD_SET(p[0], &r);
    IS(select(p[0] + 1, &r, NULL, NULL, NULL), 1);
    TRUE(FD_ISSET(p[0], &r));
    join(t);
    FAILS(select(-1, NULL, NULL, NULL, &zero), EINVAL);
    FAILS(select(0, NULL, NULL, NULL, &neg), EINVAL);
    FAILS(pselect(0, NULL, NULL, NULL, &bad, NULL), EINVAL);
    FD_ZERO(&r);
    FD_SET(40, &r);
    zero = (struct timeval){0, 0};
    FAILS(select(41, &r, NULL, NULL, &zero), EBADF);
    return 0;
}
