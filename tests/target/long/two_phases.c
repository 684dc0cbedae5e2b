/* Two accounts are out of balance in the second phase, after a long first one
 * cause: the sum is read between two updates that belong together
 * build: gcc -g -O1 -fsanitize=thread
 * expect: assert
 * warm: 20000 entries of each of two threads
 */
#include <assert.h>
#include <pthread.h>
#ifndef WARM
#define WARM 20000
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t phase;
static long a, b, entries;

static void enter(long n)
{
    for (long i = 0; i < n; i++) {
        pthread_mutex_lock(&lock);
        entries++;
        pthread_mutex_unlock(&lock);
    }
}

static void *mover(void *arg)
{
    enter(WARM);
    pthread_barrier_wait(&phase);
    pthread_mutex_lock(&lock);
    a--;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock); /* BUG */
    b++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_barrier_init(&phase, NULL, 2);
    pthread_create(&t, NULL, mover, NULL);
    enter(WARM);
    pthread_barrier_wait(&phase);
    pthread_mutex_lock(&lock);
    long sum = a + b;
    pthread_mutex_unlock(&lock);
    assert(sum == 0);
    pthread_join(t, NULL);
    return 0;
}
