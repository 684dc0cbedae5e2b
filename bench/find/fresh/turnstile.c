/* A barrier of a counter and a semaphore that is used twice
 * cause:    a fast thread takes the pass of a slow one
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assertion
 * budget:   300 runs
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#define MANY 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t gate;
static int arrived, phase[MANY];

static void wait_for_all(void)
{
    pthread_mutex_lock(&m);
    if (++arrived == MANY) {
        arrived = 0;
        for (int i = 0; i < MANY; i++)
            sem_post(&gate);
    }
    pthread_mutex_unlock(&m);
    sem_wait(&gate);
}

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    for (int p = 1; p <= 2; p++) {
        __atomic_store_n(&phase[me], p, __ATOMIC_SEQ_CST);
        wait_for_all();
        for (int i = 0; i < MANY; i++)
            assert(__atomic_load_n(&phase[i], __ATOMIC_SEQ_CST) >= p);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[MANY];
    sem_init(&gate, 0, 0);
    for (long i = 0; i < MANY; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < MANY; i++)
        pthread_join(t[i], NULL);
    return 0;
}
