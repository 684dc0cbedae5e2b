/* A thread that only computes and is cancelled, beside one that is cancelled while it waits in
 * pthread_join: runs that follow a recorded one must stop the first as well
 * cause:    none
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * runs:     28, what computes is stopped by time
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

static sem_t ready, never;
static pthread_barrier_t barrier;
static pthread_t sleeper;
static atomic_int enabled_again;

static void *sleeps(void *arg)
{
    sem_wait(&never);
    return arg;
}

static void *joins(void *arg)
{
    int was;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was);
    sem_post(&ready);
    pthread_barrier_wait(&barrier);
    usleep(100);
    pthread_testcancel(); /* is disabled */
    enabled_again = 1;
    pthread_setcancelstate(was, &was);
    pthread_join(sleeper, NULL);
    return arg;
}

static void *computes(void *arg)
{
    int was;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &was);
    sem_post(&ready);
    for (volatile unsigned long n = 0;; n++)
        ;
    return arg;
}

int main(void)
{
    pthread_t joiner, computing;
    void *result;
    sem_init(&ready, 0, 0);
    sem_init(&never, 0, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&sleeper, NULL, sleeps, NULL);
    pthread_create(&joiner, NULL, joins, NULL);
    pthread_create(&computing, NULL, computes, NULL);
    sem_wait(&ready);
    pthread_cancel(joiner);
    sem_wait(&ready);
    pthread_barrier_wait(&barrier);
    pthread_join(joiner, &result);
    assert(result == PTHREAD_CANCELED && enabled_again);
    pthread_cancel(computing);
    pthread_join(computing, &result);
    assert(result == PTHREAD_CANCELED);
    sem_post(&never);
    pthread_join(sleeper, &result);
    assert(!result);
    return 0;
}
