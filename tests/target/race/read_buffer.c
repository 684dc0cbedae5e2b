/* read() fills a buffer that another thread looks at
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"
#include <fcntl.h>
#include <unistd.h>

static char buffer[16] = "before";
static int fd;

static void *filler(void *arg)
{
    if (read(fd, buffer, 8) < 0) /* R1 */
        puts("cannot read");
    return arg;
}

static void *user(void *arg)
{
    printf("%d\n", buffer[2] != 0); /* R2 */
    return arg;
}

int main(void)
{
    fd = open("/dev/zero", O_RDONLY);
    run_both(filler, user);
    return 0;
}
