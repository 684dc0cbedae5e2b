/* A semaphore hands a value over: there is only one order.
 * build:    gcc -g -fsanitize=thread
 * iroot:    1(B,C) 1(A,D)
 * pset:     0(A,D)
 * hapset:   1(B,C) 1(A,D)
 * syncpair: none
 * map:      2(A,D)
 * cfp:      0(giver,taker)
 * race:     none
 * defuse:   2(A,D)
 */
#include <pthread.h>
#include <semaphore.h>

static int x;
static sem_t ready;

static void *giver(void *arg)
{
    x = 1; /* A */
    sem_post(&ready); /* B */
    return arg;
}

static void *taker(void *arg)
{
    sem_wait(&ready); /* C */
    int r = x; /* D */
    return r ? arg : NULL;
}

int main(void)
{
    pthread_t t[2];
    sem_init(&ready, 0, 0);
    pthread_create(&t[0], NULL, giver, NULL);
    pthread_create(&t[1], NULL, taker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
