/* A descriptor is closed while another thread writes to it
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include "threads.h"
#include <fcntl.h>
#include <unistd.h>

static int fd;

static void *user(void *arg)
{
    if (write(fd, "x", 1) != 1) /* R1 */
        puts("not written");
    return arg;
}

static void *owner(void *arg)
{
    close(fd); /* R2 */
    return arg;
}

int main(void)
{
    fd = open("/dev/null", O_WRONLY);
    run_both(user, owner);
    return 0;
}
