/* The same page is mapped twice: one thread uses the first address of it, the other one the second
 * build:    gcc -g -O1 -fsanitize=thread
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

struct page {
    atomic_int ready, done;
    int data;
};
static struct page *one, *two;
int beside; /* not static: gcc keeps a static one in a register across __tsan_atomic32_load */

static void *producer(void *arg)
{
    one->data = 7;
    beside = 8;
    atomic_store_explicit(&one->ready, 1, memory_order_release);
    while (!atomic_load_explicit(&one->done, memory_order_acquire))
        sched_yield();
    if (one->data != 9 || beside != 10)
        abort();
    return arg;
}

static void *consumer(void *arg)
{
    while (!atomic_load_explicit(&two->ready, memory_order_acquire))
        sched_yield();
    if (two->data != 7 || beside != 8)
        abort();
    two->data = 9;
    beside = 10;
    atomic_store_explicit(&two->done, 1, memory_order_release);
    return arg;
}

int main(void)
{
    int fd = memfd_create("page", 0);
    if (fd < 0 || ftruncate(fd, 4096))
        return 1;
    one = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    two = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (one == MAP_FAILED || two == MAP_FAILED || one == two)
        return 1;
    run_both(producer, consumer);
    return 0;
}
