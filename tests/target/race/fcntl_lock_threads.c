/* Record locks of fcntl() belong to the process: no lock between threads
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    changes
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "threads.h"

static int fd, counter;

static void *worker(void *arg)
{
    struct flock f = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    fcntl(fd, F_SETLKW, &f);
    counter++; /* R1 */
    f.l_type = F_UNLCK;
    fcntl(fd, F_SETLK, &f);
    return arg;
}

int main(void)
{
    char name[] = "/tmp/fcntl_lock_XXXXXX";
    fd = mkstemp(name);
    unlink(name);
    run_both(worker, worker);
    printf("%d\n", counter);
    return 0;
}
