/* syscall(): calls that Heddle serves, and some that it hands on.
 * Not controlled: fork. */
#include "check.h"

#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void *end_thread(void *arg)
{
    syscall(SYS_exit, 0);
    abort();
}

int main(void)
{
    IS(syscall(SYS_getpid), getpid());
    IS(syscall(SYS_gettid), getpid());
    IS(syscall(SYS_sched_yield), 0);
    FAILS(syscall(SYS_close, -1), EBADF);
    FAILS(syscall(99999), ENOSYS);

    struct timespec nap = {0, 2000000}, bad = {0, -1}, a, b;
    IS(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &a), 0);
    IS(syscall(SYS_nanosleep, &nap, NULL), 0);
    IS(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &b), 0);
    CHECK((b.tv_sec - a.tv_sec) * NS + b.tv_nsec - a.tv_nsec >= 2000000);
    FAILS(syscall(SYS_nanosleep, &bad, NULL), EINVAL);
    FAILS(syscall(SYS_clock_gettime, 77, &a), EINVAL);
    a.tv_nsec = (b.tv_nsec + 3000000) % NS;
    a.tv_sec = b.tv_sec + (b.tv_nsec + 3000000) / NS;
    IS(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &a, NULL), 0);
    CHECK(is_past(CLOCK_MONOTONIC, a));
    struct timeval tv;
    IS(syscall(SYS_gettimeofday, &tv, NULL), 0);
    CHECK(labs((long)(tv.tv_sec - time(NULL))) <= 1);

    unsigned char random[32] = {0}, zero[32] = {0};
    IS(syscall(SYS_getrandom, random, sizeof random, 0), sizeof random);
    CHECK(memcmp(random, zero, sizeof zero) != 0);

    int fd[2];
    char text[8];
    IS(pipe(fd), 0);
    IS(syscall(SYS_write, fd[1], "hallo", 5), 5);
    IS(syscall(SYS_read, fd[0], text, sizeof text), 5);
    IS(memcmp(text, "hallo", 5), 0);
    IS(syscall(SYS_close, fd[0]), 0);
    IS(syscall(SYS_close, fd[1]), 0);

    pid_t child = (pid_t)syscall(SYS_fork);
    CHECK(child >= 0);
    if (child == 0)
        syscall(SYS_exit_group, 3);
    int status = 0;
    IS(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);

    in_thread(end_thread, NULL);
    syscall(SYS_exit_group, 0);
    return 1;
}
