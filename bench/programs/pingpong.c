/* pingpong.c N: two threads hand a semaphore back and forth N thousand times:
 * the slope over N is the cost of two hand-overs. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t ping, pong;
static long n;

static void *work(void *arg)
{
    for (long i = 0; i < n; i++) {
        sem_wait(&ping);
        sem_post(&pong);
    }
    return arg;
}

int main(int argc, char **argv)
{
    n = (argc > 1 ? atol(argv[1]) : 1) * 1000;
    sem_init(&ping, 0, 0);
    sem_init(&pong, 0, 0);
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    for (long i = 0; i < n; i++) {
        sem_post(&ping);
        sem_wait(&pong);
    }
    pthread_join(t, NULL);
    return 0;
}
