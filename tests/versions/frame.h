/* frame.h: what the histories share: a program of several parts, each with shared data that is used
 * by two threads at a time, so that there is much to test besides what a commit changes. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock_of[8] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                     PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                     PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                     PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
/* A part: one thread puts, the other takes, both with the lock; flags are read without order. */
#define PART(name, n)                                                                              \
    static int name##_count;                                                                       \
    static _Atomic int name##_flag, name##_seen;                                                   \
    static __attribute__((noinline)) void name##_put(void)                                         \
    {                                                                                              \
        pthread_mutex_lock(&lock_of[n]);                                                           \
        name##_count++;                                                                            \
        pthread_mutex_unlock(&lock_of[n]);                                                         \
        name##_flag = 1;                                                                           \
        name##_seen = name##_seen + 1;                                                             \
    }                                                                                              \
    static __attribute__((noinline)) void name##_take(void)                                        \
    {                                                                                              \
        if (name##_flag)                                                                           \
            name##_seen = 2;                                                                       \
        pthread_mutex_lock(&lock_of[n]);                                                           \
        name##_count--;                                                                            \
        pthread_mutex_unlock(&lock_of[n]);                                                         \
        name##_flag = 0;                                                                           \
    }
