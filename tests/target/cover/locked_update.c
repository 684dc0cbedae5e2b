/* Two updates under a lock: what was split in lost_update.c is whole here.
 * The second thread takes lock and value over; no idiom 6, because the first one
 * gives the value before the lock and the second takes the lock before the value.
 * build:    gcc -g -fsanitize=thread
 * iroot:    1(U,L) 1(A2,A)
 * pset:     0(A2,A)
 * hapset:   1(L,L) 2(L,L) 1(A2,A) 2(A2,A)
 * syncpair: 0(L,L)
 * map:      1(A,A2) 2(A2,A) 3(A2,A2)
 * cfp:      0(add,add)
 * race:     none
 * defuse:   2(A2,A)
 */
#include <pthread.h>

static int x;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *arg)
{
    pthread_mutex_lock(&lock); /* L */
    x++; /* A */
    pthread_mutex_unlock(&lock); /* U */
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, add, NULL);
    pthread_create(&t[1], NULL, add, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
