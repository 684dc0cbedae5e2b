/* Two variables that belong together. A C D B and C A B D split a pair (4), the
 * other orders pass both on in the same direction (6).
 * build:    gcc -g -fsanitize=thread
 * iroot:    1(A,C) 1(B,D) 1(C,A) 1(D,B) 4(A,C,D,B) 4(C,A,B,D) 6(A,C,B,D) 6(C,A,D,B)
 * pset:     0(A,C) 0(C,A) 0(B,D) 0(D,B)
 * hapset:   1(A,C) 2(C,A) 1(B,D) 2(D,B)
 * syncpair: none
 * map:      1(C,A) 1(D,B) 2(A,C) 2(B,D) 12(A,C,D,B) 14(C,A,B,D)
 * cfp:      0(getter,setter)
 * race:     1(A,C) 1(B,D)
 * defuse:   2(A,C) 2(B,D)
 */
#include <pthread.h>

static long x, y;

static void *setter(void *arg)
{
    x = 1; /* A */
    y = 1; /* B */
    return arg;
}

static void *getter(void *arg)
{
    long r = x; /* C */
    long s = y; /* D */
    return r == s ? arg : NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, setter, NULL);
    pthread_create(&t[1], NULL, getter, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
