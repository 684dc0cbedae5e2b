/* A recursive lock and a try for it. B and C, the inner pair, take and give nothing. A
 * try that fails is no acquisition. HaPSet counts unlocks of recursive locks, so that D
 * comes before E and F before A.
 * build:    gcc -g -fsanitize=thread
 * iroot:    1(D,E) 1(F,A)
 * pset:     none
 * hapset:   1(D,E) 2(F,A)
 * syncpair: 0(A,E) 0(E,A)
 * map:      none
 * cfp:      0(left,right)
 * race:     none
 * defuse:   none
 */
#include <pthread.h>

static pthread_mutex_t m;

static void *left(void *arg)
{
    pthread_mutex_lock(&m); /* A */
    pthread_mutex_lock(&m); /* B */
    pthread_mutex_unlock(&m); /* C */
    pthread_mutex_unlock(&m); /* D */
    return arg;
}

static void *right(void *arg)
{
    if (!pthread_mutex_trylock(&m)) /* E */
        pthread_mutex_unlock(&m); /* F */
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &kind);
    pthread_create(&t[0], NULL, left, NULL);
    pthread_create(&t[1], NULL, right, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
