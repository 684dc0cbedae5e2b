/* A value given to a thread and taken back when it has ended: one order only. A => B
 * and C => D: the two of the thread stand between the two of main (3). Another thread,
 * which touches nothing (and is left out of cfp), is there so that there is a choice.
 * build:    gcc -g -fsanitize=thread
 * iroot:    1(A,B) 1(C,D) 3(A,B,C,D)
 * pset:     0(A,B) 0(C,D)
 * hapset:   1(A,B) 2(C,D)
 * syncpair: none
 * map:      2(A,B) 2(C,D) 3(A,C) 5(A,C,D)
 * cfp:      none
 * race:     none
 * defuse:   2(A,B) 2(C,D)
 */
#include <pthread.h>

static volatile int x;

static void *worker(void *arg)
{
    int seen = x; /* B */
    x = seen + 1; /* C */
    return arg;
}

static void *bystander(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_t t[2];
    x = 1; /* A */
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, bystander, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return x == 2 ? 0 : 1; /* D */
}
