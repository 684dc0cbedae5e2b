/* Two locks in two orders. The deadlock is idiom 5: A and E are taken, F and B
 * wait. Whole sections after each other are idiom 6: C => E and D => F, or G => A
 * and H => B.
 * build:    gcc -g -fsanitize=thread
 * iroot:    1(C,E) 1(D,F) 1(G,A) 1(H,B) 5(A,F,E,B) 6(C,E,D,F) 6(G,A,H,B)
 * pset:     none
 * hapset:   1(A,F) 2(F,A) 1(B,E) 2(E,B)
 * syncpair: 0(A,F) 0(F,A) 0(B,E) 0(E,B)
 * map:      none
 * cfp:      0(back,forth)
 * race:     none
 * defuse:   none
 */
#include <pthread.h>

static pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;

static void *forth(void *arg)
{
    pthread_mutex_lock(&m1); /* A */
    pthread_mutex_lock(&m2); /* B */
    pthread_mutex_unlock(&m2); /* C */
    pthread_mutex_unlock(&m1); /* D */
    return arg;
}

static void *back(void *arg)
{
    pthread_mutex_lock(&m2); /* E */
    pthread_mutex_lock(&m1); /* F */
    pthread_mutex_unlock(&m1); /* G */
    pthread_mutex_unlock(&m2); /* H */
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, forth, NULL);
    pthread_create(&t[1], NULL, back, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
