/* prefix.c N: two threads hand a semaphore back and forth N thousand times, where
 * nothing can be chosen, and then take a lock a few times each, where it can: a search
 * that goes through the end of it follows the same long prefix in every run. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

enum { LOCKS = 6 };

static sem_t ping, pong;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long n, count;

static void take_turns(void)
{
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_lock(&m);
        count++;
        pthread_mutex_unlock(&m);
    }
}

static void *work(void *arg)
{
    for (long i = 0; i < n; i++) {
        sem_wait(&ping);
        sem_post(&pong);
    }
    take_turns();
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
    take_turns();
    pthread_join(t, NULL);
    return count != 2 * LOCKS;
}
