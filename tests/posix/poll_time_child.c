/* poll with a long timeout and a child that answers later
 * text:   poll waits until the descriptor is ready; it does not end before its time
 * expect: exit 0
 */
#include "check.h"
#include <poll.h>

int main(void)
{
    int p[2];
    char c;
    OK(pipe(p));
    pid_t child = fork();
    if (child == 0) {
        usleep(60000);
        IS(write(p[1], "x", 1), 1);
        _exit(0);
    }
    struct pollfd f = {.fd = p[0], .events = POLLIN};
    IS(poll(&f, 1, 100000), 1);
    IS(f.revents, POLLIN);
    IS(read(p[0], &c, 1), 1);
    IS(reap(child), 0);
    return 0;
}
