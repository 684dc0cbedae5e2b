/* One write, one read, nothing between them
 * build:    gcc -g -fsanitize=thread
 * iroot:    1(A,B) 1(B,A)
 * pset:     0(A,B) 0(B,A)
 * hapset:   1(A,B) 2(B,A)
 * syncpair: none
 * map:      1(B,A) 2(A,B)
 * cfp:      0(reader,writer)
 * race:     1(A,B)
 * defuse:   2(A,B)
 */
#include <pthread.h>

static int x;

static void *writer(void *arg)
{
    x = 1; /* A */
    return arg;
}

static void *reader(void *arg)
{
    int r = x; /* B */
    return r ? arg : NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
