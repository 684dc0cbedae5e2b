/* The statistics are read before they are there, once a cache is warm
 * cause: the reader is started by a flag that is set too early
 * build: gcc -g -O1 -fsanitize=thread
 * expect: assert
 * warm: 60000 look-ups
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#ifndef WARM
#define WARM 60000
#endif

enum { SLOTS = 64 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t warm = PTHREAD_COND_INITIALIZER;
static long slot[SLOTS], is_warm;
static long *volatile totals;

static void *report(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!is_warm)
        pthread_cond_wait(&warm, &lock);
    pthread_mutex_unlock(&lock);
    assert(totals); /* BUG */
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, report, NULL);
    for (long i = 0; i < WARM; i++) {
        pthread_mutex_lock(&lock);
        slot[i % SLOTS]++;
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    is_warm = 1;
    pthread_cond_signal(&warm);
    pthread_mutex_unlock(&lock);
    totals = slot;
    pthread_join(t, NULL);
    return 0;
}
