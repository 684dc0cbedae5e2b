/* Handed over through a socket pair
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <sys/socket.h>
#include <unistd.h>

static int fd[2];
static int data;

static void *one(void *arg)
{
    data = 42;
    if (send(fd[1], "x", 1, 0) != 1)
        return NULL;
    return arg;
}

static void *two(void *arg)
{
    char c;
    if (recv(fd[0], &c, 1, 0) != 1)
        return NULL;
    printf("%d\n", data);
    return arg;
}

int main(void)
{
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
        return 1;
    run_both(one, two);
    return 0;
}
