/* Handed over through a pipe
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <unistd.h>

static int fd[2];
static int data;

static void *one(void *arg)
{
    data = 42;
    if (write(fd[1], "x", 1) != 1)
        return NULL;
    return arg;
}

static void *two(void *arg)
{
    char c;
    if (read(fd[0], &c, 1) != 1)
        return NULL;
    printf("%d\n", data);
    return arg;
}

int main(void)
{
    if (pipe(fd))
        return 1;
    run_both(one, two);
    return 0;
}
