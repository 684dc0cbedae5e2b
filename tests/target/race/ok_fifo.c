/* A named pipe between threads: open() waits for the other side, then bytes
 * build:    clang -shared-libsan -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "threads.h"

static char name[64];
static int data;

static void *writer(void *arg)
{
    data = 3;
    int fd = open(name, O_WRONLY);
    if (fd < 0 || write(fd, "x", 1) != 1)
        abort();
    close(fd);
    return arg;
}

static void *reader(void *arg)
{
    char c;
    int fd = open(name, O_RDONLY);
    if (fd < 0 || read(fd, &c, 1) != 1 || data != 3)
        abort();
    data = 4;
    close(fd);
    return arg;
}

int main(void)
{
    snprintf(name, sizeof name, "/tmp/ok_fifo_%d", (int)getpid());
    if (mkfifo(name, 0600))
        return 1;
    run_both(writer, reader);
    unlink(name);
    return data != 4;
}
