/* fork: one thread in the child, copies of memory, shared open files
 * text:   the child has only the calling thread; its memory is a copy; descriptors refer to the same
 *         open files
 * expect: exit 0
 */
#include "check.h"
#include <stdatomic.h>
#include <sys/mman.h>

static int value = 1, p[2];
static atomic_int stop;

static void *other(void *arg)
{
    while (!stop)
        sched_yield();
    return NULL;
}

int main(void)
{
    char c;
    OK(pipe(p));
    pthread_t t = start(other, NULL);
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        IS(getppid(), parent);
        TRUE(getpid() != parent);
        value = 2;
        join(start(other, (stop = 1, NULL))); /* threads can be made again */
        IS(write(p[1], "x", 1), 1);
        _exit(17);
    }
    IS(read(p[0], &c, 1), 1);
    int status = reap(child);
    TRUE(WIFEXITED(status));
    IS(WEXITSTATUS(status), 17);
    IS(value, 1);
    IS(stop, 0);
    stop = 1;
    join(t);
    return 0;
}
