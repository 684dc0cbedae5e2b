/* Two jobs that need two permits each, out of two
 * cause:    deadlock on a counting semaphore: permits taken one by one
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   deadlock
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>
#include <semaphore.h>

static sem_t permits;

static void *job(void *arg)
{
    sem_wait(&permits); /* A */
    sem_wait(&permits); /* B */
    sem_post(&permits);
    sem_post(&permits);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    sem_init(&permits, 0, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, job, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
