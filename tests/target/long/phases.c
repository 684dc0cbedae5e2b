/* The last of many phases begins before all have written what it reads
 * cause: no barrier before the last phase
 * build: gcc -g -O1 -fsanitize=thread
 * expect: assert
 * warm: 4000 phases of three threads
 */
#include <assert.h>
#include <pthread.h>
#ifndef WARM
#define WARM 4000
#endif

enum { THREADS = 3 };
static pthread_barrier_t barrier;
static long cell[THREADS], sum[THREADS];

static void *work(void *arg)
{
    long me = (long)arg;
    for (long p = 0; p < WARM; p++) {
        cell[me] = p;
        pthread_barrier_wait(&barrier);
        sum[me] += cell[(me + 1) % THREADS];
        pthread_barrier_wait(&barrier);
    }
    cell[me] = WARM; /* BUG */
    sum[me] = cell[(me + 1) % THREADS];
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    assert(sum[2] == WARM);
    return 0;
}
