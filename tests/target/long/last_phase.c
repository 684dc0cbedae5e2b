/* The sum is taken before every thread has given its part, in the last of many phases
 * cause: the last phase has no barrier before the sum
 * build: gcc -g -O1 -fsanitize=thread
 * expect: assert
 * warm: 4000 phases of three threads, each with a barrier
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef WARM
#define WARM 4000
#endif

enum { THREADS = 3 };
static pthread_barrier_t all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long part[THREADS], total;
static atomic_long rounds;

static void *compute(void *arg)
{
    long me = (long)arg;
    for (long i = 0; i < WARM; i++) {
        part[me] = i;
        pthread_mutex_lock(&lock);
        total += part[me];
        pthread_mutex_unlock(&lock);
        atomic_fetch_add(&rounds, 1);
        pthread_barrier_wait(&all);
    }
    pthread_mutex_lock(&lock);
    part[me] = -1;
    pthread_mutex_unlock(&lock);
    if (me == 0) { /* BUG */
        pthread_mutex_lock(&lock);
        long sum = 0;
        for (int i = 0; i < THREADS; i++)
            sum += part[i];
        pthread_mutex_unlock(&lock);
        assert(sum == -THREADS);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    pthread_barrier_init(&all, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, compute, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
