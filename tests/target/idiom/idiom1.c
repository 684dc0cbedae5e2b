/* A reader that must not come after the writer
 * build:    gcc -g -O1 -fsanitize=thread
 * iroot:    1(A,B)
 * expect:   assert
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static volatile int x;
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
    return arg;
}

static void *right(void *arg)
{
    sem_post(&go);
    return (void *)(long)x; /* B */
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
    assert(!seen);
    return 0;
}
