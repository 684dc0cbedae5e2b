/* A byte in a regular file says that the data is there: written by pwrite(), polled by pread()
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "threads.h"

static int fd, data, answer;
static atomic_int rounds;

static void *producer(void *arg)
{
    data = 5;
    atomic_fetch_add_explicit(&rounds, 1, memory_order_relaxed);
    if (pwrite(fd, "x", 1, 0) != 1)
        abort();
    char c = 0;
    while (pread(fd, &c, 1, 1) != 1 || c != 'y')
        sched_yield();
    return answer == 6 ? arg : (void *)1;
}

static void *consumer(void *arg)
{
    char c = 0;
    while (pread(fd, &c, 1, 0) != 1 || c != 'x')
        sched_yield();
    if (data != 5 || atomic_load_explicit(&rounds, memory_order_relaxed) != 1)
        abort();
    answer = 6;
    if (pwrite(fd, "y", 1, 1) != 1)
        abort();
    return arg;
}

int main(void)
{
    fd = memfd_create("flags", 0);
    if (fd < 0)
        return 1;
    run_both(producer, consumer);
    return 0;
}
