/* Two atomic additions: each is a read and a write that nothing can split.
 * build:    gcc -g -fsanitize=thread
 * iroot:    1(A,A)
 * pset:     0(A,A)
 * hapset:   1(A,A) 2(A,A)
 * syncpair: none
 * map:      1(A,A) 2(A,A) 3(A,A)
 * cfp:      0(add,add)
 * race:     none
 * defuse:   2(A,A)
 */
#include <pthread.h>

static int x;

static void *add(void *arg)
{
    __atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST); /* A */
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
