/* Data is finished after the byte that announces it went into the pipe
 * build:    clang -shared-libsan -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include <unistd.h>

#include "threads.h"

static int fd[2], data, out;

static void *producer(void *arg)
{
    if (write(fd[1], "x", 1) != 1)
        return NULL;
    data = 5; /* R1 */
    return arg;
}

static void *consumer(void *arg)
{
    char c;
    if (read(fd[0], &c, 1) == 1)
        out = data; /* R2 */
    return arg;
}

int main(void)
{
    if (pipe(fd))
        return 1;
    run_both(producer, consumer);
    printf("%d\n", out);
    return 0;
}
