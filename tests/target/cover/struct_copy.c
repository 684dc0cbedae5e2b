/* Two fields written, and copied as one: C meets A on some bytes and B on others, so
 * that no single place is touched by all three.
 * build:    gcc -g -fsanitize=thread
 * iroot:    1(A,C) 1(B,C) 1(C,A) 1(C,B)
 * pset:     0(A,C) 0(B,C) 0(C,A) 0(C,B)
 * hapset:   1(A,C) 1(B,C) 2(C,A) 2(C,B)
 * syncpair: none
 * map:      1(C,A) 1(C,B) 2(A,C) 2(B,C)
 * cfp:      0(left,right)
 * race:     1(A,C) 1(B,C)
 * defuse:   2(A,C) 2(B,C)
 */
#include <pthread.h>

static volatile union {
    struct {
        int a, b;
    } part;
    long whole;
} s;

static void *left(void *arg)
{
    s.part.a = 1; /* A */
    s.part.b = 1; /* B */
    return arg;
}

static void *right(void *arg)
{
    return (void *)s.whole; /* C */
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
