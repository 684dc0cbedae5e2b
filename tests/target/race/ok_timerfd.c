/* A timer is armed after the data is there; another thread reads its descriptor first
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "threads.h"

static int data, fd;

static void *arm(void *arg)
{
    data = 7;
    struct itimerspec when = {.it_value = {0, 1000000}};
    timerfd_settime(fd, 0, &when, NULL);
    return arg;
}

static void *await(void *arg)
{
    uint64_t n;
    if (read(fd, &n, sizeof n) != sizeof n || data != 7)
        abort();
    data = 8;
    return arg;
}

int main(void)
{
    fd = timerfd_create(CLOCK_MONOTONIC, 0);
    run_both(arm, await);
    close(fd);
    return data != 8;
}
