/* Two publications that must not both be met
 * build:    gcc -g -O1 -fsanitize=thread
 * iroot:    6(A,B,C,D)
 * expect:   assert
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static volatile long x, y;
static sem_t go;

/* its own work, step by step: the order that fails is far away */
static void work(void)
{
    static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < 8; i++) {
        pthread_mutex_lock(&own);
        pthread_mutex_unlock(&own);
    }
}

static void *left(void *arg)
{
    sem_wait(&go);
    work();
    x = 1; /* A */
    y = 1; /* C */
    return arg;
}

/* One of the two seen is too early or too late by one step: no harm. */
static void *right(void *arg)
{
    sem_post(&go);
    long first = x; /* B */
    long second = y; /* D */
    return (void *)(first + second);
}

int main(void)
{
    pthread_t l, r;
    void *seen;
    sem_init(&go, 0, 0);
    pthread_create(&l, NULL, left, NULL);
    pthread_create(&r, NULL, right, NULL);
    pthread_join(l, NULL);
    pthread_join(r, &seen);
    assert((long)seen != 2);
    return 0;
}
