/* An eventfd that counts down (EFD_SEMAPHORE) and does not block: who gets none tries again
 * build:    clang -shared-libsan -g -O2 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "threads.h"

static int fd, counter;

static void *worker(void *arg)
{
    uint64_t one = 1, n;
    for (int i = 0; i < 2; i++) {
        while (read(fd, &n, sizeof n) != sizeof n)
            sched_yield();
        counter++;
        if (write(fd, &one, sizeof one) != sizeof one)
            abort();
    }
    return arg;
}

int main(void)
{
    fd = eventfd(1, EFD_SEMAPHORE | EFD_NONBLOCK);
    run_both(worker, worker);
    close(fd);
    return counter != 4;
}
