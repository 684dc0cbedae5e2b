/* writev() sends a buffer that another thread fills
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <sys/uio.h>
#include <unistd.h>

#include "threads.h"

static char head[4] = "hd:", body[4] = "abc";
static int fd[2];

static void *sender(void *arg)
{
    struct iovec v[] = {{head, 3}, {body, 3}};
    if (writev(fd[1], v, 2) != 6) /* R1 */
        return NULL;
    return arg;
}

static void *filler(void *arg)
{
    body[1] = 'x'; /* R2 */
    return arg;
}

int main(void)
{
    char got[7] = "";
    if (pipe(fd))
        return 1;
    run_both(sender, filler);
    if (read(fd[0], got, 6) != 6)
        return 1;
    puts(got);
    return 0;
}
