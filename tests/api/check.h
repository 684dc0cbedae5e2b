/* check.h: for the programs of this folder. Each calls one family of functions
 * in all its forms, checks what comes back, prints nothing and exits 0 if all
 * is as POSIX (or glibc) says. They must pass by themselves, under
 * -fsanitize=thread, and under Heddle with every schedule: so no check may
 * lean on real time, on who comes first, or on a timeout that does not fire.
 * The real TSan of gcc 12 needs report_bugs=0 (it does not know robust mutexes
 * and the clock forms) and cannot run c11, once, statics and syscall: it lacks
 * thrd_create, and hangs after a once routine left early or a raw SYS_exit.
 */
#ifndef CHECK_H
#define CHECK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(cond)                                                                                \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);                             \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* The call gives exactly this number. */
#define IS(call, want)                                                                             \
    do {                                                                                           \
        long got_ = (long)(call);                                                                  \
        if (got_ != (long)(want)) {                                                                \
            fprintf(stderr, "%s:%d: %s gave %ld, not %s\n", __FILE__, __LINE__, #call, got_,       \
                    #want);                                                                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* The call gives -1 and this errno. */
#define FAILS(call, want)                                                                          \
    do {                                                                                           \
        errno = 0;                                                                                 \
        IS(call, -1);                                                                              \
        IS(errno, want);                                                                           \
    } while (0)

#define NS 1000000000LL

static inline long long now_ns(clockid_t clock)
{
    struct timespec ts;
    CHECK(clock_gettime(clock, &ts) == 0);
    return ts.tv_sec * NS + ts.tv_nsec;
}

/* `ms` from now on that clock, as the timed functions want it. */
static inline struct timespec in_ms(clockid_t clock, long ms)
{
    long long t = now_ns(clock) + ms * 1000000LL;
    struct timespec ts;
    ts.tv_sec = (time_t)(t / NS);
    ts.tv_nsec = (long)(t % NS);
    return ts;
}

static inline int is_past(clockid_t clock, struct timespec ts)
{
    return now_ns(clock) >= ts.tv_sec * NS + ts.tv_nsec;
}

/* Runs fn(arg) in another thread and gives back what it returned. */
static inline long in_thread(void *(*fn)(void *), void *arg)
{
    pthread_t t;
    void *result;
    CHECK(pthread_create(&t, NULL, fn, arg) == 0);
    CHECK(pthread_join(t, &result) == 0);
    return (long)result;
}

#endif
