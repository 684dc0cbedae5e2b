/* check.h: checks for the programs of this folder. The first one that fails
 * prints its place and values and ends the process with status 1; a program
 * that reaches the end of main returns 0 and has passed. Usable in threads,
 * signal handlers and forked children (nothing here but write and _exit).
 */
#ifndef POSIX_CHECK_H
#define POSIX_CHECK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHECK_UNUSED __attribute__((unused))

CHECK_UNUSED static void check_failed(const char *file, int line, const char *what, long got,
                                      long want)
{
    char text[400];
    int n = snprintf(text, sizeof text, "%s:%d: %s: got %ld, expected %ld\n", file, line, what, got,
                     want);
    if (n > (int)sizeof text - 1)
        n = sizeof text - 1;
    if (write(2, text, (size_t)n) < 0)
        _exit(2);
    _exit(1);
}

CHECK_UNUSED static void check_equal(const char *file, int line, const char *what, long got,
                                     long want)
{
    if (got != want)
        check_failed(file, line, what, got, want);
}

/* An expression has this value (integers). */
#define IS(expr, want) check_equal(__FILE__, __LINE__, #expr, (long)(expr), (long)(want))
/* A condition holds. */
#define TRUE(cond) check_equal(__FILE__, __LINE__, #cond, !!(cond), 1)
/* A call returns 0. */
#define OK(call) IS(call, 0)
/* A call returns -1 and sets errno. */
#define FAILS(call, error)                                          \
    do {                                                            \
        errno = 0;                                                  \
        check_equal(__FILE__, __LINE__, #call, (long)(call), -1);   \
        check_equal(__FILE__, __LINE__, "errno of " #call, errno, error); \
    } while (0)

/* Nanoseconds of a clock. */
CHECK_UNUSED static long long now_ns(clockid_t clock)
{
    struct timespec t;
    OK(clock_gettime(clock, &t));
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* A point of a clock this many milliseconds from now (may be negative). */
CHECK_UNUSED static struct timespec in_ms(clockid_t clock, long ms)
{
    long long t = now_ns(clock) + ms * 1000000LL;
    return (struct timespec){.tv_sec = t / 1000000000LL, .tv_nsec = t % 1000000000LL};
}

/* Starts and joins a thread with default attributes. */
CHECK_UNUSED static pthread_t start(void *(*fn)(void *), void *arg)
{
    pthread_t t;
    OK(pthread_create(&t, NULL, fn, arg));
    return t;
}

CHECK_UNUSED static void *join(pthread_t t)
{
    void *value;
    OK(pthread_join(t, &value));
    return value;
}

/* Waits for a child and returns its wait status. */
CHECK_UNUSED static int reap(pid_t child)
{
    int status;
    pid_t r;
    while ((r = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        ;
    IS(r, child);
    return status;
}

#endif
