/* flock() on descriptors that each thread opened itself is a lock between threads
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "threads.h"

static char name[] = "/tmp/ok_flock_XXXXXX";
static int counter, twice;

static void *worker(void *arg)
{
    int fd = open(name, O_RDWR);
    for (int i = 0; i < 2; i++) {
        flock(fd, LOCK_EX);
        counter++;
        twice = 2 * counter;
        flock(fd, LOCK_UN);
    }
    close(fd);
    return arg;
}

int main(void)
{
    close(mkstemp(name));
    run_both(worker, worker);
    unlink(name);
    return counter != 4 || twice != 8;
}
