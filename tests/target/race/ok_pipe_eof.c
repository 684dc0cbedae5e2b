/* The end of a pipe is the signal: closing the last writer hands the data over
 * build:    gcc -g -O2 -fsanitize=thread
 * args:
 * races:    none
 */
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "threads.h"

static int fd[2], result[2];

static void *worker(void *arg)
{
    result[0] = 3;
    result[1] = 4;
    close(fd[1]);
    return arg;
}

static void *waiter(void *arg)
{
    char c;
    struct pollfd p = {.fd = fd[0], .events = POLLIN};
    while (poll(&p, 1, -1) != 1)
        ;
    if (read(fd[0], &c, 1) != 0 || result[0] + result[1] != 7)
        abort();
    result[0] = 0;
    return arg;
}

int main(void)
{
    if (pipe(fd))
        return 1;
    run_both(worker, waiter);
    close(fd[0]);
    return result[0];
}
