/* Threads get the address of the loop variable
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"

static int got[2];
static int next;

static void *worker(void *arg)
{
    int i = *(int *)arg; /* R1 */
    __atomic_store_n(&got[__atomic_fetch_add(&next, 1, __ATOMIC_SEQ_CST)], i, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int i;
    for (i = 0; i < 2; i++) /* R2 */
        pthread_create(&t[i], NULL, worker, &i);
    for (int k = 0; k < 2; k++)
        pthread_join(t[k], NULL);
    printf("%d %d\n", got[0], got[1]);
    return 0;
}
