/* A pipe used for something else orders the two in most runs
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#define _GNU_SOURCE
#include "threads.h"
#include <fcntl.h>
#include <unistd.h>

static int n, fd[2];

static void *one(void *arg)
{
    n = 1; /* R1 */
    if (write(fd[1], "x", 1) != 1)
        puts("not written");
    return arg;
}

static void *two(void *arg)
{
    char c;
    usleep(2000);
    if (read(fd[0], &c, 1) < 0) /* it need not be there */
        c = 0;
    printf("%d\n", n); /* R2 */
    return arg;
}

int main(void)
{
    if (pipe2(fd, O_NONBLOCK))
        return 2;
    run_both(one, two);
    return 0;
}
