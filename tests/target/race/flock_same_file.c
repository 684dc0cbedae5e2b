/* flock() on one descriptor that both threads use: the second one has the lock already
 * build:    clang -shared-libsan -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    any
 */
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "threads.h"

static int fd, counter;

static void *worker(void *arg)
{
    flock(fd, LOCK_EX);
    int n = counter;
    counter = n + 1; /* R1 */
    flock(fd, LOCK_UN);
    return arg;
}

int main(void)
{
    char name[] = "/tmp/flock_same_XXXXXX";
    fd = mkstemp(name);
    unlink(name);
    run_both(worker, worker);
    printf("%d\n", counter);
    return 0;
}
