/* select on Linux stores the time that was left; many descriptors at a time
 * text:   the timeout is reduced by the time waited; poll reports each descriptor by itself
 * expect: exit 0
 */
#include "check.h"
#include <poll.h>
#include <sys/select.h>

int main(void)
{
    int p[8][2];
    struct pollfd f[8];
    struct timeval tv = {0, 20000};
    OK(select(0, NULL, NULL, NULL, &tv));
    IS(tv.tv_sec, 0);
    IS(tv.tv_usec, 0);
    for (int i = 0; i < 8; i++) {
        OK(pipe(p[i]));
        f[i] = (struct pollfd){.fd = p[i][0], .events = POLLIN};
        if (i % 2)
            IS(write(p[i][1], "x", 1), 1);
    }
    IS(poll(f, 8, -1), 4);
    for (int i = 0; i < 8; i++)
        IS(f[i].revents, i % 2 ? POLLIN : 0);
    fd_set set;
    FD_ZERO(&set);
    for (int i = 0; i < 8; i++)
        FD_SET(p[i][0], &set);
    tv = (struct timeval){100, 0};
    IS(select(p[7][0] + 1, &set, NULL, NULL, &tv), 4);
    TRUE(tv.tv_sec <= 100 && tv.tv_sec >= 90);
    return 0;
}
