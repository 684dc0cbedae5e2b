/* Two updates without a lock. A is the read, A2 the write.
 * R1 W1 R2 W2: W1 => R2. R1 R2 W1 W2: R2 => W1, W1 => W2 (a write follows a write
 * if nobody read in between), and R2 .. W2 is split: R2 => W1 => W2.
 * build:    gcc -g -fsanitize=thread
 * iroot:    1(A2,A) 1(A,A2) 1(A2,A2) 2(A,A2,A2)
 * pset:     0(A2,A) 0(A,A2) 0(A2,A2)
 * hapset:   1(A2,A) 2(A2,A) 1(A,A2) 2(A,A2) 1(A2,A2) 2(A2,A2)
 * syncpair: none
 * map:      1(A,A2) 2(A2,A) 3(A2,A2) 7(A,A2,A2)
 * cfp:      0(add,add)
 * race:     1(A,A2) 2(A2,A2)
 * defuse:   2(A2,A)
 */
#include <pthread.h>

static int x;

static void *add(void *arg)
{
    x++; /* A */
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
