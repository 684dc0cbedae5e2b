/* Each thread raises its flag and looks at the other's. Unless one is over before the
 * other begins (B => C, or D => A) each sees the other's flag: A => D and C => B, the
 * one in one direction and the other back (5).
 * build:    gcc -g -fsanitize=thread
 * iroot:    1(A,D) 1(C,B) 1(B,C) 1(D,A) 5(A,D,C,B)
 * pset:     0(A,D) 0(C,B) 0(B,C) 0(D,A)
 * hapset:   1(A,D) 2(C,B) 1(B,C) 2(D,A)
 * syncpair: none
 * map:      1(B,C) 1(D,A) 2(A,D) 2(C,B)
 * cfp:      0(left,right)
 * race:     1(A,D) 1(B,C)
 * defuse:   2(A,D) 2(C,B)
 */
#include <pthread.h>

static volatile long x, y;

static void *left(void *arg)
{
    x = 1; /* A */
    return (void *)y; /* B */
}

static void *right(void *arg)
{
    y = 1; /* C */
    return (void *)x; /* D */
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, left, NULL);
    pthread_create(&t[1], NULL, right, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
