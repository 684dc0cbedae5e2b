/* One variable, two accesses each. By order of the four:
 *   A B C D   A => C, B => D                    C A B D   C => A, B => D: split (3)
 *   A C B D   A => C, B => D                    C A D B   C => A => D (2), A => D => B (2)
 *   A C D B   A => C, D => B: split (3)         C D A B   D => A
 * D after A only if T1 has not read in between (then B => D), nor T2 (then nothing).
 * build:    gcc -g -fsanitize=thread
 * iroot:    1(A,C) 1(B,D) 1(D,B) 1(C,A) 1(A,D) 1(D,A) 2(C,A,D) 2(A,D,B) 3(A,C,D,B) 3(C,A,B,D)
 * pset:     0(A,C) 0(B,D) 0(D,B) 0(C,A) 0(A,D) 0(D,A)
 * hapset:   1(A,C) 1(B,D) 2(D,B) 2(C,A) 1(A,D) 2(D,A)
 * syncpair: none
 * map:      1(B,D) 1(C,A) 2(A,C) 2(D,B) 3(A,D) 3(D,A) 5(A,D,B) 7(C,A,D)
 * cfp:      0(left,right)
 * race:     1(A,C) 1(B,D) 2(A,D)
 * defuse:   1(A,B) 2(A,C) 2(D,B)
 */
#include <pthread.h>

static volatile long x;

static void *left(void *arg)
{
    x = 1; /* A */
    return (void *)x; /* B */
}

static void *right(void *arg)
{
    long seen = x; /* C */
    x = 2; /* D */
    return (void *)seen;
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
