/* work.h: shared work that has nothing to do with the bug: a counter under a lock. It makes
 * the interleavings many, as in the study these programs follow (Wang, Said, Gupta, ICSE
 * 2011, table 5). */
#ifndef WORK_H
#define WORK_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef WORK
#define WORK 5
#endif

static pthread_mutex_t work_lock = PTHREAD_MUTEX_INITIALIZER;
static int work_done;

static void work(int n)
{
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&work_lock);
        work_done++;
        pthread_mutex_unlock(&work_lock);
    }
}

static pthread_t start(void *(*f)(void *))
{
    pthread_t t;
    if (pthread_create(&t, NULL, f, NULL))
        abort();
    return t;
}

#endif
