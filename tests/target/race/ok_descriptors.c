/* Descriptors come and go in both threads, with the same numbers
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <fcntl.h>
#include <unistd.h>

static void *work(void *arg)
{
    for (int i = 0; i < 3; i++) {
        int fd = open("/dev/null", O_WRONLY);
        if (write(fd, "x", 1) != 1)
            puts("not written");
        int copy = dup(fd);
        close(fd);
        close(copy);
    }
    return arg;
}

int main(void)
{
    run_both(work, work);
    return 0;
}
