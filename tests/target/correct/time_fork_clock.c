/* Clocks go on in a child
 * cause:    none: what the child reads is not before what the parent read, nor much after
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long read_ns(clockid_t clock)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

static void *nap(void *arg)
{
    usleep(2000);
    return arg;
}

int main(void)
{
    pthread_t t, u;
    struct timeval tv;
    int status = 0;
    pthread_create(&t, NULL, nap, NULL);
    pthread_create(&u, NULL, nap, NULL);
    long long mono0 = read_ns(CLOCK_MONOTONIC);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    if (read_ns(CLOCK_MONOTONIC) < mono0)
        return 4;
    long long mono = read_ns(CLOCK_MONOTONIC), real = read_ns(CLOCK_REALTIME);
    pid_t pid = fork();
    if (pid == 0) {
        long long m2 = read_ns(CLOCK_MONOTONIC), r2 = read_ns(CLOCK_REALTIME);
        gettimeofday(&tv, NULL);
        long long t2 = tv.tv_sec * 1000000000ll;
        if (m2 < mono || m2 > mono + 60000000000ll || r2 < real || r2 > real + 60000000000ll ||
            t2 < real - 2000000000ll || t2 > r2 + 2000000000ll || time(NULL) > r2 / 1000000000 + 2)
            _exit(1);
        struct timespec until; /* a time of that clock is a time of that clock */
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        m2 = read_ns(CLOCK_MONOTONIC);
        _exit(m2 < until.tv_sec * 1000000000ll + until.tv_nsec || m2 > mono + 60000000000ll ? 2 : 0);
    }
    waitpid(pid, &status, 0);
    return read_ns(CLOCK_MONOTONIC) < mono ? 3 : WEXITSTATUS(status);
}
