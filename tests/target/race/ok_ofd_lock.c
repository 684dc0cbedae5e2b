/* Locks of open file descriptions (F_OFD_SETLKW) between threads
 * build:    clang -shared-libsan -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "threads.h"

static char name[] = "/tmp/ok_ofd_XXXXXX";
static int counter;

static void *worker(void *arg)
{
    int fd = open(name, O_RDWR);
    struct flock f = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    for (int i = 0; i < 2; i++) {
        f.l_type = F_WRLCK;
        if (fcntl(fd, F_OFD_SETLKW, &f))
            abort();
        counter++;
        f.l_type = F_UNLCK;
        fcntl(fd, F_OFD_SETLK, &f);
    }
    close(fd);
    return arg;
}

int main(void)
{
    close(mkstemp(name));
    run_both(worker, worker);
    unlink(name);
    return counter != 4;
}
