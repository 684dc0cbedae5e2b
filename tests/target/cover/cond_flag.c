/* A condition variable. C is an unlock, a wait, a wake and a lock.
 * Setter first: H => A, F => B. Waiter first: C => E, B => F, then G => C, H => C,
 * F => B. Of these pairs: B => F => B (2); C => E .. H => C on the lock (3);
 * C => E .. G => C and B => F .. G => C (4); G => C, H => C (6).
 * build:    gcc -g -fsanitize=thread
 * iroot:    1(H,A) 1(F,B) 1(C,E) 1(B,F) 1(G,C) 1(H,C) 2(B,F,B) 3(C,E,H,C) 4(C,E,G,C) 4(B,F,G,C) 6(G,C,H,C)
 * pset:     0(F,B) 0(B,F)
 * hapset:   2(F,B) 1(B,F) 1(A,E) 2(E,A) 2(E,C) 1(C,G) 2(G,C)
 * syncpair: 0(E,A) 0(A,E) 0(E,C)
 * map:      1(B,F) 2(F,B) 4(B,F,B)
 * cfp:      0(setter,waiter)
 * race:     none
 * defuse:   2(F,B)
 */
#include <pthread.h>

static int flag;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&m); /* A */
    while (!flag) /* B */
        pthread_cond_wait(&changed, &m); /* C */
    pthread_mutex_unlock(&m); /* D */
    return arg;
}

static void *setter(void *arg)
{
    pthread_mutex_lock(&m); /* E */
    flag = 1; /* F */
    pthread_cond_signal(&changed); /* G */
    pthread_mutex_unlock(&m); /* H */
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, waiter, NULL);
    pthread_create(&t[1], NULL, setter, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
