/* A message and an atomic flag that says it is there. D is only reached by a
 * reader whose C saw B, so D never comes before A.
 * build:    gcc -g -fsanitize=thread
 * iroot:    1(B,C) 1(C,B) 1(A,D)
 * pset:     0(B,C) 0(C,B) 0(A,D)
 * hapset:   1(B,C) 2(C,B) 1(A,D)
 * syncpair: none
 * map:      1(C,B) 2(B,C) 2(A,D)
 * cfp:      0(receiver,sender)
 * race:     none
 * defuse:   2(B,C) 2(A,D)
 */
#include <pthread.h>

static int data;
static int flag;

static void *sender(void *arg)
{
    data = 1; /* A */
    __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST); /* B */
    return arg;
}

static void *receiver(void *arg)
{
    int r = 0;
    if (__atomic_load_n(&flag, __ATOMIC_SEQ_CST)) /* C */
        r = data; /* D */
    return r ? arg : NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, sender, NULL);
    pthread_create(&t[1], NULL, receiver, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
