/* A reader and a writer of a read-write lock.
 * build:    gcc -g -fsanitize=thread
 * iroot:    1(C,D) 1(F,A) 1(B,E) 1(E,B)
 * pset:     0(B,E) 0(E,B)
 * hapset:   1(A,D) 2(D,A) 1(B,E) 2(E,B)
 * syncpair: 0(A,D) 0(D,A)
 * map:      1(B,E) 2(E,B)
 * cfp:      0(reader,writer)
 * race:     none
 * defuse:   2(E,B)
 */
#include <pthread.h>

static int x;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *arg)
{
    pthread_rwlock_rdlock(&lock); /* A */
    int r = x; /* B */
    pthread_rwlock_unlock(&lock); /* C */
    return r ? arg : NULL;
}

static void *writer(void *arg)
{
    pthread_rwlock_wrlock(&lock); /* D */
    x = 1; /* E */
    pthread_rwlock_unlock(&lock); /* F */
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, reader, NULL);
    pthread_create(&t[1], NULL, writer, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
